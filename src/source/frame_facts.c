#include "source/frame_facts.h"

#include <math.h>

#include "snapshot/json.h"

#define SECOND_NS 1000000000LL
#define SECONDS_MOST 9e9 /* centuries, and it fits */
#define USUAL_MOST_NS (1LL << 60)

enum {
    GAP_WAIT_SECONDS = 1, /* how long a replay stays before a gap */
    JUMP_SECONDS = 5,     /* by which two clocks may differ */
    PAUSE_INTERVALS = 3,  /* without a snapshot */
    PAUSE_LEAST_SECONDS = 5,
};

struct snapshot_scanner *frame_scanner_new(void)
{
    static const char *const wanted[] = {"snapshot.taken_at",
                                         "snapshot.monotonic_seconds",
                                         "snapshot.interval_seconds",
                                         "host.boot_id",
                                         "adapter.load_percent",
                                         "event.seq",
                                         NULL};
    return scanner_new(wanted);
}

static int64_t ns_of(struct figure seconds)
{
    bool fits = figure_is_known(seconds) && fabs(seconds.value) < SECONDS_MOST;
    return fits ? (int64_t)(seconds.value * SECOND_NS) : TIME_UNKNOWN;
}

static uint64_t hash(struct text text)
{
    uint64_t sum = 0xcbf29ce484222325ULL; /* FNV-1a */
    for (size_t i = 0; i < text.size; i++) {
        sum = (sum ^ (unsigned char)text.utf8[i]) * 0x100000001b3ULL;
    }
    return sum;
}

static void fill(const struct snapshot *snapshot, struct frame_facts *facts)
{
    *facts = (struct frame_facts){
        .wall_ns = snapshot->taken_at_ns,
        .running_ns = ns_of(snapshot->monotonic_seconds),
        .interval_ns = ns_of(snapshot->interval_seconds),
        .boot = text_is_none(snapshot->host.boot_id) ? 0 : hash(snapshot->host.boot_id),
        .load = FRAME_LOAD_UNKNOWN,
        .has_events = snapshot->event_count > 0,
    };
    for (size_t i = 0; i < snapshot->adapter_count; i++) {
        struct figure load = snapshot->adapters[i].load_percent;
        if (figure_is_known(load) && load.value >= 0) {
            uint8_t percent = load.value > 100 ? 100 : (uint8_t)load.value;
            bool more = facts->load == FRAME_LOAD_UNKNOWN || percent > facts->load;
            facts->load = more ? percent : facts->load;
        }
    }
}

bool frame_facts_read(struct snapshot_scanner *scanner, struct raw_text line,
                      struct frame_facts *facts)
{
    const struct snapshot *seen = scanner_read(scanner, line.bytes, line.length);
    if (seen) {
        fill(seen, facts);
        return true;
    }
    struct problem problem;
    struct snapshot *snapshot = snapshot_read(line.bytes, line.length, "", 1, NULL, &problem);
    if (!snapshot) {
        return false;
    }
    fill(snapshot, facts);
    snapshot_drop(&snapshot);
    return true;
}

struct frame_step frame_step(const struct frame_facts *from, const struct frame_facts *to)
{
    struct frame_step step = {.wait_ns = GAP_WAIT_SECONDS * SECOND_NS};
    if (__builtin_sub_overflow(to->wall_ns, from->wall_ns, &step.wall_ns)) {
        step.gap = FRAME_GAP_CLOCK;
        step.wall_ns = 0;
        return step;
    }
    bool both_run = from->running_ns != TIME_UNKNOWN && to->running_ns != TIME_UNKNOWN;
    int64_t run_ns = step.wall_ns;
    if ((from->boot != to->boot && from->boot && to->boot) ||
        (both_run && to->running_ns < from->running_ns)) {
        step.gap = FRAME_GAP_REBOOT;
        return step;
    }
    if (both_run && __builtin_sub_overflow(to->running_ns, from->running_ns, &run_ns)) {
        run_ns = 0;
    }
    int64_t jump_ns;
    if (__builtin_sub_overflow(step.wall_ns, run_ns, &jump_ns)) {
        jump_ns = 0;
    }
    int64_t usual_ns = to->interval_ns != TIME_UNKNOWN     ? to->interval_ns
                       : from->interval_ns != TIME_UNKNOWN ? from->interval_ns
                                                           : SECOND_NS;
    int64_t most_ns = usual_ns < 0               ? 0
                      : usual_ns < USUAL_MOST_NS ? PAUSE_INTERVALS * usual_ns
                                                 : INT64_MAX;
    most_ns = most_ns < PAUSE_LEAST_SECONDS * SECOND_NS ? PAUSE_LEAST_SECONDS * SECOND_NS : most_ns;
    if (run_ns > most_ns) {
        step.gap = FRAME_GAP_PAUSE;
    } else if (jump_ns > JUMP_SECONDS * SECOND_NS) {
        step.gap = FRAME_GAP_SLEEP;
    } else if (jump_ns < -JUMP_SECONDS * SECOND_NS) {
        step.gap = FRAME_GAP_CLOCK;
    } else {
        step.wait_ns = run_ns > 0 ? run_ns : 0;
    }
    return step;
}
