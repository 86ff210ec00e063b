#include "gpu/nvml/nvml_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"

enum { ROOM_FIRST = 100, ROOM_MAX = 65536, ROOM_SPARE = 8, TRIES = 8 };

static const int64_t window_us = 1000000;
/* Our "now" was taken before the request; the first initialisation takes seconds. */
static const int64_t future_grace_us = 60000000;

uint64_t nvml_window_since(struct nvml_window *window, int64_t now_us)
{
    uint64_t now = now_us > 0 ? (uint64_t)now_us : 0;
    if (window->last_seen_us == 0 || now < window->last_seen_us)
        window->last_seen_us = now > (uint64_t)window_us ? now - (uint64_t)window_us : 0;
    return window->last_seen_us;
}

void nvml_window_seen(struct nvml_window *window, uint64_t newest_us, int64_t now_us)
{
    uint64_t now = now_us > 0 ? (uint64_t)now_us : 0;
    if (newest_us > now)
        newest_us = now;
    if (newest_us > window->last_seen_us)
        window->last_seen_us = newest_us;
}

static bool stamp_is_credible(const struct nvml_process_utilization *sample, int64_t now_us)
{
    return now_us > INT64_MAX - future_grace_us ||
           sample->stamp_us <= (uint64_t)(now_us + future_grace_us);
}

static bool is_credible(const struct nvml_process_utilization *sample, int64_t now_us)
{
    return sample->sm <= 100 && sample->memory <= 100 && sample->encode <= 100 &&
           sample->decode <= 100 && sample->jpeg <= 100 && sample->ofa <= 100 &&
           stamp_is_credible(sample, now_us);
}

static int by_pid_and_stamp(const void *left, const void *right)
{
    const struct nvml_process_utilization *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->stamp_us < b->stamp_us ? -1 : a->stamp_us > b->stamp_us;
}

static struct measured percent(uint32_t value, bool credible)
{
    return credible ? measured_known(value) : measured_unknown(REASON_incredible_value);
}

static struct nvml_process_sample make_sample(const struct nvml_process_utilization *from,
                                              int64_t now_us, bool has_media)
{
    bool credible = is_credible(from, now_us);
    struct nvml_process_sample sample = {
        .pid = from->pid,
        .stamp_us = from->stamp_us <= INT64_MAX ? (int64_t)from->stamp_us : INT64_MAX,
        .sm = percent(from->sm, credible),
        .memory = percent(from->memory, credible),
        .encode = percent(from->encode, credible),
        .decode = percent(from->decode, credible),
        .jpeg = measured_unknown(REASON_not_supported),
        .ofa = measured_unknown(REASON_not_supported),
    };
    if (has_media) {
        sample.jpeg = percent(from->jpeg, credible);
        sample.ofa = percent(from->ofa, credible);
    }
    return sample;
}

size_t nvml_samples_newest(struct nvml_process_utilization *samples, size_t count, int64_t now_us,
                           bool has_media, struct nvml_process_sample *out)
{
    size_t written = 0;
    qsort(samples, count, sizeof *samples, by_pid_and_stamp);
    for (size_t first = 0, next; first < count; first = next) {
        size_t newest = first;
        for (next = first; next < count && samples[next].pid == samples[first].pid; next++)
            if (stamp_is_credible(&samples[next], now_us))
                newest = next;
        if (samples[first].pid != 0)
            out[written++] = make_sample(&samples[newest], now_us, has_media);
    }
    return written;
}

/* One call of whichever function the driver has. */
static int fetch(struct nvml_calls *calls, void *handle, uint64_t since_us, uint32_t *count,
                 struct nvml_process_utilization *samples, bool *has_media)
{
    int status;
    uint32_t room = *count;
    *has_media = nvml_call_is_open(calls, NVML_FUNCTION_processes_utilization);
    if (*has_media) {
        struct nvml_processes_utilization request = {
            .version = NVML_STRUCT_VERSION(struct nvml_processes_utilization, 1),
            .count = room,
            .last_seen_us = since_us,
            .samples = samples};
        NVML_CALL(status, calls, processes_utilization, handle, &request);
        *count = request.count;
        if (nvml_call_is_open(calls, NVML_FUNCTION_processes_utilization))
            return status;
        *has_media = false;
    }
    struct nvml_process_sample_v1 *older =
        samples != NULL ? memory_grow(NULL, room, sizeof *older) : NULL;
    *count = room;
    NVML_CALL(status, calls, process_utilization, handle, older, count, since_us);
    for (uint32_t i = 0; older != NULL && status == NVML_OK && i < *count && i < room; i++)
        samples[i] = (struct nvml_process_utilization){.stamp_us = older[i].stamp_us,
                                                       .pid = older[i].pid,
                                                       .sm = older[i].sm,
                                                       .memory = older[i].memory,
                                                       .encode = older[i].encode,
                                                       .decode = older[i].decode};
    free(older);
    return status;
}

/* How much room the driver wants: it says so with code 7, idle or not. */
static int ask_room(struct nvml_window *window, struct nvml_calls *calls, void *handle,
                    uint64_t since_us)
{
    bool has_media;
    uint32_t count = 0;
    int status = fetch(calls, handle, since_us, &count, NULL, &has_media);
    if (status != NVML_INSUFFICIENT_SIZE && status != NVML_NOT_FOUND && status != NVML_OK)
        return status;
    window->room = ROOM_FIRST;
    if (status == NVML_INSUFFICIENT_SIZE && count > ROOM_FIRST && count <= ROOM_MAX)
        window->room = count;
    return NVML_OK;
}

static void append(struct nvml_answer *answer, struct nvml_process_utilization *samples,
                   size_t count, int64_t wall_us, bool has_media, const char *adapter_id)
{
    struct nvml_process_sample *newest = memory_grow(NULL, count, sizeof *newest);
    size_t kept = nvml_samples_newest(samples, count, wall_us, has_media, newest);
    for (size_t i = 0; i < kept; i++) {
        memcpy(newest[i].adapter_id, adapter_id, sizeof newest[i].adapter_id);
        VECTOR_PUSH(&answer->samples, newest[i]);
    }
    free(newest);
}

int nvml_samples_read(struct nvml_window *window, struct nvml_calls *calls, void *handle,
                      int64_t wall_us, const char *adapter_id, struct nvml_answer *answer)
{
    uint64_t since_us = nvml_window_since(window, wall_us);
    int status = window->room == 0 ? ask_room(window, calls, handle, since_us) : NVML_OK;
    if (status != NVML_OK)
        return status;
    for (int i = 0; i < TRIES; i++) {
        uint32_t count = window->room;
        struct nvml_process_utilization *samples =
            memory_new((size_t)window->room * sizeof *samples);
        bool has_media;
        status = fetch(calls, handle, since_us, &count, samples, &has_media);
        if (status == NVML_OK && count > window->room)
            status = NVML_UNKNOWN;
        if (status == NVML_OK && count > 0) {
            uint64_t newest_us = 0;
            for (uint32_t k = 0; k < count; k++)
                newest_us = samples[k].stamp_us > newest_us ? samples[k].stamp_us : newest_us;
            nvml_window_seen(window, newest_us, wall_us);
            append(answer, samples, count, wall_us, has_media, adapter_id);
        }
        free(samples);
        if (status != NVML_INSUFFICIENT_SIZE)
            break;
        uint32_t more = count > window->room ? count : window->room;
        if (more > ROOM_MAX - ROOM_SPARE)
            break;
        window->room = more + ROOM_SPARE;
    }
    return status == NVML_NOT_FOUND ? NVML_OK : status;
}
