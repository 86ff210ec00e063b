/* Whether an amount of memory climbs steadily: what a leak looks like. A state that is a value;
 * pure.
 *
 * The rule. Time is cut into windows, and of each only the least amount counts (its floor), so that
 * what is taken and given back within a window says nothing. Twelve floors in a row are a climb
 * when
 *   - Kendall's S of them is at least 60 of 66 (Mann-Kendall: z > 4, one in thirty thousand by
 *     chance),
 *   - at least 10 of the 11 steps go up (by an eighth of an even step), no step is more than a
 *     quarter of the whole rise, each third of the time has at least a fifth of it, the first and
 *     the last two steps an eleventh each: loading, a cache that fills and stairs are no climb,
 *   - the rise is at least 64 MiB, above what is already explained,
 *   - the last floor is above every floor seen before the twelve, by half of the rise: what rises
 *     and falls in long waves is no climb after its first wave.
 * This is tried on windows of 1, 4, 16 and 64 minutes at once (and at least 8
 * samples), so that a fast leak is found in 12 minutes and one of 5 MiB an hour in half a day. */
#ifndef TIMELINE_CLIMB_H
#define TIMELINE_CLIMB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLIMB_FLOORS = 12,
    CLIMB_SCALES = 4,
    CLIMB_SCALE_FACTOR = 4,
    CLIMB_WINDOW_SECONDS = 60, /* of the first scale */
    CLIMB_WINDOW_SAMPLES = 8,
};
#define CLIMB_RISE_BYTES (64LL << 20)

struct climb_floor {
    int64_t bytes;
    double seconds; /* when its window began */
};

struct climb_scale {
    struct climb_floor floors[CLIMB_FLOORS]; /* oldest first */
    size_t count;
    int64_t highest_before;     /* of the floors that are no longer kept */
    struct climb_floor growing; /* the window of the next scale that is being filled */
    size_t growing_count;
};

/* Zeroed: nothing seen yet. */
struct climb {
    struct climb_scale scales[CLIMB_SCALES];
    struct climb_floor window;
    size_t window_samples;
    double newest_seconds;
    bool told;
    int64_t told_from_bytes, told_rise_bytes;
};

struct climb_found {
    int64_t rise_bytes;
    double seconds; /* in which it rose */
};

/* Takes a sample at a running clock's `seconds`. True when a climb is found; it is told once, until
 * half of it has been given back or it has become twice as high. `explained_bytes`: how much of the
 * amount needs no explanation (0: nothing is known). */
bool climb_add(struct climb *climb, double seconds, int64_t bytes, int64_t explained_bytes,
               struct climb_found *found);
/* Forgets the past, but not what was told: after a gap there is no telling what happened in it. */
void climb_restart(struct climb *climb);

#endif
