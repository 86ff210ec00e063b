/* One load log: read anew or as it was, and the run in it that is this process's. Private to
 * gather*.c. */
#ifndef INSPECT_GATHER_LOG_H
#define INSPECT_GATHER_LOG_H

#include "inspect/gather_parts.h"
#include "inspect/log_place.h"

/* Where a log is, and whose it is. */
struct log_candidate {
    enum log_source source;
    struct raw_text path;         /* as the process sees it */
    char place[GATHER_PATH_SIZE]; /* in the tree */
    struct measured position;
};

/* A file. */
void gather_log_file(struct gathering *gathering, const struct log_candidate *candidate);
/* An output of process `pid`, which is this process or its parent: the journal when it is the very
 * socket that systemd has named in the environment (systemd.exec(5), JOURNAL_STREAM). */
void gather_log_journal(struct gathering *gathering, int64_t pid, uint64_t inode,
                        enum log_source source);

#endif
