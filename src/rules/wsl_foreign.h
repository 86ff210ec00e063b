/* Sizes of guest contexts that are known not to be ours: seen while no local process but ourselves
 * held /dev/dxg. They are hints: they rank which surplus contexts a guess leaves aside, remove none
 * and never make a match.
 *
 * A size that changes is none; one goes when its context ends, or when an idle sample no longer
 * shows it. What an exited local process may have left behind is none either. */
#ifndef RULES_WSL_FOREIGN_H
#define RULES_WSL_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/measured.h"

enum { FOREIGN_SIZES_MAX = 64 };

struct foreign_sizes {
    int64_t bytes[FOREIGN_SIZES_MAX];
    size_t count;
};

/* What is remembered of a context for this. */
struct foreign_trace {
    struct measured bytes;
    bool changed;     /* its size, while we looked */
    unsigned steady;  /* samples since then */
    unsigned suspect; /* samples for which it may be what an exited process left behind */
    bool left_behind; /* it is: held aside until it disappears */
    bool noted;       /* its size is in the list because of it */
};

bool foreign_has(const struct foreign_sizes *sizes, int64_t bytes);
/* At the start: the contexts that the sizes of an earlier run stand for. */
void foreign_bind(const struct foreign_sizes *sizes, struct foreign_trace *traces, size_t count);
/* After a sample while others hold /dev/dxg: what was noted before and is not there any more. */
void foreign_busy(struct foreign_sizes *sizes, const struct foreign_trace *before,
                  size_t before_count, const struct foreign_trace *after, size_t after_count);
/* After a sample while nobody but ourselves does. */
void foreign_idle(struct foreign_sizes *sizes, struct foreign_trace *traces, size_t count);

#endif
