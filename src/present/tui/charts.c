/* The past of the focused adapter: charts beside each other, or one. */
#include <math.h>

#include "present/tui/chart_drawing.h"
#include "present/tui/map_bar.h"
#include "view/chart_cells.h"
#include "view/reasons_text.h"

enum { CHART_GAP = 2, CHART_WIDTH_LEAST = 38, LABEL_WIDTH = 7, GRAPH_X = LABEL_WIDTH + 1 };

const struct adapter *charts_adapter(const struct ui *ui)
{
    if (ui->snapshot == NULL || ui->snapshot->adapter_count == 0)
        return NULL;
    return &ui->snapshot->adapters[ui_focused(ui)];
}

enum layout_charts charts_wish(const struct ui *ui)
{
    switch (ui->charts.mode) {
    case CHARTS_ALL:
        return LAYOUT_CHARTS_SPARE;
    case CHARTS_ONE:
        return LAYOUT_CHARTS_WANTED;
    case CHARTS_OFF:
        break;
    }
    return LAYOUT_CHARTS_NONE;
}

bool charts_show(const struct ui *ui, enum chart chart)
{
    for (size_t i = 0; ui->layout.charts.height > 0 && i < ui->charts.shown_count; i++)
        if (ui->charts.shown[i] == chart)
            return true;
    return false;
}

static enum chart_glyphs chart_glyphs(const struct ui *ui)
{
    switch (screen_glyphs(ui->screen)) {
    case GLYPHS_ASCII:
        return CHART_ASCII;
    case GLYPHS_BASIC:
        return CHART_BLOCKS;
    case GLYPHS_BLOCKS:
        return ui->braille ? CHART_BRAILLE : CHART_BLOCKS;
    case GLYPHS_FULL:
        break;
    }
    return ui->blocks ? CHART_BLOCKS : CHART_BRAILLE;
}

bool charts_now(const struct ui *ui, int64_t *now_ns)
{
    struct figure seconds = ui->snapshot->monotonic_seconds;
    *now_ns = (int64_t)(seconds.value * 1e9);
    return figure_is_known(seconds) && fabs(seconds.value) < 9e9;
}

static void note_seen(void *context, const struct history_point *point)
{
    chart_seen_add(context, point);
}

void charts_look_back(struct ui *ui, const struct adapter *adapter, int64_t now_ns)
{
    ui->charts.seen = (struct chart_seen){.series = {false}};
    struct history_request request = {.adapter_id = adapter->id,
                                      .from_ns = INT64_MIN,
                                      .to_ns = now_ns,
                                      .visit = note_seen,
                                      .context = &ui->charts.seen};
    (void)source_history(ui->source, &request);
}

static void choose_shown(struct ui *ui, int width)
{
    struct charts *charts = &ui->charts;
    size_t most = (size_t)(width / CHART_WIDTH_LEAST);
    most = most < 1 ? 1 : most > CHARTS_BESIDE_MAX ? CHARTS_BESIDE_MAX : most;
    charts->shown_count = 0;
    if (charts->mode == CHARTS_ONE) {
        charts->shown[charts->shown_count++] = charts->chosen;
        return;
    }
    for (int chart = 0; chart < CHART_COUNT && charts->shown_count < most; chart++)
        if (chart_is_delivered((enum chart)chart, &charts->seen))
            charts->shown[charts->shown_count++] = (enum chart)chart;
}

/* What a point is added to. */
struct filling {
    struct charts *charts;
    int64_t from_ns; /* of the span in sight */
};

static void fill_point(void *context, const struct history_point *point)
{
    struct filling *filling = context;
    struct charts *charts = filling->charts;
    for (size_t i = 0; i < charts->shown_count; i++)
        chart_columns_add(&charts->columns[i], point->running_ns, point->gap_before,
                          &point->values[chart_traits(charts->shown[i])->series]);
    if (point->running_ns >= filling->from_ns)
        growth_add(&charts->growth, point);
}

static void fill(struct ui *ui, const struct adapter *adapter, int64_t now_ns, size_t graph_width)
{
    struct charts *charts = &ui->charts;
    int64_t window_ns = chart_window_ns(charts->window);
    struct filling filling = {.charts = charts, .from_ns = now_ns - window_ns};
    charts->growth = (struct growth){.any = false};
    for (size_t i = 0; i < charts->shown_count; i++)
        chart_columns_start(&charts->columns[i], now_ns, window_ns,
                            chart_column_count(chart_glyphs(ui), graph_width),
                            chart_traits(charts->shown[i])->layers);
    struct history_request request = {.adapter_id = adapter->id,
                                      .from_ns = INT64_MIN,
                                      .to_ns = now_ns,
                                      .visit = fill_point,
                                      .context = &filling};
    (void)source_history(ui->source, &request);
    for (size_t i = 0; i < charts->shown_count; i++)
        chart_columns_finish(&charts->columns[i]);
}

static enum style style_of_layer(enum chart chart, size_t layer)
{
    if (chart == CHART_classes)
        return style_of_segment((enum segment_class)layer);
    if (chart == CHART_shared)
        return STYLE_MARK;
    return layer == 0 ? STYLE_LOAD : STYLE_DIM;
}

static void draw_cells(const struct drawing *drawing)
{
    struct screen *screen = drawing->ui->screen;
    enum chart_glyphs glyphs = chart_glyphs(drawing->ui);
    int rows = drawing->area.height - 2, x = drawing->area.x + GRAPH_X;
    bool letters =
        drawing->chart == CHART_classes && (glyphs == CHART_ASCII || !screen_has_color(screen));
    for (int row = 0; row < rows; row++)
        for (int at = 0; at < drawing->area.width - GRAPH_X; at++) {
            struct chart_cell cell = chart_cell(drawing->columns, glyphs, drawing->top, (size_t)at,
                                                (size_t)row, (size_t)rows);
            if (cell.code_point == ' ')
                continue;
            if (letters)
                cell.code_point = (unsigned char)letter_of_segment((enum segment_class)cell.layer);
            screen_put_character(screen, x + at, drawing->area.y + rows - row, cell.code_point,
                                 style_of_layer(drawing->chart, cell.layer));
        }
}

static void draw_axes(const struct drawing *drawing)
{
    struct screen *screen = drawing->ui->screen;
    struct rectangle area = drawing->area;
    enum chart_unit unit = chart_traits(drawing->chart)->unit;
    char words[UNITS_SIZE];
    for (int y = area.y + 1; y < area.y + area.height - 1; y++)
        screen_repeat(screen, area.x + LABEL_WIDTH, y, 1, SYMBOL_RIGHT_1, STYLE_DIM);
    chart_axis_words(unit, drawing->top, words);
    draw_right(screen, area.x + LABEL_WIDTH, area.y + 1, words, STYLE_DIM);
    draw_right(screen, area.x + LABEL_WIDTH, area.y + area.height - 2, "0", STYLE_DIM);
    screen_print(screen, area.x + GRAPH_X, area.y + area.height - 1,
                 chart_window_words(drawing->ui->charts.window), STYLE_DIM);
    draw_right(screen, area.x + area.width, area.y + area.height - 1, "now", STYLE_DIM);
}

static void draw_chart(struct drawing *drawing)
{
    struct rectangle area = drawing->area;
    const struct host *host = &drawing->ui->snapshot->host;
    chart_draw_title(drawing);
    if (!chart_is_delivered(drawing->chart, &drawing->ui->charts.seen)) {
        enum reason why = chart_now(drawing->chart, drawing->adapter, host).why_not;
        screen_format(drawing->ui->screen, area.x + GRAPH_X, area.y + 1, STYLE_DIM, "n/a: %s",
                      reason_words(why));
        return;
    }
    drawing->top = chart_top(drawing->chart, drawing->adapter, host,
                             (double)chart_columns_largest(drawing->columns));
    draw_axes(drawing);
    draw_cells(drawing);
}

static void charts_draw(struct ui *ui, struct rectangle area)
{
    const struct adapter *adapter = charts_adapter(ui);
    int64_t now_ns;
    if (area.height == 0 || adapter == NULL || !charts_now(ui, &now_ns))
        return;
    charts_look_back(ui, adapter, now_ns);
    choose_shown(ui, area.width);
    int count = (int)ui->charts.shown_count;
    if (count == 0) {
        screen_print(ui->screen, area.x + 1, area.y, "no figure to draw yet", STYLE_DIM);
        return;
    }
    int each = (area.width + CHART_GAP - 1) / count;
    fill(ui, adapter, now_ns, (size_t)(each - CHART_GAP - GRAPH_X));
    for (int i = 0; i < count; i++) {
        struct drawing drawing = {
            .ui = ui,
            .adapter = adapter,
            .area = {area.x + i * each, area.y, each - CHART_GAP, area.height},
            .chart = ui->charts.shown[i],
            .columns = &ui->charts.columns[i]};
        draw_chart(&drawing);
    }
}

static void charts_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    struct charts *charts = &ui->charts;
    if (event->action != MOUSE_PRESS) {
        charts_zoom(ui, event->action == MOUSE_WHEEL_DOWN);
    } else if (charts->mode == CHARTS_ONE) {
        charts->mode = CHARTS_ALL;
    } else if (charts->shown_count > 0 && area.width > 1) {
        size_t at = (size_t)(event->x - area.x) * charts->shown_count / (size_t)area.width;
        charts->chosen = charts->shown[at < charts->shown_count ? at : 0];
        charts->mode = CHARTS_ONE;
    }
}

const struct panel charts_panel = {.draw = charts_draw, .mouse = charts_mouse};
