#include "inspect/reconcile.h"

#include "base/number.h"

struct figure gpu_use_memory(const struct gpu_use *use, bool unified)
{
    struct measured vram = use->vram_bytes, shared = use->shared_bytes;
    if (vram.known) {
        int64_t sum = vram.value;
        bool adds = unified && shared.known && number_add_i64(vram.value, shared.value, &sum);
        return figure_known((double)(adds ? sum : vram.value), HOW_MEASURED);
    }
    if (unified && shared.known) { /* one pool, told as shared memory */
        return figure_known((double)shared.value, HOW_MEASURED);
    }
    struct figure inferred = use->vram_inferred_bytes;
    if (!figure_is_known(inferred)) {
        inferred = unified ? use->shared_inferred_bytes : inferred;
    } else if (unified && figure_is_known(use->shared_inferred_bytes)) {
        inferred.value += use->shared_inferred_bytes.value;
    }
    return figure_is_known(inferred) ? figure_known(inferred.value, HOW_INFERRED)
                                     : figure_unknown(vram.why_not);
}

/* What the models of a process hold on one adapter. */
struct parts {
    double bytes;
    bool any, unknown; /* unknown: a share that may be here has no size or no adapter */
    bool estimated, elsewhere_estimated;
};

static void add_part(struct parts *parts, struct figure figure)
{
    if (figure_is_known(figure)) {
        parts->bytes += figure.value;
        parts->any = true;
        parts->estimated = parts->estimated || figure.how != HOW_REPORTED;
    }
}

static bool has_bytes(const struct model_device *device)
{
    return device->weights_bytes.value + device->kv_cache_bytes.value +
               device->compute_bytes.value + device->other_bytes.value >
           0;
}

static bool is_elsewhere(struct text device)
{
    return text_equal_string(device, "host") || (device.size >= 3 && device.utf8[0] == 'R' &&
                                                 device.utf8[1] == 'P' && device.utf8[2] == 'C');
}

static void add_model(struct parts *parts, const struct model *model, struct text adapter_id)
{
    bool sized = false;
    for (size_t i = 0; i < model->device_count; i++) {
        const struct model_device *device = &model->devices[i];
        sized = sized || figure_is_known(device->weights_bytes) ||
                figure_is_known(device->kv_cache_bytes);
        if (text_equal(device->adapter_id, adapter_id)) {
            add_part(parts, device->weights_bytes);
            add_part(parts, device->kv_cache_bytes);
            add_part(parts, device->compute_bytes);
            add_part(parts, device->other_bytes);
        } else {
            parts->elsewhere_estimated |= device->weights_bytes.how == HOW_ESTIMATED;
        }
        if (text_is_none(device->adapter_id) && !is_elsewhere(device->device)) {
            parts->unknown = parts->unknown || has_bytes(device);
        }
    }
    parts->unknown = parts->unknown || !sized;
}

static const struct adapter *adapter_of(const struct adapter *adapters, size_t count,
                                        struct text id)
{
    for (size_t i = 0; i < count; i++) {
        if (text_equal(adapters[i].id, id)) {
            return &adapters[i];
        }
    }
    return NULL;
}

static struct reconciled reconcile_use(const struct process *process, bool unified,
                                       struct gpu_use *use)
{
    struct parts parts = {0};
    struct figure memory = gpu_use_memory(use, unified);
    for (size_t i = 0; i < process->model_count; i++) {
        add_model(&parts, &process->models[i], use->adapter_id);
    }
    struct reconciled result = {
        .parts_bytes = (int64_t)parts.bytes,
        .parts_how = !parts.any        ? HOW_UNAVAILABLE
                     : parts.estimated ? HOW_ESTIMATED
                                       : HOW_REPORTED,
        .memory_bytes = (int64_t)memory.value,
        .memory_how = memory.how,
    };
    use->explained_bytes = use->unexplained_bytes = figure_unknown(REASON_not_reported);
    if (process->model_count == 0) {
        result.verdict = RECONCILE_NO_MODELS;
        return result;
    }
    if (!figure_is_known(memory)) {
        result.verdict = RECONCILE_UNKNOWN_MEMORY;
        use->explained_bytes = use->unexplained_bytes = memory;
        return result;
    }
    if (parts.unknown) {
        result.verdict = RECONCILE_UNKNOWN_PARTS;
        return result;
    }
    bool over = parts.bytes > memory.value;
    /* That nothing is here is known as what is elsewhere is. */
    bool estimated = parts.any ? parts.estimated : parts.elsewhere_estimated;
    enum how how = estimated ? HOW_ESTIMATED : HOW_REPORTED;
    result.verdict = !parts.any ? RECONCILE_NO_MODELS : over ? RECONCILE_OVER : RECONCILE_EXPLAINED;
    result.over_bytes = over ? (int64_t)(parts.bytes - memory.value) : 0;
    use->explained_bytes = figure_known(over ? memory.value : parts.bytes, how);
    use->unexplained_bytes = figure_known(over ? 0 : memory.value - parts.bytes,
                                          memory.how == HOW_MEASURED ? how : HOW_INFERRED);
    return result;
}

void reconcile(const struct adapter *adapters, size_t adapter_count, struct process *process,
               struct reconciled *results)
{
    for (size_t i = 0; i < process->gpu_count; i++) {
        struct gpu_use *use = &process->gpus[i];
        const struct adapter *adapter = adapter_of(adapters, adapter_count, use->adapter_id);
        struct reconciled result = reconcile_use(process, adapter && adapter->memory.unified, use);
        if (results) {
            results[i] = result;
        }
    }
}
