/* A load log that was read, immutable and counted by reference, so that a later inspection of the
 * same process need not read it again. Reading blocks: for inspect workers. */
#ifndef INSPECT_KNOWN_LOG_H
#define INSPECT_KNOWN_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reference.h"
#include "inspect/load_log.h"
#include "os/root.h"

struct known_log {
    struct reference reference;
    struct load_log *log;
    struct root_file_facts facts; /* when it was read; of a journal its stream's inode alone */
    uint64_t fed_from;            /* offset in the file at which `log` begins */
    bool of_journal, empty;
    int64_t read_ns, pause_ns; /* of a journal: thread_clock_ns(), and when it is asked again */
};

struct known_log *known_log_take(const struct known_log *log);
void known_log_drop(struct known_log **log);

/* The regular file at `place` of the tree, a large one in parts; NULL when it cannot be read. */
struct known_log *known_log_of_file(const struct root *root, const char *place,
                                    const struct root_file_facts *facts);
/* What the journal has of process `pid` from `since_ns` (wall clock) on; `inode` is the socket that
 * leads there, `before` (may be NULL) what it had last time. Empty when nothing of it may be read.
 */
struct known_log *known_log_of_journal(int64_t pid, int64_t since_ns, uint64_t inode,
                                       const struct known_log *before);
bool known_log_is_of_journal(const struct known_log *log, uint64_t inode);
/* True when a journal that says nothing of a finished load is worth asking again. */
bool known_log_is_due(const struct known_log *log);

#endif
