/* Who owns the bytes of DRM clients (SPEC section 5): a process is charged only when nothing else
 * can hold its bytes.
 *
 * Input: the clients of one pass (rules/clients.h) and the walk that found them. Output: one entry
 * a process and adapter: its own bytes, or every reason why it has none; whether its load may be
 * told; the bytes it can reach (never summed); for each client whether it is charged.
 *
 * A process is charged on an adapter when all of its clients there have exactly one visible holder,
 * were opened through a render node only, report zero in every drm-shared-* region and were read
 * completely, and when every other visible process was looked at or is clear. Processes whose
 * descriptors may not be read are not visible and forbid nothing. */
#ifndef RULES_PRIVATE_CLIENTS_H
#define RULES_PRIVATE_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/process.h"
#include "rules/clients.h"

struct owned_client {
    const struct client *client;
    size_t index;              /* in the client list */
    struct reason_set reasons; /* of this client alone; empty: nothing speaks against it */
};

struct ownership {
    struct identity holder;
    const char *adapter_id;
    const struct owned_client *clients;
    size_t client_count;

    bool charged;              /* the process owns the bytes of all its clients here */
    struct reason_set reasons; /* why vram_bytes is unknown; every one that holds */
    /* The process's own bytes; unknown with the first reason while not charged, incredible_value or
     * call_failed where what the driver printed makes no sense, not_reported where it has no such
     * pool (the caller knows of unified memory). */
    struct measured vram_bytes, shared_bytes;
    /* Everything its clients can reach, shared buffers included; not_reported where there is none.
     */
    struct measured vram_resident_bytes, shared_resident_bytes;
    /* Age of the oldest look at another process that the charge relies on; unknown while not
     * charged. */
    struct measured proof_age_ns;
    bool load_forbidden; /* no load may be told for this process, because of load_why_not */
    enum reason load_why_not;
};

struct ownership_list {
    const struct ownership *items;
    size_t count;
};

/* `now_ns` is the running clock of the pass. `walk` may be NULL (none ran): every client is then
 * partial_scan. Everything is allocated in `arena`. */
void private_clients(struct arena *arena, const struct client_list *clients,
                     const struct walk_reading *walk, int64_t now_ns, struct ownership_list *list);

/* The first reason of a set in the order of reasons.def; not_reported when it is empty. */
enum reason private_clients_first_reason(struct reason_set reasons);

/* Resident bytes of a client in one pool: `resident`, else its deprecated alias `memory`, else 0
 * where nothing is allocated at all. not_reported where the pool does not exist or residence is not
 * told. */
struct measured client_pool_bytes(const struct drm_client_reading *seen, enum drm_pool pool);

#endif
