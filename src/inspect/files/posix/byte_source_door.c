#include "inspect/files/byte_source_door.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool byte_source_door_adopt(int descriptor, const char *path, struct byte_source *source,
                            struct problem *problem)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        int error = errno;
        close(descriptor);
        return problem_set(problem, "cannot read %s: %s", path, strerror(error));
    }
    if (!S_ISREG(status.st_mode)) {
        close(descriptor);
        return problem_set(problem, "%s is %s", path,
                           S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
    }
    *source = (struct byte_source){.size = status.st_size, .handle = descriptor};
    return true;
}

bool byte_source_door_open(const char *path, struct byte_source *source, struct problem *problem)
{
    int descriptor;
    do {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        return problem_set(problem, "cannot read %s: %s", path, strerror(errno));
    }
    return byte_source_door_adopt(descriptor, path, source, problem);
}

bool byte_source_door_read(const struct byte_source *source, int64_t offset, void *buffer,
                           size_t length)
{
    char *at = buffer;
    while (length > 0) {
        ssize_t got = pread((int)source->handle, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        offset += got;
        length -= (size_t)got;
    }
    return true;
}

void byte_source_door_close(struct byte_source *source)
{
    close((int)source->handle);
}
