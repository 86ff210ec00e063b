/* Files of a tree by handle, for doors. */
#ifndef OS_WINDOWS_FILE_HANDLE_DOOR_H
#define OS_WINDOWS_FILE_HANDLE_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

#include "os/root.h"

/* Opens for `access` what stands at `path` of the tree, in nobody's way: whoever uses the file may
 * write, rename and delete it. Folders too. INVALID_HANDLE_VALUE with an errno in *error. */
HANDLE root_handle(const struct root *root, const char *path, DWORD access, DWORD more_flags,
                   int *error);
/* What a Windows error means here. */
int errno_of_windows(DWORD error);
/* Which file it is: volume and number, both not 0; false when the file system has no numbers. */
bool file_handle_id(HANDLE file, uint64_t *device, uint64_t *inode);

#endif
