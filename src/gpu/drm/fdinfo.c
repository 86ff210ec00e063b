#include "gpu/drm/fdinfo.h"

#include <stdint.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"

enum { CAPACITY_MAX = 4096 };

/* Where a value goes. `offset` is that of the struct measured in drm_region or drm_engine. */
enum key_kind { KEY_FREQUENCY, KEY_CAPACITY, KEY_ENGINE, KEY_REGION };
enum key_unit { UNIT_SIZE, UNIT_NANOSECONDS, UNIT_COUNT, UNIT_FREQUENCY };

struct key_rule {
    const char *prefix;
    enum key_kind kind;
    enum key_unit unit;
    size_t offset;
};

/* A prefix stands before every shorter one that it begins with. */
static const struct key_rule key_rules[] = {
    {"drm-engine-capacity-", KEY_CAPACITY, UNIT_COUNT, 0},
    {"drm-engine-", KEY_ENGINE, UNIT_NANOSECONDS, offsetof(struct drm_engine, busy_ns)},
    {"drm-cycles-", KEY_ENGINE, UNIT_COUNT, offsetof(struct drm_engine, cycles)},
    {"drm-total-cycles-", KEY_ENGINE, UNIT_COUNT, offsetof(struct drm_engine, total_cycles)},
    {"drm-maxfreq-", KEY_FREQUENCY, UNIT_FREQUENCY, offsetof(struct drm_engine, max_frequency_hz)},
    {"drm-total-", KEY_REGION, UNIT_SIZE, offsetof(struct drm_region, total)},
    {"drm-shared-", KEY_REGION, UNIT_SIZE, offsetof(struct drm_region, shared)},
    {"drm-resident-", KEY_REGION, UNIT_SIZE, offsetof(struct drm_region, resident)},
    {"drm-memory-", KEY_REGION, UNIT_SIZE, offsetof(struct drm_region, memory)},
    {"drm-purgeable-", KEY_REGION, UNIT_SIZE, offsetof(struct drm_region, purgeable)},
};

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit size_units[] = {
    {"", 1}, {"B", 1}, {"KiB", 1024}, {"kB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
};
static const struct unit frequency_units[] = {
    {"Hz", 1}, {"KHz", 1000}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}};
static const struct unit time_units[] = {{"ns", 1}};
static const struct unit no_units[] = {{"", 1}};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct measured parse_with_unit(struct raw_text value, const struct unit *units,
                                       size_t unit_count)
{
    value = raw_trim(value);
    uint64_t number = 0;
    size_t digits = 0;
    while (digits < value.length && value.bytes[digits] >= '0' && value.bytes[digits] <= '9') {
        digits++;
    }
    if (digits == 0) {
        return measured_unknown(REASON_call_failed);
    }
    struct raw_text unit = {value.bytes + digits, value.length - digits};
    bool separated = unit.length == 0 || unit.bytes[0] == ' ' || unit.bytes[0] == '\t';
    unit = raw_trim(unit);
    for (size_t i = 0; separated && i < unit_count; i++) {
        int64_t scaled;
        if (!raw_equal_string(unit, units[i].name)) {
            continue;
        }
        if (!number_parse_u64((struct raw_text){value.bytes, digits}, &number, NULL) ||
            number > INT64_MAX || !number_multiply_i64((int64_t)number, units[i].factor, &scaled)) {
            return measured_unknown(REASON_incredible_value);
        }
        return measured_known(scaled);
    }
    return measured_unknown(REASON_call_failed);
}

struct measured fdinfo_parse_size(struct raw_text value)
{
    return parse_with_unit(value, size_units, COUNT_OF(size_units));
}

static struct measured parse_value(struct raw_text value, enum key_unit unit)
{
    switch (unit) {
    case UNIT_SIZE:
        return fdinfo_parse_size(value);
    case UNIT_NANOSECONDS:
        return parse_with_unit(value, time_units, COUNT_OF(time_units));
    case UNIT_FREQUENCY:
        return parse_with_unit(value, frequency_units, COUNT_OF(frequency_units));
    case UNIT_COUNT:
        break;
    }
    return parse_with_unit(value, no_units, COUNT_OF(no_units));
}

/* Copies what fits a fixed name; false when it does not (then it is no name of a kernel driver). */
static bool copy_name(char *out, size_t size, struct raw_text name)
{
    if (name.length == 0 || name.length >= size) {
        return false;
    }
    memcpy(out, name.bytes, name.length);
    out[name.length] = '\0';
    return true;
}

static struct drm_region *find_region(struct fdinfo *info, struct drm_client_reading *client,
                                      struct raw_text name)
{
    for (size_t i = 0; i < client->region_count; i++) {
        if (raw_equal_string(name, client->regions[i].name)) {
            return &client->regions[i];
        }
    }
    if (client->region_count == DRM_REGIONS_MAX) {
        info->overflowed = true;
        return NULL;
    }
    struct drm_region *region = &client->regions[client->region_count];
    *region = (struct drm_region){.pool = DRM_POOL_OTHER};
    if (!copy_name(region->name, sizeof region->name, name)) {
        info->overflowed = true;
        return NULL;
    }
    client->region_count++;
    return region;
}

static struct drm_engine *find_engine(struct fdinfo *info, struct drm_client_reading *client,
                                      struct raw_text name)
{
    for (size_t i = 0; i < client->engine_count; i++) {
        if (raw_equal_string(name, client->engines[i].name)) {
            return &client->engines[i];
        }
    }
    if (client->engine_count == DRM_ENGINES_MAX) {
        info->overflowed = true;
        return NULL;
    }
    struct drm_engine *engine = &client->engines[client->engine_count];
    *engine = (struct drm_engine){.column = ENGINE_other, .capacity = 1};
    if (!copy_name(engine->name, sizeof engine->name, name)) {
        info->overflowed = true;
        return NULL;
    }
    client->engine_count++;
    return engine;
}

static void store(void *object, size_t offset, struct measured value)
{
    if (object != NULL) {
        memcpy((char *)object + offset, &value, sizeof value);
    }
}

static void take_statistic(const struct key_rule *rule, struct raw_text name, struct raw_text value,
                           struct fdinfo *info, struct drm_client_reading *client)
{
    struct measured parsed = parse_value(value, rule->unit);
    switch (rule->kind) {
    case KEY_REGION:
        info->has_regions = true;
        store(find_region(info, client, name), rule->offset, parsed);
        return;
    case KEY_ENGINE:
        info->has_engines = true;
        store(find_engine(info, client, name), rule->offset, parsed);
        return;
    case KEY_CAPACITY: {
        struct drm_engine *engine = find_engine(info, client, name);
        if (engine != NULL && parsed.known && parsed.value > 0 && parsed.value <= CAPACITY_MAX) {
            engine->capacity = parsed.value;
        }
        return;
    }
    case KEY_FREQUENCY:
        /* A frequency alone (panthor with profiling off) is no sign of an engine's load. */
        store(find_engine(info, client, name), rule->offset, parsed);
        return;
    }
}

static void copy_lower(char *out, size_t size, struct raw_text value)
{
    if (!copy_name(out, size, value)) {
        out[0] = '\0';
        return;
    }
    for (char *at = out; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'F') {
            *at = (char)(*at - 'A' + 'a');
        }
    }
}

/* Keys that say who the client is. */
static bool take_identity(struct raw_text key, struct raw_text value, struct fdinfo *info,
                          struct drm_client_reading *client, bool *id_seen)
{
    if (raw_equal_string(key, "drm-driver")) {
        copy_name(info->driver, sizeof info->driver, value);
        return true;
    }
    if (raw_equal_string(key, "drm-pdev")) {
        copy_lower(info->pci_address, sizeof info->pci_address, value);
        return true;
    }
    if (raw_equal_string(key, "drm-client-id")) {
        if (!*id_seen) {
            client->has_client_id = number_parse_u64(value, &client->client_id, NULL);
        }
        *id_seen = true;
        return true;
    }
    return false;
}

static void take_private_key(struct raw_text key, struct raw_text value, struct fdinfo *info,
                             struct drm_client_reading *client)
{
    if (raw_equal_string(key, "amd-evicted-vram")) {
        client->evicted_vram_bytes = fdinfo_parse_size(value);
    } else if (raw_equal_string(key, "vram mem") || raw_equal_string(key, "gtt mem")) {
        info->is_legacy = true;
    } else if (raw_equal_string(key, "pdev")) {
        copy_lower(info->pci_address, sizeof info->pci_address, value);
    }
}

static void take_line(struct raw_text key, struct raw_text value, struct fdinfo *info,
                      struct drm_client_reading *client, bool *id_seen)
{
    if (!raw_starts_with(key, "drm-")) {
        take_private_key(key, value, info, client);
        return;
    }
    info->has_drm_keys = true;
    if (take_identity(key, value, info, client, id_seen)) {
        return;
    }
    for (size_t i = 0; i < COUNT_OF(key_rules); i++) {
        if (raw_starts_with(key, key_rules[i].prefix)) {
            size_t skip = strlen(key_rules[i].prefix);
            take_statistic(&key_rules[i], (struct raw_text){key.bytes + skip, key.length - skip},
                           value, info, client);
            return;
        }
    }
}

/* A value that makes no sense stands for a key all the same. */
static bool is_printed(const struct measured *value)
{
    return value->known || value->why_not != REASON_not_reported;
}

static bool has_shared_keys(const struct drm_client_reading *client)
{
    bool any = false;
    for (size_t i = 0; i < client->region_count; i++) {
        const struct drm_region *region = &client->regions[i];
        const struct measured *resident =
            region->resident.known ? &region->resident : &region->memory;
        if (is_printed(&region->shared)) {
            any = true;
        } else if (resident->known && resident->value > 0) {
            return false;
        }
    }
    return any;
}

void fdinfo_parse(struct raw_text text, struct fdinfo *info, struct drm_client_reading *client)
{
    *info = (struct fdinfo){0};
    client->has_client_id = false;
    client->client_id = 0;
    client->region_count = client->engine_count = 0;
    client->evicted_vram_bytes = measured_unknown(REASON_not_reported);
    struct raw_text line;
    bool id_seen = false;
    while (lines_next(&text, &line)) {
        struct raw_text key, value;
        if (raw_split(line, ':', &key, &value)) {
            take_line(raw_trim(key), raw_trim(value), info, client, &id_seen);
        }
    }
    /* The old keys count only where the common ones are missing. */
    info->is_legacy = info->is_legacy && !info->has_drm_keys;
    client->has_shared_keys = has_shared_keys(client);
}
