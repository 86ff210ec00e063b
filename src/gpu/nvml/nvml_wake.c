#include "gpu/nvml/nvml_wake.h"

/* Idle for this long, then released. Drivers suspend 10 to 15 s after the last use: a card that is
 * still awake long after is held by somebody else. */
static const int64_t idle_ns = 5000000000;
static const int64_t falls_asleep_ns = 30000000000;

enum nvml_wake nvml_wake_step(struct nvml_wake_state *state, const struct nvml_wake_seen *seen)
{
    if (seen->touched) {
        state->is_released = state->is_idle = false;
        return NVML_WAKE_ASK;
    }
    if (seen->any_suspended) {
        *state = (struct nvml_wake_state){0};
        return NVML_WAKE_ASLEEP;
    }
    if (!state->is_released)
        return NVML_WAKE_ASK;
    if (seen->running_ns - state->released_at_ns < falls_asleep_ns)
        return NVML_WAKE_RELEASED;
    state->is_released = false;
    state->others_keep_it = true;
    return NVML_WAKE_ASK;
}

void nvml_wake_answered(struct nvml_wake_state *state, const struct nvml_wake_seen *seen,
                        bool was_idle)
{
    if (!was_idle || !seen->all_may_sleep || seen->touched || state->others_keep_it) {
        state->is_idle = false;
        return;
    }
    if (!state->is_idle)
        state->idle_since_ns = seen->running_ns;
    state->is_idle = true;
    if (seen->running_ns - state->idle_since_ns < idle_ns)
        return;
    state->is_idle = false;
    state->is_released = true;
    state->released_at_ns = seen->running_ns;
}
