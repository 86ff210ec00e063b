#include "gpu/nvml/nvml_events.h"

/* A storm of errors goes on in the next refresh. */
enum { READ_AT_ONCE_MAX = 64 };

static void make_set(struct nvml_events *events, struct nvml_calls *library)
{
    void *set = NULL;
    NVML_CALL(events->code, library, event_set_create, &set);
    events->set = events->code == NVML_OK ? set : NULL;
    if (events->set == NULL && events->code == NVML_OK)
        events->code = NVML_UNKNOWN;
}

void nvml_events_watch(struct nvml_events *events, struct nvml_calls *library,
                       struct nvml_device *device)
{
    if (device->handle == NULL || device->watch_tried)
        return;
    device->watch_tried = true;
    if (events->set == NULL && events->code == 0)
        make_set(events, library);
    if (events->set == NULL)
        return;
    NVML_CALL(device->watch_code, &device->calls, register_events, device->handle, NVML_EVENT_XID,
              events->set);
    if (device->watch_code == NVML_OK)
        device->watched = device->handle;
}

static bool is_any_watched(struct nvml_device *const *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (devices[i]->watched != NULL)
            return true;
    return false;
}

static void note(const struct nvml_event_data *event, struct nvml_device *const *devices,
                 size_t count)
{
    if ((event->type & NVML_EVENT_XID) == 0 || event->data == 0 || event->data > UINT32_MAX)
        return;
    for (size_t i = 0; i < count; i++)
        if (event->device != NULL && devices[i]->watched == event->device) {
            devices[i]->xid_last = (int64_t)event->data;
            devices[i]->xid_count++;
        }
}

void nvml_events_read(struct nvml_events *events, struct nvml_calls *library,
                      struct nvml_device *const *devices, size_t count)
{
    int status = NVML_OK;
    if (events->set == NULL || !is_any_watched(devices, count))
        return;
    for (int i = 0; i < READ_AT_ONCE_MAX && status == NVML_OK; i++) {
        struct nvml_event_data event = {0};
        NVML_CALL(status, library, event_wait, events->set, &event, 0);
        if (status == NVML_OK)
            note(&event, devices, count);
    }
    /* One device's loss is not the set's end, and must not close the library's own functions. */
    library->lost_code = 0;
    bool works = status == NVML_OK || status == NVML_TIMEOUT || status == NVML_GPU_IS_LOST;
    if (!works) {
        nvml_events_close(events, library);
        events->code = status;
    }
}

void nvml_events_close(struct nvml_events *events, struct nvml_calls *library)
{
    int status;
    if (events->set != NULL)
        NVML_CALL(status, library, event_set_free, events->set);
    *events = (struct nvml_events){0};
}

void nvml_events_say(const struct nvml_events *events, struct nvml_device *device)
{
    struct said *last = &device->said.xid_last, *count = &device->said.xid_count;
    if (device->xid_count > 0) {
        *last = said_measured(device->xid_last);
        *count = said_measured(device->xid_count);
        return;
    }
    if (device->handle == NULL)
        return; /* it is lost, and all of it unknown */
    *last = device->watch_tried
                ? nvml_said(events->set == NULL ? events->code : device->watch_code, 0, 1, 0)
                : said_unknown(REASON_not_reported);
    *count = *last;
}
