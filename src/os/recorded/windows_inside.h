/* What the inspector sees inside the processes of a recorded Windows machine: those of
 * processes.json that have "modules" (a list of paths), and perhaps "mapped" ({"path", "bytes"}),
 * "cwd", "environment" (an object) and "executable" and "command" beside them. What they name lies
 * in DIR/files, a drive being a folder: DIR/files/C:/models. */
#ifndef OS_RECORDED_WINDOWS_INSIDE_H
#define OS_RECORDED_WINDOWS_INSIDE_H

#include <jansson.h>

#include "os/inside.h"

/* `processes` (the whole of processes.json) and `files` (may be NULL) must stay. ops NULL where
 * nothing of the kind is recorded. */
struct inside recorded_windows_inside(const json_t *processes, const struct root *files);

#endif
