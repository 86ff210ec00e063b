/* A recording, line by line: snapshots as JSON Lines, plain or compressed with zstd (told apart by
 * their first bytes, not by the name). Memory is bounded by the longest line (RECORDING_LINE_MAX)
 * and by zstd's window (32 MiB at most); no size that stands in the file is believed.
 *
 *     struct recording *recording = recording_open(path, &problem);
 *     while ((result = recording_next(recording, &line, &problem)) != RECORDING_END) { ... }
 *     if (recording_warning(recording)[0]) { tell it once }
 *     recording_close(&recording);
 *
 * A recorder writes a frame of zstd for at most RECORDING_FRAME_LINES lines or
 * RECORDING_FRAME_BYTES, each line flushed as it is written, so that a line is found by decoding at
 * most that much, and a file whose last frame was never ended still gives all its lines. A file
 * that another program compressed in one frame is read too; going to a place in it then decodes
 * from the start.
 *
 * Not thread-safe; any number may be open on one file, which may grow meanwhile: a line that was
 * not there at RECORDING_END can be had later by going back to recording_end_place(). */
#ifndef TIMELINE_RECORDING_H
#define TIMELINE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"
#include "snapshot/snapshot.h"

#define RECORDING_LINE_MAX ((size_t)64 << 20)
enum { RECORDING_FRAME_LINES = 64, RECORDING_FRAME_BYTES = 1 << 20 };

struct recording;

/* Where a line begins: a value that may be kept in a file and used with the same recording again.
 */
struct recording_place {
    int64_t offset; /* bytes from the start of the file: of the line, or of its zstd frame */
    int64_t inside; /* bytes of text from the start of the frame to the line; plain: 0 */
    uint64_t line;  /* its number, from 1; empty lines count */
    uint32_t part;  /* of a recording in parts: the file, from 0 */
};
/* True when the one stands before the other. */
bool recording_place_is_before(const struct recording_place *place,
                               const struct recording_place *other);

struct recording_line {
    struct raw_text text; /* without its line end; valid until the next call */
    struct recording_place place;
    bool unended; /* no line end follows: the last line, whole or torn */
};

enum recording_result {
    RECORDING_LINE,
    RECORDING_END,
    RECORDING_BAD,    /* this line cannot be used: *problem; the next call goes on behind it */
    RECORDING_FAILED, /* the file cannot be read any further: *problem. What came before is good */
};

/* "-" is standard input. NULL: *problem. */
struct recording *recording_open(const char *path, struct problem *problem);
/* From now on the parts that go on with this file (recording_parts.h) are read behind it as if they
 * were one; the name is that of the part at hand. */
void recording_follow(struct recording *recording);
/* Sets the caller's pointer to NULL. NULL is allowed. */
void recording_close(struct recording **recording);

/* The next line that is not blank. It may be torn where `unended`: then what does not parse is to
 * be skipped with a warning (recording_skip_torn()), not refused. */
enum recording_result recording_next(struct recording *recording, struct recording_line *line,
                                     struct problem *problem);
/* The same, read: *snapshot has one reference. RECORDING_BAD says FILE:LINE:COLUMN and the reason;
 * a torn last line is skipped with a warning. `line` and `pool` may be NULL. */
enum recording_result recording_next_snapshot(struct recording *recording,
                                              struct snapshot_pool *pool,
                                              struct recording_line *line,
                                              struct snapshot **snapshot, struct problem *problem);

/* What happened that a user should be told once: a torn last line. "": nothing. */
const char *recording_warning(const struct recording *recording);
void recording_skip_torn(struct recording *recording);

/* False for pipes. */
bool recording_can_seek(const struct recording *recording);
/* Goes on reading at a place that a line of this file had. False: *problem. */
bool recording_seek(struct recording *recording, const struct recording_place *place,
                    struct problem *problem);
/* Where reading goes on. After RECORDING_END: where a next line would begin. */
struct recording_place recording_end_place(const struct recording *recording);

/* As it was opened; of a later part: its own. Valid until the next call. */
const char *recording_name(const struct recording *recording);
bool recording_is_compressed(const struct recording *recording);
/* Whether there may be more behind the end that was reached. */
bool recording_has_grown(const struct recording *recording);
/* Bytes of the file and its parts now (-1: a pipe), and how many of them have been read, for
 * progress. */
int64_t recording_size_bytes(const struct recording *recording);
int64_t recording_read_bytes(const struct recording *recording);

#endif
