/* NVML's process lists and load samples as one row a process and device.
 *
 * Input: the lists as they were read, the newest sample of each pid, and what the device's reading
 * says about lists and samples that were refused. Output: rows by (adapter, pid as NVML says), in
 * the order of first sight. Pids are not looked up here (rules/container_pairing.h).
 *
 * Sources: reference nvidia.md section 5. A pid in several lists has the same figure in each: known
 * beats unknown, the larger of two known values, never the sum. A listed process without a sample
 * in an answered call was idle: 0, measured. A sample above 100 is discarded with all its fields. A
 * pid that only a sample names makes a row only where a list could not be read. A process on a MIG
 * device is listed once, under its instance. */
#ifndef RULES_NVML_PROCESSES_H
#define RULES_NVML_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "reading/adapter.h"
#include "reading/nvml_process.h"

struct nvml_row {
    const char *adapter_id;
    int64_t pid;
    bool compute, graphics; /* listed there; MPS clients are compute. Both false: only sampled */
    struct measured memory_bytes;
    /* Percent. */
    struct measured load, memory, encode, decode, jpeg, ofa;
};

struct nvml_rows {
    struct nvml_row *items;
    size_t count;
};

struct nvml_seen {
    const struct adapter_reading *adapters; /* those that NVML spoke of */
    size_t adapter_count;
    const struct nvml_listed_process *listed;
    size_t listed_count;
    const struct nvml_process_sample *samples;
    size_t sample_count;
};

/* The loads of a listed process with this sample, or, with NULL, of an idle one. */
void nvml_row_set_loads(struct nvml_row *row, const struct adapter_reading *adapter,
                        const struct nvml_process_sample *sample);
void nvml_processes(struct arena *arena, const struct nvml_seen *seen, struct nvml_rows *rows);

#endif
