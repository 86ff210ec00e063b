/* The backends of this build, by the way they run. Adding one is a line in backends.c. */
#ifndef SAMPLER_BACKENDS_H
#define SAMPLER_BACKENDS_H

#include <stddef.h>

#include "gpu/backend.h"

enum { BACKENDS_MAX = 4 }; /* of each kind */

/* Those that read kernel files on the collector's thread. */
size_t backends_of_collector(const struct backend *const **backends);
/* Those whose library lives in a helper process. */
size_t backends_of_helpers(const struct backend *const **backends);
/* NULL when no backend has this name. */
const struct backend *backend_by_name(const char *name);

#endif
