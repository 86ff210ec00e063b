/* This Mac's own GPUs: the calls of the door, and footprint(1) in a helper. */
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/metal/footprint_lines.h"
#include "gpu/metal/metal_door.h"
#include "gpu/metal/metal_source.h"
#include "os/helper.h"

static const int64_t second_ns = 1000000000;

enum { LINE_LIMIT = 1024, ANSWER_LIMIT = 64 * 1024 };

struct live_metal {
    struct metal_door *door;
    struct helper *helper; /* NULL: footprint was never needed */
    const char *argv[4];
    struct raw_text answer; /* what is left of it; of the helper, until its next poll */
    int64_t asked[FOOTPRINT_REQUEST_PIDS];
    size_t asked_count; /* without a result yet */
};

static void close_live(void *context)
{
    struct live_metal *live = context;
    if (live->helper) {
        helper_stop(live->helper, 0);
        helper_free(&live->helper);
    }
    metal_door_close(&live->door);
    free(live);
}

static void find(void *context, uint64_t sample, struct arena *arena, struct metal_sample *out)
{
    (void)sample;
    metal_door_find(((struct live_metal *)context)->door, arena, out);
}

static void read_sample(void *context, uint64_t sample, struct arena *arena,
                        struct metal_sample *out)
{
    (void)sample;
    metal_door_read(((struct live_metal *)context)->door, arena, out);
}

static void ledger_names(void *context, uint64_t sample, struct arena *arena,
                         struct metal_ledger_names *names)
{
    (void)sample;
    metal_door_ledger_names(((struct live_metal *)context)->door, arena, names);
}

static void ledger(void *context, uint64_t sample, int64_t pid, size_t count,
                   struct metal_ledger *out)
{
    (void)sample;
    metal_door_ledger(((struct live_metal *)context)->door, pid, count, out);
}

static void power(void *context, uint64_t sample, struct arena *arena, struct metal_power *out)
{
    (void)sample;
    metal_door_power(((struct live_metal *)context)->door, arena, out);
}

static struct helper *helper_of(struct live_metal *live)
{
    if (live->helper)
        return live->helper;
    live->argv[1] = "--helper";
    live->argv[2] = "footprint";
    const struct helper_spec spec = {
        .name = "footprint",
        .argv = live->argv,
        .first_answer_ns = 30 * second_ns,
        .answer_ns = 30 * second_ns,
        .line_limit = LINE_LIMIT,
        .answer_limit = ANSWER_LIMIT,
    };
    live->helper = helper_new(&spec, NULL);
    return live->helper;
}

static bool measure(void *context, uint64_t sample, const int64_t *pids, size_t count)
{
    struct live_metal *live = context;
    char line[FOOTPRINT_REQUEST_SIZE];
    (void)sample;
    if (live->asked_count > 0)
        return false;
    size_t named = footprint_request_write(pids, count, line, sizeof line);
    if (!helper_ask(helper_of(live), line))
        return false;
    memcpy(live->asked, pids, named * sizeof *pids);
    live->asked_count = named;
    return true;
}

static void forget(struct live_metal *live, int64_t pid)
{
    for (size_t i = 0; i < live->asked_count; i++)
        if (live->asked[i] == pid) {
            live->asked[i] = live->asked[--live->asked_count];
            return;
        }
}

/* A helper that failed leaves those unknown that it was asked about. */
static bool measured(void *context, int64_t *pid, struct measured *bytes)
{
    struct live_metal *live = context;
    if (!live->helper || live->asked_count == 0)
        return false;
    if (live->answer.length == 0 && !helper_poll(live->helper, &live->answer) &&
        helper_is_busy(live->helper))
        return false;
    if (footprint_answer_next(&live->answer, pid, bytes)) {
        forget(live, *pid);
        return true;
    }
    live->answer.length = 0;
    *pid = live->asked[--live->asked_count];
    *bytes = measured_unknown(REASON_call_failed);
    return true;
}

bool metal_live_open(struct metal_source *source, struct problem *problem)
{
    struct metal_door *door = metal_door_open(problem);
    if (!door)
        return false;
    struct live_metal *live = memory_new(sizeof *live);
    live->door = door;
    *source = (struct metal_source){
        .context = live,
        .close = close_live,
        .find = find,
        .read = read_sample,
        .ledger_names = ledger_names,
        .ledger = ledger,
        .power = power,
        .measure = measure,
        .measured = measured,
    };
    return true;
}
