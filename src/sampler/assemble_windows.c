/* On Windows: the system's counters say who uses which adapter, and a vendor's library adds what it
 * measures of the device itself. */
#include <inttypes.h>
#include <string.h>

#include "rules/vendor_telemetry.h"
#include "rules/wddm_adapters.h"
#include "sampler/assemble_parts.h"

static const struct wddm_sample *sample_of(const struct step *step)
{
    bool answers =
        step->wddm && (step->wddm->state == SOURCE_OK || step->wddm->state == SOURCE_PARTIAL);
    return answers ? step->wddm->wddm : NULL;
}

static enum reason why_not(const struct step *step)
{
    if (!step->wddm)
        return REASON_starting;
    if (step->wddm->state == SOURCE_STALE)
        return REASON_stale;
    return step->wddm->has_code ? step->wddm->code : REASON_call_failed;
}

static void read_adapter(struct step *step, const struct wddm_sample *sample, size_t at,
                         struct adapter_reading *reading)
{
    *reading = step->wddm->adapters[at];
    if (!sample) {
        if (reading->figures_why_not == REASON_not_reported)
            reading->figures_why_not = why_not(step);
        return;
    }
    wddm_adapter_figures(step->work, sample, &sample->adapters[at], reading);
    bool works =
        reading->load_millipercent.how != HOW_UNAVAILABLE && reading->load_millipercent.value > 0;
    reading->power_state = works ? POWER_ACTIVE : POWER_UNKNOWN;
}

void assemble_windows_begin(struct step *step)
{
    const struct assemble_input *input = step->input;
    for (size_t i = 0; input->mode == SNAPSHOT_WINDOWS && i < input->reading_count; i++)
        if (strcmp(input->readings[i]->source, "wddm") == 0)
            step->wddm = input->readings[i];
    if (!step->wddm)
        return;
    const struct wddm_sample *sample = sample_of(step);
    size_t count = step->wddm->adapter_count;
    struct adapter_reading *readings = ARENA_ARRAY(step->work, struct adapter_reading, count);
    for (size_t i = 0; i < count; i++)
        read_adapter(step, sample, i, &readings[i]);
    step->host_gpus = readings;
    step->host_gpu_count = count;
}

const struct adapter_reading *assemble_windows_vendor(struct step *step,
                                                      const struct reading *reading, size_t at)
{
    if (!step->wddm)
        return &reading->adapters[at];
    size_t match = vendor_telemetry_match(step->host_gpus, step->host_gpu_count, reading->adapters,
                                          reading->adapter_count, at);
    if (match == SIZE_MAX)
        return &reading->adapters[at];
    struct adapter_reading *left = ARENA_NEW(step->work, struct adapter_reading);
    vendor_telemetry_strip(&step->host_gpus[match], &reading->adapters[at], left);
    return left;
}

/* The place of the adapter with this LUID, or SIZE_MAX. */
static size_t adapter_of(const struct step *step, const struct wddm_sample *sample, uint64_t luid)
{
    for (size_t i = 0; i < sample->adapter_count && i < step->wddm->adapter_count; i++)
        if (sample->adapters[i].luid == luid)
            return step_find_adapter(step, step->wddm->adapters[i].id);
    return SIZE_MAX;
}

static bool is_hidden(const struct wddm_sample *sample, uint64_t luid)
{
    for (size_t i = 0; i < sample->hidden_count; i++)
        if (sample->hidden[i] == luid)
            return true;
    return false;
}

static struct identity identity_of(const struct step *step, int64_t pid)
{
    const struct system_reading *system = step->input->system;
    for (size_t i = 0; system && i < system->everyone_count; i++)
        if (system->everyone[i].pid == pid)
            return system->everyone[i];
    return identity_make(NAMESPACE_LOCAL, pid, IDENTITY_NO_STAMP);
}

static struct wddm_rows rows_of(struct step *step, const struct wddm_sample *sample)
{
    struct wddm_limits *limits = ARENA_ARRAY(step->work, struct wddm_limits, sample->adapter_count);
    struct wddm_rows rows;
    for (size_t i = 0; i < sample->adapter_count; i++)
        limits[i] = assemble_wddm_limits(&sample->adapters[i]);
    wddm_rows(step->work, sample, limits, sample->adapter_count, &rows);
    return rows;
}

static bool is_listed_here(const struct wddm_sample *sample, uint64_t luid)
{
    for (size_t i = 0; i < sample->adapter_count; i++)
        if (sample->adapters[i].luid == luid)
            return true;
    return false;
}

static void note_unknown(struct step *step, const struct wddm_sample *sample, uint64_t luid)
{
    if (!is_listed_here(sample, luid))
        step_note(step, TEXT("adapter_unknown"),
                  TEXT("the counters name a GPU that Windows has not described yet: it is looked "
                       "for again within 30 s"));
}

static void add_row(struct step *step, const struct wddm_sample *sample, struct wddm_row *row,
                    size_t adapter)
{
    if (is_hidden(sample, row->luid))
        return;
    step_want(step, row->pid);
    struct subject *subject = step_subject(step, identity_of(step, row->pid));
    step_add_use(step, subject, adapter)->windows = row;
    assemble_wddm_note(step, row, "");
    note_unknown(step, sample, row->luid);
}

void assemble_windows_subjects(struct step *step)
{
    const struct wddm_sample *sample = sample_of(step);
    if (!sample)
        return;
    struct wddm_rows rows = rows_of(step, sample);
    /* In the order of the adapters, then those of none. */
    for (size_t adapter = 0; adapter <= step->adapter_count; adapter++)
        for (size_t i = 0; i < rows.count; i++) {
            size_t at = adapter_of(step, sample, rows.items[i].luid);
            if (at == adapter || (at == SIZE_MAX && adapter == step->adapter_count))
                add_row(step, sample, &rows.items[i], at);
        }
    if (!sample->process[WDDM_LOCAL].read && sample->process[WDDM_DEDICATED].read)
        step_note(step, TEXT("windows_counts_committed"),
                  TEXT("this Windows counts no resident GPU memory of processes, only what they "
                       "have committed: it is shown as committed"));
}

bool assemble_windows_counts(const struct step *step, const char *adapter_id)
{
    if (!step->wddm)
        return false;
    size_t at = step_find_adapter(step, adapter_id);
    if (at == SIZE_MAX || step->adapters[at].reading.lists_processes)
        return false;
    for (size_t i = 0; i < step->host_gpu_count; i++)
        if (strncmp(step->host_gpus[i].id, adapter_id, ADAPTER_ID_SIZE) == 0)
            return true;
    return false;
}

struct list_state assemble_windows_processes(const struct step *step)
{
    const struct wddm_sample *sample = sample_of(step);
    if (!sample)
        return (struct list_state){.unknown = true, .why_not = why_not(step)};
    const struct wddm_list *local = &sample->process[WDDM_LOCAL];
    return (struct list_state){.unknown = !local->read, .why_not = wddm_why_not(local->why_not)};
}

struct text_list assemble_windows_aliases(const struct step *step, const char *adapter_id)
{
    struct text_list aliases = {.known = true};
    const struct wddm_sample *sample = step->wddm ? step->wddm->wddm : NULL;
    for (size_t i = 0; sample && i < sample->adapter_count && i < step->wddm->adapter_count; i++) {
        char luid[ADAPTER_ID_SIZE];
        wddm_adapter_id(sample->adapters[i].luid, luid);
        if (strncmp(step->wddm->adapters[i].id, adapter_id, ADAPTER_ID_SIZE) != 0 ||
            strcmp(luid, adapter_id) == 0)
            continue;
        struct text *items = ARENA_ARRAY(step->snapshot->arena, struct text, 1);
        items[0] = text_from_raw(step->snapshot->arena, raw_from_string(luid));
        return (struct text_list){.items = items, .count = 1, .known = true};
    }
    return aliases;
}

/* One pool: all of it is Local; what Windows counts as not local there all the same is shown. */
static void set_one_pool(struct gpu_use *use)
{
    use->shared_bytes = measured_unknown(REASON_unified_memory);
    if (!use->spill_bytes.known || use->spill_bytes.value == 0)
        use->spill_bytes = measured_unknown(REASON_unified_memory);
}

struct gpu_use assemble_windows_use(struct step *step, const struct subject *subject,
                                    const struct use_seen *seen)
{
    struct arena *arena = step->snapshot->arena;
    const struct wddm_row *row = seen->windows;
    struct gpu_use use = {.adapter = measured_unknown(REASON_adapter_unmatched),
                          .kfd_vram_bytes = measured_unknown(REASON_not_reported)};
    assemble_wddm_set(row, &use);
    if (seen->adapter == SIZE_MAX) {
        char luid[ADAPTER_ID_SIZE];
        wddm_adapter_id(row->luid, luid);
        use.adapter_id = text_from_raw(arena, raw_from_string(luid));
        return use;
    }
    const struct paired_adapter *paired = &step->adapters[seen->adapter];
    use.adapter = measured_known(paired->index);
    use.adapter_id = text_from_raw(arena, raw_from_string(paired->reading.id));
    use.type = assemble_wddm_type(step, subject->identity.pid, paired->reading.id);
    if (paired->reading.unified_one_pool)
        set_one_pool(&use);
    total_add(&step->totals[seen->adapter].vram, use.vram_bytes);
    total_add(&step->totals[seen->adapter].shared, use.shared_bytes);
    return use;
}
