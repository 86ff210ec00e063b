/* Snapshots by hand: each function adds one thing and returns it for more. Everything lives in the
 * snapshot's arena; at most BUILD_MAX of a kind. */
#ifndef TESTS_UNIT_SNAPSHOT_BUILDER_H
#define TESTS_UNIT_SNAPSHOT_BUILDER_H

#include <string.h>

#include "snapshot/snapshot.h"

#define GIB (1024.0 * 1024 * 1024)
#define MIB (1024.0 * 1024)
enum { BUILD_MAX = 64 };

static inline struct text build_text(const char *string)
{
    return string != NULL ? (struct text){string, strlen(string)} : TEXT_NONE;
}

static inline struct measured build_bytes(double bytes)
{
    return measured_known((int64_t)bytes);
}

static inline struct figure build_figure(double value)
{
    return figure_known(value, HOW_MEASURED);
}

static inline struct snapshot *build_snapshot(void)
{
    struct snapshot *snapshot = snapshot_new(NULL);
    snapshot->taken_at_ns = 1764417600LL * 1000000000; /* 2025-11-29 12:00:00 UTC */
    snapshot->adapters = ARENA_ARRAY(snapshot->arena, struct adapter, BUILD_MAX);
    snapshot->processes = ARENA_ARRAY(snapshot->arena, struct process, BUILD_MAX);
    snapshot->sources = ARENA_ARRAY(snapshot->arena, struct source_status, BUILD_MAX);
    snapshot->notes = ARENA_ARRAY(snapshot->arena, struct note, BUILD_MAX);
    return snapshot;
}

static inline struct adapter *build_adapter(struct snapshot *snapshot, const char *id,
                                            const char *name, enum adapter_kind kind)
{
    struct adapter *adapter = &snapshot->adapters[snapshot->adapter_count];
    adapter->index = (int64_t)snapshot->adapter_count++;
    adapter->id = build_text(id);
    adapter->name = build_text(name);
    adapter->kind = kind;
    adapter->kind_how = HOW_MEASURED;
    adapter->power_state = POWER_ACTIVE;
    return adapter;
}

static inline void build_memory(struct adapter *adapter, double total_bytes, double used_bytes)
{
    adapter->memory.vram_total_bytes = build_bytes(total_bytes);
    adapter->memory.vram_used_bytes = build_bytes(used_bytes);
}

static inline struct process *build_process(struct snapshot *snapshot, int64_t pid,
                                            const char *name, enum process_class class)
{
    struct process *process = &snapshot->processes[snapshot->process_count++];
    process->pid = pid;
    process->identity = identity_make(NAMESPACE_LOCAL, pid, 7);
    process->name = build_text(name);
    process->user = build_text("ann");
    process->label = text_format(snapshot->arena, "%lld", (long long)pid);
    process->class = class;
    process->start_time_ns = TIME_UNKNOWN;
    process->gpus = ARENA_ARRAY(snapshot->arena, struct gpu_use, BUILD_MAX);
    return process;
}

static inline void build_space(struct snapshot *snapshot, struct process *process,
                               enum pid_namespace space)
{
    process->space = space;
    process->identity.space = (uint32_t)space;
    process->label = text_format(snapshot->arena, "%s:%lld", space == NAMESPACE_HOST ? "H" : "W",
                                 (long long)process->pid);
}

/* vram_bytes below 0: unknown. */
static inline struct gpu_use *build_use(struct process *process, const struct adapter *adapter,
                                        double vram_bytes, double load_percent)
{
    struct gpu_use *use = &process->gpus[process->gpu_count++];
    use->adapter = measured_known(adapter->index);
    use->adapter_id = adapter->id;
    if (vram_bytes >= 0)
        use->vram_bytes = build_bytes(vram_bytes);
    if (load_percent >= 0)
        use->load_percent = build_figure(load_percent);
    return use;
}

static inline struct model *build_model(struct snapshot *snapshot, struct process *process,
                                        const char *name, const char *quantization)
{
    enum { MODELS_MAX = 4 };
    if (process->models == NULL)
        process->models = ARENA_ARRAY(snapshot->arena, struct model, MODELS_MAX);
    struct model *model = &process->models[process->model_count++];
    model->name = build_text(name);
    model->quantization = build_text(quantization);
    model->kind = MODEL_LLM;
    return model;
}

static inline struct model_device *build_device(struct snapshot *snapshot, struct model *model,
                                                const struct adapter *adapter, double weights_bytes,
                                                double kv_cache_bytes)
{
    struct model_device *device = ARENA_NEW(snapshot->arena, struct model_device);
    device->device = build_text("GPU0");
    device->adapter_id = adapter->id;
    device->weights_bytes = figure_known(weights_bytes, HOW_ESTIMATED);
    device->kv_cache_bytes = figure_known(kv_cache_bytes, HOW_REPORTED);
    model->devices = device;
    model->device_count = 1;
    return device;
}

#endif
