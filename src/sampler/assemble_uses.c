#include <string.h>

#include "rules/nvidia_holders.h"
#include "sampler/assemble_parts.h"

static struct figure figure_of_rate(struct rate rate)
{
    return rate.known ? figure_known(rate.percent, HOW_MEASURED) : figure_unknown(rate.why_not);
}

/* Names the pool that a unified adapter does not have; an old kernel tells of no pool at all. */
static struct measured own_vram_bytes(const struct ownership *owned, bool unified)
{
    struct measured bytes = owned->vram_bytes, reachable = owned->vram_resident_bytes;
    bool untold = bytes.why_not == REASON_not_reported ||
                  (bytes.why_not == REASON_legacy_kernel_no_drm_shared && !reachable.known &&
                   reachable.why_not == REASON_not_reported);
    return unified && !bytes.known && untold ? measured_unknown(REASON_unified_memory) : bytes;
}

/* No process holds more than there is: such a counter must not become the adapter's sum. */
static struct measured within(struct measured bytes, struct measured total)
{
    bool larger = bytes.known && total.known && bytes.value > total.value;
    return larger ? measured_unknown(REASON_larger_than_adapter) : bytes;
}

static struct measured spill_of(const struct adapter_reading *adapter, struct measured shared)
{
    if (adapter->unified || adapter->kind == ADAPTER_INTEGRATED)
        return measured_unknown(REASON_unified_memory);
    return shared;
}

/* The columns that the driver of these clients can deliver at all; every one where none says. */
static uint32_t columns_of(const struct ownership *owned)
{
    uint32_t columns = 0;
    for (size_t i = 0; i < owned->client_count; i++)
        columns |= owned->clients[i].client->seen.engine_columns;
    return columns ? columns : UINT32_MAX;
}

/* The columns of its clients added up; all unknown where no load may be told. */
static void set_drm_loads(const struct step *step, const struct subject *subject,
                          const struct ownership *owned, const struct adapter_reading *adapter,
                          struct gpu_use *use)
{
    struct rate columns[ENGINE_COUNT] = {0};
    enum reason why = subject->kfd_user ? REASON_rocm_kfd_process : owned->load_why_not;
    bool forbidden = subject->kfd_user || owned->load_forbidden;

    for (size_t i = 0; i < owned->client_count && !forbidden; i++)
        rates_add(columns, &step->client_rates[owned->clients[i].index]);
    for (int i = 0; i < ENGINE_COUNT && forbidden; i++)
        if (columns_of(owned) >> i & 1)
            columns[i] = rate_unknown(why);
    if (adapter->video_is_unified)
        rates_unify_video(columns);
    for (int i = 0; i < ENGINE_COUNT; i++)
        use->engines_percent[i] = figure_of_rate(columns[i]);
    use->load_percent = figure_of_rate(forbidden ? rate_unknown(why) : rates_busiest(columns));
}

/* DRM drivers do not say what a client is for; the queues it has used so far do, where compute has
 * queues of its own. */
static enum gpu_use_type type_of_clients(const struct subject *subject,
                                         const struct ownership *owned)
{
    bool graphics = false, compute = subject->kfd_user, split = subject->kfd_user;
    for (size_t i = 0; i < owned->client_count; i++) {
        const struct drm_client_reading *seen = &owned->clients[i].client->seen;
        split |= (seen->engine_columns >> ENGINE_compute & 1) != 0;
        if (owned->clients[i].client->holder_count > 1)
            continue;
        for (size_t k = 0; k < seen->engine_count; k++) {
            const struct drm_engine *engine = &seen->engines[k];
            bool used = (engine->busy_ns.known && engine->busy_ns.value > 0) ||
                        (engine->cycles.known && engine->cycles.value > 0);
            graphics |= used && engine->column == ENGINE_gfx;
            compute |= used && engine->column == ENGINE_compute;
        }
    }
    if (!split)
        return GPU_USE_UNKNOWN;
    if (graphics && compute)
        return GPU_USE_BOTH;
    return compute ? GPU_USE_COMPUTE : graphics ? GPU_USE_GRAPHICS : GPU_USE_UNKNOWN;
}

static struct text_list holder_texts(struct arena *arena, const struct client *client)
{
    struct text *items = ARENA_ARRAY(arena, struct text, client->holder_count);
    for (size_t i = 0; i < client->holder_count; i++) {
        char id[IDENTITY_ID_SIZE];
        identity_format(client->holders[i], id);
        items[i] = text_from_raw(arena, raw_from_string(id));
    }
    return (struct text_list){.items = items, .count = client->holder_count, .known = true};
}

static struct named_bytes_list region_bytes(struct arena *arena,
                                            const struct drm_client_reading *seen, bool shared)
{
    struct named_bytes *items = ARENA_ARRAY(arena, struct named_bytes, seen->region_count);
    size_t count = 0;
    for (size_t i = 0; i < seen->region_count; i++) {
        const struct drm_region *region = &seen->regions[i];
        struct measured bytes = shared                   ? region->shared
                                : region->resident.known ? region->resident
                                                         : region->memory;
        if (bytes.known)
            items[count++] = (struct named_bytes){
                .name = text_from_raw(
                    arena, (struct raw_text){region->name, strnlen(region->name, DRM_NAME_SIZE)}),
                .bytes = bytes.value,
            };
    }
    return (struct named_bytes_list){.items = items, .count = count};
}

static void set_clients(struct arena *arena, const struct ownership *owned, struct gpu_use *use)
{
    struct gpu_client *clients = ARENA_ARRAY(arena, struct gpu_client, owned->client_count);
    for (size_t i = 0; i < owned->client_count; i++) {
        const struct owned_client *from = &owned->clients[i];
        const struct drm_client_reading *seen = &from->client->seen;
        struct reason_set reasons =
            reason_set_is_empty(from->reasons) ? owned->reasons : from->reasons;
        clients[i] = (struct gpu_client){
            .id = seen->has_client_id && seen->client_id <= INT64_MAX
                      ? measured_known((int64_t)seen->client_id)
                      : measured_unknown(private_clients_first_reason(reasons)),
            .node = text_from_raw(
                arena, (struct raw_text){seen->node, strnlen(seen->node, DRM_NAME_SIZE)}),
            .holders = holder_texts(arena, from->client),
            .resident_bytes = region_bytes(arena, seen, false),
            .shared_bytes = region_bytes(arena, seen, true),
            .charged = owned->charged,
            .has_reason = !owned->charged,
            .reason = private_clients_first_reason(reasons),
        };
    }
    use->clients = clients;
    use->client_count = owned->client_count;
}

static void set_drm(const struct step *step, const struct subject *subject,
                    const struct ownership *owned, const struct adapter_reading *adapter,
                    struct gpu_use *use)
{
    bool unified = adapter->unified || adapter->kind == ADAPTER_INTEGRATED;
    use->type = type_of_clients(subject, owned);
    use->vram_bytes = within(own_vram_bytes(owned, unified), adapter->vram_total_bytes);
    use->shared_bytes = within(owned->shared_bytes, adapter->shared_total_bytes);
    use->spill_bytes = spill_of(adapter, use->shared_bytes);
    use->vram_unattributed_reasons = owned->reasons;
    use->vram_resident_bytes = owned->vram_resident_bytes;
    use->gtt_resident_bytes = owned->shared_resident_bytes;
    if (owned->proof_age_ns.known)
        use->vram_proof_age_seconds =
            figure_known((double)owned->proof_age_ns.value / 1e9, HOW_MEASURED);
    else
        use->vram_proof_age_seconds = figure_unknown(owned->proof_age_ns.why_not);
    set_drm_loads(step, subject, owned, adapter, use);
    set_clients(step->snapshot->arena, owned, use);
}

/* NVML's word on a process; it has no counter of system memory (SPEC section 4). */
static enum inferred_by inferred_by(enum pair_mark mark)
{
    return mark == PAIR_MATCHED ? INFERRED_MATCHED
           : mark == PAIR_GUESS ? INFERRED_GUESS
                                : INFERRED_NOT;
}

/* The bytes are the driver's own; whose they are may be a deduction. */
static void set_nvml_memory(const struct owned_row *owned, const struct adapter_reading *adapter,
                            struct gpu_use *use)
{
    struct measured bytes = within(owned->row.memory_bytes, adapter->vram_total_bytes);
    use->shared_bytes = measured_unknown(REASON_not_reported);
    use->spill_bytes = spill_of(adapter, use->shared_bytes);
    use->vram_unattributed_reasons = (struct reason_set){0};
    use->vram_bytes = bytes;
    if (!bytes.known) {
        reason_set_add(&use->vram_unattributed_reasons, bytes.why_not);
    } else if (owned->mark != PAIR_NONE) {
        use->vram_bytes = measured_unknown(REASON_driver_hides);
        use->vram_inferred_bytes = figure_known((double)bytes.value, HOW_INFERRED);
        use->inferred_by = inferred_by(owned->mark);
    }
}

static struct figure load_of(const struct owned_row *owned, struct measured load)
{
    if (load.known && owned->load_mark != PAIR_NONE)
        return figure_known((double)load.value, HOW_INFERRED);
    return figure_from_measured(load, 1);
}

static void set_nvml(const struct use_seen *seen, const struct adapter_reading *adapter,
                     struct gpu_use *use)
{
    const struct nvml_row *row = &seen->row->row;
    use->type = row->compute && row->graphics ? GPU_USE_BOTH
                : row->compute                ? GPU_USE_COMPUTE
                : row->graphics               ? GPU_USE_GRAPHICS
                                              : GPU_USE_UNKNOWN;
    set_nvml_memory(seen->row, adapter, use);
    for (int i = 0; i < ENGINE_COUNT; i++)
        use->engines_percent[i] = figure_unknown(REASON_not_reported);
    use->load_inferred_by = inferred_by(seen->row->load_mark);
    use->load_percent = load_of(seen->row, row->load);
    use->engines_percent[ENGINE_encode] = load_of(seen->row, row->encode);
    use->engines_percent[ENGINE_decode] = load_of(seen->row, row->decode);
    use->engines_percent[ENGINE_jpeg] = load_of(seen->row, row->jpeg);
    use->engines_percent[ENGINE_ofa] = load_of(seen->row, row->ofa);
}

/* Known from KFD alone: its descriptors may not be read, or none of them is a DRM client.
 * `adapter` is NULL where it is not known which one it uses. */
static void set_kfd_only(const struct subject *subject, const struct adapter_reading *adapter,
                         struct gpu_use *use)
{
    bool was_read = subject->walked && subject->walked->access != WALK_REFUSED;
    enum reason why = was_read ? REASON_not_reported : REASON_not_permitted;
    use->type = GPU_USE_COMPUTE;
    use->vram_bytes = use->shared_bytes = measured_unknown(why);
    use->spill_bytes = adapter ? spill_of(adapter, use->shared_bytes) : use->shared_bytes;
    reason_set_add(&use->vram_unattributed_reasons, why);
    use->vram_resident_bytes = use->gtt_resident_bytes = measured_unknown(why);
    use->load_percent = figure_unknown(REASON_rocm_kfd_process);
    for (int i = 0; i < ENGINE_COUNT; i++)
        use->engines_percent[i] = figure_unknown(REASON_rocm_kfd_process);
}

/* It holds the GPU's device file; what it has there, only NVML could tell. */
static void set_nvidia_holder(const struct adapter_reading *adapter, enum reason why,
                              struct gpu_use *use)
{
    use->vram_bytes = measured_unknown(why);
    reason_set_add(&use->vram_unattributed_reasons, why);
    use->shared_bytes = measured_unknown(REASON_not_reported);
    use->spill_bytes = adapter ? spill_of(adapter, use->shared_bytes) : use->shared_bytes;
    use->load_percent = figure_unknown(why);
    for (int i = 0; i < ENGINE_COUNT; i++)
        use->engines_percent[i] = figure_unknown(REASON_not_reported);
    use->engines_percent[ENGINE_encode] = use->engines_percent[ENGINE_decode] =
        use->engines_percent[ENGINE_jpeg] = use->engines_percent[ENGINE_ofa] = figure_unknown(why);
}

/* Why nothing is known of what is held of one of several NVIDIA GPUs. */
static enum reason why_of_holders(const struct step *step)
{
    for (size_t i = 0; i < step->adapter_count; i++)
        if (nvidia_holders_matter(&step->adapters[i].reading))
            return nvidia_holders_why(&step->adapters[i].reading);
    return REASON_not_reported;
}

/* A use of an AMD or NVIDIA GPU, and nothing says of which. */
static struct gpu_use use_of_unknown_adapter(const struct step *step, const struct subject *subject,
                                             const struct use_seen *seen)
{
    struct gpu_use use = {
        .adapter = measured_unknown(REASON_not_reported),
        .kfd_vram_bytes = measured_unknown(REASON_not_reported),
    };
    if (seen->holds_file)
        set_nvidia_holder(NULL, why_of_holders(step), &use);
    else
        set_kfd_only(subject, NULL, &use);
    return use;
}

struct gpu_use assemble_use(struct step *step, const struct subject *subject,
                            const struct use_seen *seen)
{
    if (seen->wsl)
        return assemble_wsl_use(step, subject, seen);
    if (seen->windows)
        return assemble_windows_use(step, subject, seen);
    if (seen->metal)
        return assemble_metal_use(step, seen);
    if (seen->adapter == SIZE_MAX)
        return use_of_unknown_adapter(step, subject, seen);
    const struct paired_adapter *paired = &step->adapters[seen->adapter];
    struct arena *arena = step->snapshot->arena;
    struct gpu_use use = {
        .adapter = measured_known(paired->index),
        .adapter_id = text_from_raw(arena, raw_from_string(paired->reading.id)),
    };
    if (seen->owned)
        set_drm(step, subject, seen->owned, &paired->reading, &use);
    if (seen->row)
        set_nvml(seen, &paired->reading, &use);
    if (seen->holds_file)
        set_nvidia_holder(&paired->reading, nvidia_holders_why(&paired->reading), &use);
    else if (!seen->owned && !seen->row)
        set_kfd_only(subject, &paired->reading, &use);
    if (subject->identity.space == NAMESPACE_LOCAL)
        use.kfd_vram_bytes = kfd_vram_bytes(&step->kfd, subject->identity.pid, paired->reading.id);

    total_add(&step->totals[seen->adapter].vram,
              seen->row && use.inferred_by
                  ? within(seen->row->row.memory_bytes, paired->reading.vram_total_bytes)
                  : use.vram_bytes);
    total_add(&step->totals[seen->adapter].shared, use.shared_bytes);
    return use;
}
