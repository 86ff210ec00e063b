#include "timeline/climb.h"
#include "timeline/events_state.h"

enum { SWEEP_STEPS = 64 };

/* One process on one adapter; no padding. */
struct climb_key {
    struct identity identity;
    uint64_t slot;
};

struct map *events_climbs_new(void)
{
    return map_new(sizeof(struct climb_key), sizeof(struct climb));
}

/* Memory that its models account for is not lost: a model file that is still being loaded, a KV
 * cache that fills. */
static int64_t explained_bytes(const struct process *process, const struct gpu_use *use)
{
    int64_t explained = 0, files = 0;
    if (figure_is_known(use->explained_bytes) && use->explained_bytes.value < 9e18) {
        explained = (int64_t)use->explained_bytes.value;
    }
    for (size_t i = 0; i < process->model_count; i++) {
        struct measured bytes = process->models[i].file_bytes;
        int64_t sum;
        if (bytes.known && !__builtin_add_overflow(files, bytes.value, &sum)) {
            files = sum;
        }
    }
    return files > explained ? files : explained;
}

static void step_use(struct events_state *state, struct snapshot *now,
                     const struct process *process, const struct gpu_use *use)
{
    int slot = events_adapter_slot(state, use->adapter_id);
    if (slot < 0 || !use->vram_bytes.known) {
        return;
    }
    const struct climb_key key = {process->identity, (uint64_t)slot};
    struct climb *climb = map_get(state->climbs, &key);
    if (!climb && use->vram_bytes.value >= CLIMB_RISE_BYTES) {
        climb = map_put(state->climbs, &key, NULL);
    }
    struct climb_found found;
    if (!climb || !climb_add(climb, now->monotonic_seconds.value, use->vram_bytes.value,
                             explained_bytes(process, use), &found)) {
        return;
    }
    struct text name = text_is_none(process->name) ? TEXT("process") : process->name;
    struct text words = text_format(
        now->arena, "%.*s (%.*s) grows steadily: %s more GPU memory than %.0f min ago; a leak?",
        (int)name.size, name.utf8, (int)process->label.size, process->label.utf8,
        events_bytes(now->arena, found.rise_bytes), found.seconds / 60);
    events_tell(state, now, "vram_climbing", use->adapter_id, process->id,
                measured_known(found.rise_bytes), words);
}

static bool drop_unknown(const void *key, void *value, void *context)
{
    (void)value;
    const struct climb_key *climb = key;
    const struct events_state *state = context;
    return !map_get(state->processes, &climb->identity);
}

static void restart(struct events_state *state)
{
    const void *key;
    void *climb;
    for (size_t at = 0; map_next(state->climbs, &at, &key, &climb);) {
        climb_restart(climb);
    }
}

void events_of_climbs(struct events_state *state, struct snapshot *now)
{
    if (!figure_is_known(now->monotonic_seconds)) {
        return;
    }
    if (state->quiet || !figure_is_known(now->interval_seconds)) {
        restart(state);
    }
    for (size_t i = 0; i < now->process_count; i++) {
        const struct process *process = &now->processes[i];
        for (size_t j = 0; j < process->gpu_count; j++) {
            step_use(state, now, process, &process->gpus[j]);
        }
    }
    if (state->step % SWEEP_STEPS == 0) {
        map_remove_if(state->climbs, drop_unknown, state);
    }
}
