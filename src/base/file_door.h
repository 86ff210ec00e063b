/* What file.c needs of the system. Paths are UTF-8 everywhere. */
#ifndef BASE_FILE_DOOR_H
#define BASE_FILE_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens for reading, not inherited by other programs; NULL with errno. */
FILE *file_door_open(const char *path);
/* The same for a regular file of our own, without following a link and without waiting for a pipe.
 */
FILE *file_door_open_private(const char *path);
/* Bytes of a regular file now; -1 for anything else. */
int64_t file_door_size(FILE *file);
/* When its content last changed, by the wall clock; 0: not known. */
int64_t file_door_changed_ns(FILE *file);
/* The next byte read is that one. */
bool file_door_seek(FILE *file, int64_t offset);

#endif
