#include <string.h>

#include "snapshot/memory_holders.h"
#include "timeline/events_state.h"

/* "GPU 0 (AMD Radeon RX 7800 XT)" */
static struct text adapter_words(struct snapshot *now, const struct adapter *adapter)
{
    const char *noun = adapter->kind == ADAPTER_NPU ? "NPU" : "GPU";
    if (text_is_none(adapter->name)) {
        return text_format(now->arena, "%s %lld", noun, (long long)adapter->index);
    }
    return text_format(now->arena, "%s %lld (%.*s)", noun, (long long)adapter->index,
                       (int)adapter->name.size, adapter->name.utf8);
}

static void tell(struct events_state *state, struct snapshot *now, const struct adapter *adapter,
                 const char *kind, struct measured bytes, const char *words)
{
    struct text who = adapter_words(now, adapter);
    events_tell(state, now, kind, adapter->id, TEXT_NONE, bytes,
                text_format(now->arena, "%s %s", who.utf8, words));
}

static const struct measured no_bytes;

static void step_power(struct events_state *state, struct snapshot *now,
                       const struct adapter *adapter, struct adapter_memory_of_events *memory)
{
    bool lost = adapter->power_state == POWER_LOST;
    bool sleeping = adapter->power_state == POWER_SUSPENDED;
    if (adapter->power_state == POWER_UNKNOWN && (memory->present || !memory->lost)) {
        return;
    }
    if (lost && !memory->lost) {
        tell(state, now, adapter, "adapter_lost", no_bytes,
             "has fallen off the bus or needs a reset");
    } else if (!lost && memory->lost) {
        tell(state, now, adapter, "adapter_back", no_bytes, "is back");
    } else if (sleeping && !memory->sleeping) {
        tell(state, now, adapter, "adapter_suspended", no_bytes, "fell asleep");
    } else if (!sleeping && !lost && memory->sleeping) {
        tell(state, now, adapter, "adapter_resumed", no_bytes, "woke up");
    }
    memory->lost = lost;
    memory->sleeping = sleeping;
}

/* "is throttled: power, thermal" */
static struct text throttle_words(struct snapshot *now, const struct text_list *reasons)
{
    struct text words = TEXT("is throttled");
    for (size_t i = 0; i < reasons->count; i++) {
        words =
            text_format(now->arena, "%.*s%s %.*s", (int)words.size, words.utf8, i == 0 ? ":" : ",",
                        (int)reasons->items[i].size, reasons->items[i].utf8);
    }
    return words;
}

/* A card at its power limit comes and goes from one sample to the next: it is over when it has
 * stayed away. */
static void step_throttle(struct events_state *state, struct snapshot *now,
                          const struct adapter *adapter, struct adapter_memory_of_events *memory)
{
    const struct text_list *reasons = &adapter->throttle_reasons;
    if (!reasons->known) {
        return;
    }
    if (!memory->throttle_known) {
        memory->throttled = reasons->count > 0;
    } else if (reasons->count > 0 && !memory->throttled) {
        tell(state, now, adapter, "throttle_began", no_bytes, throttle_words(now, reasons).utf8);
        memory->throttled = true;
    } else if (reasons->count > 0) {
        memory->is_calm = false;
    } else if (memory->throttled && !memory->is_calm) {
        memory->is_calm = true;
        memory->calm_since_ns = now->taken_at_ns;
    } else if (memory->throttled &&
               now->taken_at_ns - memory->calm_since_ns >= EVENTS_THROTTLE_CALM_NS) {
        tell(state, now, adapter, "throttle_ended", no_bytes, "is no longer throttled");
        memory->throttled = memory->is_calm = false;
    }
    memory->throttle_known = true;
}

/* A number of the driver that says that something went wrong when it changes. One that was never
 * known before may have been there all along. */
static bool has_changed(struct figure *known, struct figure now, bool only_up)
{
    bool changed = figure_is_known(now) && figure_is_known(*known) && now.value > 0 &&
                   (only_up ? now.value > known->value : now.value != known->value);
    *known = figure_is_known(now) ? now : *known;
    return changed;
}

static void step_errors(struct events_state *state, struct snapshot *now,
                        const struct adapter *adapter, struct adapter_memory_of_events *memory)
{
    const struct adapter_errors *errors = &adapter->errors;
    double count = memory->xid_count.value;
    bool another = has_changed(&memory->xid_last, errors->xid_last, false);
    bool more = has_changed(&memory->xid_count, errors->xid_count, true);
    count = more ? errors->xid_count.value - count : 1;
    if (count > 1) {
        tell(state, now, adapter, "xid", no_bytes,
             text_format(now->arena, "reported %.0f Xid errors, the last is Xid %.0f", count,
                         errors->xid_last.value)
                 .utf8);
    } else if (another || more) {
        tell(state, now, adapter, "xid", no_bytes,
             text_format(now->arena, "reported Xid %.0f", errors->xid_last.value).utf8);
    }
    double restarts = memory->restarts.value;
    if (has_changed(&memory->restarts, errors->restarts, true)) {
        restarts = errors->restarts.value - restarts;
        tell(state, now, adapter, "gpu_restarted", no_bytes,
             restarts > 1
                 ? text_format(now->arena, "was restarted by the system, %.0f times", restarts).utf8
                 : "was restarted by the system: work that was on it is lost");
    }
    double before = memory->ecc_uncorrected.value;
    if (has_changed(&memory->ecc_uncorrected, errors->ecc_uncorrected, true)) {
        tell(state, now, adapter, "ecc_error", no_bytes,
             text_format(now->arena, "has %.0f more memory errors that could not be corrected",
                         errors->ecc_uncorrected.value - before)
                 .utf8);
    }
}

/* The memory that a program can run out of. On a unified GPU with two pools the carve-out alone may
 * be full all day: what does not fit goes to the other one. What macOS counts as used may lie
 * nowhere: it is no fill. False: not known. */
static bool memory_filled(const struct adapter_memory *memory, int64_t *used, int64_t *total)
{
    if (!memory->vram_used_bytes.known || !memory->vram_total_bytes.known ||
        memory_counts_differ(memory)) {
        return false;
    }
    *used = memory->vram_used_bytes.value;
    *total = memory->vram_total_bytes.value;
    if (memory->vram_reserved_bytes.known) {
        *used += memory->vram_reserved_bytes.value;
    }
    if (memory->unified && memory->shared_total_bytes.known) {
        if (!memory->shared_used_bytes.known) {
            return false;
        }
        *used += memory->shared_used_bytes.value;
        *total += memory->shared_total_bytes.value;
    }
    return *total > 0;
}

static void step_memory_risk(struct events_state *state, struct snapshot *now,
                             const struct adapter *adapter, struct adapter_memory_of_events *memory)
{
    int64_t used, total;
    if (!memory_filled(&adapter->memory, &used, &total)) {
        return;
    }
    double percent = 100 * (double)used / (double)total;
    if (percent > EVENTS_MEMORY_RISK_PERCENT && !memory->at_risk) {
        memory->at_risk = true;
        struct text words =
            text_format(now->arena, "is almost out of memory: %s of %s are in use",
                        events_bytes(now->arena, used), events_bytes(now->arena, total));
        tell(state, now, adapter, "out_of_memory_risk", adapter->memory.vram_used_bytes,
             words.utf8);
    } else if (percent < EVENTS_MEMORY_SAFE_PERCENT) {
        memory->at_risk = false;
    }
}

static struct adapter_memory_of_events *remember(struct events_state *state, struct text id)
{
    int slot = events_adapter_slot(state, id);
    if (slot >= 0) {
        return &state->adapters[slot];
    }
    if (state->adapter_count == EVENTS_ADAPTERS_MAX || id.size == 0 || id.size >= ADAPTER_ID_SIZE) {
        return NULL;
    }
    struct adapter_memory_of_events *memory = &state->adapters[state->adapter_count++];
    memcpy(memory->id, id.utf8, id.size);
    return memory;
}

static void step_adapter(struct events_state *state, struct snapshot *now,
                         const struct adapter *adapter, struct adapter_memory_of_events *memory,
                         bool new)
{
    if (new) {
        /* A first look at an adapter is no change of it. */
        memory->lost = adapter->power_state == POWER_LOST;
        memory->sleeping = adapter->power_state == POWER_SUSPENDED;
    } else {
        step_power(state, now, adapter, memory);
    }
    step_throttle(state, now, adapter, memory);
    step_errors(state, now, adapter, memory);
    step_memory_risk(state, now, adapter, memory);
    memory->present = true;
    memory->lists_known =
        !adapter->processes_state.unknown && !adapter->compute_list_state.unknown &&
        !adapter->graphics_list_state.unknown && adapter->power_state != POWER_LOST;
}

/* An adapter that a source did not name is only gone when every source could be asked. */
static bool sources_answered(const struct snapshot *now)
{
    for (size_t i = 0; i < now->source_count; i++) {
        enum source_state state = now->sources[i].state;
        if (state == SOURCE_FAILED || state == SOURCE_STALE || state == SOURCE_STARTING) {
            return false;
        }
    }
    return true;
}

static void step_absent(struct events_state *state, struct snapshot *now,
                        struct adapter_memory_of_events *memory)
{
    memory->present = false;
    memory->lists_known = false;
    if (memory->lost || !sources_answered(now)) {
        return;
    }
    memory->lost = true;
    struct text id = text_from_raw(now->arena, raw_from_string(memory->id));
    events_tell(state, now, "adapter_lost", id, TEXT_NONE, no_bytes,
                text_format(now->arena, "%s is gone", memory->id));
}

void events_of_adapters(struct events_state *state, struct snapshot *now)
{
    bool seen[EVENTS_ADAPTERS_MAX] = {false};
    for (size_t i = 0; i < state->adapter_count; i++) {
        state->adapters[i].lists_were_known = state->adapters[i].lists_known;
    }
    for (size_t i = 0; i < now->adapter_count; i++) {
        size_t count = state->adapter_count;
        struct adapter_memory_of_events *memory = remember(state, now->adapters[i].id);
        if (memory) {
            seen[memory - state->adapters] = true;
            step_adapter(state, now, &now->adapters[i], memory, state->adapter_count > count);
        }
    }
    for (size_t i = 0; i < state->adapter_count; i++) {
        if (!seen[i]) {
            step_absent(state, now, &state->adapters[i]);
        }
    }
}
