#include "inspect/files/byte_source_door.h"

/* Only a Linux machine has a file tree of its own to look into. */
bool byte_source_door_open_root(const struct root *root, const char *path,
                                struct byte_source *source, struct problem *problem)
{
    (void)root;
    (void)source;
    return problem_set(problem, "cannot read /%s: this machine has no file tree", path);
}
