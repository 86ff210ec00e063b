#include "os/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/descriptor.h"

void kept_file_close(struct kept_file *file)
{
    if (file->open)
        close(file->descriptor);
    *file = (struct kept_file){0};
}

static bool open_file(struct kept_file *file, const struct root *root, const char *path, int *error)
{
    struct stat about;
    int descriptor = root_open_descriptor(root, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, error);
    if (descriptor < 0)
        return false;
    /* A recorded tree may hold anything; a pipe or a device there could block. */
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(descriptor);
        *error = EINVAL;
        return false;
    }
    *file = (struct kept_file){.open = true,
                               .brief = !descriptor_may_be_kept(descriptor),
                               .descriptor = descriptor,
                               .generation = root_generation(root)};
    return true;
}

static ssize_t read_start(int descriptor, char *buffer, size_t size)
{
    ssize_t got;
    do
        got = pread(descriptor, buffer, size, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

static enum root_result finish(int failure, int *error)
{
    if (error)
        *error = failure;
    return root_result_of(failure);
}

enum root_result kept_file_read(struct kept_file *file, const struct root *root, const char *path,
                                char *buffer, size_t size, size_t *length, int *error, bool *lost)
{
    int failure = 0;
    *length = 0;
    if (file->open && file->generation != root_generation(root))
        kept_file_close(file);
    for (int attempt = 0; attempt < 2; attempt++) {
        bool was_open = file->open;
        if (!was_open && !open_file(file, root, path, &failure))
            return finish(failure, error);
        ssize_t got = read_start(file->descriptor, buffer, size);
        failure = errno;
        if (file->brief)
            kept_file_close(file);
        if (got >= 0) {
            *length = (size_t)got;
            finish(0, error);
            return (size_t)got == size ? ROOT_TRUNCATED : ROOT_OK;
        }
        if (failure != ENODEV)
            break; /* the sensor's own answer: asleep, not supported, no permission */
        kept_file_close(file);
        if (!was_open)
            break;
        if (lost)
            *lost = true;
    }
    return finish(failure, error);
}
