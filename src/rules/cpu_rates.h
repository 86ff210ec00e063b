/* CPU use of processes and of the machine between two samples.
 *
 * Input: cumulative times; state: those of the last pass, keyed by identity. Output: percent, of
 * one CPU for a process (may pass 100), of all CPUs for the machine. */
#ifndef RULES_CPU_RATES_H
#define RULES_CPU_RATES_H

#include "reading/process.h"
#include "rules/rates.h"

struct cpu_rates;

struct cpu_rates *cpu_rates_new(void);
void cpu_rates_free(struct cpu_rates **rates);
void cpu_rates_forget(struct cpu_rates *rates);
/* Starts a pass; processes not seen in it are forgotten at the next start. */
void cpu_rates_begin(struct cpu_rates *rates);
struct rate cpu_rates_process(struct cpu_rates *rates, const struct process_reading *process);
struct rate cpu_rates_host(struct cpu_rates *rates, const struct host_reading *host);

#endif
