/* `gputaskman --helper footprint`: the system's tool holds up whom it looks at and takes a tenth of
 * a second, so that it runs behind a process of its own. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "gpu/backend.h"
#include "gpu/helper/serve.h"
#include "gpu/metal/footprint.h"
#include "gpu/metal/footprint_lines.h"
#include "gpu/metal/footprint_run.h"

/* One process, and all of a request: less than the bound of an answer. */
static const int64_t one_ns = 5000000000, all_ns = 20000000000;

static void answer(void *session, const char *request, struct record_lines *lines)
{
    int64_t pids[FOOTPRINT_REQUEST_PIDS], until_ns = thread_clock_ns() + all_ns;
    size_t count = footprint_request_read(raw_from_string(request), pids);
    char *text = session;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        int64_t bytes = 0;
        bool good = thread_clock_ns() < until_ns &&
                    footprint_run(pids[i], one_ns, text, FOOTPRINT_TEXT_MAX, &length) &&
                    footprint_text_parse((struct raw_text){text, length}, pids[i], &bytes);
        if (good)
            record_write_format(lines, "%" PRId64 " %" PRId64 "\n", pids[i], bytes);
        else
            record_write_format(lines, "%" PRId64 " -\n", pids[i]);
    }
}

static int serve(void)
{
    char *text = memory_new(FOOTPRINT_TEXT_MAX);
    int status = serve_requests(answer, text);
    free(text);
    return status;
}

const struct backend backend_footprint = {.name = "footprint", .serve = serve};
