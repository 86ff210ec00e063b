/* The Windows backend: Windows' own counters (PDH) and what its kernel says about the adapters
 * (D3DKMT). Everything is keyed by the LUID; LUIDs change with a driver update, a device restart, a
 * resume, so that the adapters are asked for anew when an unknown one appears, or no known one is
 * left, at most every 30 s. */
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "gpu/backend.h"
#include "gpu/wddm/adapter_kind.h"
#include "gpu/wddm/raw_counters.h"
#include "gpu/wddm/wddm_source.h"
#include "os/recorded/script.h"

#define DISCOVER_AGAIN_NS INT64_C(30000000000)

enum { GAP_INTERVALS = 5 };

struct backend_state {
    struct wddm_source source;
    struct problem problem; /* of the recording */
    struct raw_counters *counters;
    struct arena *facts_arena;
    struct adapter_facts_list facts; /* as of the last discovery */
    bool discovered, facts_known;
    int64_t discovered_ns;
    bool has_collected;
    int64_t collected_100ns;
    uint64_t number; /* of the sample */
};

static bool wddm_belongs(struct machine *machine)
{
    return strcmp(machine->system, "windows") == 0;
}

static struct backend_state *wddm_open(struct machine *machine)
{
    struct backend_state *state = memory_new(sizeof *state);
    state->counters = raw_counters_new();
    state->facts_arena = arena_new();
    if (machine->script && machine->script->kind == RECORDED_WINDOWS)
        wddm_source_recorded(machine, &state->source, &state->problem);
    else
        wddm_source_live(&state->source);
    return state;
}

static void wddm_close(struct backend_state **state)
{
    if (!*state)
        return;
    (*state)->source.close((*state)->source.context);
    raw_counters_free(&(*state)->counters);
    arena_free(&(*state)->facts_arena);
    free(*state);
    *state = NULL;
}

static void discover(struct backend_state *state, const struct pass *pass)
{
    arena_reset(state->facts_arena);
    state->facts = (struct adapter_facts_list){NULL, 0};
    state->facts_known = state->source.adapters(state->source.context, pass->number,
                                                state->facts_arena, &state->facts);
    state->discovered = true;
    state->discovered_ns = pass->running_ns;
}

static const struct adapter_facts *facts_of(const struct backend_state *state, uint64_t luid)
{
    for (size_t i = 0; i < state->facts.count; i++)
        if (state->facts.items[i].luid == luid)
            return &state->facts.items[i];
    return NULL;
}

/* What the counters speak of is not what was discovered: LUIDs have changed, or one has come. */
static bool has_changed(const struct backend_state *state, const struct wddm_sample *sample)
{
    const struct wddm_list *seen = &sample->adapter[WDDM_ADAPTER_DEDICATED];
    bool any_known = seen->count == 0;
    for (size_t i = 0; i < seen->count; i++) {
        bool known = facts_of(state, seen->items[i].luid) != NULL;
        if (!known)
            return true;
        any_known |= known;
    }
    return !any_known;
}

static bool may_discover_again(const struct backend_state *state, const struct pass *pass)
{
    int64_t age_ns = pass->running_ns - state->discovered_ns;
    return age_ns < 0 || age_ns >= DISCOVER_AGAIN_NS;
}

/* Without the kernel's word: what the counters themselves name. */
static void adapters_of_counters(const struct wddm_sample *sample, struct arena *arena,
                                 struct adapter_facts_list *facts)
{
    const struct wddm_list *seen = &sample->adapter[WDDM_ADAPTER_DEDICATED];
    struct adapter_facts *items = ARENA_ARRAY(arena, struct adapter_facts, seen->count);
    size_t count = 0;
    for (size_t i = 0; i < seen->count; i++) {
        bool listed = false;
        for (size_t k = 0; k < count && !listed; k++)
            listed = items[k].luid == seen->items[i].luid;
        if (!listed)
            items[count++].luid = seen->items[i].luid;
    }
    *facts = (struct adapter_facts_list){items, count};
}

static void set_adapters(const struct adapter_facts_list *facts, struct reading *reading,
                         struct wddm_sample *sample)
{
    struct adapter_reading *adapters =
        ARENA_ARRAY(reading->arena, struct adapter_reading, facts->count);
    struct wddm_adapter *abouts = ARENA_ARRAY(reading->arena, struct wddm_adapter, facts->count);
    uint64_t *hidden = ARENA_ARRAY(reading->arena, uint64_t, facts->count);
    size_t count = 0, hidden_count = 0;
    for (size_t i = 0; i < facts->count; i++) {
        if (adapter_is_no_gpu(&facts->items[i])) {
            hidden[hidden_count++] = facts->items[i].luid;
            continue;
        }
        adapter_identify(reading->arena, &facts->items[i], &adapters[count]);
        adapters[count].source = "wddm";
        adapters[count].driver_index = (int32_t)count;
        adapter_describe(&facts->items[i], &abouts[count]);
        abouts[count].name = adapters[count].name;
        count++;
    }
    reading->adapters = adapters;
    reading->adapter_count = count;
    if (sample) {
        sample->adapters = abouts;
        sample->adapter_count = count;
        sample->hidden = hidden;
        sample->hidden_count = hidden_count;
    }
}

static void wddm_find(struct backend_state *state, struct machine *machine, const struct pass *pass,
                      struct reading *reading)
{
    (void)machine;
    if (!state->discovered)
        discover(state, pass);
    set_adapters(&state->facts, reading, NULL);
    reading->state = reading->adapter_count > 0 ? SOURCE_OK : SOURCE_ABSENT;
}

static bool is_selected(const struct pass *pass, const char *id)
{
    for (size_t i = 0; i < pass->touch_count; i++)
        if (strncmp(pass->touch[i], id, ADAPTER_ID_SIZE) == 0)
            return true;
    return false;
}

static bool is_busy(const struct wddm_sample *sample, uint64_t luid)
{
    for (size_t i = 0; i < sample->engine_count; i++)
        if (sample->engines[i].luid == luid && sample->engines[i].millipercent.known &&
            sample->engines[i].millipercent.value > 0)
            return true;
    return false;
}

/* Whether asking the driver wakes a card that Windows has put to sleep is not documented: one that
 * may sleep is asked only while it works, or when the user selected it. */
static void set_perf(struct backend_state *state, const struct pass *pass,
                     const struct wddm_sample *sample, struct adapter_reading *adapters)
{
    for (size_t i = 0; i < sample->adapter_count; i++) {
        const uint64_t luid = sample->adapters[i].luid;
        const struct adapter_facts *facts = facts_of(state, luid);
        struct adapter_perf perf;
        struct measured now_hz, most_hz;
        bool may_sleep =
            facts && facts->type_bits.known &&
            (facts->type_bits.value & (ADAPTER_TYPE_HYBRID_DISCRETE | ADAPTER_TYPE_RUNTIME_PM));
        if (!facts || (may_sleep && !is_busy(sample, luid) && !is_selected(pass, adapters[i].id)))
            continue;
        if (state->source.perf(state->source.context, pass->number, luid, 0, &perf))
            adapter_set_perf(&perf, &adapters[i]);
        state->source.clocks(state->source.context, pass->number, luid, 0, &now_hz, &most_hz);
        if (now_hz.known && now_hz.value > 0)
            adapters[i].clock_hz[CLOCK_GRAPHICS] = said_value(now_hz.value, HOW_REPORTED);
        if (most_hz.known && most_hz.value > 0)
            adapters[i].max_clock_hz[CLOCK_GRAPHICS] = said_value(most_hz.value, HOW_REPORTED);
    }
}

/* The machine slept, or this program did. */
static bool is_after_gap(const struct backend_state *state, const struct pass *pass,
                         int64_t time_100ns)
{
    int64_t recorded_ns = state->source.interval_ns;
    int64_t interval_100ns =
        (recorded_ns > pass->interval_ns ? recorded_ns : pass->interval_ns) / 100;
    return pass->after_gap || !state->has_collected || time_100ns < state->collected_100ns ||
           (interval_100ns > 0 &&
            (time_100ns - state->collected_100ns) / GAP_INTERVALS > interval_100ns);
}

static bool is_missing(uint32_t status)
{
    return status == PDH_NO_OBJECT || status == PDH_NO_COUNTER || status == PDH_NOT_ASKED;
}

static bool has_failed(const struct pdh_collection *collection)
{
    return !pdh_is_valid(collection->status) && collection->status != PDH_NO_DATA &&
           !is_missing(collection->status);
}

/* What a collection that failed still shows is of an earlier one. */
static void fail_all(struct pdh_collection *collection)
{
    for (int path = 0; path < PDH_PATH_COUNT; path++)
        if (!is_missing(collection->arrays[path].status))
            collection->arrays[path] = (struct pdh_raw_array){.status = collection->status};
}

/* What the collection as a whole is worth. */
static void set_state(const struct backend_state *state, const struct pdh_collection *collection,
                      struct reading *reading)
{
    size_t missing = 0, failed = 0;
    for (int path = 0; path < PDH_PATH_COUNT; path++) {
        uint32_t status = collection->arrays[path].status;
        missing += is_missing(status);
        failed += !is_missing(status) && !pdh_is_valid(status) && status != PDH_NO_DATA;
    }
    reading->state = SOURCE_OK;
    if (state->problem.text[0]) {
        reading->state = SOURCE_FAILED;
        reading->problem = state->problem;
    } else if (has_failed(collection)) {
        reading->state = SOURCE_FAILED;
        problem_set(&reading->problem, "Windows' counters could not be collected (0x%08X)",
                    (unsigned)collection->status);
    } else if (missing == PDH_PATH_COUNT) {
        reading->state = reading->adapter_count > 0 ? SOURCE_PARTIAL : SOURCE_ABSENT;
        problem_set(&reading->problem,
                    "this Windows has no GPU counters now (Windows 10 1709 and a WDDM 2 driver "
                    "have them; they are asked for again every 30 s)");
    } else if (failed > 0 || is_missing(collection->arrays[PDH_LOCAL].status)) {
        reading->state = SOURCE_PARTIAL;
        problem_set(&reading->problem, "some of Windows' GPU counters could not be read");
    }
    reading->has_code = reading->state == SOURCE_FAILED;
    reading->code = REASON_bad_status;
}

static void wddm_read(struct backend_state *state, struct machine *machine, const struct pass *pass,
                      const struct system_reading *system, struct reading *reading)
{
    struct pdh_collection collection;
    struct wddm_sample *sample = ARENA_NEW(reading->arena, struct wddm_sample);
    if (!state->discovered)
        discover(state, pass);
    state->source.collect(state->source.context, pass, reading->arena, &collection);
    if (has_failed(&collection))
        fail_all(&collection);
    if (is_after_gap(state, pass, collection.time_100ns))
        raw_counters_forget(state->counters);
    state->has_collected = true;
    state->collected_100ns = collection.time_100ns;
    raw_counters_step(state->counters, reading->arena, &collection, system->everyone,
                      system->everyone_count, sample);
    if (has_changed(state, sample) && may_discover_again(state, pass))
        discover(state, pass);

    struct adapter_facts_list named = state->facts;
    if (!state->facts_known)
        adapters_of_counters(sample, reading->arena, &named);
    set_adapters(&named, reading, sample);
    set_perf(state, pass, sample,
             (struct adapter_reading *)(uintptr_t)(const void *)reading->adapters);
    set_state(state, &collection, reading);
    reading->wddm = sample;
    reading->wddm_number = ++state->number;
    reading->running_ns = machine_running_ns(machine);
}

const struct backend backend_wddm = {
    .name = "wddm",
    .belongs = wddm_belongs,
    .open = wddm_open,
    .close = wddm_close,
    .find = wddm_find,
    .read = wddm_read,
};
