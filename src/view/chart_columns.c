#include "view/chart_columns.h"

#include <math.h>
#include <string.h>

void chart_columns_start(struct chart_columns *columns, int64_t now_ns, int64_t window_ns,
                         size_t count, size_t layer_count)
{
    columns->count = count < CHART_COLUMNS_MAX ? count : CHART_COLUMNS_MAX;
    columns->layer_count = layer_count < CHART_LAYERS_MAX ? layer_count : CHART_LAYERS_MAX;
    columns->has_last = false;
    columns->step_ns = columns->count > 0 ? window_ns / (int64_t)columns->count : 1;
    if (columns->step_ns < 1)
        columns->step_ns = 1;
    /* Up: the newest point is inside the last column. */
    int64_t steps = now_ns / columns->step_ns + (now_ns % columns->step_ns > 0 ? 1 : 0);
    columns->begin_ns = (steps - (int64_t)columns->count) * columns->step_ns;
    for (size_t layer = 0; layer < columns->layer_count; layer++) {
        memset(columns->values[layer], 0, columns->count * sizeof columns->values[layer][0]);
        memset(columns->weights[layer], 0, columns->count * sizeof columns->weights[layer][0]);
    }
}

/* Adds `values` to one column, `part` (0 to 1) of which they fill. */
static void add_part(struct chart_columns *columns, size_t at, float part, const float *values)
{
    for (size_t layer = 0; layer < columns->layer_count; layer++)
        if (!isnan(values[layer])) {
            columns->values[layer][at] += values[layer] * part;
            columns->weights[layer][at] += part;
        }
}

void chart_columns_add(struct chart_columns *columns, int64_t time_ns, bool gap_before,
                       const float *values)
{
    int64_t step_ns = columns->step_ns, from_ns = time_ns - step_ns;
    int64_t begin_ns = columns->begin_ns, end_ns = begin_ns + (int64_t)columns->count * step_ns;
    bool alone = gap_before || !columns->has_last || columns->last_ns >= time_ns;
    if (!alone)
        from_ns = columns->last_ns;
    columns->last_ns = time_ns;
    columns->has_last = true;
    if (time_ns <= begin_ns || time_ns > end_ns)
        return;
    size_t last = (size_t)((time_ns - 1 - begin_ns) / step_ns);
    if (alone) {
        add_part(columns, last, 1, values);
        return;
    }
    from_ns = from_ns > begin_ns ? from_ns : begin_ns;
    for (size_t at = (size_t)((from_ns - begin_ns) / step_ns); at <= last; at++) {
        int64_t left = begin_ns + (int64_t)at * step_ns, right = left + step_ns;
        left = left > from_ns ? left : from_ns;
        right = right < time_ns ? right : time_ns;
        if (right > left)
            add_part(columns, at, (float)((double)(right - left) / (double)step_ns), values);
    }
}

void chart_columns_finish(struct chart_columns *columns)
{
    for (size_t layer = 0; layer < columns->layer_count; layer++)
        for (size_t i = 0; i < columns->count; i++) {
            float weight = columns->weights[layer][i];
            columns->values[layer][i] = weight > 0 ? columns->values[layer][i] / weight : NAN;
        }
}

float chart_columns_sum(const struct chart_columns *columns, size_t column)
{
    float sum = NAN;
    for (size_t layer = 0; layer < columns->layer_count; layer++) {
        float value = columns->values[layer][column];
        if (!isnan(value))
            sum = isnan(sum) ? value : sum + value;
    }
    return sum;
}

float chart_columns_largest(const struct chart_columns *columns)
{
    float largest = 0;
    for (size_t i = 0; i < columns->count; i++) {
        float sum = chart_columns_sum(columns, i);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}
