/* A source that plays a recording from a file: plain or compressed, of any size, also while it is
 * still being written. The first snapshot is there when it is opened; places, times and events are
 * read on a worker (replay_index.h). Nothing is computed anew: events are those of the recording.
 */
#ifndef SOURCE_REPLAY_H
#define SOURCE_REPLAY_H

#include "base/problem.h"
#include "source/source.h"

/* It plays at once. NULL: *problem (no file, no snapshot in it, not a file that can be gone back
 * in). */
struct source *replay_open(const char *path, struct problem *problem);

#endif
