#include <string.h>

#include "base/vector.h"
#include "gpu/nvml/nvml_device.h"

/* A graphics list that had an entry in the last 10 s is read in every refresh. */
static const int64_t graphics_memory_ns = 10000000000;

static void list_process(struct nvml_answer *answer, const char *adapter_id, enum nvml_list which,
                         const struct nvml_list_entry *entry)
{
    struct nvml_listed_process process = {
        .list = which, .pid = entry->pid, .memory_bytes = entry->memory_bytes};
    memcpy(process.adapter_id, adapter_id, sizeof process.adapter_id);
    VECTOR_PUSH(&answer->listed, process);
}

static bool is_due(struct nvml_device *device, enum nvml_list which,
                   const struct nvml_request *request)
{
    const struct nvml_process_list *list = &device->lists[which];
    bool failed = list->status != NVML_OK;
    switch (which) {
    case NVML_LIST_GRAPHICS: {
        bool quiet = nvml_device_is_due(device, NVML_CADENCE_quiet_graphics_list, request);
        return quiet || failed || device->display_active ||
               (device->graphics_seen_ns != INT64_MIN &&
                request->running_ns - device->graphics_seen_ns < graphics_memory_ns);
    }
    case NVML_LIST_MPS:
        return nvml_device_is_due(device, NVML_CADENCE_mps_list, request) || list->count > 0;
    default:
        return true;
    }
}

static uint64_t total_of(const struct adapter_reading *said)
{
    return said->vram_total_bytes.known ? (uint64_t)said->vram_total_bytes.value : 0;
}

static struct nvml_instance *instance_of(const struct nvml_device *device,
                                         const struct nvml_list_entry *entry)
{
    for (size_t i = 0; i < device->instance_count; i++)
        if (device->instances[i]->gpu_instance == entry->gpu_instance &&
            device->instances[i]->compute_instance == entry->compute_instance)
            return device->instances[i];
    return NULL;
}

static void set_list_state(struct adapter_reading *said, enum nvml_list which, int status)
{
    bool unknown = status != NVML_OK;
    enum reason why_not = unknown ? nvml_list_reason(status) : REASON_not_reported;
    if (which == NVML_LIST_COMPUTE) {
        said->compute_list_unknown = unknown;
        said->compute_list_why_not = why_not;
    } else if (which == NVML_LIST_GRAPHICS) {
        said->graphics_list_unknown = unknown;
        said->graphics_list_why_not = why_not;
    }
}

/* The parent's list names each entry's instance, where that is permitted. */
static bool names_instances(const struct nvml_process_list *list)
{
    if (list->status != NVML_OK)
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].gpu_instance == NVML_NO_INSTANCE)
            return false;
    return true;
}

static void read_instance_list(struct nvml_instance *instance, enum nvml_list which,
                               struct nvml_answer *answer)
{
    struct nvml_process_list list = {0};
    nvml_list_read(&list, &instance->calls, instance->handle, which, total_of(&instance->said));
    set_list_state(&instance->said, which, list.status);
    for (size_t i = 0; i < list.count; i++)
        list_process(answer, instance->said.id, which, &list.items[i]);
    nvml_list_free(&list);
}

static bool is_listed_between(const struct nvml_answer *answer, size_t first, size_t after,
                              uint32_t pid)
{
    for (size_t i = first; i < after; i++)
        if (answer->listed.items[i].pid == pid)
            return true;
    return false;
}

/* A process is listed once, under its instance. */
static void list_with_instances(struct nvml_device *device, enum nvml_list which,
                                struct nvml_answer *answer)
{
    const struct nvml_process_list *list = &device->lists[which];
    bool named = names_instances(list);
    size_t first = answer->listed.count;
    for (size_t i = 0; i < device->instance_count; i++) {
        if (named)
            set_list_state(&device->instances[i]->said, which, NVML_OK);
        else
            read_instance_list(device->instances[i], which, answer);
    }
    size_t after = answer->listed.count;
    for (size_t i = 0; i < list->count; i++) {
        const struct nvml_list_entry *entry = &list->items[i];
        const struct nvml_instance *instance = instance_of(device, entry);
        if (!is_listed_between(answer, first, after, entry->pid))
            list_process(answer, instance != NULL ? instance->said.id : device->said.id, which,
                         entry);
    }
}

static void read_list(struct nvml_device *device, enum nvml_list which,
                      const struct nvml_request *request, struct nvml_answer *answer)
{
    struct nvml_process_list *list = &device->lists[which];
    if (is_due(device, which, request)) {
        nvml_list_read(list, &device->calls, device->handle, which, total_of(&device->said));
        if (which == NVML_LIST_GRAPHICS && list->count > 0)
            device->graphics_seen_ns = request->running_ns;
    }
    set_list_state(&device->said, which, list->status);
    if (device->instance_count > 0) {
        list_with_instances(device, which, answer);
        return;
    }
    for (size_t i = 0; i < list->count; i++)
        list_process(answer, device->said.id, which, &list->items[i]);
}

static void read_samples(struct nvml_device *device, const struct nvml_request *request,
                         struct nvml_answer *answer)
{
    struct adapter_reading *said = &device->said;
    said->process_load_answered = false;
    said->process_load_why_not = REASON_mig_enabled;
    if (device->mig_on)
        return;
    size_t first = answer->samples.count;
    int status = nvml_samples_read(&device->window, &device->calls, device->handle,
                                   request->wall_us, said->id, answer);
    said->process_load_answered = status == NVML_OK;
    said->process_load_why_not = status == NVML_OK ? REASON_not_reported : nvml_reason(status);
    for (size_t i = first; i < answer->samples.count; i++)
        if (answer->samples.items[i].encode.value > 0 || answer->samples.items[i].decode.value > 0)
            device->video_busy = true;
}

void nvml_device_read_processes(struct nvml_device *device, const struct nvml_request *request,
                                struct nvml_answer *answer)
{
    read_list(device, NVML_LIST_COMPUTE, request, answer);
    read_list(device, NVML_LIST_GRAPHICS, request, answer);
    read_list(device, NVML_LIST_MPS, request, answer);
    read_samples(device, request, answer);
}
