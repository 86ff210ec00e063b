#include "gpu/nvml/nvml_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"

/* The largest pid of Linux: PID_MAX_LIMIT. Instance ids are small; anything else is another field.
 */
enum { PID_LARGEST = 4194304, INSTANCE_LARGEST = 1024, ROOM_FIRST = 56, ROOM_SPARE = 8 };

void nvml_list_free(struct nvml_process_list *list)
{
    VECTOR_FREE(list);
}

enum reason nvml_list_reason(int status)
{
    return status == NVML_UNEXPECTED_LAYOUT ? REASON_incredible_value : nvml_reason(status);
}

static uint32_t word_at(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t long_at(const unsigned char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

struct nvml_list_entry nvml_list_decode(const unsigned char *element, size_t size)
{
    struct nvml_list_entry entry = {.pid = word_at(element),
                                    .memory_bytes = measured_unknown(REASON_not_reported),
                                    .gpu_instance = NVML_NO_INSTANCE,
                                    .compute_instance = NVML_NO_INSTANCE};
    uint64_t used = long_at(element + offsetof(struct nvml_process_info_v1, used_bytes));
    if (used <= INT64_MAX)
        entry.memory_bytes = measured_known((int64_t)used);
    if (size >= sizeof(struct nvml_process_info_v2)) {
        entry.gpu_instance = word_at(element + offsetof(struct nvml_process_info_v2, gpu_instance));
        entry.compute_instance =
            word_at(element + offsetof(struct nvml_process_info_v2, compute_instance));
    }
    return entry;
}

static bool instance_is_possible(uint32_t instance)
{
    return instance == NVML_NO_INSTANCE || instance <= INSTANCE_LARGEST;
}

bool nvml_list_is_plausible(const unsigned char *buffer, size_t size, size_t count, size_t element,
                            uint64_t total_bytes)
{
    if (count > size / element)
        return false;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = buffer + i * element;
        struct nvml_list_entry entry = nvml_list_decode(at, element);
        uint64_t used = long_at(at + offsetof(struct nvml_process_info_v1, used_bytes));
        if (entry.pid == 0 || entry.pid > PID_LARGEST ||
            !instance_is_possible(entry.gpu_instance) ||
            !instance_is_possible(entry.compute_instance))
            return false;
        if (used != NVML_VALUE_NOT_AVAILABLE &&
            (used > INT64_MAX || (total_bytes != 0 && used > total_bytes)))
            return false;
    }
    for (size_t i = count * element; i < size; i++)
        if (buffer[i] != NVML_LIST_PATTERN)
            return false;
    return true;
}

static const enum nvml_function functions[NVML_LIST_COUNT] = {
    [NVML_LIST_COMPUTE] = NVML_FUNCTION_compute_list,
    [NVML_LIST_GRAPHICS] = NVML_FUNCTION_graphics_list,
    [NVML_LIST_MPS] = NVML_FUNCTION_mps_list,
};

/* _v2 and _v3 write 24 bytes, the one without suffix 16. */
static size_t element_size(const struct nvml_calls *calls, enum nvml_list which)
{
    return calls->calls[functions[which]].generation + 1 < NVML_GENERATIONS
               ? sizeof(struct nvml_process_info_v2)
               : sizeof(struct nvml_process_info_v1);
}

static int call(struct nvml_calls *calls, void *handle, enum nvml_list which, uint32_t *count,
                void *buffer)
{
    int status = NVML_INVALID_ARGUMENT;
    uint32_t room = *count;
    switch (which) {
    case NVML_LIST_COMPUTE:
        NVML_CALL(status, calls, compute_list, handle, (*count = room, count), buffer);
        break;
    case NVML_LIST_GRAPHICS:
        NVML_CALL(status, calls, graphics_list, handle, (*count = room, count), buffer);
        break;
    case NVML_LIST_MPS:
        NVML_CALL(status, calls, mps_list, handle, (*count = room, count), buffer);
        break;
    case NVML_LIST_COUNT:
        break;
    }
    return status;
}

/* One call with room for list->room elements of any size; true when the answer is final. */
static bool try_once(struct nvml_process_list *list, struct nvml_calls *calls, void *handle,
                     enum nvml_list which, uint64_t total_bytes)
{
    size_t size = (size_t)list->room * NVML_PROCESS_INFO_LARGEST;
    unsigned char *buffer = memory_grow(NULL, list->room, NVML_PROCESS_INFO_LARGEST);
    memset(buffer, NVML_LIST_PATTERN, size);
    uint32_t count = list->room;
    int status = call(calls, handle, which, &count, buffer);
    bool final = true;
    if (status == NVML_INSUFFICIENT_SIZE) {
        uint32_t more = count > list->room ? count : list->room;
        final = more > NVML_LIST_ROOM_MAX - ROOM_SPARE;
        list->room = final ? list->room : more + ROOM_SPARE;
    } else if (status == NVML_OK) {
        size_t element = element_size(calls, which);
        if (nvml_list_is_plausible(buffer, size, count, element, total_bytes)) {
            for (size_t i = 0; i < count; i++)
                VECTOR_PUSH(list, nvml_list_decode(buffer + i * element, element));
        } else {
            status = NVML_UNEXPECTED_LAYOUT;
            final = !nvml_call_older(calls, functions[which]);
        }
    }
    list->status = status;
    free(buffer);
    return final;
}

void nvml_list_read(struct nvml_process_list *list, struct nvml_calls *calls, void *handle,
                    enum nvml_list which, uint64_t total_bytes)
{
    if (list->room == 0)
        list->room = ROOM_FIRST;
    list->count = 0;
    for (int i = 0; i < NVML_LIST_TRIES; i++)
        if (try_once(list, calls, handle, which, total_bytes))
            return;
}
