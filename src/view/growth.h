/* What grew most on an adapter over a span of its history, by class and by process. Pure. */
#ifndef VIEW_GROWTH_H
#define VIEW_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/memory_holders.h"
#include "timeline/history.h"

enum { GROWTH_TEXT_SIZE = 96 };

/* Bytes at the beginning of the span and at its end. Zeroed before use. */
struct growth {
    struct {
        bool known;
        double first, last;
    } classes[SEGMENT_UNATTRIBUTED + 1];
    int64_t first_ns, last_ns; /* of the points seen */
    bool any;
};

/* Takes a point of the adapter, in the order of their time. */
void growth_add(struct growth *growth, const struct history_point *point);

/* The process whose memory grew with its class. */
struct growth_process {
    struct text name; /* none: nobody in particular */
    double grown_bytes;
};

/* The class that grew most. */
enum segment_class growth_most(const struct growth *growth);
/* "+3.1 G models since -12 min", or "+3.1 G llama-server since -12 min" when one process makes up
 * most of it; "" when nothing grew by a hundredth of `total_bytes` and 16 MiB. Holds a text of the
 * snapshot. */
void growth_words(const struct growth *growth, double total_bytes,
                  const struct growth_process *process, char out[GROWTH_TEXT_SIZE]);

#endif
