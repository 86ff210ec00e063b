#include "gpu/rocdxg/rocdxg_serve.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "gpu/helper/serve.h"
#include "gpu/rocdxg/rocdxg_device.h"
#include "gpu/rocdxg/rocdxg_lines.h"

/* What is refused, or has lost its connection to Windows (a driver that was restarted there), is
 * tried again rarely. */
static const int64_t patience_ns = 30000000000;

struct session {
    struct rocdxg_library library;
    struct rocdxg_opening opening;
    int64_t tried_at_ns; /* running clock; INT64_MIN: never */
    struct rocdxg_device devices[ROCDXG_DEVICES_MAX];
    size_t device_count;
};

static void close_session(struct session *session)
{
    session->device_count = 0;
    rocdxg_library_close(&session->library);
}

static void open_session(struct session *session, int64_t now_ns)
{
    uint32_t nodes[ROCDXG_DEVICES_MAX];
    size_t count;
    session->tried_at_ns = now_ns;
    if (!rocdxg_library_open(&session->library, getenv("GPUTASKMAN_ROCDXG"), &session->opening,
                             nodes, &count)) {
        close_session(session);
        return;
    }
    for (size_t i = 0; i < count; i++)
        rocdxg_device_start(&session->devices[i], &session->library, nodes[i], (int32_t)i);
    session->device_count = count;
}

static bool is_cut_off(const struct session *session)
{
    for (size_t i = 0; i < session->device_count; i++) {
        const struct measured *total = &session->devices[i].said.vram_total_bytes;
        if (total->known || total->why_not != REASON_call_failed)
            return false;
    }
    return true;
}

static void answer(void *context, const char *line, struct record_lines *lines)
{
    struct session *session = context;
    struct rocdxg_request request;
    if (!rocdxg_request_read(raw_from_string(line), &request))
        return;
    bool due = session->tried_at_ns == INT64_MIN || request.running_ns < session->tried_at_ns ||
               request.running_ns - session->tried_at_ns >= patience_ns;
    if (due && is_cut_off(session)) {
        close_session(session);
        open_session(session, request.running_ns);
    }
    struct rocdxg_answer answer = {.opening = session->opening,
                                   .adapter_count = session->device_count};
    for (size_t i = 0; i < session->device_count; i++) {
        rocdxg_device_read(&session->devices[i], &session->library, request.running_ns,
                           request.everything);
        answer.adapters[i] = &session->devices[i].said;
    }
    rocdxg_answer_write(&answer, lines);
}

int rocdxg_serve(void)
{
    struct session *session = memory_new(sizeof *session);
    session->tried_at_ns = INT64_MIN;
    int status = serve_requests(answer, session);
    close_session(session);
    free(session);
    return status;
}
