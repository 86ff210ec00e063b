/* Where snapshots come from: the live machine, a recording, a remote machine. The whole interface
 * between what makes pictures and what shows them; neither side knows the other. All functions may
 * be called from the presenting thread; none blocks except source_wait(). */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "os/wake.h"
#include "reading/identity.h"
#include "reading/pass.h"
#include "snapshot/snapshot.h"
#include "timeline/history.h"

enum source_request_kind {
    SOURCE_SET_INTERVAL, /* interval_ns */
    SOURCE_SET_PAUSED,   /* flag */
    SOURCE_REFRESH,      /* a sample now; flag: look at everything, and wait for the drivers */
    SOURCE_STEP,         /* count: snapshots forward or back (recordings) */
    SOURCE_SEEK,         /* wall_ns, the nearest; SOURCE_SEEK_START, SOURCE_SEEK_END (recordings) */
    SOURCE_SEEK_BY,      /* by_ns of playing time, gaps left out (recordings) */
    SOURCE_SEEK_EVENT,   /* count: snapshots with events forward or back (recordings) */
    SOURCE_SET_SPEED,    /* speed (recordings) */
    SOURCE_SIGNAL,       /* identity, signal_number (live, real machine) */
    SOURCE_SET_WANTED,   /* wanted: figures on screen, selected process */
};

#define SOURCE_SEEK_START INT64_MIN
#define SOURCE_SEEK_END INT64_MAX
#define SOURCE_SPEED_LEAST 0.25
#define SOURCE_SPEED_MOST 64

struct source_request {
    enum source_request_kind kind;
    int64_t interval_ns, wall_ns, by_ns;
    bool flag;
    int count;
    double speed;
    struct identity identity;
    int signal_number;
    struct wanted wanted;
};

enum source_gap {
    SOURCE_GAP_NONE,
    SOURCE_GAP_PAUSE,  /* nothing was recorded */
    SOURCE_GAP_SLEEP,  /* the machine slept, or its clock was set forward */
    SOURCE_GAP_CLOCK,  /* its clock was set back */
    SOURCE_GAP_REBOOT, /* another boot */
};

enum { SOURCE_OVERVIEW_CELLS = 64, SOURCE_NAME_SIZE = 128 };

/* Where in a recording the newest snapshot stands. Playing time is that at speed 1, in which gaps
 * take a second. */
struct source_position {
    char name[SOURCE_NAME_SIZE]; /* of the file, as it was given */
    uint64_t frame, frame_count; /* from 0; the count grows while the recording is being read */
    int64_t begin_wall_ns, end_wall_ns;
    int64_t play_ns, end_play_ns;
    double read_share;           /* of the file, from 0 to 1, that places and events are known of */
    bool is_seeking;             /* the place asked for is not read yet */
    enum source_gap gap;         /* before this snapshot */
    int64_t gap_ns;              /* how long, by the wall clock; 0 with GAP_CLOCK and GAP_REBOOT */
    uint64_t event, event_count; /* snapshots with events up to here, and in all */
    /* The recording cut into equal parts of playing time: the mean load of the busiest
     * adapter in percent (255: unknown), and whether something happened. */
    uint8_t load[SOURCE_OVERVIEW_CELLS];
    bool has_event[SOURCE_OVERVIEW_CELLS];
};

struct source_state_view {
    bool paused;
    int64_t paused_since_ns; /* thread_clock_ns() */
    int64_t interval_ns;
    bool scripted; /* samples follow each other without waiting: a recorded machine's clock */
    bool at_end;   /* of a recording */
    bool can_signal;
    bool can_seek; /* a recording: `position` is filled, and `speed` */
    double speed;
    struct source_position position;
    struct problem last_failure; /* of a request; "" when none */
};

struct source;

struct source_ops {
    struct snapshot *(*newest)(struct source *source);
    bool (*request)(struct source *source, const struct source_request *request);
    void (*state)(struct source *source, struct source_state_view *state);
    /* Points of the adapters' figures between two times; see timeline/history.h. */
    bool (*history)(struct source *source, struct history_request *request);
    void (*notify)(struct source *source, struct wake *wake);
    void (*close)(struct source *source);
};

struct source {
    const struct source_ops *ops;
};

/* The newest snapshot, one reference for the caller, or NULL before the first. */
struct snapshot *source_newest(struct source *source);
/* Waits until a snapshot with a sequence above `after` is there, or until thread_clock_ns() passes
 * `until_ns`. Returns it (a reference), or NULL. */
struct snapshot *source_wait(struct source *source, uint64_t after, int64_t until_ns);
/* Queued; false when this source never can do it. */
bool source_request(struct source *source, const struct source_request *request);
void source_get_state(struct source *source, struct source_state_view *state);
bool source_history(struct source *source, struct history_request *request);
/* `wake` is signalled at each new snapshot and each change of state. NULL: nobody. */
void source_notify(struct source *source, struct wake *wake);
/* At most 250 ms, whatever hangs below. */
void source_close(struct source **source);

#endif
