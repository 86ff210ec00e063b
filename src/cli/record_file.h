/* What `record` writes to: lines in a file, compressed where its name ends in .zst, and in further
 * files beside it where one may not grow beyond a size. */
#ifndef CLI_RECORD_FILE_H
#define CLI_RECORD_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/problem.h"
#include "os/append.h"

struct record_file;

/* Opens for appending; "-" is standard output, never compressed. With a size limit (0: none) the
 * first part with room is gone on with: x.jsonl.zst, x.2.jsonl.zst, x.3.jsonl.zst ... NULL:
 * *problem. */
struct record_file *record_file_open(const char *path, int64_t size_limit, struct problem *problem);
/* How many bytes of a torn line were cut off when it was opened. */
int64_t record_file_cut_bytes(const struct record_file *file);
/* One line, which ends with its line end. */
enum append_result record_file_write(struct record_file *file, const char *line, size_t size,
                                     struct problem *problem);
/* Of the part at work. */
const char *record_file_path(const struct record_file *file);
/* Bytes written to all parts by this program; 0 where they are not counted (a pipe). */
int64_t record_file_bytes(const struct record_file *file);
/* False when what was written may not be on the disk. Sets the pointer to NULL; NULL is allowed. */
bool record_file_close(struct record_file **file, struct problem *problem);

#endif
