/* A chart, step 1: points of a history to the columns of a time axis. Pure.
 *
 * A point stands for the time since the one before it; after a gap (a pause, sleep) for its own
 * column alone. A column holds the mean of what stands in it; NAN where nothing is known. Columns
 * lie at whole multiples of their length, so that the picture moves by whole columns. */
#ifndef VIEW_CHART_COLUMNS_H
#define VIEW_CHART_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHART_COLUMNS_MAX = 640, CHART_LAYERS_MAX = 8 };

struct chart_columns {
    int64_t begin_ns, step_ns; /* column i: begin + i * step (excluded) to one step on */
    size_t count, layer_count; /* columns; values stacked in each */
    bool has_last;
    int64_t last_ns;                                   /* of the last point */
    float values[CHART_LAYERS_MAX][CHART_COLUMNS_MAX]; /* means after chart_columns_finish() */
    float weights[CHART_LAYERS_MAX][CHART_COLUMNS_MAX];
};

/* Empty columns that end with the one that `now_ns` is in, `window_ns` long together. */
void chart_columns_start(struct chart_columns *columns, int64_t now_ns, int64_t window_ns,
                         size_t count, size_t layer_count);
/* Points in the order of their time; NAN in `values` (one a layer): unavailable. */
void chart_columns_add(struct chart_columns *columns, int64_t time_ns, bool gap_before,
                       const float *values);
void chart_columns_finish(struct chart_columns *columns);
/* The layers of a column together; NAN when none is known. After chart_columns_finish(). */
float chart_columns_sum(const struct chart_columns *columns, size_t column);
/* The largest such sum; 0 when nothing is known. */
float chart_columns_largest(const struct chart_columns *columns);

#endif
