#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "timeline/summary_parts.h"

struct summary_adapter *summary_find_adapter(struct summary *summary, struct text id)
{
    char wanted[SUMMARY_NAME_SIZE];
    summary_copy_text(wanted, sizeof wanted, id);
    for (size_t i = 0; i < summary->adapter_count; i++) {
        if (strcmp(summary->adapters[i].id, wanted) == 0) {
            return &summary->adapters[i];
        }
    }
    return NULL;
}

static struct summary_adapter *find_or_add(struct summary *summary, const struct adapter *adapter)
{
    struct summary_adapter *found = summary_find_adapter(summary, adapter->id);
    if (found) {
        return found;
    }
    if (summary->adapter_count == SUMMARY_ADAPTERS_MAX) {
        return NULL;
    }
    summary->adapters = vector_reserve(summary->adapters, &summary->adapter_capacity,
                                       summary->adapter_count + 1, sizeof *summary->adapters);
    found = &summary->adapters[summary->adapter_count++];
    memset(found, 0, sizeof *found);
    summary_copy_text(found->id, sizeof found->id, adapter->id);
    return found;
}

static void add_measured(const struct summary *summary, struct statistic *statistic,
                         struct measured value)
{
    if (value.known) {
        statistic_add(statistic, (double)value.value, summary->state->seconds,
                      summary->state->now_ns, HOW_MEASURED);
    }
}

static void add_figure(const struct summary *summary, struct statistic *statistic,
                       struct figure figure)
{
    if (figure_is_known(figure)) {
        statistic_add(statistic, figure.value, summary->state->seconds, summary->state->now_ns,
                      figure.how);
    }
}

static struct figure hottest(const struct temperatures *temperatures)
{
    const struct figure sensors[] = {temperatures->edge, temperatures->hotspot,
                                     temperatures->memory};
    struct figure found = {0};
    for (size_t i = 0; i < sizeof sensors / sizeof *sensors; i++) {
        if (figure_is_known(sensors[i]) &&
            (!figure_is_known(found) || sensors[i].value > found.value)) {
            found = sensors[i];
        }
    }
    return found;
}

/* What the counter moved by; negative: it is not known at both ends, or was set back. */
static double counted_joules(const struct summary *summary, const struct summary_adapter *kept,
                             const struct adapter *adapter)
{
    bool followed = summary->state->continues && kept && kept->last_energy_known.known &&
                    kept->last_sample + 1 == summary->samples &&
                    figure_is_known(adapter->energy_joules);
    return followed ? adapter->energy_joules.value - kept->last_energy_joules : -1;
}

double summary_sample_joules(const struct summary *summary, const struct adapter *adapter)
{
    struct summary *own = (struct summary *)(uintptr_t)summary;
    const struct summary_adapter *kept = summary_find_adapter(own, adapter->id);
    double counted = counted_joules(summary, kept, adapter);
    if (counted >= 0) {
        return counted;
    }
    return figure_is_known(adapter->power_watts) && adapter->power_watts.value >= 0
               ? adapter->power_watts.value * summary->state->seconds
               : -1;
}

static void add_energy(struct summary *summary, struct summary_adapter *kept,
                       const struct adapter *adapter)
{
    double seconds = summary->state->seconds;
    double counted = counted_joules(summary, kept, adapter);
    if (counted >= 0) {
        kept->energy_joules += counted;
        kept->energy_seconds += seconds;
        kept->energy_how = adapter->energy_joules.how;
    } else if (figure_is_known(adapter->power_watts) && adapter->power_watts.value >= 0) {
        kept->energy_estimated_joules += adapter->power_watts.value * seconds;
        kept->energy_estimated_seconds += seconds;
    }
    kept->last_energy_known.known = figure_is_known(adapter->energy_joules);
    kept->last_energy_joules = adapter->energy_joules.value;
}

/* Measured bytes of all processes of the recorded command. */
static void add_tracked(const struct summary *summary, struct summary_adapter *kept,
                        const struct snapshot *snapshot, const struct adapter *adapter)
{
    struct measured sum = measured_known(0);
    bool any = false;
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        for (size_t j = 0; process->tracked && j < process->gpu_count; j++) {
            const struct gpu_use *use = &process->gpus[j];
            if (!text_equal(use->adapter_id, adapter->id)) {
                continue;
            }
            any |= use->vram_bytes.known;
            sum.value += use->vram_bytes.known ? use->vram_bytes.value : 0;
            kept->tracked_incomplete |= !use->vram_bytes.known;
        }
    }
    if (any) {
        add_measured(summary, &kept->tracked_vram_bytes, sum);
    }
}

void summary_add_adapters(struct summary *summary, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        const struct adapter *adapter = &snapshot->adapters[i];
        struct summary_adapter *kept = find_or_add(summary, adapter);
        if (!kept) {
            summary->adapters_left_out = 1;
            continue;
        }
        summary_copy_text(kept->name, sizeof kept->name, adapter->name);
        kept->index = adapter->index;
        kept->unified = adapter->memory.unified;
        if (adapter->memory.vram_total_bytes.known) {
            kept->vram_total_bytes = measured_known(adapter->memory.vram_total_bytes.value);
        }
        kept->seconds += summary->state->seconds;
        add_measured(summary, &kept->vram_used_bytes, adapter->memory.vram_used_bytes);
        add_measured(summary, &kept->shared_used_bytes, adapter->memory.shared_used_bytes);
        add_figure(summary, &kept->load_percent, adapter->load_percent);
        add_figure(summary, &kept->power_watts, adapter->power_watts);
        add_figure(summary, &kept->temperature_celsius, hottest(&adapter->temperatures_celsius));
        add_energy(summary, kept, adapter);
        add_tracked(summary, kept, snapshot, adapter);
        kept->last_sample = summary->samples;
    }
}
