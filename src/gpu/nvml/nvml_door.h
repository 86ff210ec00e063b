/* What the NVML helper needs from the system beyond loading a library. */
#ifndef GPU_NVML_DOOR_H
#define GPU_NVML_DOOR_H

#include <stdbool.h>
#include <stddef.h>

/* The file that holds this code, links resolved: the file name of libnvidia-ml carries its version.
 * False where the system cannot tell. */
bool nvml_file_of(const void *address, char *path, size_t size);

#endif
