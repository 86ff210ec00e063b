#include "gpu/drm/runtime_pm.h"

#include <errno.h>

#include "base/lines.h"

static const int64_t second_ns = INT64_C(1000000000);
static const int64_t first_patience_ns = INT64_C(10) * 1000000000;
static const int64_t last_patience_ns = INT64_C(600) * 1000000000;

enum power_state runtime_power_state(struct raw_text status)
{
    status = raw_trim(status);
    if (raw_equal_string(status, "active") || raw_equal_string(status, "unsupported")) {
        return POWER_ACTIVE;
    }
    if (raw_equal_string(status, "suspended") || raw_equal_string(status, "suspending") ||
        raw_equal_string(status, "resuming")) {
        return POWER_SUSPENDED;
    }
    return POWER_UNKNOWN;
}

bool runtime_device_is_gone(int error)
{
    return error == ENODEV || error == EIO;
}

bool idle_watch_step(struct idle_watch *watch, const struct idle_seen *seen)
{
    /* Slower than the delay, polling lets it sleep anyway. */
    bool matters =
        seen->can_suspend && !seen->in_use && seen->interval_ns <= seen->autosuspend_delay_ns;
    if (!matters) {
        *watch = (struct idle_watch){0};
        return false;
    }
    if (!watch->started) {
        *watch = (struct idle_watch){
            .started = true, .idle_since_ns = seen->now_ns, .patience_ns = first_patience_ns};
        return false;
    }
    if (watch->paused && seen->now_ns < watch->pause_until_ns) {
        return true;
    }
    if (watch->paused) {
        watch->paused = false;
        watch->idle_since_ns = seen->now_ns;
        watch->patience_ns =
            watch->patience_ns < last_patience_ns / 2 ? watch->patience_ns * 2 : last_patience_ns;
        return false;
    }
    if (seen->now_ns - watch->idle_since_ns < watch->patience_ns) {
        return false;
    }
    watch->paused = true;
    watch->pause_until_ns = seen->now_ns + seen->autosuspend_delay_ns + 2 * second_ns;
    return true;
}
