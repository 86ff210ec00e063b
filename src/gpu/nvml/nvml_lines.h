/* The language between the program and its NVML helper: one request line, answer lines (the last,
 * "end", belongs to os/helper.h). One table (fields.def) serves both sides. */
#ifndef GPU_NVML_LINES_H
#define GPU_NVML_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/nvml/nvml_library.h"
#include "gpu/helper/record.h"
#include "reading/adapter.h"
#include "reading/nvml_process.h"

enum {
    NVML_ADAPTERS_MAX = 128,
    NVML_PROCESSES_MAX = 65536, /* of each: listed, samples */
    NVML_NOTES_MAX = 128
};

struct nvml_request {
    uint64_t number; /* of the sample */
    int64_t wall_us; /* the wall clock of the observed machine, which the driver's stamps follow */
    int64_t running_ns;  /* the running clock: what is due */
    int64_t interval_ns; /* until the next request */
    bool pcie_rates;     /* also the throughput that costs 20 ms a direction */
    bool everything;     /* whatever was read when: one-shot output */
    bool watch;          /* more requests follow: for Xid errors between them */
    uint32_t bus_gpus;   /* that the driver holds: NVML never notices another one by itself */
};

void nvml_request_write(const struct nvml_request *request, char *line, size_t size);
/* False when malformed or of another version. */
bool nvml_request_read(struct raw_text line, struct nvml_request *request);

/* One answer. The helper grows the arrays (base/vector.h); a reader gets them in its arena. */
struct nvml_answer {
    struct nvml_opening opening;
    struct {
        struct adapter_reading *items;
        size_t count, capacity;
    } adapters;
    struct {
        struct nvml_listed_process *items;
        size_t count, capacity;
    } listed;
    struct {
        struct nvml_process_sample *items;
        size_t count, capacity;
    } samples;
    struct {
        struct raw_text *items;
        size_t count, capacity;
    } notes; /* for people */
};

/* Writes all lines, without "end". What exceeds the limits above is cut off, and a note says so. */
void nvml_answer_write(const struct nvml_answer *answer, struct record_lines *lines);
/* Reads all lines. False when anything is malformed or beyond a limit: then nothing of it counts.
 */
bool nvml_answer_read(struct raw_text lines, struct arena *arena, struct nvml_answer *answer);

#endif
