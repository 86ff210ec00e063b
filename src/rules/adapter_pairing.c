#include "rules/adapter_pairing.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/map.h"
#include "base/number.h"

struct adapter_indexes {
    struct map *by_id; /* char[ADAPTER_ID_SIZE] -> int64_t */
    int64_t next;
};

struct pci_address {
    uint64_t domain, bus, device, function;
};

/* The figures that merge alike: the known one is kept. */
static const size_t measured_fields[] = {
    offsetof(struct adapter_reading, vram_total_bytes),
    offsetof(struct adapter_reading, vram_used_bytes),
    offsetof(struct adapter_reading, vram_free_bytes),
    offsetof(struct adapter_reading, vram_reserved_bytes),
    offsetof(struct adapter_reading, shared_total_bytes),
    offsetof(struct adapter_reading, shared_used_bytes),
};

static const size_t said_fields[] = {
    offsetof(struct adapter_reading, load_millipercent),
    offsetof(struct adapter_reading, driver_load_millipercent),
    offsetof(struct adapter_reading, memory_activity_millipercent),
    offsetof(struct adapter_reading, pcie_rx_bytes_per_second),
    offsetof(struct adapter_reading, pcie_tx_bytes_per_second),
    offsetof(struct adapter_reading, pcie_generation),
    offsetof(struct adapter_reading, pcie_width),
    offsetof(struct adapter_reading, pcie_max_generation),
    offsetof(struct adapter_reading, pcie_max_width),
    offsetof(struct adapter_reading, power_microwatts),
    offsetof(struct adapter_reading, power_limit_microwatts),
    offsetof(struct adapter_reading, energy_microjoules),
    offsetof(struct adapter_reading, fan_millipercent),
    offsetof(struct adapter_reading, fan_rpm),
    offsetof(struct adapter_reading, performance_state),
    offsetof(struct adapter_reading, ecc_corrected),
    offsetof(struct adapter_reading, ecc_uncorrected),
    offsetof(struct adapter_reading, xid_last),
    offsetof(struct adapter_reading, xid_count),
    offsetof(struct adapter_reading, restarts),
};

static const size_t text_fields[] = {
    offsetof(struct adapter_reading, name),           offsetof(struct adapter_reading, uuid),
    offsetof(struct adapter_reading, vendor),         offsetof(struct adapter_reading, driver),
    offsetof(struct adapter_reading, driver_version),
};

#define FIELD_COUNT(fields) (sizeof(fields) / sizeof *(fields))
#define FIELD(type, reading, offset) ((type *)(void *)((char *)(reading) + (offset)))
#define CONST_FIELD(type, reading, offset)                                                         \
    ((const type *)(const void *)((const char *)(reading) + (offset)))

struct adapter_indexes *adapter_indexes_new(void)
{
    struct adapter_indexes *indexes = memory_new(sizeof *indexes);
    indexes->by_id = map_new(ADAPTER_ID_SIZE, sizeof(int64_t));
    return indexes;
}

void adapter_indexes_free(struct adapter_indexes **indexes)
{
    if (!*indexes)
        return;
    map_free(&(*indexes)->by_id);
    free(*indexes);
    *indexes = NULL;
}

/* `other` replaces what is kept: always when it knows and wins, or when nothing is known yet. A
 * reason is replaced only by one that says more than not_reported. */
static bool replaces(bool kept_known, enum reason kept_why, bool other_known, enum reason other_why,
                     bool wins)
{
    if (other_known)
        return !kept_known || wins;
    if (kept_known || other_why == REASON_not_reported)
        return false;
    return wins || kept_why == REASON_not_reported;
}

static void merge_measured(struct measured *kept, const struct measured *other, bool wins)
{
    if (replaces(kept->known, kept->why_not, other->known, other->why_not, wins))
        *kept = *other;
}

static void merge_said(struct said *kept, const struct said *other, bool wins)
{
    if (replaces(kept->how != HOW_UNAVAILABLE, kept->why_not, other->how != HOW_UNAVAILABLE,
                 other->why_not, wins))
        *kept = *other;
}

static void merge_saids(struct said *kept, const struct said *other, size_t count, bool wins)
{
    for (size_t i = 0; i < count; i++)
        merge_said(&kept[i], &other[i], wins);
}

static void merge_nodes(struct adapter_reading *kept, const struct adapter_reading *other)
{
    for (size_t i = 0; i < other->node_count && kept->node_count < ADAPTER_NODES_MAX; i++) {
        bool present = false;
        for (size_t k = 0; k < kept->node_count && !present; k++)
            present =
                kept->nodes[k].length == other->nodes[i].length &&
                memcmp(kept->nodes[k].bytes, other->nodes[i].bytes, other->nodes[i].length) == 0;
        if (present)
            continue;
        kept->device_numbers[kept->node_count] = other->device_numbers[i];
        kept->nodes[kept->node_count++] = other->nodes[i];
    }
}

static int power_rank(enum power_state state)
{
    static const int ranks[POWER_STATE_COUNT] = {
        [POWER_UNKNOWN] = 0, [POWER_ACTIVE] = 1, [POWER_SUSPENDED] = 2, [POWER_LOST] = 3};
    return ranks[state];
}

static void merge_identity(struct adapter_reading *kept, const struct adapter_reading *other,
                           bool wins)
{
    for (size_t i = 0; i < FIELD_COUNT(text_fields); i++) {
        struct raw_text *text = FIELD(struct raw_text, kept, text_fields[i]);
        const struct raw_text *said = CONST_FIELD(struct raw_text, other, text_fields[i]);
        if (said->bytes && said->length > 0 && (!text->bytes || text->length == 0 || wins))
            *text = *said;
    }
    if (other->has_pci_ids && !kept->has_pci_ids) {
        kept->has_pci_ids = true;
        kept->pci_vendor = other->pci_vendor;
        kept->pci_device = other->pci_device;
        kept->pci_subsystem_vendor = other->pci_subsystem_vendor;
        kept->pci_subsystem_device = other->pci_subsystem_device;
        kept->pci_revision = other->pci_revision;
        kept->pci_revision_unknown = other->pci_revision_unknown;
    } else if (other->has_pci_ids && kept->pci_revision_unknown && !other->pci_revision_unknown) {
        kept->pci_revision = other->pci_revision;
        kept->pci_revision_unknown = false;
    }
    if (!kept->parent_id[0])
        memcpy(kept->parent_id, other->parent_id, ADAPTER_ID_SIZE);
    if (other->kind != ADAPTER_UNKNOWN && (kept->kind == ADAPTER_UNKNOWN || wins)) {
        kept->kind = other->kind;
        kept->kind_is_inferred = other->kind_is_inferred;
    }
    if (wins)
        kept->driver_index = other->driver_index;
    if (power_rank(other->power_state) > power_rank(kept->power_state))
        kept->power_state = other->power_state;
    if (kept->figures_why_not == REASON_not_reported)
        kept->figures_why_not = other->figures_why_not;
    merge_nodes(kept, other);
}

static void merge_lists(struct adapter_reading *kept, const struct adapter_reading *other,
                        bool wins)
{
    if (wins) {
        kept->compute_list_unknown = other->compute_list_unknown;
        kept->graphics_list_unknown = other->graphics_list_unknown;
        kept->compute_list_why_not = other->compute_list_why_not;
        kept->graphics_list_why_not = other->graphics_list_why_not;
        kept->process_load_answered = other->process_load_answered;
        kept->process_load_why_not = other->process_load_why_not;
    }
    if (other->throttle_how != HOW_UNAVAILABLE && (kept->throttle_how == HOW_UNAVAILABLE || wins)) {
        kept->throttle_how = other->throttle_how;
        kept->throttle_count = other->throttle_count;
        memcpy(kept->throttle_reasons, other->throttle_reasons, sizeof kept->throttle_reasons);
    } else if (kept->throttle_how == HOW_UNAVAILABLE &&
               kept->throttle_why_not == REASON_not_reported) {
        kept->throttle_why_not = other->throttle_why_not;
    }
}

static void merge(struct adapter_reading *kept, const struct adapter_reading *other)
{
    bool wins = other->lists_processes;
    merge_identity(kept, other, wins);
    for (size_t i = 0; i < FIELD_COUNT(measured_fields); i++)
        merge_measured(FIELD(struct measured, kept, measured_fields[i]),
                       CONST_FIELD(struct measured, other, measured_fields[i]), wins);
    for (size_t i = 0; i < FIELD_COUNT(said_fields); i++)
        merge_said(FIELD(struct said, kept, said_fields[i]),
                   CONST_FIELD(struct said, other, said_fields[i]), wins);
    merge_saids(kept->engine_millipercent, other->engine_millipercent, ENGINE_COUNT, wins);
    merge_saids(kept->temperature_millicelsius, other->temperature_millicelsius, TEMPERATURE_COUNT,
                wins);
    merge_saids(kept->clock_hz, other->clock_hz, CLOCK_COUNT, wins);
    merge_saids(kept->max_clock_hz, other->max_clock_hz, CLOCK_COUNT, wins);
    merge_lists(kept, other, wins);
    kept->lists_processes |= other->lists_processes;
    kept->unified |= other->unified;
    kept->unified_one_pool |= other->unified_one_pool;
    kept->video_is_unified |= other->video_is_unified;
}

static bool parse_part(struct raw_text *rest, char end, uint64_t *value)
{
    size_t used;
    if (!number_parse_hex(*rest, value, &used))
        return false;
    rest->bytes += used;
    rest->length -= used;
    if (!end)
        return rest->length == 0;
    if (rest->length == 0 || rest->bytes[0] != end)
        return false;
    rest->bytes++;
    rest->length--;
    return true;
}

/* "pci:0000:03:00.0" */
static bool parse_pci(const char *id, struct pci_address *address)
{
    if (strncmp(id, "pci:", 4) != 0)
        return false;
    struct raw_text rest = {.bytes = id + 4, .length = strnlen(id + 4, ADAPTER_ID_SIZE - 4)};
    return parse_part(&rest, ':', &address->domain) && parse_part(&rest, ':', &address->bus) &&
           parse_part(&rest, '.', &address->device) && parse_part(&rest, 0, &address->function);
}

static int kind_rank(const struct adapter_reading *reading)
{
    if (reading->parent_id[0] || reading->kind == ADAPTER_MIG || reading->kind == ADAPTER_PARTITION)
        return 4;
    switch (reading->kind) {
    case ADAPTER_DISCRETE:
        return 0;
    case ADAPTER_INTEGRATED:
        return 2;
    case ADAPTER_NPU:
        return 3;
    default:
        return 1;
    }
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_addresses(const struct pci_address *a, const struct pci_address *b)
{
    int order = compare_u64(a->domain, b->domain);
    if (!order)
        order = compare_u64(a->bus, b->bus);
    if (!order)
        order = compare_u64(a->device, b->device);
    return order ? order : compare_u64(a->function, b->function);
}

int adapter_pairing_compare(const struct adapter_reading *a, const struct adapter_reading *b)
{
    int order = kind_rank(a) - kind_rank(b);
    if (order)
        return order;
    struct pci_address left, right;
    const char *left_id = a->parent_id[0] ? a->parent_id : a->id;
    const char *right_id = b->parent_id[0] ? b->parent_id : b->id;
    bool has_left = parse_pci(left_id, &left), has_right = parse_pci(right_id, &right);
    if (has_left != has_right)
        return has_left ? -1 : 1;
    if (has_left)
        order = compare_addresses(&left, &right);
    if (!order)
        order = (a->driver_index > b->driver_index) - (a->driver_index < b->driver_index);
    return order ? order : strncmp(a->id, b->id, ADAPTER_ID_SIZE);
}

static int compare_unnumbered(const void *a, const void *b)
{
    const struct paired_adapter *left = a, *right = b;
    return adapter_pairing_compare(&left->reading, &right->reading);
}

static int compare_indexes(const void *a, const void *b)
{
    const struct paired_adapter *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

static void set_key(char key[ADAPTER_ID_SIZE], const char *id)
{
    memset(key, 0, ADAPTER_ID_SIZE);
    memcpy(key, id, strnlen(id, ADAPTER_ID_SIZE - 1));
}

static struct paired_adapter *find(struct paired_adapter *paired, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(paired[i].reading.id, id, ADAPTER_ID_SIZE) == 0)
            return &paired[i];
    return NULL;
}

static bool has_address(const struct adapter_reading *reading)
{
    struct pci_address address;
    return parse_pci(reading->parent_id[0] ? reading->parent_id : reading->id, &address);
}

/* One without an address keeps its driver's place: in front of those of its kind that the same
 * driver counts after it. `paired` is in order otherwise, those without an address behind. */
static void keep_drivers_places(struct paired_adapter *paired, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct paired_adapter moved = paired[i];
        size_t to = 0;
        if (has_address(&moved.reading) || !moved.reading.source)
            continue;
        while (to < i && !(kind_rank(&paired[to].reading) == kind_rank(&moved.reading) &&
                           paired[to].reading.source &&
                           strcmp(paired[to].reading.source, moved.reading.source) == 0 &&
                           paired[to].reading.driver_index > moved.reading.driver_index))
            to++;
        memmove(&paired[to + 1], &paired[to], (i - to) * sizeof *paired);
        paired[to] = moved;
    }
}

static void number(struct adapter_indexes *indexes, struct paired_adapter *paired, size_t count)
{
    if (count > 1)
        qsort(paired, count, sizeof *paired, compare_unnumbered);
    keep_drivers_places(paired, count);
    for (size_t i = 0; i < count; i++) {
        char key[ADAPTER_ID_SIZE];
        bool added;
        set_key(key, paired[i].reading.id);
        int64_t *index = map_put(indexes->by_id, key, &added);
        if (added)
            *index = indexes->next++;
        paired[i].index = *index;
    }
    if (count > 1)
        qsort(paired, count, sizeof *paired, compare_indexes);
}

struct paired_adapter *adapter_pairing_step(struct adapter_indexes *indexes, struct arena *arena,
                                            const struct adapter_reading *const *readings,
                                            size_t reading_count, size_t *count)
{
    struct paired_adapter *paired = ARENA_ARRAY(arena, struct paired_adapter, reading_count);
    *count = 0;
    for (size_t i = 0; i < reading_count; i++) {
        struct paired_adapter *known = find(paired, *count, readings[i]->id);
        if (known)
            merge(&known->reading, readings[i]);
        else
            (known = &paired[(*count)++])->reading = *readings[i];
    }
    number(indexes, paired, *count);
    return paired;
}
