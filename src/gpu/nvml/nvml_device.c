#include "gpu/helper/adapter_line.h"
#include "gpu/nvml/nvml_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

/* A lost device is asked rarely: each call to it may hang or take locks. */
static const int64_t lost_patience_ns = 10000000000;

static const int64_t periods_ns[NVML_CADENCE_COUNT] = {
#define CADENCE(name, milliseconds) [NVML_CADENCE_##name] = (int64_t)(milliseconds)*1000000,
#include "gpu/nvml/cadence.def"
#undef CADENCE
};

struct nvml_device *nvml_device_new(uint32_t index)
{
    struct nvml_device *device = memory_new(sizeof *device);
    device->index = index;
    device->said.driver_index = (int32_t)index;
    /* Until it says otherwise: most are, and one that never answers keeps its place among them. */
    device->said.kind = ADAPTER_DISCRETE;
    device->said.kind_is_inferred = true;
    device->handle_asked_ns = INT64_MIN;
    return device;
}

void nvml_device_free(struct nvml_device **device)
{
    if (*device == NULL)
        return;
    nvml_device_forget_instances(*device);
    for (int i = 0; i < NVML_LIST_COUNT; i++)
        nvml_list_free(&(*device)->lists[i]);
    free(*device);
    *device = NULL;
}

bool nvml_device_is_due(struct nvml_device *device, enum nvml_cadence cadence,
                        const struct nvml_request *request)
{
    int64_t read_at_ns = device->read_at_ns[cadence], now_ns = request->running_ns;
    /* Refreshes do not come to the nanosecond: one that is nearly due is due. */
    int64_t early_ns = request->interval_ns > 0 ? request->interval_ns / 4 : 0;
    bool due = request->everything || read_at_ns == INT64_MIN || now_ns < read_at_ns ||
               now_ns - read_at_ns >= periods_ns[cadence] - early_ns;
    if (due)
        device->read_at_ns[cadence] = now_ns;
    return due;
}

/* Forgets all that an old handle said, but for the identity: the row keeps its name. */
static void start_anew(struct nvml_device *device, const struct nvml_functions *functions)
{
    nvml_calls_start(&device->calls, functions);
    nvml_device_forget_instances(device);
    for (int i = 0; i < NVML_CADENCE_COUNT; i++)
        device->read_at_ns[i] = INT64_MIN;
    device->graphics_seen_ns = INT64_MIN;
    device->identified = device->kind_known = false;
    device->said.unified = false;
    device->mig_on = device->video_busy = device->other_engines_busy = false;
    device->watch_tried = false;
    device->watched = NULL;
    device->window = (struct nvml_window){0};
    device->pcie = (struct nvml_pcie){0};
}

static void lose_handle(struct nvml_device *device, int code, int64_t now_ns)
{
    device->handle = NULL;
    device->handle_code = code;
    device->handle_asked_ns = now_ns;
    nvml_device_forget_instances(device);
}

static void get_handle(struct nvml_device *device, struct nvml_calls *library, int64_t now_ns)
{
    void *handle = NULL;
    int status;
    /* Another device's loss must not close the library's own functions. */
    library->lost_code = 0;
    NVML_CALL(status, library, handle_by_index, device->index, &handle);
    library->lost_code = 0;
    device->handle_asked_ns = now_ns;
    device->handle_code = status == NVML_OK && handle == NULL ? NVML_UNKNOWN : status;
    device->handle = device->handle_code == NVML_OK ? handle : NULL;
    if (device->handle != NULL)
        start_anew(device, library->functions);
}

static bool handle_is_due(const struct nvml_device *device, int64_t now_ns)
{
    return device->handle == NULL &&
           (device->handle_asked_ns == INT64_MIN || now_ns < device->handle_asked_ns ||
            now_ns - device->handle_asked_ns >= lost_patience_ns);
}

static bool is_lost_code(int code)
{
    return code == NVML_GPU_IS_LOST || code == NVML_RESET_REQUIRED || code == NVML_UNKNOWN;
}

/* Without a handle: 15, 16 and 999 mean that the device is gone; anything else that it cannot be
 * reached from here. */
static void set_unreachable(struct nvml_device *device)
{
    bool lost = is_lost_code(device->handle_code);
    enum reason reason = lost ? REASON_device_lost : nvml_reason(device->handle_code);
    device->said.power_state = lost ? POWER_LOST : POWER_UNKNOWN;
    adapter_line_set_unknown(&device->said, reason);
}

void nvml_device_read(struct nvml_device *device, struct nvml_calls *library,
                      const struct nvml_request *request, struct nvml_answer *answer)
{
    size_t listed = answer->listed.count, samples = answer->samples.count;
    if (handle_is_due(device, request->running_ns))
        get_handle(device, library, request->running_ns);
    if (device->handle != NULL) {
        device->said.power_state = POWER_ACTIVE;
        device->said.figures_why_not = REASON_not_reported;
        if (!device->identified)
            nvml_device_identify(device);
        if (device->said.id[0] == '\0')
            snprintf(device->said.id, sizeof device->said.id, "nvml:%" PRIu32, device->index);
        nvml_device_read_mig(device, request);
        nvml_device_read_figures(device, request);
        nvml_device_read_processes(device, request, answer);
        if (device->calls.lost_code != 0)
            lose_handle(device, device->calls.lost_code, request->running_ns);
    }
    if (device->handle == NULL) {
        answer->listed.count = listed;
        answer->samples.count = samples;
        set_unreachable(device);
    }
}
