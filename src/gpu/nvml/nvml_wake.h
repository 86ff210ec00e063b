/* Whether NVML may be asked now. nvmlInit wakes every sleeping NVIDIA GPU, and an open NVML keeps a
 * laptop's GPU from going to sleep: so nobody asks while one sleeps, unless the user selected it,
 * and a card that only we keep awake is given back. Pure: a step over what sysfs and the last
 * answer say. */
#ifndef GPU_NVML_WAKE_H
#define GPU_NVML_WAKE_H

#include <stdbool.h>
#include <stdint.h>

enum nvml_wake {
    NVML_WAKE_ASK,
    NVML_WAKE_ASLEEP,  /* a GPU sleeps */
    NVML_WAKE_RELEASED /* none sleeps, and one shall be able to */
};

struct nvml_wake_state {
    bool is_idle;
    int64_t idle_since_ns; /* running clock; while is_idle */
    bool is_released;
    int64_t released_at_ns;
    bool others_keep_it; /* it did not fall asleep without us: releasing again gains nothing */
};

struct nvml_wake_seen {
    int64_t running_ns;
    bool any_suspended;
    bool all_may_sleep; /* there are GPUs, and each of them can be suspended */
    bool touched;       /* the user selected a sleeping one */
};

enum nvml_wake nvml_wake_step(struct nvml_wake_state *state, const struct nvml_wake_seen *seen);
/* After an answer: whether all GPUs had load 0 and no process but ours. */
void nvml_wake_answered(struct nvml_wake_state *state, const struct nvml_wake_seen *seen,
                        bool was_idle);

#endif
