/* Which charts are shown, and how much of the past: the keys and the picker. */
#include <stdio.h>

#include "present/tui/chart_drawing.h"
#include "view/reasons_text.h"

void charts_zoom(struct ui *ui, bool out)
{
    struct charts *charts = &ui->charts;
    if (out && charts->window + 1 < CHART_WINDOW_COUNT)
        charts->window++;
    else if (!out && charts->window > 0)
        charts->window--;
}

void action_charts(struct ui *ui, uint32_t key)
{
    static const enum charts_mode next[] = {
        [CHARTS_ALL] = CHARTS_ONE, [CHARTS_ONE] = CHARTS_OFF, [CHARTS_OFF] = CHARTS_ALL};
    static const char *const words[] = {[CHARTS_ALL] = "charts: all that fit",
                                        [CHARTS_ONE] = "charts: one; v chooses which",
                                        [CHARTS_OFF] = "charts: none"};
    (void)key;
    ui->charts.mode = next[ui->charts.mode];
    ui_say(ui, STYLE_NORMAL, "%s", words[ui->charts.mode]);
}

void action_zoom_in(struct ui *ui, uint32_t key)
{
    (void)key;
    charts_zoom(ui, false);
}

void action_zoom_out(struct ui *ui, uint32_t key)
{
    (void)key;
    charts_zoom(ui, true);
}

void action_pick_chart(struct ui *ui, uint32_t key)
{
    const struct adapter *adapter = charts_adapter(ui);
    int64_t now_ns;
    (void)key;
    if (adapter == NULL || !charts_now(ui, &now_ns))
        return;
    charts_look_back(ui, adapter, now_ns);
    menu_open(ui, MENU_CHART);
}

void charts_picker_label(struct ui *ui, size_t place, char *out, size_t size)
{
    const struct adapter *adapter = charts_adapter(ui);
    if (place == 0 || adapter == NULL) {
        snprintf(out, size, "all that fit");
        return;
    }
    enum chart chart = (enum chart)(place - 1);
    if (chart_is_delivered(chart, &ui->charts.seen))
        snprintf(out, size, "%-16s  %s", chart_title(chart, adapter), chart_traits(chart)->help);
    else
        snprintf(out, size, "%-16s  n/a: %s", chart_title(chart, adapter),
                 reason_words(chart_now(chart, adapter, &ui->snapshot->host).why_not));
}

bool charts_choose(struct ui *ui, size_t place)
{
    const struct adapter *adapter = charts_adapter(ui);
    if (place == 0 || adapter == NULL) {
        ui->charts.mode = CHARTS_ALL;
        return true;
    }
    enum chart chart = (enum chart)(place - 1);
    if (!chart_is_delivered(chart, &ui->charts.seen)) {
        ui_say(ui, STYLE_NORMAL, "%s n/a: %s", chart_title(chart, adapter),
               reason_words(chart_now(chart, adapter, &ui->snapshot->host).why_not));
        return false;
    }
    ui->charts.chosen = chart;
    ui->charts.mode = CHARTS_ONE;
    return true;
}
