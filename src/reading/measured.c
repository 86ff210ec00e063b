#include "reading/measured.h"

const char *how_name(enum how how)
{
    static const char *const names[HOW_COUNT] = {
        [HOW_UNAVAILABLE] = "unavailable", [HOW_MEASURED] = "measured", [HOW_REPORTED] = "reported",
        [HOW_ESTIMATED] = "estimated",     [HOW_INFERRED] = "inferred",
    };

    return (unsigned)how < HOW_COUNT ? names[how] : names[HOW_UNAVAILABLE];
}
