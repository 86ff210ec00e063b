/* The snapshot as JSON (SNAPSHOT: names that are fixed): written by a small writer over the field
 * table (fields.h), read back with jansson. snapshot_read(snapshot_write(s)) equals s. */
#ifndef SNAPSHOT_JSON_H
#define SNAPSHOT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/problem.h"
#include "snapshot/snapshot.h"

/* Bytes that grow; free() the bytes. */
struct buffer {
    char *bytes;
    size_t size, capacity;
};
void buffer_add(struct buffer *buffer, const char *bytes, size_t size);
void buffer_free(struct buffer *buffer);

/* Appends one JSON object. `pretty`: two-space indentation (for --json on a terminal), else one
 * line without a line end. */
void snapshot_write(const struct snapshot *snapshot, bool pretty, struct buffer *out);

/* Appends {"schema", "models", "notes"}: what `inspect` prints of a model file or a load log. */
void models_write(const struct model *models, size_t model_count, const struct note *notes,
                  size_t note_count, bool pretty, struct buffer *out);

/* Appends {"schema", "processes", "notes"}: what `inspect PID` prints. */
void processes_write(const struct process *processes, size_t process_count,
                     const struct note *notes, size_t note_count, bool pretty, struct buffer *out);

/* Reads one object. Unknown fields are accepted; what is malformed is refused with
 * "FILE:LINE:COLUMN: reason" in *problem. `name` and `first_line` are used for that message. The
 * result has one reference. */
struct snapshot *snapshot_read(const char *bytes, size_t size, const char *name, size_t first_line,
                               struct snapshot_pool *pool, struct problem *problem);

/* "2026-11-29T12:00:00.250000Z": RFC 3339 in UTC with microseconds, which is what a snapshot keeps;
 * what is finer is cut. Any offset is read. */
enum { TIME_TEXT_SIZE = 40 };
void time_format(int64_t wall_ns, char out[TIME_TEXT_SIZE]);
bool time_parse(struct text text, int64_t *wall_ns);

#endif
