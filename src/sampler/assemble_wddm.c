/* What Windows' own counters say of its processes: the same on Windows and, of the host, in WSL. */
#include <string.h>

#include "sampler/assemble_parts.h"

/* All that the adapter may use: of one that shares the system's memory Windows counts what is there
 * as its own, and which those are is not always said. */
static struct measured most_of(const struct wddm_adapter *adapter)
{
    const struct measured own = adapter->dedicated_bytes, system = adapter->shared_limit_bytes;
    struct total both = {0};
    total_add(&both, own);
    total_add(&both, system);
    return own.known && system.known && (own.value | system.value) != 0
               ? total_value(&both)
               : measured_unknown(REASON_not_reported);
}

struct wddm_limits assemble_wddm_limits(const struct wddm_adapter *adapter)
{
    const struct measured own = adapter->dedicated_bytes, all = most_of(adapter);
    bool is_own = adapter->memory == WDDM_MEMORY_OWN && own.known && own.value > 0;
    return (struct wddm_limits){
        .luid = adapter->luid,
        .dedicated_bytes = is_own ? own : all,
        .shared_bytes = adapter->shared_limit_bytes,
        .all_bytes =
            adapter->memory == WDDM_MEMORY_UNTOLD ? measured_unknown(REASON_not_reported) : all,
    };
}

static bool is_phantom(struct measured bytes)
{
    return !bytes.known && bytes.why_not == REASON_larger_than_adapter;
}

void assemble_wddm_note(struct step *step, const struct wddm_row *row, const char *prefix)
{
    const char *words = is_phantom(row->local_bytes) ? "than the GPU has"
                        : is_phantom(row->non_local_bytes)
                            ? "in system RAM than the GPU may use there"
                            : NULL;
    if (words)
        step_note(step, TEXT("phantom_value"),
                  text_format(step->snapshot->arena,
                              "%s%lld: Windows counts more memory for it %s: left out", prefix,
                              (long long)row->pid, words));
}

void assemble_wddm_set(const struct wddm_row *row, struct gpu_use *use)
{
    use->vram_bytes = row->local_bytes;
    if (!row->local_bytes.known)
        reason_set_add(&use->vram_unattributed_reasons, row->local_bytes.why_not);
    use->shared_bytes = use->spill_bytes = row->non_local_bytes;
    use->committed_bytes = row->committed_bytes;
    use->paged_estimated_bytes = row->paged_bytes.known
                                     ? figure_known((double)row->paged_bytes.value, HOW_ESTIMATED)
                                     : figure_unknown(row->paged_bytes.why_not);
    use->load_percent = figure_from_measured(row->load_millipercent, 1000);
    for (int i = 0; i < ENGINE_COUNT; i++)
        use->engines_percent[i] = figure_from_measured(row->engine_millipercent[i], 1000);
}

enum gpu_use_type assemble_wddm_type(const struct step *step, int64_t pid, const char *adapter_id)
{
    for (size_t i = 0; i < step->rows.count; i++) {
        const struct nvml_row *row = &step->rows.items[i];
        if (row->pid == pid && strcmp(row->adapter_id, adapter_id) == 0)
            return row->compute && row->graphics ? GPU_USE_BOTH
                   : row->compute                ? GPU_USE_COMPUTE
                   : row->graphics               ? GPU_USE_GRAPHICS
                                                 : GPU_USE_UNKNOWN;
    }
    return GPU_USE_UNKNOWN;
}
