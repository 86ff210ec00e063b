/* The events of successive snapshots of one source, newest last: what a screen lists after the
 * snapshots themselves are gone. Owns copies of their texts. */
#ifndef TIMELINE_EVENT_LOG_H
#define TIMELINE_EVENT_LOG_H

#include "reading/pass.h"
#include "snapshot/snapshot.h"

enum {
    EVENT_LOG_MAX = 1000, /* the oldest go */
    EVENT_KIND_SIZE = 32,
    EVENT_PROCESS_SIZE = 96,
    EVENT_TEXT_SIZE = 256,
};

struct logged_event {
    int64_t seq;   /* 0: a line of the log itself */
    int64_t at_ns; /* wall clock */
    char kind[EVENT_KIND_SIZE];
    char adapter_id[ADAPTER_ID_SIZE]; /* "": none */
    char process[EVENT_PROCESS_SIZE]; /* id of a process; "": none */
    char text[EVENT_TEXT_SIZE];       /* valid UTF-8 */
};

struct event_log {
    struct logged_event *items; /* oldest first */
    size_t count, capacity;
    int64_t last_seq;                  /* 0: none yet */
    int64_t began_at_ns, newest_at_ns; /* of the first and the last snapshot; 0: none yet */
};

/* Appends the snapshot's events that are not in the log yet. A gap in their numbers is logged: some
 * were missed. A snapshot older than the last one (a recording was wound back) takes back what came
 * after it. Returns how many were appended. */
size_t event_log_take(struct event_log *log, const struct snapshot *snapshot);
void event_log_free(struct event_log *log);

#endif
