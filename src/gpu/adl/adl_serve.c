#include "gpu/adl/adl_serve.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "gpu/adl/adl_device.h"
#include "gpu/adl/adl_lines.h"
#include "gpu/helper/serve.h"

/* What is refused, or whose cards have gone (a driver that was restarted), is tried again rarely.
 */
static const int64_t patience_ns = 30000000000;

struct session {
    struct adl_library library;
    struct adl_opening opening;
    int64_t tried_at_ns; /* running clock; INT64_MIN: never */
    struct adl_device devices[ADL_CARDS_MAX];
    size_t device_count;
};

static void close_session(struct session *session)
{
    session->device_count = 0;
    adl_library_close(&session->library);
}

static void find_devices(struct session *session)
{
    struct adl_card cards[ADL_CARDS_MAX];
    size_t count;
    int code;
    struct adl_adapter_info *infos = adl_library_adapters(&session->library, &count, &code);
    if (!infos && code < ADL_OK)
        adl_opening_fail(&session->opening, code);
    session->device_count = adl_cards_group(infos, count, cards);
    for (size_t i = 0; i < session->device_count; i++)
        adl_device_start(&session->devices[i], &session->library, &cards[i], (int32_t)i);
    free(infos);
}

static void open_session(struct session *session, int64_t now_ns)
{
    session->tried_at_ns = now_ns;
    if (adl_library_open(&session->library, getenv("GPUTASKMAN_ADL"), &session->opening))
        find_devices(session);
    else
        close_session(session);
}

/* No card that answers: none found yet, or the driver was restarted under us. */
static bool is_cut_off(const struct session *session)
{
    for (size_t i = 0; i < session->device_count; i++)
        if (session->devices[i].code >= ADL_OK || session->devices[i].code == ADL_NOT_SUPPORTED)
            return false;
    return true;
}

static void answer(void *context, const char *line, struct record_lines *lines)
{
    struct session *session = context;
    struct adl_request request;
    if (!adl_request_read(raw_from_string(line), &request))
        return;
    bool due = session->tried_at_ns == INT64_MIN || request.running_ns < session->tried_at_ns ||
               request.running_ns - session->tried_at_ns >= patience_ns;
    if (due && is_cut_off(session)) {
        close_session(session);
        open_session(session, request.running_ns);
    }
    for (size_t i = 0; i < session->device_count; i++)
        adl_device_read(&session->devices[i], &session->library, request.running_ns,
                        request.everything);
    adl_answer_write(&session->opening, session->devices, session->device_count, lines);
}

int adl_serve(void)
{
    struct session *session = memory_new(sizeof *session);
    session->tried_at_ns = INT64_MIN;
    int status = serve_requests(answer, session);
    close_session(session);
    free(session);
    return status;
}
