/* One snapshot that the user names: FILE, FILE@N (line N of a recording), FILE@last, or FILE@TIME
 * (the newest one that is not after that time: 2026-11-29T12:00:00Z). "-" is standard input. */
#ifndef CLI_SNAPSHOT_FILE_H
#define CLI_SNAPSHOT_FILE_H

#include "base/problem.h"
#include "snapshot/snapshot.h"

/* A snapshot with one reference; NULL: *problem. A FILE without @ must hold just one, which may
 * take several lines. */
struct snapshot *snapshot_file_read(const char *name, struct problem *problem);

#endif
