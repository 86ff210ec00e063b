#include "inspect/load_share.h"

#include "base/lines.h"
#include "inspect/log_text.h"

/* The next "TP0" of "scheduler_TP0_EP0", of "DP1 TP0 EP0": two letters, the second a P, and digits.
 */
static bool next_rank(struct raw_text *rest, struct raw_text *rank)
{
    while (rest->length > 2) {
        size_t at = 2;
        bool starts = rest->bytes[0] >= 'A' && rest->bytes[0] <= 'Z' && rest->bytes[1] == 'P';
        while (starts && at < rest->length && rest->bytes[at] >= '0' && rest->bytes[at] <= '9') {
            at++;
        }
        if (at > 2) {
            *rank = (struct raw_text){rest->bytes, at};
            *rest = (struct raw_text){rest->bytes + at, rest->length - at};
            return true;
        }
        rest->bytes++;
        rest->length--;
    }
    return false;
}

static bool has_rank(struct raw_text text, struct raw_text wanted)
{
    struct raw_text rank;
    while (next_rank(&text, &rank)) {
        if (raw_equal(rank, wanted)) {
            return true;
        }
    }
    return false;
}

/* Every rank of `a` is in `b`; false where `a` has none. */
static bool has_ranks_of(struct raw_text a, struct raw_text b)
{
    struct raw_text rank;
    bool any = false;
    while (next_rank(&a, &rank)) {
        any = true;
        if (!has_rank(b, rank)) {
            return false;
        }
    }
    return any;
}

/* What setproctitle wrote: ranks in other command lines are no ranks. */
static bool is_title(struct raw_text title)
{
    return raw_starts_with(title, "VLLM::") || raw_starts_with(title, "sglang::");
}

/* Its pid in the log, its rank, or that there is only one. NULL: the log does not tell. */
static const struct load_device *device_of(const struct load_run *run,
                                           const struct load_sharer *sharer)
{
    const struct load_device *by_rank = NULL, *only = NULL;
    struct raw_text title = raw_trim(log_until(sharer->title, '\0'));
    size_t ranks = 0;
    for (size_t i = 0; i < run->device_count; i++) {
        const struct load_device *device = &run->devices[i];
        if (device->pid.known &&
            (device->pid.value == sharer->pid || device->pid.value == sharer->inner_pid)) {
            return device;
        }
        if (device->pid.known) {
            continue;
        }
        if (is_title(title) &&
            (has_ranks_of(title, device->name) || has_ranks_of(device->name, title))) {
            by_rank = device;
            ranks++;
        }
        only = raw_equal_string(device->name, "GPU") ? device : only;
    }
    return ranks == 1 ? by_rank : ranks == 0 ? only : NULL;
}

/* An engine says how large the pools of its workers are: all the same. */
static struct measured pool_of(const struct load_run *run, const struct load_device *own)
{
    struct measured only = measured_unknown(REASON_not_reported);
    size_t count = 0;
    for (size_t i = 0; i < run->device_count; i++) {
        if (run->devices[i].pool_tokens.known) {
            only = run->devices[i].pool_tokens;
            count++;
        }
    }
    return own && own->pool_tokens.known ? own->pool_tokens
           : count == 1                  ? only
                                         : measured_unknown(REASON_not_reported);
}

const struct load_run *load_run_share(struct arena *arena, const struct load_run *run,
                                      const struct load_sharer *sharer)
{
    if (!raw_equal_string(run->runtime, "vllm") && !raw_equal_string(run->runtime, "sglang")) {
        return run;
    }
    const struct load_device *own = device_of(run, sharer);
    struct load_run *share = ARENA_NEW(arena, struct load_run);
    struct load_device *device = ARENA_NEW(arena, struct load_device);
    struct load_buffer *buffers = ARENA_ARRAY(arena, struct load_buffer, run->buffer_count);
    *share = *run;
    *device = (struct load_device){.name = raw_from_string("GPU")};
    device->pool_tokens = own ? pool_of(run, own) : measured_unknown(REASON_not_reported);
    share->devices = device;
    share->device_count = 1;
    share->buffers = buffers;
    share->buffer_count = 0;
    for (size_t i = 0; own && i < run->buffer_count; i++) {
        if (raw_equal(run->buffers[i].name, own->name)) {
            buffers[share->buffer_count] = run->buffers[i];
            buffers[share->buffer_count++].name = device->name;
        }
    }
    return share;
}
