/* Places in a recording as people write them, and playing times as people read them. Pure, but for
 * the local time zone. */
#ifndef VIEW_PLAY_TIME_H
#define VIEW_PLAY_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/problem.h"

enum play_time_kind {
    PLAY_TIME_WALL,  /* ns: wall clock */
    PLAY_TIME_BY,    /* ns: forward or back from here */
    PLAY_TIME_SHARE, /* share: 0 to 1 of the whole */
};

struct play_time {
    enum play_time_kind kind;
    int64_t ns;
    double share;
};

/* "14:02", "14:02:11" (local time, on the day of `here_ns`), "2026-11-29 14:02:11", "+90", "-5m",
 * "+2h", "50%". False: *problem. */
bool play_time_parse(const char *words, int64_t here_ns, struct play_time *time,
                     struct problem *problem);

enum { PLAY_TIME_SIZE = 32 };
/* "12:03", "8:31:12": minutes and seconds, with hours where there are any. */
void play_time_words(int64_t ns, char out[PLAY_TIME_SIZE]);
/* "2026-11-29 14:02:11", or without the day; local time. */
void play_time_clock(int64_t wall_ns, bool day, char out[PLAY_TIME_SIZE]);

#endif
