/* From the device files that the walk found to DRM clients: reads the fdinfo of each descriptor on
 * a GPU's node. Says what was said; who owns which bytes is a rule of rules/. */
#ifndef GPU_DRM_CLIENTS_H
#define GPU_DRM_CLIENTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "gpu/drm/adapters.h"
#include "gpu/drm/slow_clients.h"
#include "os/machine.h"
#include "reading/process.h"
#include "reading/reading.h"

enum { FDINFO_SIZE_MAX = 65536 };

struct drm_clients_request {
    const struct drm_adapters *adapters; /* their has_clients and has_printed are set */
    struct machine *machine;
    const struct pass *pass;
    const struct walk_reading *walk;
    struct slow_clients *slow; /* of earlier passes */
    char *buffer;              /* FDINFO_SIZE_MAX bytes of the caller's */
};

/* Fills reading->clients (in its arena). False when the deadline ended it, or a client was left out
 * because the kernel was slow to answer for it: those are there as incomplete. */
bool drm_clients_read(const struct drm_clients_request *request, struct reading *reading);

#endif
