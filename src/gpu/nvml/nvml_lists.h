/* Process lists of NVML. The element's size depends on symbol and driver generation and has changed
 * without a new name, so that what a call wrote is checked before it is believed: the buffer has
 * room for the largest element ever seen and is filled with a pattern. */
#ifndef GPU_NVML_LISTS_H
#define GPU_NVML_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/nvml/nvml_call.h"
#include "reading/nvml_process.h"

enum {
    NVML_LIST_PATTERN = 0xA5,
    NVML_LIST_TRIES = 8,
    NVML_LIST_ROOM_MAX = 65536,
    /* Beside NVML's codes: the call succeeded and what it wrote is not what its name promises. */
    NVML_UNEXPECTED_LAYOUT = 100001
};

struct nvml_list_entry {
    uint32_t pid;
    struct measured memory_bytes;
    uint32_t gpu_instance, compute_instance; /* NVML_NO_INSTANCE without MIG */
};

struct nvml_process_list {
    int status; /* of the last call: NVML_OK, a code, or NVML_UNEXPECTED_LAYOUT */
    struct nvml_list_entry *items; /* of the last call; none when it failed */
    size_t count, capacity;
    uint32_t room; /* elements to offer in the next call */
};

void nvml_list_free(struct nvml_process_list *list);

/* Calls a list function and decodes its answer. total_bytes bounds a process's memory; 0: unknown.
 */
void nvml_list_read(struct nvml_process_list *list, struct nvml_calls *calls, void *handle,
                    enum nvml_list which, uint64_t total_bytes);

/* True when `count` elements of `element` bytes at the start of a patterned buffer make sense:
 * pids, memory and instances are possible, and nothing behind them was written. Pure. */
bool nvml_list_is_plausible(const unsigned char *buffer, size_t size, size_t count, size_t element,
                            uint64_t total_bytes);
/* Decodes one element of 16 or 24 bytes. Pure. */
struct nvml_list_entry nvml_list_decode(const unsigned char *element, size_t size);

/* Why the list is unknown. */
enum reason nvml_list_reason(int status);

#endif
