#include "rules/private_clients.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"

/* Facts about a holder that forbid a charge whatever its clients say. */
struct holder_facts {
    bool incomplete;
    bool skipped; /* not looked at in this pass: its clients are those of an earlier one */
};

struct place_key {
    struct identity holder;
    char adapter_id[ADAPTER_ID_SIZE];
};

struct place {
    size_t index; /* of the ownership */
};

enum reason private_clients_first_reason(struct reason_set reasons)
{
    for (int reason = 0; reason < REASON_COUNT; reason++)
        if (reason_set_has(reasons, (enum reason)reason))
            return (enum reason)reason;
    return REASON_not_reported;
}

static struct measured region_bytes(const struct drm_region *region)
{
    if (region->resident.known)
        return region->resident;
    if (region->memory.known)
        return region->memory;
    if (region->total.known && region->total.value == 0)
        return region->total;
    /* What was printed and made no sense says why. */
    return region->resident.why_not != REASON_not_reported ? region->resident : region->memory;
}

static struct measured add_bytes(struct measured a, struct measured b)
{
    int64_t sum;
    if (!a.known)
        return a;
    if (!b.known)
        return b;
    if (!number_add_i64(a.value, b.value, &sum))
        return measured_unknown(REASON_incredible_value);
    return measured_known(sum);
}

struct measured client_pool_bytes(const struct drm_client_reading *seen, enum drm_pool pool)
{
    struct measured sum = measured_unknown(REASON_not_reported);
    bool any = false;
    for (size_t i = 0; i < seen->region_count; i++) {
        if (seen->regions[i].pool != pool)
            continue;
        struct measured bytes = region_bytes(&seen->regions[i]);
        sum = any ? add_bytes(sum, bytes) : bytes;
        any = true;
    }
    return sum;
}

/* A value that makes no sense is no zero. */
static bool has_shared_bytes(const struct drm_client_reading *seen)
{
    for (size_t i = 0; i < seen->region_count; i++) {
        struct measured shared = seen->regions[i].shared;
        if (shared.known ? shared.value != 0 : shared.why_not != REASON_not_reported)
            return true;
    }
    return false;
}

static struct reason_set reasons_of(const struct client *client)
{
    struct reason_set reasons = {0};
    if (client->incomplete)
        reason_set_add(&reasons, REASON_incomplete_read);
    if (client->holder_count > 1)
        reason_set_add(&reasons, REASON_shared_client);
    if (client->seen.primary_node)
        reason_set_add(&reasons, REASON_primary_node);
    switch (client->seen.state) {
    case DRM_CLIENT_READ:
        if (!client->seen.has_client_id)
            reason_set_add(&reasons, REASON_legacy_kernel_no_client_id);
        if (has_shared_bytes(&client->seen))
            reason_set_add(&reasons, REASON_shared_buffers);
        if (!client->seen.has_shared_keys)
            reason_set_add(&reasons, REASON_legacy_kernel_no_drm_shared);
        break;
    case DRM_CLIENT_INCOMPLETE:
        reason_set_add(&reasons, REASON_incomplete_read);
        break;
    case DRM_CLIENT_LEGACY:
        reason_set_add(&reasons, REASON_legacy_kernel_no_client_id);
        break;
    case DRM_CLIENT_NO_STATISTICS:
        reason_set_add(&reasons, REASON_driver_has_no_fdinfo);
        break;
    case DRM_CLIENT_NOT_TOUCHED:
        reason_set_add(&reasons, REASON_device_suspended);
        break;
    }
    return reasons;
}

static struct map *facts_of(const struct client_list *clients, const struct walk_reading *walk)
{
    struct map *facts = map_new(sizeof(struct identity), sizeof(struct holder_facts));
    for (size_t i = 0; walk && i < walk->process_count; i++) {
        const struct walked_process *process = &walk->processes[i];
        struct holder_facts *fact = map_put(facts, &process->identity, NULL);
        fact->incomplete |= process->incomplete || process->access == WALK_REFUSED;
        fact->skipped |= process->access == WALK_SKIPPED;
    }
    /* A descriptor that could not be read may be a client of any adapter. */
    for (size_t i = 0; i < clients->count; i++) {
        const struct client *client = &clients->items[i];
        bool unread = client->incomplete || client->seen.state == DRM_CLIENT_INCOMPLETE;
        for (size_t k = 0; unread && k < client->holder_count; k++) {
            struct holder_facts *fact = map_put(facts, &client->holders[k], NULL);
            fact->incomplete = true;
        }
    }
    return facts;
}

static struct place_key place_key(struct identity holder, const char *adapter_id)
{
    struct place_key key;
    memset(&key, 0, sizeof key);
    key.holder = holder;
    memcpy(key.adapter_id, adapter_id, strnlen(adapter_id, ADAPTER_ID_SIZE - 1));
    return key;
}

/* Groups the clients by holder and adapter; an ownership's clients stand together in one array. */
static void group(struct arena *arena, const struct client_list *clients,
                  struct ownership **ownerships, size_t *count)
{
    size_t pairs = 0;
    for (size_t i = 0; i < clients->count; i++)
        pairs += clients->items[i].holder_count;
    struct ownership *all = ARENA_ARRAY(arena, struct ownership, pairs);
    size_t *owner_of = ARENA_ARRAY(arena, size_t, pairs);
    struct map *places = map_new(sizeof(struct place_key), sizeof(struct place));
    size_t pair = 0;

    *count = 0;
    for (size_t i = 0; i < clients->count; i++) {
        const struct client *client = &clients->items[i];
        for (size_t k = 0; k < client->holder_count; k++) {
            struct place_key key = place_key(client->holders[k], client->seen.adapter_id);
            bool added;
            struct place *place = map_put(places, &key, &added);
            if (added) {
                place->index = (*count)++;
                all[place->index].holder = client->holders[k];
                all[place->index].adapter_id = client->seen.adapter_id;
            }
            owner_of[pair++] = place->index;
            all[place->index].client_count++;
        }
    }
    map_free(&places);

    struct owned_client *owned = ARENA_ARRAY(arena, struct owned_client, pairs);
    struct owned_client **next = ARENA_ARRAY(arena, struct owned_client *, *count);
    for (size_t i = 0; i < *count; i++) {
        all[i].clients = next[i] = owned;
        owned += all[i].client_count;
    }
    pair = 0;
    for (size_t i = 0; i < clients->count; i++)
        for (size_t k = 0; k < clients->items[i].holder_count; k++)
            *next[owner_of[pair++]]++ = (struct owned_client){
                .client = &clients->items[i],
                .index = i,
                .reasons = reasons_of(&clients->items[i]),
            };
    *ownerships = all;
}

static void sum_bytes(struct ownership *ownership)
{
    bool any_vram = false, any_shared = false;
    struct measured vram = measured_unknown(REASON_not_reported), shared = vram;
    for (size_t i = 0; i < ownership->client_count; i++) {
        const struct drm_client_reading *seen = &ownership->clients[i].client->seen;
        if (seen->state != DRM_CLIENT_READ)
            continue;
        struct measured client_vram = client_pool_bytes(seen, DRM_POOL_VRAM);
        struct measured client_shared = client_pool_bytes(seen, DRM_POOL_SHARED);
        vram = any_vram ? add_bytes(vram, client_vram) : client_vram;
        shared = any_shared ? add_bytes(shared, client_shared) : client_shared;
        any_vram = any_shared = true;
    }
    ownership->vram_resident_bytes = vram;
    ownership->shared_resident_bytes = shared;
}

/* The reason for which no load is told: the counters of a client with several holders say nothing
 * about who used it, and those of an incomplete or outdated look are not the whole. */
static void forbid_load(struct ownership *ownership)
{
    static const enum reason forbidding[] = {
        REASON_incomplete_read,
        REASON_partial_scan,
        REASON_legacy_kernel_no_client_id,
        REASON_shared_client,
    };
    for (size_t i = 0; i < sizeof forbidding / sizeof *forbidding; i++)
        if (reason_set_has(ownership->reasons, forbidding[i])) {
            ownership->load_forbidden = true;
            ownership->load_why_not = forbidding[i];
            return;
        }
}

static int64_t proof_age_ns(const struct walk_reading *walk, int64_t now_ns)
{
    if (!walk || walk->oldest_look_ns >= now_ns) /* INT64_MAX: relies on none */
        return 0;
    return now_ns - walk->oldest_look_ns;
}

static void judge(struct ownership *ownership, const struct holder_facts *facts,
                  const struct walk_reading *walk, int64_t now_ns)
{
    for (size_t i = 0; i < ownership->client_count; i++)
        ownership->reasons.bits |= ownership->clients[i].reasons.bits;
    if (facts && facts->incomplete)
        reason_set_add(&ownership->reasons, REASON_incomplete_read);
    if (!walk || !walk->complete || (facts && facts->skipped))
        reason_set_add(&ownership->reasons, REASON_partial_scan);

    sum_bytes(ownership);
    forbid_load(ownership);
    ownership->charged = reason_set_is_empty(ownership->reasons);
    if (ownership->charged) {
        ownership->vram_bytes = ownership->vram_resident_bytes;
        ownership->shared_bytes = ownership->shared_resident_bytes;
        ownership->proof_age_ns = measured_known(proof_age_ns(walk, now_ns));
        if (!ownership->vram_bytes.known && ownership->vram_bytes.why_not != REASON_not_reported)
            reason_set_add(&ownership->reasons, ownership->vram_bytes.why_not);
        return;
    }
    enum reason first = private_clients_first_reason(ownership->reasons);
    ownership->vram_bytes = ownership->shared_bytes = measured_unknown(first);
    ownership->proof_age_ns = measured_unknown(first);
}

void private_clients(struct arena *arena, const struct client_list *clients,
                     const struct walk_reading *walk, int64_t now_ns, struct ownership_list *list)
{
    struct ownership *ownerships;
    size_t count;
    struct map *facts = facts_of(clients, walk);
    group(arena, clients, &ownerships, &count);
    for (size_t i = 0; i < count; i++)
        judge(&ownerships[i], map_get(facts, &ownerships[i].holder), walk, now_ns);
    map_free(&facts);
    *list = (struct ownership_list){.items = ownerships, .count = count};
}
