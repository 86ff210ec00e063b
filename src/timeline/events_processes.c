#include <string.h>

#include "timeline/events_state.h"

/* "llama-server (4242)" */
static struct text process_words(struct arena *arena, const struct process_memory_of_events *memory)
{
    return memory->name[0] ? text_format(arena, "%s (%s)", memory->name, memory->label)
                           : text_format(arena, "process %s", memory->label);
}

static void copy_text(char *out, size_t size, struct text text)
{
    size_t length = text.size < size - 1 ? text.size : size - 1;
    while (length > 0 && length < text.size && ((unsigned char)text.utf8[length] & 0xc0) == 0x80) {
        length--;
    }
    if (length > 0) {
        memcpy(out, text.utf8, length);
    }
    out[length] = '\0';
}

static uint64_t adapters_of(const struct events_state *state, const struct process *process)
{
    uint64_t adapters = 0;
    for (size_t i = 0; i < process->gpu_count; i++) {
        int slot = events_adapter_slot(state, process->gpus[i].adapter_id);
        adapters |= slot >= 0 ? UINT64_C(1) << slot : 0;
    }
    return adapters;
}

/* Of the slots, those whose process lists are known now, or were in the step before. */
static uint64_t known_lists(const struct events_state *state, bool before)
{
    uint64_t known = 0;
    for (size_t i = 0; i < state->adapter_count; i++) {
        const struct adapter_memory_of_events *adapter = &state->adapters[i];
        bool is_known = before ? adapter->lists_were_known : adapter->lists_known;
        known |= is_known ? UINT64_C(1) << i : 0;
    }
    return known;
}

/* The slots whose lists must be known before a process of these slots can be missed. One that is on
 * no adapter that is remembered may be on any. */
static uint64_t lists_that_count(const struct events_state *state, uint64_t adapters)
{
    uint64_t all = 0;
    for (size_t i = 0; i < state->adapter_count; i++) {
        all |= state->adapters[i].present ? UINT64_C(1) << i : 0;
    }
    return adapters ? adapters : all;
}

/* Measured bytes on all adapters; unknown where no adapter has any. */
static struct measured vram_of(const struct process *process)
{
    struct measured sum = {0};
    for (size_t i = 0; i < process->gpu_count; i++) {
        struct measured bytes = process->gpus[i].vram_bytes;
        int64_t total;
        if (bytes.known && !__builtin_add_overflow(sum.value, bytes.value, &total)) {
            sum = measured_known(total);
        }
    }
    return sum;
}

static void tell_spill(struct events_state *state, struct snapshot *now,
                       const struct process *process, const struct gpu_use *use,
                       const struct process_memory_of_events *memory, bool began)
{
    struct text who = process_words(now->arena, memory);
    struct text words =
        began ? text_format(now->arena, "%s spills %s into system memory", who.utf8,
                            events_bytes(now->arena, use->spill_bytes.value))
              : text_format(now->arena, "%s no longer spills into system memory", who.utf8);
    events_tell(state, now, began ? "spill_began" : "spill_ended", use->adapter_id, process->id,
                use->spill_bytes, words);
}

/* A process that has just started spilled nothing before; else both figures must be known. */
static void step_spill(struct events_state *state, struct snapshot *now,
                       const struct process *process, struct process_memory_of_events *memory,
                       bool started)
{
    for (size_t i = 0; i < process->gpu_count; i++) {
        const struct gpu_use *use = &process->gpus[i];
        int slot = events_adapter_slot(state, use->adapter_id);
        if (slot < 0 || !use->spill_bytes.known) {
            continue;
        }
        uint64_t bit = UINT64_C(1) << slot;
        bool was_known = started || (memory->spill_known & bit);
        bool spilled = (memory->spilling & bit) != 0;
        bool spills = spilled ? use->spill_bytes.value >= EVENTS_SPILL_END_BYTES
                              : use->spill_bytes.value >= EVENTS_SPILL_BEGIN_BYTES;
        if (was_known && spills != spilled) {
            tell_spill(state, now, process, use, memory, spills);
        }
        memory->spilling = spills ? memory->spilling | bit : memory->spilling & ~bit;
        memory->spill_known |= bit;
    }
}

static bool same_model(const struct model *a, const struct model *b)
{
    if (!text_is_none(a->path) && !text_is_none(b->path)) {
        return text_equal(a->path, b->path);
    }
    return text_equal(a->name, b->name);
}

static bool has_model(const struct process *process, const struct model *model)
{
    for (size_t i = 0; process && i < process->model_count; i++) {
        if (same_model(&process->models[i], model)) {
            return true;
        }
    }
    return false;
}

/* How many models of `process`, with or without a path, `other` does not hold. */
static size_t unplaced_models(const struct process *process, const struct process *other,
                              bool with_path)
{
    size_t count = 0;
    for (size_t i = 0; process && i < process->model_count; i++) {
        const struct model *model = &process->models[i];
        count += text_is_none(model->path) != with_path && !has_model(other, model);
    }
    return count;
}

static void tell_model(struct events_state *state, struct snapshot *now,
                       const struct process *process, const struct model *model,
                       const struct process_memory_of_events *memory, bool loaded)
{
    struct text who = process_words(now->arena, memory);
    struct text name = text_is_none(model->name) ? model->path : model->name;
    struct text words = text_format(
        now->arena, "%s %s %.*s", who.utf8, loaded ? "loaded" : "unloaded",
        text_is_none(name) ? 7 : (int)name.size, text_is_none(name) ? "a model" : name.utf8);
    events_tell(state, now, loaded ? "model_loaded" : "model_unloaded", TEXT_NONE,
                text_copy(now->arena, process->id), (struct measured){0}, words);
}

/* Models of `process` that `other` (NULL: none) does not hold. A model of which only a name was
 * known and one with a file are the same one, known better or worse, as far as they come in pairs.
 */
static void tell_models(struct events_state *state, struct snapshot *now,
                        const struct process *process, const struct process *other,
                        const struct process_memory_of_events *memory, bool loaded)
{
    size_t pairs[2] = {unplaced_models(other, process, true),
                       unplaced_models(other, process, false)};
    for (size_t i = 0; i < process->model_count; i++) {
        const struct model *model = &process->models[i];
        size_t *pair = &pairs[!text_is_none(model->path)];
        if (has_model(other, model)) {
            continue;
        }
        if (*pair > 0) {
            (*pair)--;
            continue;
        }
        tell_model(state, now, process, model, memory, loaded);
    }
}

static const struct process no_models;

static void step_models(struct events_state *state, struct snapshot *now,
                        const struct process *process, const struct process *earlier,
                        struct process_memory_of_events *memory)
{
    if (!process->models_known) {
        return;
    }
    if (!memory->models_seen) {
        earlier = memory->started ? &no_models : NULL;
    } else if (earlier && !earlier->models_known) {
        earlier = NULL;
    }
    memory->models_seen = true;
    if (earlier) {
        tell_models(state, now, process, earlier, memory, true);
        tell_models(state, now, earlier, process, memory, false);
    }
}

static void tell_started(struct events_state *state, struct snapshot *now,
                         const struct process *process,
                         const struct process_memory_of_events *memory)
{
    struct text who = process_words(now->arena, memory);
    struct text adapter = process->gpu_count > 0 ? process->gpus[0].adapter_id : TEXT_NONE;
    events_tell(state, now, "process_started", adapter, process->id, vram_of(process),
                text_format(now->arena, "%s began to use the GPU", who.utf8));
}

/* The process in the snapshot before, looked for where it was. */
static const struct process *earlier_of(const struct snapshot *before,
                                        const struct process_memory_of_events *memory,
                                        struct identity identity)
{
    if (!before)
        return NULL;
    if (memory->place < before->process_count &&
        identity_equal(before->processes[memory->place].identity, identity))
        return &before->processes[memory->place];
    return snapshot_process(before, identity);
}

static void step_process(struct events_state *state, const struct snapshot *before,
                         struct snapshot *now, const struct process *process)
{
    bool added;
    struct process_memory_of_events *memory = map_put(state->processes, &process->identity, &added);
    uint64_t adapters = adapters_of(state, process);
    /* One that appears where the list could not be read before may have been there all along. */
    bool started = added && (lists_that_count(state, adapters) & known_lists(state, true)) != 0;
    struct measured vram = vram_of(process);
    memory->adapters |= adapters;
    memory->vram_bytes = vram.known ? vram : memory->vram_bytes;
    memory->step = state->step;
    copy_text(memory->name, sizeof memory->name, process->name);
    copy_text(memory->label, sizeof memory->label, process->label);
    if (started) {
        tell_started(state, now, process, memory);
    }
    const struct process *earlier = earlier_of(before, memory, process->identity);
    memory->place = (size_t)(process - now->processes);
    memory->started = memory->started || started;
    step_models(state, now, process, earlier, memory);
    step_spill(state, now, process, memory, started);
}

struct leavers {
    struct events_state *state;
    struct snapshot *now;
    uint64_t known; /* slots of adapters whose lists are known */
};

/* True for a process that has ended: every list that named it was read, and does not. */
static bool drop_ended(const void *key, void *value, void *context)
{
    const struct leavers *leavers = context;
    const struct process_memory_of_events *memory = value;
    struct snapshot *now = leavers->now;
    uint64_t needed = lists_that_count(leavers->state, memory->adapters);
    if (memory->step == leavers->state->step || (needed & ~leavers->known) != 0) {
        return false;
    }
    struct identity identity;
    char id[IDENTITY_ID_SIZE];
    memcpy(&identity, key, sizeof identity);
    identity_format(identity, id);
    struct text who = process_words(now->arena, memory);
    struct text words =
        memory->vram_bytes.known
            ? text_format(now->arena, "%s ended; it held %s of GPU memory", who.utf8,
                          events_bytes(now->arena, memory->vram_bytes.value))
            : text_format(now->arena, "%s ended", who.utf8);
    events_tell(leavers->state, now, "process_exited", TEXT_NONE,
                text_from_raw(now->arena, raw_from_string(id)), memory->vram_bytes, words);
    return true;
}

void events_of_processes(struct events_state *state, const struct snapshot *before,
                         struct snapshot *now)
{
    for (size_t i = 0; i < now->process_count; i++) {
        struct process_memory_of_events *memory =
            map_get(state->processes, &now->processes[i].identity);
        if (memory) {
            memory->step = state->step;
        }
    }
    /* Ends come first: a reused pid is told in the order in which it happened. */
    struct leavers leavers = {state, now, known_lists(state, false)};
    map_remove_if(state->processes, drop_ended, &leavers);
    for (size_t i = 0; i < now->process_count; i++) {
        step_process(state, before, now, &now->processes[i]);
    }
}
