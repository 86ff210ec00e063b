#include "timeline/climb.h"

#include <string.h>

enum {
    LEAST_KENDALL = 60,  /* of 66 pairs */
    LEAST_STEPS_UP = 10, /* of 11, by */
    LEAST_STEP = 8,      /* an eighth of an even step: more than noise on a stair */
    MOST_STEP_PERCENT = 25,
    THIRDS = 3,
    LEAST_THIRD = 5, /* a fifth of the rise */
    LEAST_END = 11,  /* an eleventh, in the first two and in the last two steps */
    END_STEPS = 2,
    LEAST_ABOVE = 2, /* half of the rise, above all that was before */
};

#define INCREDIBLE_BYTES (1LL << 60)

static int kendall(const struct climb_floor floors[CLIMB_FLOORS])
{
    int sum = 0;
    for (size_t i = 0; i < CLIMB_FLOORS; i++) {
        for (size_t j = i + 1; j < CLIMB_FLOORS; j++) {
            sum += (floors[j].bytes > floors[i].bytes) - (floors[j].bytes < floors[i].bytes);
        }
    }
    return sum;
}

static bool steps_are_even(const struct climb_floor floors[CLIMB_FLOORS], int64_t rise)
{
    int up = 0;
    for (size_t i = 1; i < CLIMB_FLOORS; i++) {
        int64_t step = floors[i].bytes - floors[i - 1].bytes;
        up += step > rise / ((CLIMB_FLOORS - 1) * LEAST_STEP);
        if (step / MOST_STEP_PERCENT > rise / 100) {
            return false;
        }
    }
    for (size_t third = 0; third < THIRDS; third++) {
        size_t begin = third * (CLIMB_FLOORS - 1) / THIRDS;
        size_t end = (third + 1) * (CLIMB_FLOORS - 1) / THIRDS;
        if (floors[end].bytes - floors[begin].bytes < rise / LEAST_THIRD) {
            return false;
        }
    }
    int64_t begins = floors[END_STEPS].bytes - floors[0].bytes;
    int64_t ends = floors[CLIMB_FLOORS - 1].bytes - floors[CLIMB_FLOORS - 1 - END_STEPS].bytes;
    return up >= LEAST_STEPS_UP && begins >= rise / LEAST_END && ends >= rise / LEAST_END;
}

static bool climbs(const struct climb_scale *scale, int64_t explained_bytes,
                   struct climb_found *found)
{
    if (scale->count < CLIMB_FLOORS) {
        return false;
    }
    const struct climb_floor *first = &scale->floors[0], *last = &scale->floors[CLIMB_FLOORS - 1];
    int64_t rise = last->bytes - first->bytes;
    int64_t base = explained_bytes > first->bytes ? explained_bytes : first->bytes;
    if (last->bytes - scale->highest_before < rise / LEAST_ABOVE ||
        last->bytes - base < CLIMB_RISE_BYTES || !steps_are_even(scale->floors, rise) ||
        kendall(scale->floors) < LEAST_KENDALL) {
        return false;
    }
    *found = (struct climb_found){.rise_bytes = rise, .seconds = first->seconds};
    return true;
}

/* Takes a floor in; true when it completes one of the next scale, which is then in *next. */
static bool scale_push(struct climb_scale *scale, struct climb_floor floor,
                       struct climb_floor *next)
{
    if (scale->count == CLIMB_FLOORS) {
        int64_t leaves = scale->floors[0].bytes;
        scale->highest_before = leaves > scale->highest_before ? leaves : scale->highest_before;
        memmove(&scale->floors[0], &scale->floors[1], (CLIMB_FLOORS - 1) * sizeof scale->floors[0]);
        scale->count--;
    }
    scale->floors[scale->count++] = floor;
    if (scale->growing_count == 0) {
        scale->growing = floor;
    } else if (floor.bytes < scale->growing.bytes) {
        scale->growing.bytes = floor.bytes;
    }
    scale->growing_count++;
    if (scale->growing_count < CLIMB_SCALE_FACTOR) {
        return false;
    }
    *next = scale->growing;
    scale->growing_count = 0;
    return true;
}

/* A window of the first scale is complete. */
static bool push_floor(struct climb *climb, int64_t explained_bytes, struct climb_found *found)
{
    struct climb_floor floor = climb->window;
    bool more = true, any = false;
    if (climb->told && floor.bytes < climb->told_from_bytes + climb->told_rise_bytes / 2) {
        climb->told = false;
    }
    for (size_t i = 0; i < CLIMB_SCALES && more; i++) {
        more = scale_push(&climb->scales[i], floor, &floor);
        any = climbs(&climb->scales[i], explained_bytes, found) || any;
    }
    int64_t newest = climb->window.bytes;
    if (!any || (climb->told && newest < climb->told_from_bytes + 2 * climb->told_rise_bytes)) {
        return false;
    }
    climb->told_from_bytes = climb->told ? climb->told_from_bytes : newest - found->rise_bytes;
    climb->told_rise_bytes = newest - climb->told_from_bytes;
    climb->told = true;
    found->seconds = climb->newest_seconds - found->seconds;
    return true;
}

bool climb_add(struct climb *climb, double seconds, int64_t bytes, int64_t explained_bytes,
               struct climb_found *found)
{
    bool is_climb = false;
    if (bytes < 0 || bytes > INCREDIBLE_BYTES) {
        return false;
    }
    if (seconds < climb->newest_seconds) {
        climb_restart(climb); /* another boot */
    }
    if (climb->window_samples >= CLIMB_WINDOW_SAMPLES &&
        seconds - climb->window.seconds >= CLIMB_WINDOW_SECONDS) {
        is_climb = push_floor(climb, explained_bytes, found);
        climb->window_samples = 0;
    }
    if (climb->window_samples == 0) {
        climb->window = (struct climb_floor){.bytes = bytes, .seconds = seconds};
    } else if (bytes < climb->window.bytes) {
        climb->window.bytes = bytes;
    }
    climb->window_samples++;
    climb->newest_seconds = seconds;
    return is_climb;
}

void climb_restart(struct climb *climb)
{
    *climb = (struct climb){
        .told = climb->told,
        .told_from_bytes = climb->told_from_bytes,
        .told_rise_bytes = climb->told_rise_bytes,
    };
}
