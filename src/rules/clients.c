#include "rules/clients.h"

#include <string.h>

#include "base/map.h"

/* A holder of a client; chained while merging, because their number is known only at the end. */
struct holder_link {
    struct identity identity;
    struct holder_link *next;
};

struct merging {
    struct client *clients;
    struct holder_link **first_holder, **last_holder;
    size_t count;
};

struct client_key {
    char adapter_id[ADAPTER_ID_SIZE];
    uint64_t client_id;
};

static struct client_key key_of(const struct drm_client_reading *reading)
{
    struct client_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.adapter_id, reading->adapter_id, strnlen(reading->adapter_id, ADAPTER_ID_SIZE - 1));
    key.client_id = reading->client_id;
    return key;
}

static void add_holder(struct arena *arena, struct merging *merging, size_t at,
                       struct identity identity)
{
    for (struct holder_link *link = merging->first_holder[at]; link; link = link->next)
        if (identity_equal(link->identity, identity))
            return;
    struct holder_link *link = ARENA_NEW(arena, struct holder_link);
    link->identity = identity;
    if (merging->last_holder[at])
        merging->last_holder[at]->next = link;
    else
        merging->first_holder[at] = link;
    merging->last_holder[at] = link;
    merging->clients[at].holder_count++;
}

static void keep_larger(struct measured *kept, struct measured other)
{
    if (other.known && (!kept->known || other.value > kept->value))
        *kept = other;
}

static void merge_engine(struct drm_client_reading *seen, const struct drm_engine *engine)
{
    for (size_t i = 0; i < seen->engine_count; i++) {
        struct drm_engine *kept = &seen->engines[i];
        if (strncmp(kept->name, engine->name, DRM_NAME_SIZE) != 0)
            continue;
        /* The pair of counters belongs to one read: the total of the larger busy value. */
        if (engine->cycles.known &&
            (!kept->cycles.known || engine->cycles.value >= kept->cycles.value))
            keep_larger(&kept->total_cycles, engine->total_cycles);
        keep_larger(&kept->busy_ns, engine->busy_ns);
        keep_larger(&kept->cycles, engine->cycles);
        kept->max_frequency_hz = engine->max_frequency_hz;
        return;
    }
    if (seen->engine_count < DRM_ENGINES_MAX)
        seen->engines[seen->engine_count++] = *engine;
}

/* A second descriptor of a client already seen. */
static void merge_reading(struct client *client, const struct drm_client_reading *reading)
{
    struct drm_client_reading *seen = &client->seen;
    bool primary = seen->primary_node || reading->primary_node;
    if (reading->state != DRM_CLIENT_READ) {
        client->incomplete |= reading->state == DRM_CLIENT_INCOMPLETE;
        seen->primary_node = primary;
        return;
    }
    if (seen->state != DRM_CLIENT_READ) {
        struct drm_client_reading first = *seen;
        *seen = *reading;
        seen->holder = first.holder;
        seen->fd = first.fd;
        seen->primary_node = primary;
        return;
    }
    for (size_t i = 0; i < reading->engine_count; i++)
        merge_engine(seen, &reading->engines[i]);
    if (reading->read_running_ns >= seen->read_running_ns) {
        memcpy(seen->regions, reading->regions, sizeof seen->regions);
        seen->region_count = reading->region_count;
        seen->has_shared_keys = reading->has_shared_keys;
        seen->evicted_vram_bytes = reading->evicted_vram_bytes;
        seen->read_running_ns = reading->read_running_ns;
    }
    seen->primary_node = primary;
}

static void gather_holders(struct arena *arena, struct merging *merging)
{
    for (size_t i = 0; i < merging->count; i++) {
        struct client *client = &merging->clients[i];
        struct identity *holders = ARENA_ARRAY(arena, struct identity, client->holder_count);
        size_t at = 0;
        for (struct holder_link *link = merging->first_holder[i]; link; link = link->next)
            holders[at++] = link->identity;
        client->holders = holders;
    }
}

void clients_merge(struct arena *arena, const struct drm_client_reading *readings, size_t count,
                   struct client_list *list)
{
    struct merging merging = {
        .clients = ARENA_ARRAY(arena, struct client, count),
        .first_holder = ARENA_ARRAY(arena, struct holder_link *, count),
        .last_holder = ARENA_ARRAY(arena, struct holder_link *, count),
    };
    struct map *known = map_new(sizeof(struct client_key), sizeof(size_t));
    for (size_t i = 0; i < count; i++) {
        const struct drm_client_reading *reading = &readings[i];
        bool added = true;
        size_t at = merging.count;
        if (reading->has_client_id) {
            struct client_key key = key_of(reading);
            size_t *place = map_put(known, &key, &added);
            if (added)
                *place = at;
            at = *place;
        }
        if (added) {
            merging.clients[at].seen = *reading;
            merging.clients[at].incomplete = reading->state == DRM_CLIENT_INCOMPLETE;
            merging.count++;
        } else {
            merge_reading(&merging.clients[at], reading);
        }
        add_holder(arena, &merging, at, reading->holder);
    }
    map_free(&known);
    gather_holders(arena, &merging);
    *list = (struct client_list){.items = merging.clients, .count = merging.count};
}

bool client_has_holder(const struct client *client, struct identity holder)
{
    for (size_t i = 0; i < client->holder_count; i++)
        if (identity_equal(client->holders[i], holder))
            return true;
    return false;
}
