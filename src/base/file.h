/* Whole files named by the user (a recording, a config file): bounded. Files of the observed
 * machine are read through os/root.h instead. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"

/* Reads at most `limit` bytes into memory the caller frees with free(). A larger file is refused.
 */
bool file_read_all(const char *path, size_t limit, char **bytes, size_t *size,
                   struct problem *problem);
/* Writes beside the file and renames over it, so that a reader sees the old or the new one. */
bool file_write_atomically(const char *path, struct raw_text content, struct problem *problem);
/* The same for files of our own that nobody else has to do with (a cache): only a regular file that
 * belongs to us is read, and no link is followed, so that what somebody put there cannot lead
 * elsewhere or block. */
bool file_read_private(const char *path, size_t limit, char **bytes, size_t *size,
                       struct problem *problem);
/* For its owner alone (0600, whatever the umask says); it takes the place of what is there, of a
 * link too. */
bool file_write_private(const char *path, struct raw_text content, struct problem *problem);
/* Whether there is something under this name, or what is there cannot be told. */
bool file_exists(const char *path);
/* Bytes of a regular file under this name, where a link leads too; -1: there is none. */
int64_t file_size(const char *path);
/* Makes a folder and what is missing above it, for its owner alone. */
bool file_make_folder(const char *path, struct problem *problem);

#endif
