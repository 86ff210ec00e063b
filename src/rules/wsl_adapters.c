#include "rules/wsl_adapters.h"

#include <string.h>

enum { FITS_LEAST = 3, MISSES_MOST = 5, TRIES_MAX = 100000 };

static const int64_t near_bytes = 64LL << 20, clear_bytes = 256LL << 20;

/* What is left to be paired, and the only assignment that fits, if there is one. */
struct search {
    const struct wsl_device *devices[WSL_DEVICES_MAX];
    const struct wsl_host_adapter *adapters[WSL_DEVICES_MAX];
    size_t device_count, adapter_count;
    size_t chosen[WSL_DEVICES_MAX], found[WSL_DEVICES_MAX];
    bool taken[WSL_DEVICES_MAX];
    unsigned solutions, tries;
};

static int64_t distance(struct measured a, struct measured b)
{
    if (!a.known || !b.known || a.value < 0 || b.value < 0)
        return INT64_MAX;
    return a.value > b.value ? a.value - b.value : b.value - a.value;
}

static bool may_be(const struct wsl_device *device, const struct wsl_host_adapter *adapter)
{
    return adapter->vendor_id == 0 || adapter->vendor_id == device->vendor_id;
}

static bool is_within(const struct wsl_device *device, const struct wsl_host_adapter *adapter,
                      int64_t beyond)
{
    int64_t apart = distance(device->used_bytes, adapter->used_bytes);
    int64_t larger = device->used_bytes.value > adapter->used_bytes.value
                         ? device->used_bytes.value
                         : adapter->used_bytes.value;
    int64_t bound = larger / 50 > near_bytes ? larger / 50 : near_bytes;
    return may_be(device, adapter) && apart != INT64_MAX && apart <= bound + beyond;
}

static void try_device(struct search *search, size_t at)
{
    if (search->solutions > 1 || ++search->tries > TRIES_MAX)
        return;
    if (at == search->device_count) {
        search->solutions++;
        memcpy(search->found, search->chosen, sizeof search->found);
        return;
    }
    for (size_t i = 0; i < search->adapter_count; i++) {
        if (search->taken[i] || !is_within(search->devices[at], search->adapters[i], 0))
            continue;
        search->taken[i] = true;
        search->chosen[at] = i;
        try_device(search, at + 1);
        search->taken[i] = false;
    }
}

static struct wsl_adapter_pair *pair_of(struct wsl_adapters *state, const char *id)
{
    for (size_t i = 0; i < WSL_DEVICES_MAX; i++)
        if (strncmp(state->pairs[i].id, id, ADAPTER_ID_SIZE) == 0)
            return &state->pairs[i];
    return NULL;
}

bool wsl_adapters_luid(const struct wsl_adapters *state, const char *id, uint64_t *luid)
{
    for (size_t i = 0; i < WSL_DEVICES_MAX && id[0]; i++)
        if (state->pairs[i].paired && strncmp(state->pairs[i].id, id, ADAPTER_ID_SIZE) == 0) {
            *luid = state->pairs[i].luid;
            return true;
        }
    return false;
}

static const struct wsl_device *device_of(const struct wsl_device *devices, size_t count,
                                          const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(devices[i].id, id, ADAPTER_ID_SIZE) == 0)
            return &devices[i];
    return NULL;
}

static const struct wsl_host_adapter *adapter_of(const struct wsl_host_adapter *adapters,
                                                 size_t count, uint64_t luid)
{
    for (size_t i = 0; i < count; i++)
        if (adapters[i].luid == luid)
            return &adapters[i];
    return NULL;
}

static void check_pairs(struct wsl_adapters *state, const struct wsl_device *devices,
                        size_t device_count, const struct wsl_host_adapter *adapters,
                        size_t adapter_count)
{
    for (size_t i = 0; i < WSL_DEVICES_MAX; i++) {
        struct wsl_adapter_pair *pair = &state->pairs[i];
        const struct wsl_device *device = device_of(devices, device_count, pair->id);
        const struct wsl_host_adapter *adapter = adapter_of(adapters, adapter_count, pair->luid);
        if (!pair->id[0] || (device && !pair->paired))
            continue;
        bool comparable =
            device && adapter && device->used_bytes.known && adapter->used_bytes.known;
        bool fits = !comparable || pair->by_vendor || is_within(device, adapter, 0);
        pair->misses = fits ? 0 : pair->misses + 1;
        if (!device || !adapter || pair->misses >= MISSES_MOST)
            *pair = (struct wsl_adapter_pair){.id = ""};
    }
}

static bool luid_is_paired(const struct wsl_adapters *state, uint64_t luid)
{
    for (size_t i = 0; i < WSL_DEVICES_MAX; i++)
        if (state->pairs[i].paired && state->pairs[i].luid == luid)
            return true;
    return false;
}

static bool fits_some(const struct wsl_device *device, const struct search *search)
{
    for (size_t i = 0; i < search->adapter_count; i++)
        if (is_within(device, search->adapters[i], 0))
            return true;
    return false;
}

/* Nothing else is anywhere near either of them. */
static bool is_clear(const struct search *search, size_t device, size_t adapter)
{
    for (size_t i = 0; i < search->adapter_count; i++)
        if (i != adapter && is_within(search->devices[device], search->adapters[i], clear_bytes))
            return false;
    for (size_t i = 0; i < search->device_count; i++)
        if (i != device && is_within(search->devices[i], search->adapters[adapter], clear_bytes))
            return false;
    return true;
}

/* NULL: there is no room. */
static struct wsl_adapter_pair *take_fit(struct wsl_adapters *state, const char *id, uint64_t luid,
                                         bool at_once)
{
    struct wsl_adapter_pair *pair = pair_of(state, id);
    if (!pair)
        pair = pair_of(state, "");
    if (!pair)
        return NULL;
    if (pair->luid != luid || !pair->id[0])
        *pair = (struct wsl_adapter_pair){.luid = luid};
    memcpy(pair->id, id, strnlen(id, ADAPTER_ID_SIZE - 1));
    pair->fits++;
    pair->paired = at_once || pair->fits >= FITS_LEAST;
    return pair;
}

static void forget_fits(struct wsl_adapters *state)
{
    for (size_t i = 0; i < WSL_DEVICES_MAX; i++)
        if (!state->pairs[i].paired)
            state->pairs[i] = (struct wsl_adapter_pair){.id = ""};
}

/* The only unpaired device of its vendor and the only unpaired adapter that may be of it. */
static void pair_vendors(struct wsl_adapters *state, const struct search *search)
{
    for (size_t i = 0; i < search->device_count; i++) {
        const struct wsl_device *device = search->devices[i];
        const struct wsl_host_adapter *only = NULL;
        size_t devices = 0, adapters = 0;
        for (size_t k = 0; k < search->device_count; k++)
            devices += search->devices[k]->vendor_id == device->vendor_id;
        for (size_t k = 0; k < search->adapter_count; k++)
            if (may_be(device, search->adapters[k])) {
                only = search->adapters[k];
                adapters++;
            }
        if (devices != 1 || adapters != 1 || only->vendor_id == 0)
            continue;
        struct wsl_adapter_pair *pair = take_fit(state, device->id, only->luid, true);
        if (pair)
            pair->by_vendor = true;
    }
}

/* What is not paired yet. */
static void find_unpaired(struct wsl_adapters *state, const struct wsl_device *devices,
                          size_t device_count, const struct wsl_host_adapter *adapters,
                          size_t adapter_count, struct search *search)
{
    *search = (struct search){.device_count = 0};
    for (size_t i = 0; i < adapter_count && search->adapter_count < WSL_DEVICES_MAX; i++)
        if (!luid_is_paired(state, adapters[i].luid))
            search->adapters[search->adapter_count++] = &adapters[i];
    for (size_t i = 0; i < device_count && search->device_count < WSL_DEVICES_MAX; i++) {
        const struct wsl_adapter_pair *pair = pair_of(state, devices[i].id);
        if (!pair || !pair->paired)
            search->devices[search->device_count++] = &devices[i];
    }
}

void wsl_adapters_step(struct wsl_adapters *state, const struct wsl_device *devices,
                       size_t device_count, const struct wsl_host_adapter *adapters,
                       size_t adapter_count)
{
    struct search search;
    check_pairs(state, devices, device_count, adapters, adapter_count);
    find_unpaired(state, devices, device_count, adapters, adapter_count, &search);
    pair_vendors(state, &search);
    find_unpaired(state, devices, device_count, adapters, adapter_count, &search);
    size_t kept = 0;
    for (size_t i = 0; i < search.device_count; i++)
        if (fits_some(search.devices[i], &search))
            search.devices[kept++] = search.devices[i];
    search.device_count = kept;
    if (search.device_count > 0)
        try_device(&search, 0);
    if (search.solutions != 1 || search.tries > TRIES_MAX) {
        forget_fits(state);
        return;
    }
    for (size_t i = 0; i < search.device_count; i++)
        take_fit(state, search.devices[i]->id, search.adapters[search.found[i]]->luid,
                 is_clear(&search, i, search.found[i]));
}
