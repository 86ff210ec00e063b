/* Is there a library that a helper could load? Asked by the program before it starts the helper,
 * without opening anything. */
#ifndef GPU_HELPER_CANDIDATES_H
#define GPU_HELPER_CANDIDATES_H

#include <stdbool.h>

#include "os/machine.h"

/* The library that the user names by this environment variable; NULL: none. */
const char *candidates_named(const char *variable);
/* False for a path to nothing that can be opened; a bare name is the loader's matter. */
bool candidates_can_open(const char *name);
/* True when a file of this name is where the loader looks by itself or is told to look, or one of
 * the places (NULL-terminated; those without a slash are the loader's matter) is there. */
bool candidates_exist(const struct root *root, const char *file, const char *const *places);

#endif
