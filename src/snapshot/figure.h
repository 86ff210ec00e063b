/* A number with its provenance, for what is deduced, computed or reported. A figure is never added
 * to a total: totals take struct measured, and a figure in its place does not compile. */
#ifndef SNAPSHOT_FIGURE_H
#define SNAPSHOT_FIGURE_H

#include <math.h>
#include <stdbool.h>

#include "reading/measured.h"

struct figure {
    double value; /* in the unit its name says; 0 while unavailable */
    enum how how;
    enum reason why_not; /* while how is HOW_UNAVAILABLE */
};

/* Six decimals are what a snapshot keeps, so that reading back what was written gives the same.
 * From 9e9 on a double has no more than that anyway; from 2^32 on it has so few that the millionths
 * must be rounded by themselves, or rounding again would give another number. */
static inline double figure_round(double value)
{
    double whole;
    if (fabs(value) < 4294967296.0) {
        return round(value * 1e6) / 1e6;
    }
    return fabs(value) < 9e9 ? round(modf(value, &whole) * 1e6) / 1e6 + whole : value;
}

static inline struct figure figure_known(double value, enum how how)
{
    return (struct figure){.value = figure_round(value), .how = how};
}

static inline struct figure figure_unknown(enum reason why_not)
{
    return (struct figure){.why_not = why_not};
}

static inline bool figure_is_known(struct figure figure)
{
    return figure.how != HOW_UNAVAILABLE;
}

/* A measured counter as a figure, divided by `unit` (1000 for milli-units). */
static inline struct figure figure_from_measured(struct measured measured, double unit)
{
    return measured.known ? figure_known((double)measured.value / unit, HOW_MEASURED)
                          : figure_unknown(measured.why_not);
}

static inline struct figure figure_from_said(struct said said, double unit)
{
    return said.how != HOW_UNAVAILABLE ? figure_known((double)said.value / unit, said.how)
                                       : figure_unknown(said.why_not);
}

#endif
