#include "timeline/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "timeline/summary_parts.h"

/* A wall clock that moves by this much more or less than the running clock has jumped. */
#define JUMP_SECONDS 2.0
/* No program waits longer between two samples; what says so is damaged. */
#define INTERVAL_SECONDS_MAX 100000.0

const char *const summary_fields[] = {
    "snapshot.origin",
    "snapshot.taken_at",
    "snapshot.monotonic_seconds",
    "snapshot.interval_seconds",
    "host.name",
    "host.boot_id",
    "adapter.index",
    "adapter.id",
    "adapter.uuid",
    "adapter.name",
    "adapter.parent",
    "adapter_memory.vram_total_bytes",
    "adapter_memory.vram_used_bytes",
    "adapter_memory.shared_used_bytes",
    "adapter_memory.unified",
    "adapter.load_percent",
    "temperatures.edge",
    "temperatures.hotspot",
    "temperatures.memory",
    "adapter.power_watts",
    "adapter.energy_joules",
    "process.id",
    "process.pid",
    "process.label",
    "process.name",
    "process.user",
    "process.tracked",
    "process.class",
    "gpu_use.adapter_id",
    "gpu_use.vram_bytes",
    "gpu_use.spill_bytes",
    "gpu_use.vram_inferred_bytes",
    "gpu_use.inferred_by",
    "gpu_use.load_percent",
    "gpu_use.load_lower_bound",
    "gpu_use.load_inferred_by",
    "model.name",
    "model.kind",
    "model.quantization",
    "event.at",
    "event.kind",
    "event.text",
    NULL,
};

void summary_copy_text(char *out, size_t size, struct text text)
{
    size_t length = text.size < size ? text.size : size - 1;
    while (length < text.size && length > 0 && ((unsigned char)text.utf8[length] & 0xc0) == 0x80) {
        length--;
    }
    if (length > 0) {
        memcpy(out, text.utf8, length);
    }
    out[length] = '\0';
}

struct summary *summary_new(void)
{
    struct summary *summary = memory_new(sizeof *summary);
    summary->state = memory_new(sizeof *summary->state);
    summary->state->processes = map_new(sizeof(struct process_key), sizeof(size_t));
    return summary;
}

static void free_adapter(struct summary_adapter *adapter)
{
    statistic_free(&adapter->vram_used_bytes);
    statistic_free(&adapter->shared_used_bytes);
    statistic_free(&adapter->load_percent);
    statistic_free(&adapter->power_watts);
    statistic_free(&adapter->temperature_celsius);
    statistic_free(&adapter->tracked_vram_bytes);
}

void summary_process_free(struct summary_process *process)
{
    for (size_t i = 0; i < process->use_count; i++) {
        struct summary_use *use = &process->uses[i];
        statistic_free(&use->vram_bytes);
        statistic_free(&use->spill_bytes);
        statistic_free(&use->vram_inferred_bytes);
        statistic_free(&use->load_percent);
        statistic_free(&use->load_inferred_percent);
    }
    free(process->uses);
    free(process->models);
}

void summary_free(struct summary **freeing)
{
    struct summary *summary = *freeing;
    *freeing = NULL;
    if (!summary) {
        return;
    }
    for (size_t i = 0; i < summary->adapter_count; i++) {
        free_adapter(&summary->adapters[i]);
    }
    for (size_t i = 0; i < summary->process_count; i++) {
        summary_process_free(&summary->processes[i]);
    }
    free(summary->adapters);
    free(summary->processes);
    map_free(&summary->state->processes);
    free(summary->state);
    free(summary);
}

/* Notices another boot, whose running clock and start stamps begin anew. */
static bool is_same_boot(struct summary *summary, const struct snapshot *snapshot)
{
    struct summary_state *state = summary->state;
    char boot_id[BOOT_ID_SIZE];
    summary_copy_text(boot_id, sizeof boot_id, snapshot->host.boot_id);
    /* Without a boot id a running clock that goes back tells. */
    bool same = boot_id[0] != '\0' || state->boot_id[0] != '\0'
                    ? strcmp(boot_id, state->boot_id) == 0
                    : !state->running_known ||
                          snapshot->monotonic_seconds.value + 60 >= state->running_seconds;
    if (summary->samples > 0 && !same) {
        state->boot++;
    }
    memcpy(state->boot_id, boot_id, sizeof boot_id);
    summary->boots = state->boot + 1;
    return summary->samples > 0 && same;
}

static void note_clock_jump(struct summary *summary, const struct snapshot *snapshot)
{
    const struct summary_state *state = summary->state;
    double wall = ((double)snapshot->taken_at_ns - (double)state->taken_at_ns) / 1e9;
    double running = snapshot->monotonic_seconds.value - state->running_seconds;
    summary->clock_jumps += running >= 0 && fabs(wall - running) > JUMP_SECONDS;
}

/* How much time the sample stands for, and whether it goes on from the one before. */
static void begin_sample(struct summary *summary, const struct snapshot *snapshot)
{
    struct summary_state *state = summary->state;
    bool same_boot = is_same_boot(summary, snapshot);
    bool running_known = figure_is_known(snapshot->monotonic_seconds);
    double interval =
        figure_is_known(snapshot->interval_seconds) ? snapshot->interval_seconds.value : 0;
    double since = INTERVAL_SECONDS_MAX;
    if (!(interval > 0 && interval <= INTERVAL_SECONDS_MAX)) {
        interval = 0;
    }
    if (same_boot && running_known && state->running_known) {
        since = snapshot->monotonic_seconds.value - state->running_seconds;
        note_clock_jump(summary, snapshot);
    }
    /* Two recorders may have written into one file: no time counts twice. */
    state->seconds = since < interval ? fmax(since, 0) : interval;
    state->continues = same_boot && interval > 0 && since <= interval * 1.5 + 0.5;
    if (!running_known && same_boot && interval > 0) {
        state->continues = true;
    }
    summary->parts += !state->continues;
    /* The clock of two interleaved recorders goes on from the later one. */
    if (!same_boot || !state->running_known ||
        snapshot->monotonic_seconds.value > state->running_seconds) {
        state->running_seconds = snapshot->monotonic_seconds.value;
    }
    state->running_known = running_known;
    state->taken_at_ns = state->now_ns = snapshot->taken_at_ns;
}

static void add_event(struct summary *summary, const struct event *event)
{
    struct summary_event *kept = &summary->events[summary->event_count++ % SUMMARY_EVENTS_MAX];
    kept->at_ns = event->at_ns;
    summary_copy_text(kept->kind, sizeof kept->kind, event->kind);
    summary_copy_text(kept->text, sizeof kept->text, event->text);
    size_t i = 0;
    while (i < summary->event_kind_count && strcmp(summary->event_kinds[i].kind, kept->kind) != 0) {
        i++;
    }
    if (i == SUMMARY_EVENT_KINDS_MAX) {
        return;
    }
    if (i == summary->event_kind_count) {
        memcpy(summary->event_kinds[i].kind, kept->kind, sizeof kept->kind);
        summary->event_kind_count++;
    }
    summary->event_kinds[i].count++;
}

void summary_add(struct summary *summary, const struct snapshot *snapshot)
{
    begin_sample(summary, snapshot);
    if (summary->samples == 0) {
        summary->first_ns = snapshot->taken_at_ns;
        summary_copy_text(summary->host, sizeof summary->host, snapshot->host.name);
        summary->origin = snapshot->origin;
    }
    summary->samples++;
    /* Files may come in any order. */
    if (snapshot->taken_at_ns < summary->first_ns) {
        summary->first_ns = snapshot->taken_at_ns;
    }
    if (summary->samples == 1 || snapshot->taken_at_ns > summary->last_ns) {
        summary->last_ns = snapshot->taken_at_ns;
    }
    summary->seconds += summary->state->seconds;
    /* Processes first: they need to know what the adapters' counters were in the sample before. */
    summary_add_processes(summary, snapshot);
    summary_add_adapters(summary, snapshot);
    for (size_t i = 0; i < snapshot->event_count; i++) {
        add_event(summary, &snapshot->events[i]);
    }
}

static int compare_adapters(const void *a, const void *b)
{
    const struct summary_adapter *left = a, *right = b;
    return left->index != right->index ? (left->index > right->index) - (left->index < right->index)
                                       : strcmp(left->id, right->id);
}

static double peak_load(const struct summary_process *process)
{
    double peak = 0;
    for (size_t i = 0; i < process->use_count; i++) {
        peak = fmax(peak, fmax(process->uses[i].load_percent.peak,
                               process->uses[i].load_inferred_percent.peak));
    }
    return peak;
}

double summary_process_peak_bytes(const struct summary_process *process)
{
    double peak = 0;
    for (size_t i = 0; i < process->use_count; i++) {
        const struct summary_use *use = &process->uses[i];
        peak = fmax(peak, fmax(use->vram_bytes.peak, use->vram_inferred_bytes.peak));
    }
    return peak;
}

static int compare_processes(const void *a, const void *b)
{
    const struct summary_process *left = a, *right = b;
    double left_bytes = summary_process_peak_bytes(left);
    double right_bytes = summary_process_peak_bytes(right);
    if (left_bytes != right_bytes) {
        return left_bytes < right_bytes ? 1 : -1;
    }
    double left_load = peak_load(left), right_load = peak_load(right);
    if (left_load != right_load) {
        return left_load < right_load ? 1 : -1;
    }
    return left->boot != right->boot ? (left->boot > right->boot) - (left->boot < right->boot)
                                     : strcmp(left->id, right->id);
}

void summary_sort(struct summary *summary)
{
    if (summary->adapter_count > 0) {
        qsort(summary->adapters, summary->adapter_count, sizeof *summary->adapters,
              compare_adapters);
    }
    if (summary->process_count > 0) {
        qsort(summary->processes, summary->process_count, sizeof *summary->processes,
              compare_processes);
    }
}
