/* Which charts there are, what an adapter delivers of them, and the words and numbers around them.
 * Pure. */
#ifndef VIEW_CHARTS_H
#define VIEW_CHARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot/snapshot.h"
#include "timeline/history.h"
#include "view/chart_columns.h"
#include "view/units.h"

enum chart_unit {
    CHART_PERCENT,
    CHART_BYTES,
    CHART_RATE,
    CHART_WATTS,
    CHART_CELSIUS,
    CHART_MHZ,
};

enum chart {
#define CHART(name, title, unit, series, layers, help) CHART_##name,
#include "view/charts.def"
#undef CHART
    CHART_COUNT
};

struct chart_traits {
    const char *name, *title, *help;
    enum chart_unit unit;
    enum series series; /* the first of `layers` that are stacked */
    size_t layers;
};

const struct chart_traits *chart_traits(enum chart chart);
/* By its name ("load", "classes"); false: there is none. */
bool chart_from_name(const char *name, enum chart *chart);
/* "GT clock" on Intel, "shared memory" on a unified GPU. Static. */
const char *chart_title(enum chart chart, const struct adapter *adapter);

/* Which series had a value once. */
struct chart_seen {
    bool series[SERIES_COUNT];
};
/* Notes what a point has. */
void chart_seen_add(struct chart_seen *seen, const struct history_point *point);
bool chart_is_delivered(enum chart chart, const struct chart_seen *seen);
/* The newest value of a chart (of PCIe what is received; of memory by class all of it), or why
 * there is none. */
struct figure chart_now(enum chart chart, const struct adapter *adapter, const struct host *host);

/* The value at the upper edge: what the hardware can do at most where that is known, else a round
 * number above `largest`. */
double chart_top(enum chart chart, const struct adapter *adapter, const struct host *host,
                 double largest);
/* A value of the axis: "100", "24 G", "2 GB/s"; the unit is the title's where it is one. */
void chart_axis_words(enum chart_unit unit, double value, char out[UNITS_SIZE]);
/* A value with its unit: "97 %", "19.1 G", "371 W". */
void chart_value_words(enum chart_unit unit, double value, bool ascii, char out[UNITS_SIZE]);

/* How much of the past is drawn. */
enum { CHART_WINDOW_COUNT = 4 };
int64_t chart_window_ns(size_t window);        /* 1 min, 5 min, 15 min, 1 h */
const char *chart_window_words(size_t window); /* "-60 s", "-5 min" ... */

#endif
