#include "view/charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct chart_traits charts[CHART_COUNT] = {
#define CHART(chart_name, chart_title, chart_unit, first, layer_count, chart_help)                 \
    [CHART_##chart_name] = {.name = #chart_name,                                                   \
                            .title = (chart_title),                                                \
                            .help = (chart_help),                                                  \
                            .unit = (chart_unit),                                                  \
                            .series = (first),                                                     \
                            .layers = (layer_count)},
#include "view/charts.def"
#undef CHART
};

_Static_assert(SEGMENT_UNATTRIBUTED + 1 <= CHART_LAYERS_MAX, "a layer for each class");

const struct chart_traits *chart_traits(enum chart chart)
{
    return &charts[chart < CHART_COUNT ? chart : CHART_load];
}

bool chart_from_name(const char *name, enum chart *chart)
{
    for (int i = 0; i < CHART_COUNT; i++)
        if (strcmp(chart_traits((enum chart)i)->name, name) == 0) {
            *chart = (enum chart)i;
            return true;
        }
    return false;
}

const char *chart_title(enum chart chart, const struct adapter *adapter)
{
    if (chart == CHART_clock && text_equal_string(adapter->vendor, "intel"))
        return "GT clock";
    if (chart == CHART_shared && adapter->memory.unified)
        return "shared memory";
    return chart_traits(chart)->title;
}

void chart_seen_add(struct chart_seen *seen, const struct history_point *point)
{
    for (int series = 0; series < SERIES_COUNT; series++)
        seen->series[series] = seen->series[series] || !isnan(point->values[series]);
}

bool chart_is_delivered(enum chart chart, const struct chart_seen *seen)
{
    const struct chart_traits *traits = chart_traits(chart);
    for (size_t layer = 0; layer < traits->layers; layer++)
        if (seen->series[(size_t)traits->series + layer])
            return true;
    return false;
}

/* The larger of two, of which either may be unavailable. */
static struct figure larger(struct figure a, struct figure b)
{
    if (!figure_is_known(a))
        return figure_is_known(b) ? b : a;
    return figure_is_known(b) && b.value > a.value ? b : a;
}

struct figure chart_now(enum chart chart, const struct adapter *adapter, const struct host *host)
{
    const struct temperatures *celsius = &adapter->temperatures_celsius;
    const struct figure *engines = adapter->engines_percent;
    switch (chart) {
    case CHART_load:
        return adapter->load_percent;
    case CHART_memory:
        return figure_from_measured(adapter->memory.vram_used_bytes, 1);
    case CHART_classes:
        return adapter->processes_state.unknown
                   ? figure_unknown(adapter->processes_state.why_not)
                   : figure_from_measured(memory_pools_used(&adapter->memory), 1);
    case CHART_shared:
        return figure_from_measured(adapter->memory.shared_used_bytes, 1);
    case CHART_activity:
        return adapter->memory_activity_percent;
    case CHART_pcie:
        return adapter->pcie.rx_bytes_per_second;
    case CHART_temperature:
        return larger(larger(celsius->edge, celsius->hotspot), celsius->memory);
    case CHART_power:
        return adapter->power_watts;
    case CHART_clock:
        return adapter->clocks_mhz.graphics;
    case CHART_video:
        return larger(engines[ENGINE_video],
                      larger(engines[ENGINE_decode], engines[ENGINE_encode]));
    case CHART_cpu:
        return host->cpu_percent;
    case CHART_ram:
        return figure_from_measured(host->memory_used_bytes, 1);
    case CHART_COUNT:
        break;
    }
    return figure_unknown(REASON_not_reported);
}

/* The next of 1, 2, 5, 10 ... of a unit that is not below `value`. */
static double round_up(double value, double unit)
{
    static const double steps[] = {1, 2, 5};
    double decade = unit;
    while (decade * 5 < value && decade < 1e18)
        decade *= 10;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (decade * steps[i] >= value)
            return decade * steps[i];
    return decade * 10;
}

/* The same in powers of two. */
static double round_up_bytes(double bytes)
{
    double top = 64.0 * 1024 * 1024;
    while (top < bytes && top < 1e18)
        top *= 2;
    return top;
}

double chart_top(enum chart chart, const struct adapter *adapter, const struct host *host,
                 double largest)
{
    struct measured total = memory_pools_total(&adapter->memory);
    double most = 0;
    switch (chart_traits(chart)->unit) {
    case CHART_PERCENT:
    case CHART_CELSIUS:
        return 100;
    case CHART_BYTES:
        if (chart == CHART_ram)
            total = host->memory_total_bytes;
        if (chart == CHART_memory)
            total = adapter->memory.vram_total_bytes;
        if (chart == CHART_shared && !adapter->memory.unified)
            total.known = false; /* a spill is small beside all of RAM */
        return total.known && total.value > 0 && largest <= (double)total.value
                   ? (double)total.value
                   : round_up_bytes(largest);
    case CHART_RATE:
        return round_up(largest, 1e6);
    case CHART_WATTS:
        most = adapter->power_limit_watts.value;
        return most > 0 && largest <= most ? most : round_up(largest, 10);
    case CHART_MHZ:
        most = adapter->max_clocks_mhz.graphics.value;
        return most > 0 && largest <= most ? most : round_up(largest, 1000);
    }
    return 100;
}

static void axis_bytes(double bytes, char out[UNITS_SIZE])
{
    double gibibytes = bytes / (1024.0 * 1024 * 1024);
    if (bytes >= 1 && gibibytes < 0.999)
        snprintf(out, UNITS_SIZE, "%.0f M", gibibytes * 1024);
    else if (fabs(gibibytes - round(gibibytes)) < 0.05 || gibibytes >= 99.5)
        snprintf(out, UNITS_SIZE, bytes >= 1 ? "%.0f G" : "%.0f", gibibytes);
    else
        snprintf(out, UNITS_SIZE, "%.1f G", gibibytes);
}

void chart_axis_words(enum chart_unit unit, double value, char out[UNITS_SIZE])
{
    if (unit == CHART_BYTES)
        axis_bytes(value, out);
    else if (unit == CHART_RATE)
        units_rate(value, out);
    else
        snprintf(out, UNITS_SIZE, "%.0f", value);
    if (unit == CHART_RATE && strstr(out, ".0 ") != NULL) /* "2 GB/s" */
        memmove(strstr(out, ".0 "), strstr(out, ".0 ") + 2, strlen(strstr(out, ".0 ") + 2) + 1);
}

void chart_value_words(enum chart_unit unit, double value, bool ascii, char out[UNITS_SIZE])
{
    size_t length = 0;
    switch (unit) {
    case CHART_PERCENT:
        units_percent(value, out);
        length = strlen(out);
        snprintf(out + length, UNITS_SIZE - length, " %%");
        break;
    case CHART_BYTES:
        units_bytes(value, out);
        break;
    case CHART_RATE:
        units_rate(value, out);
        break;
    case CHART_WATTS:
        units_watts(value, out);
        break;
    case CHART_CELSIUS:
        units_celsius(value, ascii, out);
        break;
    case CHART_MHZ:
        units_mhz(value, out);
        break;
    }
}

static const struct {
    int64_t seconds;
    const char *words;
} windows[CHART_WINDOW_COUNT] = {{60, "-60 s"}, {300, "-5 min"}, {900, "-15 min"}, {3600, "-1 h"}};

int64_t chart_window_ns(size_t window)
{
    return windows[window < CHART_WINDOW_COUNT ? window : 0].seconds * 1000000000;
}

const char *chart_window_words(size_t window)
{
    return windows[window < CHART_WINDOW_COUNT ? window : 0].words;
}
