#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/nvml/nvml_device.h"

/* Instances come after all devices in the driver's order. */
enum { INSTANCE_ORDER = NVML_ADAPTERS_MAX };

void nvml_device_forget_instances(struct nvml_device *device)
{
    for (size_t i = 0; i < device->instance_count; i++)
        free(device->instances[i]);
    device->instance_count = 0;
}

static void read_instance_names(struct nvml_instance *instance, const struct nvml_device *device)
{
    int status;
    NVML_CALL(status, &instance->calls, name, instance->handle, instance->name,
              sizeof instance->name - 1);
    if (status != NVML_OK || instance->name[0] == '\0')
        snprintf(instance->name, sizeof instance->name, "%.80s MIG", device->name);
    NVML_CALL(status, &instance->calls, uuid, instance->handle, instance->uuid,
              sizeof instance->uuid - 1);
    if (status != NVML_OK || instance->uuid[0] == '\0')
        /* The form that drivers before R470.82 used. */
        snprintf(instance->uuid, sizeof instance->uuid, "MIG-%.44s/%" PRIu32 "/%" PRIu32,
                 device->uuid, instance->gpu_instance, instance->compute_instance);
}

static struct nvml_instance *instance_new(const struct nvml_device *device, void *handle,
                                          uint32_t index)
{
    struct nvml_instance *instance = memory_new(sizeof *instance);
    struct adapter_reading *said = &instance->said;
    int status;
    instance->handle = handle;
    nvml_calls_start(&instance->calls, device->calls.functions);
    instance->gpu_instance = instance->compute_instance = NVML_NO_INSTANCE;
    NVML_CALL(status, &instance->calls, gpu_instance, handle, &instance->gpu_instance);
    NVML_CALL(status, &instance->calls, compute_instance, handle, &instance->compute_instance);
    (void)status;
    read_instance_names(instance, device);
    snprintf(said->id, sizeof said->id, "uuid:%.58s", instance->uuid);
    memcpy(said->parent_id, device->said.id, sizeof said->parent_id);
    said->driver_index = (int32_t)(INSTANCE_ORDER + device->index * NVML_INSTANCES_MAX + index);
    said->name = raw_from_string(instance->name);
    said->uuid = raw_from_string(instance->uuid);
    said->kind = ADAPTER_MIG;
    said->power_state = POWER_ACTIVE;
    adapter_line_set_unknown(said, REASON_mig_enabled);
    said->figures_why_not = REASON_not_reported;
    return instance;
}

/* Indexes may have holes: 6 is not the end. */
static void find_instances(struct nvml_device *device)
{
    uint32_t most = 0;
    int status;
    nvml_device_forget_instances(device);
    NVML_CALL(status, &device->calls, max_mig_count, device->handle, &most);
    if (status != NVML_OK || most == 0 || most > NVML_INSTANCES_MAX)
        most = NVML_INSTANCES_MAX;
    for (uint32_t i = 0; i < most; i++) {
        void *handle = NULL;
        NVML_CALL(status, &device->calls, mig_handle, device->handle, i, &handle);
        if (status == NVML_OK && handle != NULL)
            device->instances[device->instance_count++] = instance_new(device, handle, i);
    }
}

static void set_mode(struct nvml_device *device, bool on)
{
    if (on == device->mig_on)
        return;
    device->mig_on = on;
    /* What a device supports depends on the mode. */
    int lost_code = device->calls.lost_code;
    nvml_calls_start(&device->calls, device->calls.functions);
    device->calls.lost_code = lost_code;
    for (int i = 0; i < NVML_CADENCE_COUNT; i++)
        if (i != NVML_CADENCE_mig_mode)
            device->read_at_ns[i] = INT64_MIN;
}

static void read_mode(struct nvml_device *device)
{
    uint32_t current = 0, pending = 0;
    int status;
    NVML_CALL(status, &device->calls, mig_mode, device->handle, &current, &pending);
    device->mig_note[0] = '\0';
    if (status == NVML_OK) {
        set_mode(device, current == 1);
        if (pending != current)
            snprintf(device->mig_note, sizeof device->mig_note,
                     "GPU %" PRIu32 ": a change of the MIG mode is pending", device->index);
    } else if (!nvml_call_is_open(&device->calls, NVML_FUNCTION_mig_mode)) {
        set_mode(device, false);
    }
}

void nvml_device_read_mig(struct nvml_device *device, const struct nvml_request *request)
{
    if (nvml_device_is_due(device, NVML_CADENCE_mig_mode, request)) {
        read_mode(device);
        if (device->mig_on)
            find_instances(device);
        else
            nvml_device_forget_instances(device);
    }
    for (size_t i = 0; i < device->instance_count; i++) {
        struct nvml_instance *instance = device->instances[i];
        nvml_read_memory(&instance->calls, instance->handle, &instance->said);
        if (instance->calls.lost_code != 0)
            device->calls.lost_code = instance->calls.lost_code;
    }
}
