/* What a process has written to the system's journal (journald keeps the output of services). Its
 * files are read by journalctl, which alone knows all their formats: a process of its own, bounded
 * in time and bytes. Blocks: for inspect workers. */
#ifndef INSPECT_JOURNAL_H
#define INSPECT_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "inspect/load_log.h"

/* "DEVICE:INODE" of the socket that leads to the journal: the value of JOURNAL_STREAM, which
 * systemd sets for what it starts (systemd.exec(5)). */
bool journal_stream_parse(struct raw_text value, uint64_t *inode);
/* Feeds the lines that process `pid` has written since shortly before `since_ns` (wall clock),
 * the oldest first. False when there are none, or none that we may read. */
bool journal_read(int64_t pid, int64_t since_ns, struct load_log *log);

#endif
