/* Values as drivers and the operating system said them.
 *
 * struct measured is a counter: an exact integer that is known, or unknown with the reason. It is
 * all that a total accepts (rules/totals.h): adding anything else does not compile (tests/proofs).
 * A zeroed struct is unknown (not_reported), never 0.
 *
 * struct said is a value together with how the driver came by it, for figures that are measured on
 * one driver and firmware text on another (a load, a temperature). */
#ifndef READING_MEASURED_H
#define READING_MEASURED_H

#include <stdbool.h>
#include <stdint.h>

#include "reading/reasons.h"

struct measured {
    int64_t value; /* 0 while unknown */
    bool known;
    enum reason why_not; /* meaningful while !known */
};

static inline struct measured measured_known(int64_t value)
{
    return (struct measured){.value = value, .known = true};
}

static inline struct measured measured_unknown(enum reason why_not)
{
    return (struct measured){.why_not = why_not};
}

/* How a number came to be (SPEC section 1). */
enum how { HOW_UNAVAILABLE, HOW_MEASURED, HOW_REPORTED, HOW_ESTIMATED, HOW_INFERRED, HOW_COUNT };

const char *how_name(enum how how); /* "measured" */

struct said {
    int64_t value;
    enum how how; /* HOW_UNAVAILABLE: unknown */
    enum reason why_not;
};

static inline struct said said_value(int64_t value, enum how how)
{
    return (struct said){.value = value, .how = how};
}

static inline struct said said_measured(int64_t value)
{
    return said_value(value, HOW_MEASURED);
}

static inline struct said said_unknown(enum reason why_not)
{
    return (struct said){.why_not = why_not};
}

#endif
