/* The graph that a pattern becomes (Thompson's construction): a name is walked once with the set of
 * all steps it may be at. Private to name_pattern*.c. */
#ifndef INSPECT_NAME_PATTERN_STEPS_H
#define INSPECT_NAME_PATTERN_STEPS_H

#include "inspect/name_pattern.h"

enum step_kind {
    STEP_MATCH,
    STEP_TAKE,  /* a character of the set */
    STEP_SPLIT, /* both ways */
    STEP_START, /* only at the start of the name */
    STEP_END,
};
enum { NOWHERE = UINT16_MAX };

#endif
