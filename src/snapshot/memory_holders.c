#include "snapshot/memory_holders.h"

#include <stdlib.h>

#include "base/number.h"
#include "base/vector.h"

enum segment_class segment_class_of(const struct process *process, const struct gpu_use *use)
{
    switch (process->class) {
    case CLASS_LLM:
    case CLASS_EMBEDDING:
    case CLASS_DECISION:
    case CLASS_SPEECH:
    case CLASS_DIFFUSION:
    case CLASS_VISION:
        return SEGMENT_MODEL;
    case CLASS_TRAINING:
    case CLASS_PYTHON_AI:
        break;
    case CLASS_GAME:
        return SEGMENT_GAME;
    case CLASS_BROWSER:
        return SEGMENT_BROWSER;
    case CLASS_COMPOSITOR:
        return SEGMENT_COMPOSITOR;
    case CLASS_VIDEO:
        return SEGMENT_VIDEO;
    case CLASS_OTHER:
    case CLASS_REMOTE_DESKTOP:
    case CLASS_GPU_TOOL:
    case CLASS_COUNT:
        if (process->model_count == 0 && use->type != GPU_USE_COMPUTE)
            return SEGMENT_OTHER;
        break;
    }
    for (size_t i = 0; i < process->model_count; i++)
        for (size_t j = 0; j < process->models[i].device_count; j++)
            if (text_equal(process->models[i].devices[j].adapter_id, use->adapter_id))
                return SEGMENT_MODEL;
    return use->type == GPU_USE_COMPUTE || process->class == CLASS_TRAINING ||
                   process->class == CLASS_PYTHON_AI
               ? SEGMENT_COMPUTE
               : SEGMENT_OTHER;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* a + b, or the largest number. Both at least 0. */
static int64_t sum_bytes(int64_t a, int64_t b)
{
    int64_t sum;
    return number_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

/* VRAM, and the other pool with it where both are one memory. Unknown when a part is. */
static struct measured pools_sum(const struct adapter_memory *memory, struct measured vram,
                                 struct measured shared)
{
    if (!memory->unified || !memory->shared_total_bytes.known)
        return vram;
    if (!memory->vram_total_bytes.known)
        return shared;
    if (!vram.known)
        return vram;
    if (!shared.known)
        return shared;
    return measured_known(sum_bytes(vram.value, shared.value));
}

struct measured memory_pools_total(const struct adapter_memory *memory)
{
    return pools_sum(memory, memory->vram_total_bytes, memory->shared_total_bytes);
}

bool memory_counts_differ(const struct adapter_memory *memory)
{
    return !memory->unattributed_bytes.known &&
           memory->unattributed_bytes.why_not == REASON_counts_differ;
}

struct measured memory_pools_used(const struct adapter_memory *memory)
{
    return pools_sum(memory, memory->vram_used_bytes, memory->shared_used_bytes);
}

/* A GPU that is divided shows what its instances hold. */
static bool is_divided(const struct snapshot *snapshot, const struct adapter *adapter)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        struct text parent = snapshot->adapters[i].parent;
        if (!text_is_none(parent) && text_equal(parent, adapter->id))
            return true;
    }
    return false;
}

static bool is_here(const struct snapshot *snapshot, const struct gpu_use *use,
                    const struct adapter *adapter, bool divided)
{
    const struct adapter *other = snapshot_adapter_of(snapshot, use);
    if (other == NULL)
        return text_equal(use->adapter_id, adapter->id);
    return other == adapter ||
           (divided && !text_is_none(other->parent) && text_equal(other->parent, adapter->id));
}

bool gpu_use_is_on(const struct snapshot *snapshot, const struct gpu_use *use,
                   const struct adapter *adapter)
{
    return is_here(snapshot, use, adapter, is_divided(snapshot, adapter));
}

static void holder_measure(struct memory_holder *holder, const struct gpu_use *use, bool unified)
{
    struct measured vram = use->vram_bytes, shared = use->shared_bytes;
    bool shares = unified && shared.known;
    if (vram.known || shares) {
        holder->bytes = sum_bytes(vram.known && vram.value > 0 ? vram.value : 0,
                                  shares && shared.value > 0 ? shared.value : 0);
    } else if (figure_is_known(use->vram_inferred_bytes)) {
        double inferred = use->vram_inferred_bytes.value;
        if (unified)
            inferred += use->shared_inferred_bytes.value;
        holder->bytes = inferred > 0 ? (int64_t)(inferred < 1e18 ? inferred : 1e18) : 0;
        holder->by = use->inferred_by == INFERRED_MATCHED ? INFERRED_MATCHED : INFERRED_GUESS;
    }
    if (!unified && use->spill_bytes.known && use->spill_bytes.value > 0)
        holder->spill_bytes = use->spill_bytes.value;
}

static int compare_holders(const void *first, const void *second)
{
    const struct memory_holder *a = first, *b = second;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->process->pid != b->process->pid)
        return a->process->pid < b->process->pid ? -1 : 1;
    return a->process < b->process ? -1 : a->process > b->process;
}

static void collect(struct memory_holders *holders, const struct snapshot *snapshot,
                    const struct adapter *adapter)
{
    bool divided = is_divided(snapshot, adapter);
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        for (size_t j = 0; j < process->gpu_count; j++) {
            const struct gpu_use *use = &process->gpus[j];
            if (!is_here(snapshot, use, adapter, divided))
                continue;
            struct memory_holder holder = {.process = process, .use = use};
            holder_measure(&holder, use, adapter->memory.unified);
            holder.class = segment_class_of(process, use);
            if (holder.bytes > 0 || holder.spill_bytes > 0)
                VECTOR_PUSH(holders, holder);
        }
    }
    if (holders->count > 1)
        qsort(holders->items, holders->count, sizeof *holders->items, compare_holders);
}

/* Cuts every holder of one kind, in order, so that together they have at most `room`. */
static int64_t holders_cut(struct memory_holders *holders, bool inferred, int64_t room, bool *cut)
{
    int64_t placed = 0;
    for (size_t i = 0; i < holders->count; i++) {
        struct memory_holder *holder = &holders->items[i];
        if ((holder->by != INFERRED_NOT) != inferred)
            continue;
        if (holder->bytes > room - placed) {
            holder->bytes = room - placed;
            *cut = true;
        }
        placed += holder->bytes;
    }
    return placed;
}

/* In WSL the matched bytes of Linux processes lie inside what Windows measured for the VM. */
static struct memory_holder *holders_wsl_vm(struct memory_holders *holders,
                                            const struct snapshot *snapshot)
{
    if (snapshot->mode != SNAPSHOT_WSL)
        return NULL;
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i].process->space == NAMESPACE_WINDOWS &&
            holders->items[i].by == INFERRED_NOT &&
            text_equal_string(holders->items[i].process->label, "WSL VM"))
            return &holders->items[i];
    return NULL;
}

/* Makes the holders fit: measured ones into the total, inferred ones into what is in use beside
 * them (or inside the VM). */
static void fit(struct memory_holders *holders, const struct snapshot *snapshot, int64_t total)
{
    int64_t measured = holders_cut(holders, false, total, &holders->above_total);
    struct memory_holder *vm = holders_wsl_vm(holders, snapshot);
    int64_t in_use = holders->used_bytes.known ? smaller(holders->used_bytes.value, total) : total;
    int64_t room = vm != NULL ? vm->bytes : in_use > measured ? in_use - measured : 0;
    int64_t inferred = holders_cut(holders, true, room, &holders->inferred_cut);
    if (vm != NULL) {
        vm->bytes -= inferred;
        inferred = 0;
    }
    holders->placed_bytes = measured + inferred;
}

void memory_holders_collect(struct memory_holders *holders, const struct snapshot *snapshot,
                            const struct adapter *adapter)
{
    struct measured total = memory_pools_total(&adapter->memory);
    holders->count = 0;
    holders->used_bytes = memory_pools_used(&adapter->memory);
    holders->above_total = holders->inferred_cut = false;
    collect(holders, snapshot, adapter);
    fit(holders, snapshot, total.known && total.value > 0 ? total.value : INT64_MAX);
}

void memory_holders_free(struct memory_holders *holders)
{
    VECTOR_FREE(holders);
}
