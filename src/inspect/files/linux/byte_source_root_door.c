#include "inspect/files/byte_source_door.h"

#include <fcntl.h>
#include <string.h>

#include "os/root.h"

bool byte_source_door_open_root(const struct root *root, const char *path,
                                struct byte_source *source, struct problem *problem)
{
    int error = 0;
    int descriptor = root_open_descriptor(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, &error);
    if (descriptor < 0) {
        return problem_set(problem, "cannot read /%s: %s", path, strerror(error));
    }
    return byte_source_door_adopt(descriptor, path, source, problem);
}
