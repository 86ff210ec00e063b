#include "timeline/statistic.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

enum { POINTS_MAX = 128, BUCKET_COUNT = 256 };

/* Buckets grow by 4 percent, so that the middle of one is within 2 percent of all in it. */
#define BUCKET_GROWTH 1.04

struct point {
    double value, weight;
};

/* Exact while there are few values; then buckets of logarithmic width, of which the lowest take in
 * what is below them: high quantiles stay right (DDSketch, Masson et al. 2019). */
struct quantiles {
    bool is_exact;
    size_t count; /* of points, by value */
    int top;      /* logarithm that belongs to the last bucket */
    union {
        struct point points[POINTS_MAX];
        double buckets[BUCKET_COUNT];
    };
    double zero_weight; /* of values that have no logarithm, beside the buckets */
};

static void add_to_bucket(struct quantiles *q, double value, double weight)
{
    if (value <= 0) {
        q->zero_weight += weight;
        return;
    }
    int index = (int)ceil(log(value) / log(BUCKET_GROWTH));
    if (index > q->top) {
        double moved[BUCKET_COUNT] = {0};
        for (int i = 0; i < BUCKET_COUNT; i++) {
            int to = i - (index - q->top);
            moved[to > 0 ? to : 0] += q->buckets[i];
        }
        memcpy(q->buckets, moved, sizeof moved);
        q->top = index;
    }
    int at = BUCKET_COUNT - 1 - (q->top - index);
    q->buckets[at > 0 ? at : 0] += weight;
}

static void change_to_buckets(struct quantiles *q)
{
    struct point points[POINTS_MAX];
    memcpy(points, q->points, sizeof points);
    memset(q->buckets, 0, sizeof q->buckets);
    q->is_exact = false;
    double highest = points[q->count - 1].value;
    q->top = highest > 0 ? (int)ceil(log(highest) / log(BUCKET_GROWTH)) : 0;
    for (size_t i = 0; i < q->count; i++) {
        add_to_bucket(q, points[i].value, points[i].weight);
    }
}

static void quantiles_add(struct quantiles *q, double value, double weight)
{
    size_t low = 0, high = q->count;
    while (q->is_exact && low < high) {
        size_t middle = (low + high) / 2;
        if (q->points[middle].value < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (q->is_exact && low < q->count && q->points[low].value == value) {
        q->points[low].weight += weight;
        return;
    }
    if (q->is_exact && q->count == POINTS_MAX) {
        change_to_buckets(q);
    }
    if (!q->is_exact) {
        add_to_bucket(q, value, weight);
        return;
    }
    memmove(&q->points[low + 1], &q->points[low], (q->count - low) * sizeof q->points[0]);
    q->points[low] = (struct point){value, weight};
    q->count++;
}

void statistic_add(struct statistic *statistic, double value, double seconds, int64_t at_ns,
                   enum how how)
{
    if (!isfinite(value) || value < 0) {
        return;
    }
    if (!statistic->q) {
        statistic->q = memory_new(sizeof *statistic->q);
        statistic->q->is_exact = true;
    }
    if (statistic->samples == 0 || value > statistic->peak) {
        statistic->peak = value;
        statistic->peak_at_ns = at_ns;
    }
    if (statistic->samples == 0 || value < statistic->least) {
        statistic->least = value;
    }
    statistic->samples++;
    statistic->seconds += seconds;
    statistic->sum += value * seconds;
    statistic->plain_sum += value;
    statistic->hows |= 1U << how;
    if (seconds > 0) {
        quantiles_add(statistic->q, value, seconds);
    }
}

void statistic_free(struct statistic *statistic)
{
    free(statistic->q);
    statistic->q = NULL;
}

bool statistic_is_known(const struct statistic *statistic)
{
    return statistic->samples > 0;
}

double statistic_mean(const struct statistic *statistic)
{
    double mean = statistic->seconds > 0   ? statistic->sum / statistic->seconds
                  : statistic->samples > 0 ? statistic->plain_sum / (double)statistic->samples
                                           : 0;
    /* A sum of rounded numbers may leave the range of what was summed. */
    return fmin(fmax(mean, statistic->least), statistic->peak);
}

static double bucket_quantile(const struct quantiles *q, double weight)
{
    double sum = q->zero_weight;
    if (sum >= weight) {
        return 0;
    }
    for (int i = 0; i < BUCKET_COUNT; i++) {
        sum += q->buckets[i];
        if (sum >= weight) {
            double upper = pow(BUCKET_GROWTH, q->top - (BUCKET_COUNT - 1 - i));
            return 2 * upper / (1 + BUCKET_GROWTH);
        }
    }
    return INFINITY;
}

double statistic_quantile(const struct statistic *statistic, double share)
{
    const struct quantiles *q = statistic->q;
    /* A little less, so that the last value is not missed by a rounding error. */
    double weight = statistic->seconds * share * (1 - 1e-9);
    double value = statistic->peak;
    if (!q || statistic->seconds <= 0) {
        return value;
    }
    if (!q->is_exact) {
        value = bucket_quantile(q, weight);
    }
    double sum = 0;
    for (size_t i = 0; q->is_exact && i < q->count; i++) {
        sum += q->points[i].weight;
        if (sum >= weight) {
            value = q->points[i].value;
            break;
        }
    }
    return fmin(fmax(value, statistic->least), statistic->peak);
}

enum how statistic_how(const struct statistic *statistic)
{
    static const enum how weakest_first[] = {HOW_INFERRED, HOW_ESTIMATED, HOW_REPORTED,
                                             HOW_MEASURED};
    for (size_t i = 0; i < sizeof weakest_first / sizeof *weakest_first; i++) {
        if (statistic->hows & 1U << weakest_first[i]) {
            return weakest_first[i];
        }
    }
    return HOW_UNAVAILABLE;
}
