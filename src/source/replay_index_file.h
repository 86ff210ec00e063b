/* The index beside its recording (FILE.idx), so that it need not be made again. It is a hint that
 * is checked: whose recording it is of (size, time of change, the bytes at its beginning and before
 * its end), its own checksum and every number in it. One that does not fit is as good as none. */
#ifndef SOURCE_REPLAY_INDEX_FILE_H
#define SOURCE_REPLAY_INDEX_FILE_H

#include <stdbool.h>

#include "base/text.h"
#include "source/replay_index.h"

/* Smaller recordings are read anew each time: that takes no time, and leaves no file behind. */
#define REPLAY_INDEX_LEAST_BYTES (1LL << 20)

/* What tells one state of a recording from another. */
struct replay_mark {
    int64_t before_bytes; /* of the parts before the one in which the index ends */
    int64_t size_bytes, changed_ns;
    uint64_t head_hash; /* of its first 64 KiB */
    uint64_t tail_hash; /* of the 64 KiB before the end of what is indexed */
};

/* The mark of a recording that is indexed up to `end`. False: it cannot be read. */
bool replay_mark_read(const char *recording_path, const struct recording_place *end,
                      struct replay_mark *mark);

/* Fills `index` from a file's bytes; nothing of them is believed. False: not one of ours. */
bool replay_index_decode(struct raw_text bytes, struct replay_index *index,
                         struct replay_mark *mark);

/* The checksum that stands in a file of these bytes. */
uint64_t replay_index_sum(struct raw_text bytes);

/* Loads FILE.idx. It is complete when the recording has not changed since, and is to be gone on
 * with from its end when the recording has only grown. */
bool replay_index_load(const char *recording_path, struct replay_index *index);
/* Writes it; where that is not possible, the next replay makes one again. */
bool replay_index_save(const char *recording_path, const struct replay_index *index);

#endif
