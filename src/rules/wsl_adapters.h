/* Which adapter of the Windows host is which device here? LUIDs differ on the two sides, so they
 * are paired by how much of their memory is used. A step over a state.
 *
 * A pair is made when exactly one assignment fits (within 64 MiB or 2 %), at once where nothing
 * else is near, else when it has been the only one for three samples. The only device of a vendor
 * and the only adapter that Windows says is that vendor's are a pair. It holds as long as both are
 * there, and, where use alone told, until they disagree for five samples. Another vendor's adapters
 * and Windows' software adapter (vendor 0x1414) are no candidates. An ambiguous pairing is none. */
#ifndef RULES_WSL_ADAPTERS_H
#define RULES_WSL_ADAPTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/measured.h"
#include "reading/pass.h"

enum { WSL_DEVICES_MAX = 16 };

struct wsl_device {
    const char *id;
    struct measured used_bytes;
    uint32_t vendor_id; /* PCI */
};

struct wsl_host_adapter {
    uint64_t luid;
    struct measured used_bytes;
    uint32_t vendor_id; /* 0: unknown */
};

struct wsl_adapter_pair {
    char id[ADAPTER_ID_SIZE]; /* "": none */
    uint64_t luid;
    unsigned fits, misses; /* samples in a row */
    bool paired, by_vendor;
};

/* A value; zeroed at the start. */
struct wsl_adapters {
    struct wsl_adapter_pair pairs[WSL_DEVICES_MAX];
};

/* With each new sample of the host. What there is beyond WSL_DEVICES_MAX is left unpaired. */
void wsl_adapters_step(struct wsl_adapters *state, const struct wsl_device *devices,
                       size_t device_count, const struct wsl_host_adapter *adapters,
                       size_t adapter_count);
/* False: unmatched. */
bool wsl_adapters_luid(const struct wsl_adapters *state, const char *id, uint64_t *luid);

#endif
