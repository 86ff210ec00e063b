/* A small file that is read again and again, kept open between the reads: one system call a read.
 * For files of sysfs and hwmon, whose text is made anew at each read from the beginning; keeping
 * them open holds no device awake (runtime power management counts accesses, not descriptors). */
#ifndef OS_KEPT_FILE_H
#define OS_KEPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/root.h"

/* Zeroed: not open yet. */
struct kept_file {
    bool open;
    bool brief; /* not kept between reads: too many descriptors are open */
    int descriptor;
    uint64_t generation; /* root_generation() when it was opened */
};

/* The whole file, as root_read() gives it, except that a file as large as `size` is not told from a
 * larger one. Opens it when it is not open, or was of another tree. *lost (may be NULL) is set when
 * a kept descriptor has outlived its device: the file is then opened anew by its path, which may be
 * another device's by now. */
enum root_result kept_file_read(struct kept_file *file, const struct root *root, const char *path,
                                char *buffer, size_t size, size_t *length, int *error, bool *lost);
void kept_file_close(struct kept_file *file);

#endif
