/* The counters and adapters of a recorded Windows machine (docs/recorded-machines.md).
 *
 * counters.jsonl: {"collect": 0, "t100ns": ..., "status": "0x00000000"} for each collection;
 * {"s": 0, "counter": path, "instance", "cstatus", "first", "second"} for each value of it;
 * {"s": 0, "counter": path, "status": "0xC0000BB8"} where the counter itself failed. A counter that
 * is not mentioned has no instances.
 * adapters.json: a list, or {"0": list, "7": list}: from which sample on it holds. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"
#include "gpu/wddm/instance.h"
#include "gpu/wddm/wddm_source.h"
#include "os/recorded/json_text.h"
#include "os/recorded/recorded.h"

enum { ADAPTERS_MAX = 256 };

struct recorded_values {
    struct pdh_raw_item *items;
    size_t count, capacity;
    uint32_t status;
};

struct recorded_collection {
    uint32_t status;
    int64_t time_100ns;
    struct recorded_values values[PDH_PATH_COUNT];
};

struct recorded_counters {
    struct arena *names;
    struct {
        struct recorded_collection *items;
        size_t count, capacity;
    } collections;
    json_t *adapters; /* NULL: none are told */
};

static void close_recorded(void *context)
{
    struct recorded_counters *recorded = context;
    for (size_t i = 0; i < recorded->collections.count; i++)
        for (int path = 0; path < PDH_PATH_COUNT; path++)
            VECTOR_FREE(&recorded->collections.items[i].values[path]);
    VECTOR_FREE(&recorded->collections);
    json_decref(recorded->adapters);
    arena_free(&recorded->names);
    free(recorded);
}

/* "0xC0000BB8"; what is none is an error too. */
static uint32_t status_of(const json_t *value)
{
    uint64_t status;
    size_t used;
    if (!value)
        return PDH_VALID_DATA;
    struct raw_text text = raw_from_string(json_is_string(value) ? json_string_value(value) : "");
    if (!raw_starts_with(text, "0x"))
        return PDH_INVALID_DATA;
    text.bytes += 2;
    text.length -= 2;
    return number_parse_hex(text, &status, &used) && used == text.length && status <= UINT32_MAX
               ? (uint32_t)status
               : PDH_INVALID_DATA;
}

/* Counters go up to 64 bits; what is beyond, or a real number, is garbage and negative here. */
static int64_t counter_of(const json_t *value)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    return json_is_real(value) ? INT64_MIN : 0;
}

/* Of a line with a number beyond 63 bits all numbers are reals. */
static struct recorded_collection *collection_at(struct recorded_counters *recorded,
                                                 const json_t *number)
{
    double at = json_is_number(number) ? json_number_value(number) : -1;
    if (!(at >= 0) || at >= (double)recorded->collections.count)
        return NULL;
    return &recorded->collections.items[(size_t)at];
}

static void add_collection(struct recorded_counters *recorded, const json_t *object)
{
    struct recorded_collection collection = {
        .status = status_of(json_object_get(object, "status")),
        .time_100ns = counter_of(json_object_get(object, "t100ns")),
    };
    for (int path = 0; path < PDH_PATH_COUNT; path++)
        collection.values[path].status = PDH_NO_DATA;
    if (recorded->collections.count < RECORDED_SAMPLES_MAX)
        VECTOR_PUSH(&recorded->collections, collection);
}

static void add_value(struct recorded_counters *recorded, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "counter"));
    enum pdh_path path = name ? pdh_path_of(name) : PDH_PATH_COUNT;
    struct recorded_collection *collection = collection_at(recorded, json_object_get(object, "s"));
    if (!collection || path == PDH_PATH_COUNT)
        return;
    struct recorded_values *values = &collection->values[path];
    struct raw_text instance = json_text(recorded->names, json_object_get(object, "instance"));
    if (!instance.bytes) {
        values->status = status_of(json_object_get(object, "status"));
        return;
    }
    struct pdh_raw_item item = {
        .instance = instance,
        .status = status_of(json_object_get(object, "cstatus")),
        .first = counter_of(json_object_get(object, "first")),
        .second = counter_of(json_object_get(object, "second")),
    };
    /* A value that is not told is not 0. */
    if (!json_is_number(json_object_get(object, "first")) && pdh_is_valid(item.status))
        item.status = PDH_INVALID_DATA;
    VECTOR_PUSH(values, item);
    if (values->status == PDH_NO_DATA)
        values->status = PDH_VALID_DATA;
}

static json_t *parse_line(struct raw_text line)
{
    /* A phantom beyond 63 bits must not spoil its line. */
    json_t *object = json_loadb(line.bytes, line.length, 0, NULL);
    return object ? object : json_loadb(line.bytes, line.length, JSON_DECODE_INT_AS_REAL, NULL);
}

/* First the collections, which may stand anywhere, then what each brought. */
static bool read_counters(const struct sample_script *script, struct recorded_counters *recorded,
                          struct problem *problem)
{
    char *bytes;
    size_t size;
    if (!recorded_read(script, "counters.jsonl", &bytes, &size, problem))
        return false;
    for (int turn = 0; turn < 2; turn++) {
        struct raw_text rest = {bytes, size}, line;
        while (lines_next(&rest, &line)) {
            json_t *object = parse_line(line);
            bool is_collection = json_object_get(object, "collect") != NULL;
            if (turn == 0 && is_collection)
                add_collection(recorded, object);
            if (turn == 1 && !is_collection)
                add_value(recorded, object);
            json_decref(object);
        }
    }
    free(bytes);
    return true;
}

static bool read_adapters(const struct sample_script *script, struct recorded_counters *recorded,
                          struct problem *problem)
{
    char *bytes;
    size_t size;
    if (!recorded_read(script, "adapters.json", &bytes, &size, problem))
        return false;
    recorded->adapters =
        json_file_parse(script->recorded, "adapters.json", bytes, size, true, problem);
    free(bytes);
    return recorded->adapters != NULL;
}

static struct measured bytes_of(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? measured_known(json_integer_value(value))
               : measured_unknown(REASON_not_reported);
}

static bool take_number(const json_t *entry, const char *key, uint32_t *number)
{
    struct measured value = bytes_of(entry, key);
    if (value.known && value.value <= UINT32_MAX)
        *number = (uint32_t)value.value;
    return value.known && value.value <= UINT32_MAX;
}

static bool is_kind(const json_t *entry, const char *kind)
{
    const char *said = json_string_value(json_object_get(entry, "kind"));
    return said && strcmp(said, kind) == 0;
}

static struct measured type_bits(const json_t *entry)
{
    static const struct {
        const char *name;
        int64_t bit;
    } bits[] = {
        {"RenderSupported", ADAPTER_TYPE_RENDER},
        {"DisplaySupported", ADAPTER_TYPE_DISPLAY},
        {"SoftwareDevice", ADAPTER_TYPE_SOFTWARE},
        {"HybridDiscrete", ADAPTER_TYPE_HYBRID_DISCRETE},
        {"HybridIntegrated", ADAPTER_TYPE_HYBRID_INTEGRATED},
        {"IndirectDisplayDevice", ADAPTER_TYPE_INDIRECT_DISPLAY},
        {"Paravirtualized", ADAPTER_TYPE_PARAVIRTUALIZED},
        {"Detachable", ADAPTER_TYPE_DETACHABLE},
        {"ComputeOnly", ADAPTER_TYPE_COMPUTE_ONLY},
        {"RuntimePowerManagement", ADAPTER_TYPE_RUNTIME_PM},
    };
    const json_t *type = json_object_get(entry, "adapter_type");
    struct measured found = measured_unknown(REASON_not_reported);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const json_t *value = json_object_get(type, bits[i].name);
        bool set = json_is_true(value) || (json_is_integer(value) && json_integer_value(value));
        found.known |= value != NULL;
        found.value |= set ? bits[i].bit : 0;
    }
    if (is_kind(entry, "software"))
        found = measured_known(found.value | ADAPTER_TYPE_SOFTWARE);
    return found;
}

/* The recording says the kind in a word; the segments of such an adapter say the same. */
static void set_segments(const json_t *entry, struct adapter_facts *facts)
{
    if (is_kind(entry, "integrated")) {
        facts->non_local_bytes = measured_known(0);
        if (!facts->shared_system_bytes.known)
            facts->type_bits =
                measured_known(facts->type_bits.value | ADAPTER_TYPE_HYBRID_INTEGRATED);
    } else if (is_kind(entry, "discrete"))
        facts->non_local_bytes =
            facts->shared_system_bytes.known && facts->shared_system_bytes.value > 0
                ? facts->shared_system_bytes
                : measured_known(1);
    struct measured said = bytes_of(entry, "non_local_bytes");
    facts->non_local_bytes = said.known ? said : facts->non_local_bytes;
}

static bool read_adapter(struct arena *arena, const json_t *entry, struct adapter_facts *facts)
{
    const char *luid = json_string_value(json_object_get(entry, "luid"));
    *facts = (struct adapter_facts){
        .name = json_text(arena, json_object_get(entry, "name")),
        .driver_version = json_text(arena, json_object_get(entry, "driver_version")),
        .type_bits = type_bits(entry),
        .wddm_version = bytes_of(entry, "wddm_version"),
        .dedicated_video_bytes = bytes_of(entry, "dedicated_bytes"),
        .shared_system_bytes = bytes_of(entry, "shared_limit_bytes"),
        .local_bytes = bytes_of(entry, "local_bytes"),
    };
    if (!luid || !wddm_luid_parse(raw_from_string(luid), &facts->luid))
        return false;
    set_segments(entry, facts);
    facts->has_address = take_number(entry, "bus", &facts->bus) &&
                         take_number(entry, "device", &facts->device) &&
                         take_number(entry, "function", &facts->function);
    facts->has_ids = take_number(entry, "vendor_id", &facts->vendor_id) &&
                     take_number(entry, "device_id", &facts->device_id);
    take_number(entry, "subsystem_vendor_id", &facts->subsystem_vendor_id);
    take_number(entry, "subsystem_id", &facts->subsystem_id);
    take_number(entry, "revision", &facts->revision);
    take_number(entry, "physical_count", &facts->physical_count);
    return true;
}

/* The list that holds at this sample. */
static const json_t *list_at(const struct recorded_counters *recorded, uint64_t sample)
{
    if (json_is_array(recorded->adapters))
        return recorded->adapters;
    if (sample >= recorded->collections.count)
        sample = recorded->collections.count;
    for (uint64_t number = sample + 1; number-- > 0;) {
        char key[32];
        snprintf(key, sizeof key, "%" PRIu64, number);
        const json_t *list = json_object_get(recorded->adapters, key);
        if (list)
            return list;
    }
    return NULL;
}

static bool list_adapters(void *context, uint64_t sample, struct arena *arena,
                          struct adapter_facts_list *list)
{
    const json_t *from = list_at(context, sample);
    size_t size = json_array_size(from);
    if (!json_is_array(from) || size > ADAPTERS_MAX)
        return false;
    struct adapter_facts *items = ARENA_ARRAY(arena, struct adapter_facts, size);
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += read_adapter(arena, json_array_get(from, i), &items[count]);
    *list = (struct adapter_facts_list){items, count};
    return true;
}

static const json_t *adapter_of(const struct recorded_counters *recorded, uint64_t sample,
                                uint64_t luid)
{
    const json_t *list = list_at(recorded, sample);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(entry, "luid"));
        uint64_t own;
        if (text && wddm_luid_parse(raw_from_string(text), &own) && own == luid)
            return entry;
    }
    return NULL;
}

static bool read_perf(void *context, uint64_t sample, uint64_t luid, uint32_t physical,
                      struct adapter_perf *perf)
{
    const json_t *entry = json_object_get(adapter_of(context, sample, luid), "perf");
    struct measured hz = bytes_of(entry, "memory_hz"), most = bytes_of(entry, "memory_most_hz");
    *perf = (struct adapter_perf){
        .memory_hz = (uint64_t)hz.value,
        .memory_most_hz = (uint64_t)most.value,
    };
    take_number(entry, "fan_rpm", &perf->fan_rpm);
    take_number(entry, "power_permille", &perf->power_permille);
    take_number(entry, "temperature_decicelsius", &perf->temperature_decicelsius);
    return entry && physical == 0;
}

static void read_clocks(void *context, uint64_t sample, uint64_t luid, uint32_t physical,
                        struct measured *now_hz, struct measured *most_hz)
{
    const json_t *entry = json_object_get(adapter_of(context, sample, luid), "perf");
    (void)physical;
    *now_hz = bytes_of(entry, "graphics_hz");
    *most_hz = bytes_of(entry, "graphics_most_hz");
}

static void collect(void *context, const struct pass *pass, struct arena *arena,
                    struct pdh_collection *collection)
{
    const struct recorded_counters *recorded = context;
    uint64_t last = recorded->collections.count ? recorded->collections.count - 1 : 0;
    *collection = (struct pdh_collection){.status = PDH_NO_DATA};
    (void)arena;
    if (recorded->collections.count == 0)
        return;
    const struct recorded_collection *from =
        &recorded->collections.items[pass->number < last ? pass->number : last];
    collection->status = from->status;
    collection->time_100ns = from->time_100ns;
    for (int path = 0; path < PDH_PATH_COUNT; path++)
        collection->arrays[path] = (struct pdh_raw_array){
            from->values[path].status, from->values[path].items, from->values[path].count};
}

/* Nobody wrote down at what interval the machine was looked at: a gap is one beside the others. */
static int64_t shortest_interval_ns(const struct recorded_counters *recorded)
{
    int64_t shortest_ns = 0;
    for (size_t i = 1; i < recorded->collections.count; i++) {
        int64_t before = recorded->collections.items[i - 1].time_100ns, passed_ns;
        int64_t now = recorded->collections.items[i].time_100ns;
        if (before >= 0 && now > before && number_multiply_i64(now - before, 100, &passed_ns) &&
            (shortest_ns == 0 || passed_ns < shortest_ns))
            shortest_ns = passed_ns;
    }
    return shortest_ns;
}

void wddm_source_recorded(const struct machine *machine, struct wddm_source *source,
                          struct problem *problem)
{
    struct recorded_counters *recorded = memory_new(sizeof *recorded);
    recorded->names = arena_new();
    *source = (struct wddm_source){
        .context = recorded,
        .close = close_recorded,
        .adapters = list_adapters,
        .perf = read_perf,
        .clocks = read_clocks,
        .collect = collect,
    };
    if (read_counters(machine->script, recorded, problem))
        read_adapters(machine->script, recorded, problem);
    source->interval_ns = shortest_interval_ns(recorded);
}
