/* Peak, mean and quantiles of a figure over time, in fixed memory. Every value stands for a time,
 * and mean and quantiles are weighted by it. Values are not negative. */
#ifndef TIMELINE_STATISTIC_H
#define TIMELINE_STATISTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "reading/measured.h"

struct quantiles;

struct statistic {
    uint64_t samples; /* 0: it was never known */
    double seconds;   /* the time for which it was known */
    double sum;       /* value times seconds */
    double plain_sum; /* value times samples */
    double least, peak;
    int64_t peak_at_ns;  /* wall clock */
    unsigned hows;       /* 1 << enum how of each way it came to be known */
    struct quantiles *q; /* owned; NULL before the first value */
};

void statistic_add(struct statistic *statistic, double value, double seconds, int64_t at_ns,
                   enum how how);
void statistic_free(struct statistic *statistic);

bool statistic_is_known(const struct statistic *statistic);
double statistic_mean(const struct statistic *statistic);
/* The least value that is not passed for this share of the time. Exact for up to 128 different
 * values, beyond that within 2 percent. */
double statistic_quantile(const struct statistic *statistic, double share);
/* How it was known; where it came about in several ways, the weakest: inferred, estimated,
 * reported, measured. */
enum how statistic_how(const struct statistic *statistic);

#endif
