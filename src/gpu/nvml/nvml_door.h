/* What NVML needs from the system beyond loading a library: where it is. */
#ifndef GPU_NVML_DOOR_H
#define GPU_NVML_DOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "os/root.h"

/* "libnvidia-ml.so.1", "nvml.dll" */
extern const char nvml_file_name[];
/* Its GPUs are files of the system ("/dev/nvidia0"). */
extern const bool nvml_has_nodes;

/* The places where the library is looked for, in this order: number 0, 1 ... False at their end.
 * A name without folders is the loader's matter (on Windows System32, and nothing else). */
bool nvml_place(size_t number, char *path, size_t size);
/* True when one of them is there, without opening it. */
bool nvml_is_installed(const struct root *root);

/* The file that holds this code, links resolved: the file name of libnvidia-ml carries its version.
 * False where the system cannot tell. */
bool nvml_file_of(const void *address, char *path, size_t size);

#endif
