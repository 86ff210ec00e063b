#include "sampler/backends.h"

#include <string.h>

static const struct backend *const of_collector[] = {&backend_drm, &backend_wddm, &backend_metal};
static const struct backend *const of_helpers[] = {&backend_nvml, &backend_rocdxg, &backend_adl};

/* What a backend asks on its own: it is nobody's source. */
static const struct backend *const of_backends[] = {&backend_footprint};

_Static_assert(sizeof of_collector / sizeof *of_collector <= BACKENDS_MAX &&
                   sizeof of_helpers / sizeof *of_helpers <= BACKENDS_MAX,
               "there is room for every backend");

size_t backends_of_collector(const struct backend *const **backends)
{
    *backends = of_collector;
    return sizeof of_collector / sizeof *of_collector;
}

size_t backends_of_helpers(const struct backend *const **backends)
{
    *backends = of_helpers;
    return sizeof of_helpers / sizeof *of_helpers;
}

const struct backend *backend_by_name(const char *name)
{
    const struct backend *const *lists[] = {of_collector, of_helpers, of_backends};
    const size_t counts[] = {sizeof of_collector / sizeof *of_collector,
                             sizeof of_helpers / sizeof *of_helpers,
                             sizeof of_backends / sizeof *of_backends};
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        for (size_t i = 0; i < counts[list]; i++) {
            if (strcmp(lists[list][i]->name, name) == 0) {
                return lists[list][i];
            }
        }
    }
    return NULL;
}
