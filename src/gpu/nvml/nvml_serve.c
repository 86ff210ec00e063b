#include "gpu/nvml/nvml_serve.h"

#include <stdlib.h>

#include "gpu/helper/serve.h"
#include "gpu/nvml/nvml_session.h"

static void answer(void *session, const char *line, struct record_lines *lines)
{
    struct nvml_request request;
    if (nvml_request_read(raw_from_string(line), &request))
        nvml_answer_write(nvml_session_answer(session, &request), lines);
}

int nvml_serve(void)
{
    struct nvml_session *session = nvml_session_new(getenv("GPUTASKMAN_NVML"));
    int status = serve_requests(answer, session);
    nvml_session_free(&session);
    return status;
}
