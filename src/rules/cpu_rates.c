#include "rules/cpu_rates.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"

struct process_memory {
    int64_t cpu_time_ns, read_running_ns;
    struct rate rate;
    uint64_t step;
};

struct cpu_rates {
    struct map *processes; /* struct identity -> struct process_memory */
    uint64_t step;
    bool has_host;
    int64_t host_busy, host_total;
};

struct cpu_rates *cpu_rates_new(void)
{
    struct cpu_rates *rates = memory_new(sizeof *rates);
    rates->processes = map_new(sizeof(struct identity), sizeof(struct process_memory));
    return rates;
}

void cpu_rates_free(struct cpu_rates **rates)
{
    if (!*rates)
        return;
    map_free(&(*rates)->processes);
    free(*rates);
    *rates = NULL;
}

void cpu_rates_forget(struct cpu_rates *rates)
{
    map_clear(rates->processes);
    rates->has_host = false;
}

static bool is_forgotten(const void *key, void *value, void *context)
{
    (void)key;
    const struct process_memory *memory = value;
    const uint64_t *step = context;
    return memory->step != *step;
}

void cpu_rates_begin(struct cpu_rates *rates)
{
    map_remove_if(rates->processes, is_forgotten, &rates->step);
    rates->step++;
}

static struct rate rate_of(int64_t used, int64_t full)
{
    if (full <= 0)
        return rate_unknown(REASON_need_two_samples);
    if (used < 0)
        return rate_unknown(REASON_counter_not_monotonic);
    return rate_known((double)used / (double)full * 100);
}

struct rate cpu_rates_process(struct cpu_rates *rates, const struct process_reading *process)
{
    if (!process->cpu_time_ns.known)
        return rate_unknown(process->cpu_time_ns.why_not);
    bool added;
    struct process_memory *memory = map_put(rates->processes, &process->identity, &added);
    memory->step = rates->step;
    /* Not read again since: what was computed then still holds. */
    if (!added && memory->rate.known && process->read_running_ns == memory->read_running_ns)
        return memory->rate;
    struct rate rate = added ? rate_unknown(REASON_need_two_samples)
                             : rate_of(process->cpu_time_ns.value - memory->cpu_time_ns,
                                       process->read_running_ns - memory->read_running_ns);
    memory->cpu_time_ns = process->cpu_time_ns.value;
    memory->read_running_ns = process->read_running_ns;
    memory->rate = rate;
    return rate;
}

struct rate cpu_rates_host(struct cpu_rates *rates, const struct host_reading *host)
{
    if (!host->cpu_busy_ticks.known || !host->cpu_total_ticks.known) {
        rates->has_host = false;
        return rate_unknown(host->cpu_busy_ticks.why_not);
    }
    struct rate rate = !rates->has_host ? rate_unknown(REASON_need_two_samples)
                                        : rate_of(host->cpu_busy_ticks.value - rates->host_busy,
                                                  host->cpu_total_ticks.value - rates->host_total);
    /* Idle time may step back by a tick or two between CPUs: never more than everything. */
    if (rate.known && rate.percent > 100)
        rate.percent = 100;
    rates->has_host = true;
    rates->host_busy = host->cpu_busy_ticks.value;
    rates->host_total = host->cpu_total_ticks.value;
    return rate;
}
