/* What byte_source.c needs of the system. */
#ifndef INSPECT_FILES_BYTE_SOURCE_DOOR_H
#define INSPECT_FILES_BYTE_SOURCE_DOOR_H

#include "inspect/files/byte_source.h"

/* Opens a regular file, without blocking, following links. */
bool byte_source_door_open(const char *path, struct byte_source *source, struct problem *problem);
/* The same in the observed machine's tree. */
bool byte_source_door_open_root(const struct root *root, const char *path,
                                struct byte_source *source, struct problem *problem);
/* Takes over a descriptor (POSIX): regular or refused. Closes it when it fails. */
bool byte_source_door_adopt(int descriptor, const char *path, struct byte_source *source,
                            struct problem *problem);
bool byte_source_door_read(const struct byte_source *source, int64_t offset, void *buffer,
                           size_t length);
void byte_source_door_close(struct byte_source *source);

#endif
