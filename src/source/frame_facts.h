/* What a recording's index knows of one snapshot, found without reading all of it; and what lies
 * between two of them. Pure. */
#ifndef SOURCE_FRAME_FACTS_H
#define SOURCE_FRAME_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "snapshot/scan.h"

enum { FRAME_LOAD_UNKNOWN = 255 };

struct frame_facts {
    int64_t wall_ns;     /* taken_at */
    int64_t running_ns;  /* TIME_UNKNOWN */
    int64_t interval_ns; /* TIME_UNKNOWN: a first sample, or the first one after a pause */
    uint64_t boot;       /* a hash of the boot's id; 0: unknown */
    uint8_t load;        /* of the busiest adapter, in percent, or FRAME_LOAD_UNKNOWN */
    bool has_events;
};

/* What finds the facts without reading the whole line; one a thread. */
struct snapshot_scanner *frame_scanner_new(void);
/* False: the line is no snapshot. */
bool frame_facts_read(struct snapshot_scanner *scanner, struct raw_text line,
                      struct frame_facts *facts);

enum frame_gap {
    FRAME_GAP_NONE,
    FRAME_GAP_PAUSE,  /* nothing was recorded */
    FRAME_GAP_SLEEP,  /* the wall clock ran ahead: the machine slept, or its clock was set */
    FRAME_GAP_CLOCK,  /* the wall clock was set back */
    FRAME_GAP_REBOOT, /* another boot, or another machine */
};

/* From one snapshot to the next one: how long a replay at speed 1 waits between them (a gap is
 * passed over), and how long it was by the wall clock. */
struct frame_step {
    enum frame_gap gap;
    int64_t wait_ns, wall_ns;
};

struct frame_step frame_step(const struct frame_facts *from, const struct frame_facts *to);

#endif
