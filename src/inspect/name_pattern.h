/* Regular expressions over tensor names, as -ot takes them (ECMAScript, searched anywhere in the
 * name): alternation, groups, classes, \d \w \s, ^ $, . * + ? {m,n}. Runs in time linear in the
 * name whatever the pattern is. No back references, no look-around. Pure. */
#ifndef INSPECT_NAME_PATTERN_H
#define INSPECT_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { NAME_PATTERN_STEPS = 1024, NAME_PATTERN_SETS = 64 };

struct name_pattern {
    struct {
        uint8_t kind;
        uint8_t set;          /* of a step that takes a character */
        uint16_t next, other; /* steps that follow */
    } steps[NAME_PATTERN_STEPS];
    size_t step_count;
    uint32_t sets[NAME_PATTERN_SETS][8]; /* bit a character */
    size_t set_count;
    uint16_t start;
};

/* False: not a valid pattern, or too long a one. */
bool name_pattern_compile(struct name_pattern *pattern, struct raw_text expression);
/* True when the pattern is found anywhere in `name`. */
bool name_pattern_finds(const struct name_pattern *pattern, const char *name);

#endif
