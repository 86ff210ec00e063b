#include "gpu/wddm/d3dkmt_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/wide_text.h"

/* An adapter that has come meanwhile finds room. */
enum { ROOM_MORE = 4, NAME_UNITS = 260 };

static const uint32_t no_bus = UINT32_MAX;

static bool ask(const struct d3dkmt_calls *calls, uint32_t handle, enum d3dkmt_type type,
                void *data, size_t size)
{
    const struct d3dkmt_query query = {handle, type, data, (uint32_t)size};
    return calls->query(&query) >= D3DKMT_OK;
}

/* Unknown where the driver gives what no memory has. */
static struct measured bytes_of(bool answered, uint64_t bytes)
{
    if (!answered)
        return measured_unknown(REASON_not_supported);
    return bytes <= INT64_MAX ? measured_known((int64_t)bytes)
                              : measured_unknown(REASON_incredible_value);
}

static struct measured number_of(const struct d3dkmt_calls *calls, uint32_t handle,
                                 enum d3dkmt_type type, enum d3dkmt_type other)
{
    uint32_t value = 0;
    bool answered = ask(calls, handle, type, &value, sizeof value) ||
                    (other != type && ask(calls, handle, other, &value, sizeof value));
    return answered ? measured_known(value) : measured_unknown(REASON_not_supported);
}

static struct raw_text name_of(const struct d3dkmt_calls *calls, uint32_t handle,
                               struct arena *arena)
{
    struct d3dkmt_registry_info info;
    struct raw_text name = {NULL, 0};
    memset(&info, 0, sizeof info);
    if (ask(calls, handle, D3DKMT_REGISTRY_INFO, &info, sizeof info) ||
        ask(calls, handle, D3DKMT_REGISTRY_INFO_RENDER, &info, sizeof info))
        name = wide_text(arena, info.adapter, NAME_UNITS);
    if (name.bytes)
        return name;
    uint16_t *description = memory_new(D3DKMT_DESCRIPTION_UNITS * sizeof *description);
    if (ask(calls, handle, D3DKMT_DRIVER_DESCRIPTION, description,
            D3DKMT_DESCRIPTION_UNITS * sizeof *description))
        name = wide_text(arena, description, NAME_UNITS);
    free(description);
    return name;
}

static struct raw_text version_of(const struct d3dkmt_calls *calls, uint32_t handle,
                                  struct arena *arena)
{
    uint64_t version = 0;
    char text[32];
    if (!ask(calls, handle, D3DKMT_KMD_VERSION, &version, sizeof version) || version == 0)
        return (struct raw_text){NULL, 0};
    int length = snprintf(text, sizeof text, "%u.%u.%u.%u", (unsigned)(version >> 48 & 0xffff),
                          (unsigned)(version >> 32 & 0xffff), (unsigned)(version >> 16 & 0xffff),
                          (unsigned)(version & 0xffff));
    return (struct raw_text){arena_string(arena, text, (size_t)length), (size_t)length};
}

static void read_sizes(const struct d3dkmt_calls *calls, uint32_t handle,
                       struct adapter_facts *facts)
{
    struct d3dkmt_segment_size size = {0};
    struct d3dkmt_segment_group_size groups = {.physical = 0};
    bool told = ask(calls, handle, D3DKMT_SEGMENT_SIZE, &size, sizeof size);
    facts->dedicated_video_bytes = bytes_of(told, size.dedicated_video);
    facts->dedicated_system_bytes = bytes_of(told, size.dedicated_system);
    facts->shared_system_bytes = bytes_of(told, size.shared_system);
    told = ask(calls, handle, D3DKMT_SEGMENT_GROUP_SIZE, &groups, sizeof groups);
    facts->local_bytes = bytes_of(told, groups.local);
    facts->non_local_bytes = bytes_of(told, groups.non_local);
}

static void read_place(const struct d3dkmt_calls *calls, uint32_t handle,
                       struct adapter_facts *facts)
{
    struct d3dkmt_address address = {no_bus, 0, 0};
    bool told = ask(calls, handle, D3DKMT_ADAPTER_ADDRESS, &address, sizeof address) ||
                ask(calls, handle, D3DKMT_ADAPTER_ADDRESS_RENDER, &address, sizeof address);
    facts->has_address =
        told && address.bus <= 0xff && address.device <= 0x1f && address.function <= 7;
    if (facts->has_address) {
        facts->bus = address.bus;
        facts->device = address.device;
        facts->function = address.function;
    }
    uint32_t count = 0;
    if (ask(calls, handle, D3DKMT_PHYSICAL_COUNT, &count, sizeof count))
        facts->physical_count = count;
    struct d3dkmt_device_ids ids = {.physical = 0};
    facts->has_ids = ask(calls, handle, D3DKMT_DEVICE_IDS, &ids, sizeof ids) && ids.vendor != 0;
    if (!facts->has_ids)
        return;
    facts->vendor_id = ids.vendor;
    facts->device_id = ids.device;
    facts->subsystem_vendor_id = ids.subsystem_vendor;
    facts->subsystem_id = ids.subsystem;
    facts->revision = ids.revision;
}

static void read_facts(const struct d3dkmt_calls *calls, const struct d3dkmt_adapter *adapter,
                       struct arena *arena, struct adapter_facts *facts)
{
    uint32_t handle = adapter->handle;
    facts->luid = (uint64_t)(uint32_t)adapter->luid.high << 32 | adapter->luid.low;
    facts->name = name_of(calls, handle, arena);
    facts->driver_version = version_of(calls, handle, arena);
    facts->type_bits = number_of(calls, handle, D3DKMT_ADAPTER_TYPE, D3DKMT_ADAPTER_TYPE_RENDER);
    facts->wddm_version = number_of(calls, handle, D3DKMT_DRIVER_VERSION, D3DKMT_DRIVER_VERSION);
    read_sizes(calls, handle, facts);
    read_place(calls, handle, facts);
}

static int32_t enumerate(const struct d3dkmt_calls *calls, struct d3dkmt_adapter *adapters,
                         uint32_t *count)
{
    int32_t status = D3DKMT_NO_FUNCTION;
    if (calls->enum3) {
        struct d3dkmt_enum3 all = {D3DKMT_COMPUTE_ONLY_TOO | D3DKMT_DISPLAY_ONLY_TOO, *count,
                                   adapters};
        status = calls->enum3(&all);
        if (status >= D3DKMT_OK || status == D3DKMT_BUFFER_TOO_SMALL) {
            *count = all.count;
            return status;
        }
    }
    if (calls->enum2) {
        struct d3dkmt_enum2 all = {*count, adapters};
        status = calls->enum2(&all);
        *count = all.count;
    }
    return status;
}

/* The adapters, every one opened, in memory that the caller frees; NULL: not told. */
static struct d3dkmt_adapter *open_all(const struct d3dkmt_calls *calls, uint32_t *count)
{
    for (int i = 0; i < D3DKMT_ENUM_TRIES; i++) {
        *count = 0;
        int32_t status = enumerate(calls, NULL, count);
        if ((status < D3DKMT_OK && status != D3DKMT_BUFFER_TOO_SMALL) ||
            *count > D3DKMT_ADAPTERS_MAX)
            return NULL;
        uint32_t room = *count + ROOM_MORE;
        struct d3dkmt_adapter *adapters = memory_new(room * sizeof *adapters);
        *count = room;
        status = enumerate(calls, adapters, count);
        if (status >= D3DKMT_OK && *count <= room)
            return adapters;
        free(adapters);
        if (status != D3DKMT_BUFFER_TOO_SMALL)
            return NULL;
    }
    return NULL;
}

static void close_handle(const struct d3dkmt_calls *calls, uint32_t handle)
{
    const struct d3dkmt_close adapter = {handle};
    if (handle != 0)
        calls->close(&adapter);
}

bool d3dkmt_list(const struct d3dkmt_calls *calls, struct arena *arena,
                 struct adapter_facts_list *list)
{
    uint32_t count = 0;
    *list = (struct adapter_facts_list){NULL, 0};
    if (!calls->query || !calls->close)
        return false;
    struct d3dkmt_adapter *adapters = open_all(calls, &count);
    if (!adapters)
        return false;
    struct adapter_facts *facts = ARENA_ARRAY(arena, struct adapter_facts, count);
    for (uint32_t i = 0; i < count; i++) {
        read_facts(calls, &adapters[i], arena, &facts[i]);
        close_handle(calls, adapters[i].handle);
    }
    free(adapters);
    *list = (struct adapter_facts_list){facts, count};
    return true;
}

static bool open_luid(const struct d3dkmt_calls *calls, uint64_t luid, uint32_t *handle)
{
    struct d3dkmt_open adapter = {.luid = {(uint32_t)luid, (int32_t)(uint32_t)(luid >> 32)}};
    bool opened = calls->open && calls->query && calls->close &&
                  calls->open(&adapter) >= D3DKMT_OK && adapter.handle != 0;
    *handle = opened ? adapter.handle : 0;
    return opened;
}

bool d3dkmt_perf(const struct d3dkmt_calls *calls, uint64_t luid, uint32_t physical,
                 struct adapter_perf *perf)
{
    struct d3dkmt_perfdata data = {.physical = physical};
    uint32_t handle;
    *perf = (struct adapter_perf){0};
    if (!open_luid(calls, luid, &handle))
        return false;
    bool told = ask(calls, handle, D3DKMT_ADAPTER_PERFDATA, &data, sizeof data);
    close_handle(calls, handle);
    if (told)
        *perf = (struct adapter_perf){.memory_hz = data.memory_hz,
                                      .memory_most_hz = data.memory_most_hz,
                                      .fan_rpm = data.fan_rpm,
                                      .power_permille = data.power_permille,
                                      .temperature_decicelsius = data.temperature_decicelsius};
    return told;
}

/* Nodes are counted from 0; the first that is not told is the end. */
static bool next_node(const struct d3dkmt_calls *calls, uint32_t handle, uint32_t physical,
                      uint32_t node, bool *is_3d)
{
    struct d3dkmt_node_metadata metadata;
    memset(&metadata, 0, sizeof metadata);
    metadata.node_and_physical = node | physical << 16;
    if (node >= D3DKMT_NODES_MAX ||
        !ask(calls, handle, D3DKMT_NODE_METADATA, &metadata, sizeof metadata))
        return false;
    *is_3d = metadata.engine_type == D3DKMT_ENGINE_3D;
    return true;
}

static struct measured hertz_of(uint64_t hz)
{
    static const uint64_t largest = UINT64_C(20000000000);
    if (hz == 0)
        return measured_unknown(REASON_not_reported);
    return hz <= largest ? measured_known((int64_t)hz) : measured_unknown(REASON_incredible_value);
}

void d3dkmt_clocks(const struct d3dkmt_calls *calls, uint64_t luid, uint32_t physical,
                   struct measured *now_hz, struct measured *most_hz)
{
    uint32_t handle;
    bool is_3d;
    *now_hz = *most_hz = measured_unknown(REASON_not_supported);
    if (!open_luid(calls, luid, &handle))
        return;
    for (uint32_t node = 0; next_node(calls, handle, physical, node, &is_3d); node++) {
        struct d3dkmt_node_perfdata data = {.node = node, .physical = physical};
        if (!is_3d || !ask(calls, handle, D3DKMT_NODE_PERFDATA, &data, sizeof data))
            continue;
        struct measured now = hertz_of(data.hz), most = hertz_of(data.most_hz);
        if (!now_hz->known || (now.known && now.value > now_hz->value))
            *now_hz = now;
        if (!most_hz->known || (most.known && most.value > most_hz->value))
            *most_hz = most;
    }
    close_handle(calls, handle);
}
