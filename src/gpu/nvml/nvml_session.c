#include "gpu/nvml/nvml_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "gpu/nvml/nvml_device.h"
#include "gpu/nvml/nvml_events.h"

/* A refused library is tried again rarely: a driver update may be in progress. */
static const int64_t refused_patience_ns = 30000000000;

struct nvml_session {
    char only[NVML_PATH_SIZE];
    struct nvml_library library;
    bool is_open;
    bool is_forgotten;   /* a call answered that NVML is not initialised */
    int64_t tried_at_ns; /* INT64_MIN: never */
    uint32_t bus_gpus;   /* when it was opened */
    struct nvml_device *devices[NVML_ADAPTERS_MAX];
    size_t device_count;
    struct nvml_events events;
    struct nvml_answer answer;
};

struct nvml_session *nvml_session_new(const char *only)
{
    struct nvml_session *session = memory_new(sizeof *session);
    snprintf(session->only, sizeof session->only, "%s", only != NULL ? only : "");
    session->tried_at_ns = INT64_MIN;
    return session;
}

static void close_library(struct nvml_session *session)
{
    for (size_t i = 0; i < session->device_count; i++)
        nvml_device_free(&session->devices[i]);
    session->device_count = 0;
    nvml_events_close(&session->events, &session->library.calls);
    nvml_library_close(&session->library);
    session->is_open = false;
}

void nvml_session_free(struct nvml_session **session)
{
    if (*session == NULL)
        return;
    close_library(*session);
    struct nvml_answer *answer = &(*session)->answer;
    VECTOR_FREE(&answer->adapters);
    VECTOR_FREE(&answer->listed);
    VECTOR_FREE(&answer->samples);
    VECTOR_FREE(&answer->notes);
    free(*session);
    *session = NULL;
}

/* NVML counts its devices once it is initialised; the indexes stay for its life. */
static bool find_devices(struct nvml_session *session)
{
    struct nvml_opening *opening = &session->answer.opening;
    uint32_t count = 0;
    int status;
    NVML_CALL(status, &session->library.calls, device_count, &count);
    if (status != NVML_OK) {
        opening->code = status;
        snprintf(opening->words, sizeof opening->words, "the device count could not be read: %s",
                 nvml_code_words(status));
        return false;
    }
    session->device_count = count < NVML_ADAPTERS_MAX ? count : NVML_ADAPTERS_MAX;
    for (size_t i = 0; i < session->device_count; i++)
        session->devices[i] = nvml_device_new((uint32_t)i);
    return true;
}

/* A GPU that was plugged in, or taken away, is only seen by a library that is opened anew. */
static void open_library(struct nvml_session *session, const struct nvml_request *request)
{
    int64_t now_ns = request->running_ns;
    bool due = session->tried_at_ns == INT64_MIN || now_ns < session->tried_at_ns ||
               now_ns - session->tried_at_ns >= refused_patience_ns;
    bool outdated = session->is_forgotten || request->bus_gpus != session->bus_gpus;
    if (session->is_open && outdated && due)
        close_library(session);
    if (session->is_open || !due)
        return;
    session->tried_at_ns = now_ns;
    session->bus_gpus = request->bus_gpus;
    session->is_open =
        nvml_library_open(&session->library, session->only, &session->answer.opening) &&
        find_devices(session);
    if (!session->is_open)
        close_library(session);
}

static void add_adapter(struct nvml_session *session, const struct adapter_reading *said)
{
    struct adapter_reading adapter = *said;
    adapter.source = NULL;
    adapter.vendor = raw_from_string("nvidia");
    adapter.driver = raw_from_string("nvidia");
    if (session->answer.opening.driver_version[0] != '\0')
        adapter.driver_version = raw_from_string(session->answer.opening.driver_version);
    VECTOR_PUSH(&session->answer.adapters, adapter);
}

static void add_note(struct nvml_session *session, const char *note)
{
    if (note[0] != '\0')
        VECTOR_PUSH(&session->answer.notes, raw_from_string(note));
}

/* Events tell only what happens from now on: nothing that a single picture could show. */
static void watch(struct nvml_session *session, struct nvml_device *device,
                  const struct nvml_request *request)
{
    if (request->watch)
        nvml_events_watch(&session->events, &session->library.calls, device);
    nvml_events_say(&session->events, device);
}

const struct nvml_answer *nvml_session_answer(struct nvml_session *session,
                                              const struct nvml_request *request)
{
    struct nvml_answer *answer = &session->answer;
    bool uninitialized = false;
    answer->adapters.count = answer->listed.count = 0;
    answer->samples.count = answer->notes.count = 0;
    open_library(session, request);
    nvml_events_read(&session->events, &session->library.calls, session->devices,
                     session->device_count);
    for (size_t i = 0; i < session->device_count; i++) {
        struct nvml_device *device = session->devices[i];
        nvml_device_read(device, &session->library.calls, request, answer);
        watch(session, device, request);
        add_adapter(session, &device->said);
        for (size_t k = 0; k < device->instance_count; k++)
            add_adapter(session, &device->instances[k]->said);
        add_note(session, device->note);
        add_note(session, device->mig_note);
        uninitialized = uninitialized || device->calls.uninitialized;
    }
    session->is_forgotten = uninitialized;
    return answer;
}
