/* DRM clients as things of their own. A reading has one entry a descriptor; the same client
 * (adapter and client id) may be open under several descriptors of several processes. Here it
 * appears once, with all its visible holders.
 *
 * Input: the client readings of one pass. Output: one entry a client, in the order of first sight;
 * an entry whose client id is unknown (kernels without identity, unreadable descriptors) stands
 * alone. Source of the rule: reference "16. Attribution details": duplicates within one pass differ
 * by their time of reading, so the larger engine value and the last complete sizes are taken. */
#ifndef RULES_CLIENTS_H
#define RULES_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/drm_client.h"

struct client {
    /* The merged reading: sizes of the last complete read, engines at their largest value. `holder`
     * and `fd` are those of the first descriptor. primary_node: any descriptor is of the primary
     * node. read_running_ns: of the last complete read. */
    struct drm_client_reading seen;
    bool incomplete;                /* some descriptor of it could not be read completely */
    const struct identity *holders; /* distinct, in order of first sight */
    size_t holder_count;
};

struct client_list {
    const struct client *items;
    size_t count;
};

/* Everything is allocated in `arena`. */
void clients_merge(struct arena *arena, const struct drm_client_reading *readings, size_t count,
                   struct client_list *list);

bool client_has_holder(const struct client *client, struct identity holder);

#endif
