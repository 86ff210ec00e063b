/* What the parts of the charts share: charts.c draws them, chart_title.c the line above each,
 * chart_actions.c chooses. */
#ifndef PRESENT_TUI_CHART_DRAWING_H
#define PRESENT_TUI_CHART_DRAWING_H

#include "present/tui/ui.h"

/* One chart being drawn. */
struct drawing {
    struct ui *ui;
    const struct adapter *adapter;
    struct rectangle area;
    enum chart chart;
    const struct chart_columns *columns;
    double top;
};

/* The title, and at the right the newest value and how it is known, where it is not measured. */
void chart_draw_title(const struct drawing *drawing);

/* Whose charts are shown; NULL: there is no adapter. */
const struct adapter *charts_adapter(const struct ui *ui);
/* The running time of the snapshot on the screen; false when it has none. */
bool charts_now(const struct ui *ui, int64_t *now_ns);
/* Notes in ui->charts.seen what the adapter delivered in the hour that is kept. */
void charts_look_back(struct ui *ui, const struct adapter *adapter, int64_t now_ns);
/* More of the past, or less. */
void charts_zoom(struct ui *ui, bool out);

#endif
