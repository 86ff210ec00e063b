#include "view/memory_map.h"

#include "base/vector.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void list_add(struct segment_list *list, struct segment segment)
{
    if (segment.bytes <= 0)
        return;
    list->total_bytes += segment.bytes;
    VECTOR_PUSH(list, segment);
}

static void add_rest(struct segment_list *list, enum segment_class class,
                     enum segment_pattern pattern, enum how how, int64_t bytes)
{
    list_add(list,
             (struct segment){.class = class, .pattern = pattern, .how = how, .bytes = bytes});
}

enum { PARTS = PART_UNEXPLAINED - PART_WEIGHTS };

static void list_parts(const struct model_device *device, struct figure figures[PARTS])
{
    figures[0] = device->weights_bytes;
    figures[1] = device->kv_cache_bytes;
    figures[2] = device->compute_bytes;
    figures[3] = device->other_bytes;
}

/* One model's parts on one device, in the order of enum segment_part. */
static void add_parts(struct memory_map *map, const struct segment *whole,
                      const struct model *model, const struct model_device *device, int64_t *left)
{
    struct figure figures[PARTS];
    list_parts(device, figures);
    for (size_t i = 0; i < PARTS; i++) {
        if (!figure_is_known(figures[i]) || !(figures[i].value >= 1))
            continue;
        struct segment segment = *whole;
        segment.part = (enum segment_part)(PART_WEIGHTS + (int)i);
        segment.model = model;
        segment.how = figures[i].how;
        if (segment.pattern == PATTERN_SOLID)
            segment.pattern = PATTERN_HATCHED;
        segment.bytes = *left;
        if (figures[i].value < (double)*left)
            segment.bytes = (int64_t)figures[i].value;
        else if (figures[i].value >= (double)*left + 1)
            map->notes |= MAP_NOTE_PARTS_CUT;
        *left -= segment.bytes;
        list_add(&map->bar, segment);
    }
}

static void add_holder(struct memory_map *map, const struct memory_holder *holder)
{
    struct segment whole = {.class = holder->class,
                            .pattern = holder->by == INFERRED_NOT       ? PATTERN_SOLID
                                       : holder->by == INFERRED_MATCHED ? PATTERN_MATCHED
                                                                        : PATTERN_GUESS,
                            .how = holder->by == INFERRED_NOT ? HOW_MEASURED : HOW_INFERRED,
                            .bytes = holder->bytes,
                            .process = holder->process};
    int64_t left = holder->bytes;
    for (size_t i = 0; i < holder->process->model_count; i++) {
        const struct model *model = &holder->process->models[i];
        for (size_t j = 0; j < model->device_count; j++)
            if (text_equal(model->devices[j].adapter_id, holder->use->adapter_id))
                add_parts(map, &whole, model, &model->devices[j], &left);
    }
    if (left < holder->bytes)
        whole.part = PART_UNEXPLAINED;
    whole.bytes = left;
    list_add(&map->bar, whole);
}

static void build_bar(struct memory_map *map, const struct adapter *adapter,
                      const struct memory_holders *holders, int64_t placed, int64_t total)
{
    for (size_t i = 0; i < holders->count; i++)
        add_holder(map, &holders->items[i]);
    int64_t unattributed = 0;
    if (map->used_bytes.known && map->used_bytes.value >= placed)
        unattributed = smaller(map->used_bytes.value, total) - placed;
    else if (map->used_bytes.known)
        map->notes |= MAP_NOTE_ABOVE_USED;
    int64_t left = total - placed - unattributed, reserved = 0;
    if (adapter->memory.vram_reserved_bytes.known && adapter->memory.vram_reserved_bytes.value > 0)
        reserved = smaller(adapter->memory.vram_reserved_bytes.value, left);
    left -= reserved;
    /* Where the system counts its processes in another way there is a rest to draw, and none to
     * tell. */
    add_rest(&map->bar, SEGMENT_UNATTRIBUTED, PATTERN_UNATTRIBUTED,
             memory_counts_differ(&adapter->memory) ? HOW_UNAVAILABLE : HOW_MEASURED, unattributed);
    if (!map->used_bytes.known)
        add_rest(&map->bar, SEGMENT_UNKNOWN, PATTERN_UNKNOWN, HOW_MEASURED, left);
    add_rest(&map->bar, SEGMENT_RESERVED, PATTERN_RESERVED, HOW_MEASURED, reserved);
    if (map->used_bytes.known)
        add_rest(&map->bar, SEGMENT_FREE, PATTERN_FREE, HOW_MEASURED, left);
}

static void add_unplaced(struct memory_map *map, const struct process *process,
                         const struct gpu_use *use, const struct model *model,
                         const struct model_device *device)
{
    struct figure figures[PARTS];
    list_parts(device, figures);
    for (size_t i = 0; i < PARTS; i++)
        if (figure_is_known(figures[i]) && figures[i].value >= 1)
            list_add(&map->unplaced,
                     (struct segment){
                         .class = segment_class_of(process, use),
                         .part = (enum segment_part)(PART_WEIGHTS + (int)i),
                         .pattern = PATTERN_HATCHED,
                         .how = figures[i].how,
                         .bytes = (int64_t)(figures[i].value < 1e15 ? figures[i].value : 1e15),
                         .process = process,
                         .model = model});
}

static bool use_has_bytes(const struct gpu_use *use, bool unified)
{
    return use->vram_bytes.known || (unified && use->shared_bytes.known) ||
           figure_is_known(use->vram_inferred_bytes);
}

static void build_unplaced(struct memory_map *map, const struct snapshot *snapshot,
                           const struct adapter *adapter)
{
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        for (size_t j = 0; process->model_count > 0 && j < process->gpu_count; j++) {
            const struct gpu_use *use = &process->gpus[j];
            if (use_has_bytes(use, map->unified) || !gpu_use_is_on(snapshot, use, adapter))
                continue;
            for (size_t k = 0; k < process->model_count; k++)
                for (size_t n = 0; n < process->models[k].device_count; n++)
                    if (text_equal(process->models[k].devices[n].adapter_id, use->adapter_id))
                        add_unplaced(map, process, use, &process->models[k],
                                     &process->models[k].devices[n]);
        }
    }
}

static void build_spill(struct memory_map *map, const struct adapter *adapter,
                        const struct memory_holders *holders)
{
    if (adapter->memory.unified)
        return;
    /* A sum beyond what a number holds is no memory: the rest is left out. */
    for (size_t i = 0; i < holders->count; i++) {
        const struct memory_holder *holder = &holders->items[i];
        list_add(&map->spill, (struct segment){.class = holder->class,
                                               .how = HOW_MEASURED,
                                               .bytes = smaller(holder->spill_bytes,
                                                                INT64_MAX - map->spill.total_bytes),
                                               .process = holder->process});
    }
    struct measured used = adapter->memory.shared_used_bytes;
    if (used.known && used.value > map->spill.total_bytes)
        add_rest(&map->spill, SEGMENT_UNATTRIBUTED, PATTERN_UNATTRIBUTED, HOW_MEASURED,
                 used.value - map->spill.total_bytes);
}

void memory_map_build(struct memory_map *map, const struct snapshot *snapshot,
                      const struct adapter *adapter)
{
    const struct adapter_memory *memory = &adapter->memory;
    map->bar.count = map->spill.count = map->unplaced.count = 0;
    map->bar.total_bytes = map->spill.total_bytes = map->unplaced.total_bytes = 0;
    map->notes = 0;
    map->unified = memory->unified;
    map->used_bytes = memory_pools_used(memory);
    struct measured total = memory_pools_total(memory);
    map->known = total.known && total.value > 0;
    map->why_not = total.why_not;
    memory_holders_collect(&map->holders, snapshot, adapter);
    build_spill(map, adapter, &map->holders);
    build_unplaced(map, snapshot, adapter);
    if (!map->known)
        return;
    if (map->holders.above_total)
        map->notes |= MAP_NOTE_ABOVE_TOTAL;
    if (map->holders.inferred_cut)
        map->notes |= MAP_NOTE_INFERRED_CUT;
    build_bar(map, adapter, &map->holders, map->holders.placed_bytes, total.value);
}

void memory_map_free(struct memory_map *map)
{
    VECTOR_FREE(&map->bar);
    VECTOR_FREE(&map->spill);
    VECTOR_FREE(&map->unplaced);
    memory_holders_free(&map->holders);
}
