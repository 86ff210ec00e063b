#include "timeline/diff_parts.h"

static const struct {
    const char *key;
    size_t offset;
} memory_fields[DIFF_MEMORY_COUNT] = {
#define MEMORY(id, member) [id] = {#member, offsetof(struct adapter_memory, member)}
    MEMORY(DIFF_VRAM_USED, vram_used_bytes),       MEMORY(DIFF_ATTRIBUTED, attributed_bytes),
    MEMORY(DIFF_UNATTRIBUTED, unattributed_bytes), MEMORY(DIFF_SHARED_USED, shared_used_bytes),
    MEMORY(DIFF_VRAM_TOTAL, vram_total_bytes),     MEMORY(DIFF_VRAM_RESERVED, vram_reserved_bytes),
#undef MEMORY
};

const char *diff_memory_key(enum diff_memory memory)
{
    return memory_fields[memory].key;
}

static struct measured memory_of(const struct adapter *adapter, enum diff_memory memory)
{
    return adapter ? *(const struct measured *)((const char *)&adapter->memory +
                                                memory_fields[memory].offset)
                   : measured_unknown(REASON_not_reported);
}

/* Adds the processes of one class on an adapter, before or after. */
static void sum_class(const struct snapshot *snapshot, const struct adapter *adapter,
                      enum process_class class, struct measured *sum, size_t *count,
                      size_t *unknown)
{
    for (size_t i = 0; adapter && i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        for (size_t j = 0; process->class == class && j < process->gpu_count; j++) {
            const struct gpu_use *use = &process->gpus[j];
            if (!text_equal(use->adapter_id, adapter->id)) {
                continue;
            }
            ++*count;
            if (!use->vram_bytes.known) {
                ++*unknown;
            } else {
                *sum = measured_known((sum->known ? sum->value : 0) + use->vram_bytes.value);
            }
        }
    }
}

/* Nobody is there: that is 0, unless it is not known who is there. */
static void settle(struct measured *sum, size_t count, const struct adapter *adapter)
{
    bool listed = adapter && !adapter->processes_state.unknown &&
                  !adapter->compute_list_state.unknown && !adapter->graphics_list_state.unknown;
    if (count == 0 && listed) {
        *sum = measured_known(0);
    }
}

static void add_classes(const struct diff *diff, struct diff_adapter *pair, struct arena *arena)
{
    pair->classes = ARENA_ARRAY(arena, struct diff_class, CLASS_COUNT);
    for (int class = 0; class < CLASS_COUNT; class ++) {
        struct diff_class *found = &pair->classes[pair->class_count];
        *found = (struct diff_class){.class = (enum process_class) class};
        sum_class(diff->before, pair->before, found->class, &found->vram_bytes.before,
                  &found->before_count, &found->before_unknown);
        sum_class(diff->after, pair->after, found->class, &found->vram_bytes.after,
                  &found->after_count, &found->after_unknown);
        settle(&found->vram_bytes.before, found->before_count, pair->before);
        settle(&found->vram_bytes.after, found->after_count, pair->after);
        pair->class_count += found->before_count > 0 || found->after_count > 0;
    }
}

void diff_compare_adapter(const struct diff *diff, struct diff_adapter *pair, struct arena *arena)
{
    pair->changed = pair->presence != DIFF_BOTH;
    for (int memory = 0; memory < DIFF_MEMORY_COUNT; memory++) {
        struct diff_bytes *bytes = &pair->memory[memory];
        bytes->before = memory_of(pair->before, (enum diff_memory)memory);
        bytes->after = memory_of(pair->after, (enum diff_memory)memory);
        pair->changed |= !diff_bytes_equal(bytes);
    }
    if (pair->presence == DIFF_BOTH) {
        pair->state_changed = pair->before->power_state != pair->after->power_state;
        pair->driver_changed =
            !text_equal(pair->before->driver, pair->after->driver) ||
            !text_equal(pair->before->driver_version, pair->after->driver_version);
        pair->changed |= pair->state_changed || pair->driver_changed;
    }
    add_classes(diff, pair, arena);
}
