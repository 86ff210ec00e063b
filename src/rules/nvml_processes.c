#include "rules/nvml_processes.h"

#include <string.h>

#include "base/map.h"

struct row_key {
    char adapter_id[ADAPTER_ID_SIZE];
    int64_t pid;
};

struct merging {
    struct nvml_rows *rows;
    struct map *places;       /* struct row_key -> size_t */
    struct map *on_instances; /* struct row_key of the device; NULL: none */
};

static struct row_key key_of(const char *adapter_id, int64_t pid)
{
    struct row_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.adapter_id, adapter_id, strnlen(adapter_id, ADAPTER_ID_SIZE - 1));
    key.pid = pid;
    return key;
}

static const struct adapter_reading *adapter_of(const struct nvml_seen *seen, const char *id)
{
    for (size_t i = 0; i < seen->adapter_count; i++)
        if (strncmp(seen->adapters[i].id, id, ADAPTER_ID_SIZE) == 0)
            return &seen->adapters[i];
    return NULL;
}

static void set_loads(struct nvml_row *row, struct measured value)
{
    row->load = row->memory = row->encode = row->decode = row->jpeg = row->ofa = value;
}

/* What a listed process's load is until a sample says otherwise. */
static void start_loads(struct nvml_row *row, const struct adapter_reading *adapter)
{
    bool answered = adapter && adapter->process_load_answered;
    set_loads(row, measured_unknown(adapter ? adapter->process_load_why_not : REASON_not_reported));
    if (!answered)
        return;
    row->load = row->memory = row->encode = row->decode = measured_known(0);
    /* JPEG and optical flow come only from the newer call: a device that has samples of them at all
     * says so in them; without any they are not reported. */
    row->jpeg = row->ofa = measured_unknown(REASON_not_reported);
}

static struct nvml_row *row_at(struct merging *merging, const char *adapter_id, int64_t pid,
                               bool *added)
{
    struct row_key key = key_of(adapter_id, pid);
    size_t *place = map_put(merging->places, &key, added);
    if (*added) {
        *place = merging->rows->count++;
        merging->rows->items[*place] = (struct nvml_row){.adapter_id = adapter_id, .pid = pid};
    }
    return &merging->rows->items[*place];
}

/* Which pids the instances of each device list: the device's own entry would repeat them. NULL
 * where there are no instances. */
static struct map *pids_on_instances(const struct nvml_seen *seen)
{
    struct map *pids = NULL;
    for (size_t i = 0; i < seen->listed_count; i++) {
        const struct nvml_listed_process *entry = &seen->listed[i];
        const struct adapter_reading *adapter = adapter_of(seen, entry->adapter_id);
        if (!adapter || !adapter->parent_id[0])
            continue;
        if (!pids)
            pids = map_new(sizeof(struct row_key), sizeof(bool));
        struct row_key key = key_of(adapter->parent_id, entry->pid);
        map_put(pids, &key, NULL);
    }
    return pids;
}

static bool is_on_instance(const struct merging *merging, const struct nvml_listed_process *entry)
{
    struct row_key key = key_of(entry->adapter_id, entry->pid);
    return merging->on_instances && map_get(merging->on_instances, &key);
}

static void merge_memory(struct measured *kept, struct measured other)
{
    if (other.known && (!kept->known || other.value > kept->value))
        *kept = other;
}

static void add_listed(struct merging *merging, const struct nvml_seen *seen,
                       const struct nvml_listed_process *entry)
{
    if (entry->pid <= 0)
        return;
    const struct adapter_reading *adapter = adapter_of(seen, entry->adapter_id);
    if ((!adapter || !adapter->parent_id[0]) && is_on_instance(merging, entry))
        return;
    bool added;
    struct nvml_row *row = row_at(merging, entry->adapter_id, entry->pid, &added);
    if (added) {
        row->memory_bytes = entry->memory_bytes;
        start_loads(row, adapter);
    }
    merge_memory(&row->memory_bytes, entry->memory_bytes);
    row->compute |= entry->list != NVML_LIST_GRAPHICS;
    row->graphics |= entry->list == NVML_LIST_GRAPHICS;
}

static bool is_incredible(const struct nvml_process_sample *sample)
{
    const struct measured fields[] = {sample->sm,     sample->memory, sample->encode,
                                      sample->decode, sample->jpeg,   sample->ofa};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].known ? fields[i].value > 100 || fields[i].value < 0
                            : fields[i].why_not == REASON_incredible_value)
            return true;
    return false;
}

static void take_sample(struct nvml_row *row, const struct nvml_process_sample *sample)
{
    if (is_incredible(sample)) {
        set_loads(row, measured_unknown(REASON_incredible_value));
        return;
    }
    row->load = sample->sm;
    row->memory = sample->memory;
    row->encode = sample->encode;
    row->decode = sample->decode;
    row->jpeg = sample->jpeg;
    row->ofa = sample->ofa;
}

void nvml_row_set_loads(struct nvml_row *row, const struct adapter_reading *adapter,
                        const struct nvml_process_sample *sample)
{
    start_loads(row, adapter);
    if (sample)
        take_sample(row, sample);
}

static void add_sample(struct merging *merging, const struct nvml_seen *seen,
                       const struct nvml_process_sample *sample)
{
    if (sample->pid <= 0)
        return;
    const struct adapter_reading *adapter = adapter_of(seen, sample->adapter_id);
    struct row_key key = key_of(sample->adapter_id, sample->pid);
    size_t *place = map_get(merging->places, &key);
    struct nvml_row *row = place ? &merging->rows->items[*place] : NULL;
    if (!row) {
        bool lists_unknown =
            adapter && (adapter->compute_list_unknown || adapter->graphics_list_unknown);
        if (!lists_unknown)
            return;
        bool added;
        row = row_at(merging, sample->adapter_id, sample->pid, &added);
        row->memory_bytes =
            measured_unknown(adapter->compute_list_unknown ? adapter->compute_list_why_not
                                                           : adapter->graphics_list_why_not);
    }
    take_sample(row, sample);
}

/* A device whose samples carry JPEG and optical flow has said 0 for the listed processes without
 * one. */
static void settle_newer_fields(const struct nvml_seen *seen, const char *adapter_id,
                                struct nvml_rows *rows)
{
    bool jpeg = false, ofa = false;
    for (size_t i = 0; i < seen->sample_count; i++)
        if (strncmp(seen->samples[i].adapter_id, adapter_id, ADAPTER_ID_SIZE) == 0) {
            jpeg |= seen->samples[i].jpeg.known;
            ofa |= seen->samples[i].ofa.known;
        }
    if (!jpeg && !ofa)
        return;
    for (size_t i = 0; i < rows->count; i++) {
        struct nvml_row *row = &rows->items[i];
        bool idle = row->load.known && row->load.value == 0 && (row->compute || row->graphics);
        if (!idle || strncmp(row->adapter_id, adapter_id, ADAPTER_ID_SIZE) != 0)
            continue;
        if (jpeg && !row->jpeg.known)
            row->jpeg = measured_known(0);
        if (ofa && !row->ofa.known)
            row->ofa = measured_known(0);
    }
}

void nvml_processes(struct arena *arena, const struct nvml_seen *seen, struct nvml_rows *rows)
{
    size_t limit = seen->listed_count + seen->sample_count;
    *rows = (struct nvml_rows){.items = ARENA_ARRAY(arena, struct nvml_row, limit)};
    struct merging merging = {
        .rows = rows,
        .places = map_new(sizeof(struct row_key), sizeof(size_t)),
        .on_instances = pids_on_instances(seen),
    };
    for (size_t i = 0; i < seen->listed_count; i++)
        add_listed(&merging, seen, &seen->listed[i]);
    for (size_t i = 0; i < seen->sample_count; i++)
        add_sample(&merging, seen, &seen->samples[i]);
    for (size_t i = 0; i < seen->adapter_count; i++)
        settle_newer_fields(seen, seen->adapters[i].id, rows);
    map_free(&merging.places);
    map_free(&merging.on_instances);
}
