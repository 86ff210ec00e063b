#include "gpu/metal/processes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/map.h"
#include "gpu/metal/creator.h"
#include "os/macos/macos.h"

static struct raw_text copy(struct arena *arena, struct raw_text text)
{
    if (!text.bytes)
        return text;
    return (struct raw_text){arena_string(arena, text.bytes, text.length), text.length};
}

static struct measured gpu_time_of(const struct metal_client *client)
{
    if (client->status != METAL_OK || client->bad_entries > 0)
        return measured_unknown(client->status == METAL_DENIED ? REASON_not_permitted
                                                               : REASON_call_failed);
    if (!client->usage_present)
        return measured_unknown(REASON_not_reported);
    return client->gpu_time_ns > INT64_MAX ? measured_unknown(REASON_incredible_value)
                                           : measured_known((int64_t)client->gpu_time_ns);
}

static struct metal_process_reading process_of(struct arena *arena,
                                               const struct macos_process_list *list, int64_t pid,
                                               struct raw_text name)
{
    const struct macos_process *found = macos_process_find(list, pid);
    struct metal_process_reading process = {
        .identity = identity_make(NAMESPACE_LOCAL, pid, IDENTITY_NO_STAMP),
        .creator_name = copy(arena, name),
        .memory_bytes = measured_unknown(REASON_not_reported),
        .compressed_bytes = measured_unknown(REASON_not_reported),
        .neural_bytes = measured_unknown(REASON_not_reported),
    };
    if (!found)
        return process;
    process.identity = macos_identity(found);
    process.name = copy(arena, found->name);
    process.owner_known = found->uid != UINT32_MAX;
    process.is_own = process.owner_known && (found->uid == list->own_uid || list->own_uid == 0);
    return process;
}

static void set_accelerators(struct arena *arena, const struct metal_sample *sample,
                             struct metal_reading *metal)
{
    struct metal_accelerator_reading *accelerators =
        ARENA_ARRAY(arena, struct metal_accelerator_reading, sample->accelerator_count);
    for (size_t i = 0; i < sample->accelerator_count; i++) {
        const struct metal_accelerator *from = &sample->accelerators[i];
        accelerators[i] = (struct metal_accelerator_reading){
            .registry_id = from->registry_id,
            .taken_ns = sample->taken_ns,
            .listing_complete = from->clients_status == METAL_OK,
        };
        snprintf(accelerators[i].adapter_id, sizeof accelerators[i].adapter_id, "ioreg:0x%" PRIx64,
                 from->registry_id);
    }
    metal->accelerators = accelerators;
    metal->accelerator_count = sample->accelerator_count;
}

/* The list under work: processes by pid, in the order in which clients name them. */
struct listing {
    struct arena *arena;
    const struct macos_process_list *list;
    struct map *places; /* int64_t pid -> size_t */
    struct metal_process_reading *processes;
    struct metal_client_reading *clients;
};

static void add_client(struct listing *listing, size_t accelerator,
                       const struct metal_client *client, struct metal_reading *metal)
{
    int64_t pid;
    struct raw_text name;
    bool added;
    if (client->status == METAL_GONE)
        return;
    if (!metal_creator_parse(client->creator, &pid, &name)) {
        metal->nameless_clients++;
        return;
    }
    size_t *place = map_put(listing->places, &pid, &added);
    if (added) {
        *place = metal->process_count++;
        listing->processes[*place] = process_of(listing->arena, listing->list, pid, name);
    }
    listing->clients[metal->client_count++] = (struct metal_client_reading){
        .accelerator = accelerator,
        .registry_id = client->registry_id,
        .process = *place,
        .gpu_time_ns = gpu_time_of(client),
    };
}

struct metal_process_reading *metal_processes(struct arena *arena,
                                              const struct metal_sample *sample,
                                              const struct macos_process_list *list,
                                              struct metal_reading *metal)
{
    struct listing listing = {
        .arena = arena,
        .list = list,
        .places = map_new(sizeof(int64_t), sizeof(size_t)),
        .processes = ARENA_ARRAY(arena, struct metal_process_reading, sample->client_count),
        .clients = ARENA_ARRAY(arena, struct metal_client_reading, sample->client_count),
    };
    set_accelerators(arena, sample, metal);
    for (size_t i = 0; i < sample->accelerator_count; i++) {
        const struct metal_accelerator *from = &sample->accelerators[i];
        for (size_t k = 0; k < from->client_count; k++)
            add_client(&listing, i, &sample->clients[from->first_client + k], metal);
    }
    map_free(&listing.places);
    metal->clients = listing.clients;
    metal->processes = listing.processes;
    return listing.processes;
}
