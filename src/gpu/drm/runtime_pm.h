/* Whether a GPU is awake, and when to leave an idle one alone so that it can fall asleep. Pure. */
#ifndef GPU_DRM_RUNTIME_PM_H
#define GPU_DRM_RUNTIME_PM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/adapter.h"

/* From the text of power/runtime_status. Anything but active and unsupported (a desktop card
 * without runtime power management) must not be touched. */
enum power_state runtime_power_state(struct raw_text status);

/* True for what every file of a device answers that was pulled out: ENODEV, EIO. */
bool runtime_device_is_gone(int error);

/* Reading a sensor re-arms the autosuspend timer, so polling keeps an idle card awake for ever. An
 * idle card that may suspend is therefore left alone now and then for longer than its delay. When
 * that did not send it to sleep (a screen hangs on it), the next try is later: 10 s, doubling to 10
 * minutes. */
struct idle_watch {
    bool started, paused;
    int64_t idle_since_ns, pause_until_ns;
    int64_t patience_ns; /* idle time before the next pause */
};

struct idle_seen {
    int64_t now_ns; /* running clock */
    int64_t interval_ns;
    int64_t autosuspend_delay_ns;
    bool can_suspend; /* power/control is auto, and it is awake */
    bool in_use;      /* a client, or a load above zero */
};

/* True while the sensors are to be left alone. */
bool idle_watch_step(struct idle_watch *watch, const struct idle_seen *seen);

#endif
