#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "timeline/diff_parts.h"

/* What a process is found by where its start is unknown; no padding. */
struct place {
    size_t index;
    size_t taken; /* 1: already paired */
};

static bool has_stamp(const struct process *process)
{
    return process->identity.start_stamp != IDENTITY_NO_STAMP;
}

static struct map *index_processes(const struct snapshot *snapshot)
{
    struct map *map = map_new(sizeof(struct identity), sizeof(struct place));
    for (size_t i = 0; i < snapshot->process_count; i++) {
        struct place *place = map_put(map, &snapshot->processes[i].identity, NULL);
        place->index = i;
    }
    return map;
}

/* The same process in the other snapshot, which nobody else is; NULL: none. */
static const struct process *take_pair(const struct diff *diff, struct map *others,
                                       const struct snapshot *other, const struct process *process)
{
    struct place *place = diff->same_boot ? map_get(others, &process->identity) : NULL;
    if (!place || place->taken) {
        return NULL;
    }
    const struct process *found = &other->processes[place->index];
    if (!has_stamp(process) && !text_equal(process->name, found->name)) {
        return NULL;
    }
    place->taken = 1;
    return found;
}

static const struct gpu_use *find_use(const struct process *process, struct text adapter_id)
{
    for (size_t i = 0; process && i < process->gpu_count; i++) {
        if (text_equal(process->gpus[i].adapter_id, adapter_id)) {
            return &process->gpus[i];
        }
    }
    return NULL;
}

static bool figures_equal(struct figure a, struct figure b)
{
    return figure_is_known(a) == figure_is_known(b) && (!figure_is_known(a) || a.value == b.value);
}

static void add_use(struct diff_process *pair, struct text adapter_id)
{
    struct diff_use *use = &pair->uses[pair->use_count++];
    const struct measured none = measured_unknown(REASON_not_reported);
    const struct gpu_use *before = find_use(pair->before, adapter_id);
    const struct gpu_use *after = find_use(pair->after, adapter_id);
    *use = (struct diff_use){
        .adapter_id = adapter_id,
        .before = before,
        .after = after,
        .vram_bytes = {before ? before->vram_bytes : none, after ? after->vram_bytes : none},
        .spill_bytes = {before ? before->spill_bytes : none, after ? after->spill_bytes : none},
    };
    use->inferred_changed =
        before && after &&
        (!figures_equal(before->vram_inferred_bytes, after->vram_inferred_bytes) ||
         before->inferred_by != after->inferred_by);
    use->changed = !before != !after || !diff_bytes_equal(&use->vram_bytes) ||
                   !diff_bytes_equal(&use->spill_bytes) || use->inferred_changed;
}

static void add_uses(struct diff_process *pair, struct arena *arena)
{
    size_t before = pair->before ? pair->before->gpu_count : 0;
    size_t after = pair->after ? pair->after->gpu_count : 0;
    pair->uses = ARENA_ARRAY(arena, struct diff_use, before + after);
    for (size_t i = 0; i < before; i++) {
        add_use(pair, pair->before->gpus[i].adapter_id);
    }
    for (size_t i = 0; i < after; i++) {
        if (!find_use(pair->before, pair->after->gpus[i].adapter_id)) {
            add_use(pair, pair->after->gpus[i].adapter_id);
        }
    }
}

static bool is_same_model(const struct model *a, const struct model *b)
{
    return a->kind == b->kind && text_equal(a->name, b->name) &&
           text_equal(a->quantization, b->quantization) && text_equal(a->path, b->path);
}

static const struct model *find_model(const struct process *process, const struct model *model)
{
    for (size_t i = 0; process && i < process->model_count; i++) {
        if (is_same_model(&process->models[i], model)) {
            return &process->models[i];
        }
    }
    return NULL;
}

static void add_models(struct diff_process *pair, struct arena *arena)
{
    size_t before = pair->before ? pair->before->model_count : 0;
    size_t after = pair->after ? pair->after->model_count : 0;
    pair->models = ARENA_ARRAY(arena, struct diff_model, before + after);
    for (size_t i = 0; i < before; i++) {
        const struct model *model = &pair->before->models[i];
        const struct model *other = find_model(pair->after, model);
        pair->models[pair->model_count++] = (struct diff_model){
            .presence = other ? DIFF_BOTH : DIFF_GONE,
            .before = model,
            .after = other,
            .changed = !other || !figures_equal(model->context, other->context) ||
                       !figures_equal(model->slots, other->slots) ||
                       !figures_equal(model->layers_on_gpu, other->layers_on_gpu),
        };
    }
    for (size_t i = 0; i < after; i++) {
        const struct model *model = &pair->after->models[i];
        if (!find_model(pair->before, model)) {
            pair->models[pair->model_count++] =
                (struct diff_model){.presence = DIFF_NEW, .after = model, .changed = true};
        }
    }
}

static void compare(struct diff_process *pair, struct arena *arena)
{
    add_uses(pair, arena);
    add_models(pair, arena);
    pair->class_changed = pair->presence == DIFF_BOTH && pair->before->class != pair->after->class;
    pair->changed = pair->presence != DIFF_BOTH || pair->class_changed;
    for (size_t i = 0; i < pair->use_count; i++) {
        pair->changed |= pair->uses[i].changed;
    }
    for (size_t i = 0; i < pair->model_count; i++) {
        pair->changed |= pair->models[i].changed;
    }
}

static int rank(const struct diff_process *pair)
{
    return pair->presence == DIFF_NEW ? 0 : pair->presence == DIFF_GONE ? 1 : pair->changed ? 2 : 3;
}

static int64_t measured_bytes(const struct diff_process *pair)
{
    const struct process *process = pair->after ? pair->after : pair->before;
    int64_t sum = 0;
    for (size_t i = 0; i < process->gpu_count; i++) {
        sum += process->gpus[i].vram_bytes.known ? process->gpus[i].vram_bytes.value : 0;
    }
    return sum;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct diff_process *left = a, *right = b;
    int difference = rank(left) - rank(right);
    int64_t left_bytes = measured_bytes(left), right_bytes = measured_bytes(right);
    if (difference == 0 && left_bytes != right_bytes) {
        difference = left_bytes < right_bytes ? 1 : -1;
    }
    if (difference == 0) {
        difference = text_compare((left->after ? left->after : left->before)->id,
                                  (right->after ? right->after : right->before)->id);
    }
    return difference;
}

void diff_add_processes(struct diff *diff, struct arena *arena)
{
    struct map *places = index_processes(diff->after);
    size_t room = diff->before->process_count + diff->after->process_count;
    bool *paired = ARENA_ARRAY(arena, bool, diff->after->process_count);
    diff->processes = ARENA_ARRAY(arena, struct diff_process, room);
    for (size_t i = 0; i < diff->before->process_count; i++) {
        const struct process *before = &diff->before->processes[i];
        const struct process *after = take_pair(diff, places, diff->after, before);
        if (after) {
            paired[after - diff->after->processes] = true;
        }
        diff->processes[diff->process_count++] =
            (struct diff_process){.presence = after ? DIFF_BOTH : DIFF_GONE,
                                  .before = before,
                                  .after = after,
                                  .unsure = after && !has_stamp(before)};
    }
    for (size_t i = 0; i < diff->after->process_count; i++) {
        if (!paired[i]) {
            diff->processes[diff->process_count++] =
                (struct diff_process){.presence = DIFF_NEW, .after = &diff->after->processes[i]};
        }
    }
    map_free(&places);
    for (size_t i = 0; i < diff->process_count; i++) {
        compare(&diff->processes[i], arena);
        diff->differs |= diff->processes[i].changed;
    }
    if (diff->process_count > 0) {
        qsort(diff->processes, diff->process_count, sizeof *diff->processes, compare_pairs);
    }
}

static void count_holder(struct diff *diff, const struct model *model, bool after)
{
    struct diff_model_total *total = NULL;
    for (size_t i = 0; i < diff->model_count && !total; i++) {
        const struct model *other = diff->models[i].model;
        if (other->kind == model->kind && text_equal(other->name, model->name) &&
            text_equal(other->quantization, model->quantization)) {
            total = &diff->models[i];
        }
    }
    if (!total) {
        total = &diff->models[diff->model_count++];
        *total = (struct diff_model_total){.model = model};
    }
    if (after) {
        total->after_holders++;
        total->model = model;
    } else {
        total->before_holders++;
    }
}

void diff_add_models(struct diff *diff, struct arena *arena)
{
    size_t room = 0;
    for (size_t i = 0; i < diff->process_count; i++) {
        room += diff->processes[i].model_count;
    }
    diff->models = ARENA_ARRAY(arena, struct diff_model_total, room);
    for (size_t i = 0; i < diff->process_count; i++) {
        for (size_t j = 0; j < diff->processes[i].model_count; j++) {
            const struct diff_model *model = &diff->processes[i].models[j];
            if (model->before) {
                count_holder(diff, model->before, false);
            }
            if (model->after) {
                count_holder(diff, model->after, true);
            }
        }
    }
}
