#include "gpu/metal/macos/registry.h"

#include <string.h>

#include "base/vector.h"
#include "gpu/metal/statistics.h"
#include "gpu/metal/usage.h"

enum { TABLE_BYTES = 4096, ENTRIES_MAX = 256 };

struct clients {
    struct metal_client *items;
    size_t count, capacity;
};

/* One walk, as far as it has come. */
struct walk {
    const struct frameworks *frameworks;
    struct arena *arena;
    struct metal_accelerator accelerators[METAL_ACCELERATORS_MAX];
    size_t count;
    struct clients clients;
    bool with_clients;
};

static void take_usage(const struct walk *walk, const void *entry, struct metal_client *client)
{
    const struct frameworks *frameworks = walk->frameworks;
    struct measured time = measured_unknown(REASON_not_reported);
    if (cf_is_dictionary(frameworks, entry))
        time = cf_number(frameworks, cf_get(frameworks, entry, "accumulatedGPUTime"));
    metal_usage_add(client, time);
}

static void take_usages(const struct walk *walk, const void *usages, struct metal_client *client)
{
    intptr_t count = walk->frameworks->array_count(usages);
    client->usage_present = true;
    for (intptr_t i = 0; i < count && i <= METAL_USAGE_MAX; i++)
        take_usage(walk, walk->frameworks->array_get(usages, i), client);
}

/* Intel's driver has the time on the client itself. */
static void take_own_time(const struct walk *walk, uint32_t child, struct metal_client *client)
{
    const void *value = registry_property(walk->frameworks, child, "accumulatedGPUTime");
    struct measured time = cf_number(walk->frameworks, value);
    cf_release(walk->frameworks, value);
    if (!time.known)
        return;
    client->usage_present = true;
    client->usage_entries = 1;
    client->gpu_time_ns = time.value >= 0 ? (uint64_t)time.value : 0;
    client->bad_entries = time.value < 0;
}

static bool is_client_class(const char class_name[IOKIT_NAME_BYTES])
{
    static const char end[] = "DeviceUserClient";
    size_t length = strlen(class_name), end_length = sizeof end - 1;
    return length >= end_length && strcmp(class_name + length - end_length, end) == 0;
}

/* A name that the kernel writes into 128 bytes; "" when the entry has gone. */
static bool class_of(const struct walk *walk, uint32_t entry, char class_name[IOKIT_NAME_BYTES])
{
    memset(class_name, 0, IOKIT_NAME_BYTES);
    bool read = walk->frameworks->object_class(entry, class_name) == 0;
    class_name[IOKIT_NAME_BYTES - 1] = '\0';
    return read;
}

/* An entry that ended between the listing and the reading is told by its number: it can no longer
 * be read. */
static void take_child(struct walk *walk, uint32_t child)
{
    const struct frameworks *frameworks = walk->frameworks;
    char class_name[IOKIT_NAME_BYTES];
    struct metal_client client = {.status = METAL_OK};
    uint64_t again;
    bool has_class = class_of(walk, child, class_name);
    bool has_id = frameworks->entry_id(child, &client.registry_id) == 0;
    if (!has_class && !has_id)
        return;
    bool is_client =
        is_client_class(class_name) || frameworks->conforms(child, "IOGPUDeviceUserClient");
    const void *usages = registry_property(frameworks, child, "AppUsage");
    if (is_client || usages) {
        client.creator = registry_text(frameworks, walk->arena, child, "IOUserClientCreator");
        if (cf_is_array(frameworks, usages))
            take_usages(walk, usages, &client);
        else if (!usages)
            take_own_time(walk, child, &client);
        if (!has_id || frameworks->entry_id(child, &again) != 0)
            client.status = METAL_FAILED;
        VECTOR_PUSH(&walk->clients, client);
    }
    cf_release(frameworks, usages);
}

/* One pass over the children; false: the registry changed meanwhile. */
static bool take_children(struct walk *walk, uint32_t children, size_t first, bool *full)
{
    const struct frameworks *frameworks = walk->frameworks;
    uint32_t child;
    walk->clients.count = first;
    for (int i = 0; i < REGISTRY_CHILDREN_MAX && (child = frameworks->next(children)) != 0; i++) {
        *full = walk->clients.count >= METAL_CLIENTS_MAX || i == REGISTRY_CHILDREN_MAX - 1;
        if (!*full)
            take_child(walk, child);
        frameworks->object_release(child);
        if (*full)
            return true;
    }
    return frameworks->is_valid(children) != 0;
}

static void read_clients(struct walk *walk, uint32_t entry, struct metal_accelerator *accelerator)
{
    const struct frameworks *frameworks = walk->frameworks;
    uint32_t children = 0;
    bool full = false, whole = false;
    accelerator->first_client = walk->clients.count;
    accelerator->clients_status = METAL_FAILED;
    if (frameworks->children(entry, "IOService", &children) != 0 || children == 0)
        return;
    for (int i = 0; i <= REGISTRY_REDOS && !whole; i++) {
        if (i > 0)
            frameworks->reset(children);
        whole = take_children(walk, children, accelerator->first_client, &full);
    }
    frameworks->object_release(children);
    accelerator->clients_status = whole && !full ? METAL_OK : METAL_FAILED;
    accelerator->client_count = walk->clients.count - accelerator->first_client;
}

static void read_statistics(const struct walk *walk, uint32_t entry,
                            struct metal_accelerator *accelerator)
{
    const struct frameworks *frameworks = walk->frameworks;
    const void *statistics = registry_property(frameworks, entry, "PerformanceStatistics");
    accelerator->statistics_read = cf_is_dictionary(frameworks, statistics);
    for (int i = 0; accelerator->statistics_read && i < METAL_STATISTIC_COUNT; i++) {
        struct measured value =
            cf_rounded(frameworks, cf_get(frameworks, statistics, metal_statistic_key(i)));
        if (value.known)
            metal_statistic_set(accelerator, i, value.value);
    }
    cf_release(frameworks, statistics);
}

/* Of two GPUs the one that is not used may be off. */
static bool is_off(const struct walk *walk, uint32_t entry)
{
    const struct frameworks *frameworks = walk->frameworks;
    const void *info = registry_property(frameworks, entry, "AGCInfo");
    bool off = cf_is_dictionary(frameworks, info) &&
               cf_number(frameworks, cf_get(frameworks, info, "poweredOffByAGC")).value == 1;
    cf_release(frameworks, info);
    return off;
}

/* One that has no number is gone. */
static void take_accelerator(struct walk *walk, uint32_t entry)
{
    const struct frameworks *frameworks = walk->frameworks;
    struct metal_accelerator *accelerator = &walk->accelerators[walk->count];
    char class_name[IOKIT_NAME_BYTES];
    memset(accelerator, 0, sizeof *accelerator);
    if (frameworks->entry_id(entry, &accelerator->registry_id) != 0)
        return;
    walk->count++;
    if (class_of(walk, entry, class_name))
        accelerator->class_name = (struct raw_text){
            arena_string(walk->arena, class_name, strlen(class_name)), strlen(class_name)};
    accelerator->io_class = registry_text(frameworks, walk->arena, entry, "IOClass");
    accelerator->model = registry_text(frameworks, walk->arena, entry, "model");
    const void *cores = registry_property(frameworks, entry, "gpu-core-count");
    accelerator->core_count = cf_number(frameworks, cores);
    cf_release(frameworks, cores);
    accelerator->powered_off = is_off(walk, entry);
    if (!walk->with_clients)
        return;
    read_statistics(walk, entry, accelerator);
    read_clients(walk, entry, accelerator);
}

/* One pass over the services; false: the registry changed meanwhile. */
static bool take_services(struct walk *walk, uint32_t services)
{
    uint32_t entry;
    walk->count = walk->clients.count = 0;
    for (int i = 0; i < ENTRIES_MAX && (entry = walk->frameworks->next(services)) != 0; i++) {
        if (walk->count < METAL_ACCELERATORS_MAX)
            take_accelerator(walk, entry);
        walk->frameworks->object_release(entry);
    }
    return walk->frameworks->is_valid(services) != 0;
}

static uint32_t services_of(const struct frameworks *frameworks, const char *class_name)
{
    uint32_t services = 0;
    /* The dictionary is given away with the call. */
    void *matching = frameworks->matching(class_name);
    if (!matching || frameworks->get_services(0, matching, &services) != 0)
        return 0;
    return services;
}

static void keep(const struct walk *walk, struct metal_sample *sample)
{
    struct metal_accelerator *accelerators =
        ARENA_ARRAY(walk->arena, struct metal_accelerator, walk->count);
    struct metal_client *clients =
        ARENA_ARRAY(walk->arena, struct metal_client, walk->clients.count);
    if (walk->count > 0)
        memcpy(accelerators, walk->accelerators, walk->count * sizeof *accelerators);
    if (walk->clients.count > 0)
        memcpy(clients, walk->clients.items, walk->clients.count * sizeof *clients);
    sample->accelerators = accelerators;
    sample->accelerator_count = walk->count;
    sample->clients = clients;
    sample->client_count = walk->clients.count;
}

void registry_read(const struct frameworks *frameworks, struct arena *arena, bool clients,
                   int64_t (*now_ns)(void), struct metal_sample *sample)
{
    struct walk walk = {.frameworks = frameworks, .arena = arena, .with_clients = clients};
    uint32_t services = services_of(frameworks, "IOAccelerator");
    bool whole = false;
    sample->status = METAL_FAILED;
    for (int i = 0; services != 0 && i <= REGISTRY_REDOS && !whole; i++) {
        if (i > 0)
            frameworks->reset(services);
        whole = take_services(&walk, services);
    }
    sample->taken_ns = now_ns();
    if (services != 0)
        frameworks->object_release(services);
    if (whole) {
        sample->status = METAL_OK;
        keep(&walk, sample);
    }
    VECTOR_FREE(&walk.clients);
}

static struct raw_text table_of(const struct frameworks *frameworks, struct arena *arena,
                                uint32_t entry)
{
    static const char *const names[] = {"voltage-states9", "voltage-states9-sram"};
    struct raw_text table = {NULL, 0};
    for (int i = 0; i < 2 && !table.bytes; i++) {
        const void *value = registry_property(frameworks, entry, names[i]);
        table = cf_data(frameworks, arena, value, TABLE_BYTES);
        cf_release(frameworks, value);
    }
    return table;
}

struct raw_text registry_frequencies(const struct frameworks *frameworks, struct arena *arena)
{
    uint32_t services = services_of(frameworks, "AppleARMIODevice"), entry;
    struct raw_text table = {NULL, 0};
    for (int i = 0; services != 0 && i < REGISTRY_CHILDREN_MAX && !table.bytes &&
                    (entry = frameworks->next(services)) != 0;
         i++) {
        char name[IOKIT_NAME_BYTES] = "";
        bool named = frameworks->entry_name(entry, name) == 0;
        name[IOKIT_NAME_BYTES - 1] = '\0';
        if (named && strcmp(name, "pmgr") == 0)
            table = table_of(frameworks, arena, entry);
        frameworks->object_release(entry);
    }
    if (services != 0)
        frameworks->object_release(services);
    return table;
}
