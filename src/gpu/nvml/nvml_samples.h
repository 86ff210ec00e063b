/* Load samples of processes. The driver keeps about ten seconds of them in a small ring, each
 * naming one pid an engine and tick, stamped with the CPU's wall clock; it gives those newer than a
 * stamp we name. */
#ifndef GPU_NVML_SAMPLES_H
#define GPU_NVML_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/nvml/nvml_call.h"
#include "gpu/nvml/nvml_lines.h"
#include "reading/nvml_process.h"

/* Where the next call begins, for one device. */
struct nvml_window {
    uint64_t last_seen_us; /* newest stamp over all entries so far, never past "now"; 0: none yet */
    uint32_t room;         /* entries to offer; 0: not asked yet */
};

/* The stamp to ask from: the last one seen; a second ago at first and after the clock was set back.
 */
uint64_t nvml_window_since(struct nvml_window *window, int64_t now_us);
/* Moves on to the newest stamp of an answer; one from the future counts as now, or it would silence
 * the device for ever. */
void nvml_window_seen(struct nvml_window *window, uint64_t newest_us, int64_t now_us);

/* The newest sample of each pid, without pid 0. A newest sample with a field above 100, or alone
 * with a stamp from the far future, is not credible: all its figures are incredible_value. Sorts
 * `samples`; returns how many it wrote to `out` (room for `count`). has_media: jpeg and ofa were
 * asked. Pure. */
size_t nvml_samples_newest(struct nvml_process_utilization *samples, size_t count, int64_t now_us,
                           bool has_media, struct nvml_process_sample *out);

/* Asks for the samples of a device and appends them to the answer. The code: NVML_OK also when
 * there was nothing new, which means that every listed process was idle. */
int nvml_samples_read(struct nvml_window *window, struct nvml_calls *calls, void *handle,
                      int64_t wall_us, const char *adapter_id, struct nvml_answer *answer);

#endif
