#include "inspect/name_pattern_steps.h"

#include <string.h>

static bool set_has(const uint32_t set[8], unsigned char c)
{
    return set[c / 32] >> c % 32 & 1;
}

/* The steps a name may be at. */
struct places {
    uint16_t list[NAME_PATTERN_STEPS];
    size_t count;
    uint8_t has[NAME_PATTERN_STEPS / 8];
};

/* Adds a step and all that follow without taking a character; true at the end of the pattern. */
static bool add_place(const struct name_pattern *pattern, struct places *places, uint16_t first,
                      bool at_start, bool at_end)
{
    size_t done = places->count;
    uint16_t waiting = first;
    for (;;) {
        if (waiting != NOWHERE && !(places->has[waiting / 8] >> waiting % 8 & 1)) {
            places->has[waiting / 8] |= (uint8_t)(1 << waiting % 8);
            places->list[places->count++] = waiting;
        }
        waiting = NOWHERE;
        if (done == places->count) {
            return false;
        }
        uint16_t step = places->list[done];
        switch ((enum step_kind)pattern->steps[step].kind) {
        case STEP_MATCH:
            return true;
        case STEP_TAKE:
            done++;
            break;
        case STEP_START:
        case STEP_END:
            done++;
            if (pattern->steps[step].kind == STEP_START ? at_start : at_end) {
                waiting = pattern->steps[step].next;
            }
            break;
        case STEP_SPLIT: {
            uint16_t other = pattern->steps[step].other;
            done++;
            waiting = pattern->steps[step].next;
            if (other != NOWHERE && !(places->has[other / 8] >> other % 8 & 1)) {
                places->has[other / 8] |= (uint8_t)(1 << other % 8);
                places->list[places->count++] = other;
            }
            break;
        }
        }
    }
}

bool name_pattern_finds(const struct name_pattern *pattern, const char *name)
{
    struct places now, next;
    size_t length = strlen(name);
    now.count = 0;
    memset(now.has, 0, sizeof now.has);
    for (size_t at = 0;; at++) {
        if (add_place(pattern, &now, pattern->start, at == 0, at == length)) {
            return true;
        }
        if (at == length) {
            return false;
        }
        next.count = 0;
        memset(next.has, 0, sizeof next.has);
        for (size_t i = 0; i < now.count; i++) {
            uint16_t step = now.list[i];
            if (pattern->steps[step].kind == STEP_TAKE &&
                set_has(pattern->sets[pattern->steps[step].set], (unsigned char)name[at]) &&
                add_place(pattern, &next, pattern->steps[step].next, false, at + 1 == length)) {
                return true;
            }
        }
        now = next;
    }
}
