#include "base/file_door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"

static FILE *stream_of(int descriptor)
{
    if (descriptor < 0)
        return NULL;
    FILE *file = fdopen(descriptor, "rb");

    if (!file)
        close(descriptor);
    return file;
}

FILE *file_door_open(const char *path)
{
    return stream_of(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
}

FILE *file_door_open_private(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    struct stat about;

    if (descriptor >= 0 &&
        (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())) {
        close(descriptor);
        errno = EACCES;
        return NULL;
    }
    return stream_of(descriptor);
}

int64_t file_door_size(FILE *file)
{
    struct stat about;

    return fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) ? about.st_size : -1;
}

int64_t file_door_changed_ns(FILE *file)
{
    struct stat about;

    if (fstat(fileno(file), &about) != 0)
        return 0;
#ifdef __APPLE__
    struct timespec changed = about.st_mtimespec;
#else
    struct timespec changed = about.st_mtim;
#endif
    return (int64_t)changed.tv_sec * 1000000000 + changed.tv_nsec;
}

bool file_door_seek(FILE *file, int64_t offset)
{
    return fseeko(file, (off_t)offset, SEEK_SET) == 0;
}

static bool write_all(int descriptor, struct raw_text content)
{
    while (content.length) {
        ssize_t written = write(descriptor, content.bytes, content.length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        content.bytes += written;
        content.length -= (size_t)written;
    }
    return true;
}

/* A device or pipe: there is nothing to rename over. */
static bool write_in_place(const char *path, struct raw_text content)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

    if (descriptor < 0)
        return false;
    bool written = write_all(descriptor, content);

    return close(descriptor) == 0 && written;
}

enum { MODE_BY_UMASK = 0666, MODE_PRIVATE = 0600 };

/* `mode`: of a new file, under the umask. `old`: the file it replaces, whose mode it takes; NULL:
 * none. */
static bool write_beside(const char *path, struct raw_text content, mode_t mode,
                         const struct stat *old)
{
    size_t size = strlen(path) + sizeof ".new-2147483647";
    char *beside = memory_new(size);

    snprintf(beside, size, "%s.new-%d", path, (int)getpid());
    unlink(beside);
    int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    bool written = descriptor >= 0;

    if (written && old && fchmod(descriptor, old->st_mode & 0777) != 0)
        written = false;
    /* Without fsync a crash of the machine may leave an empty file under the name. */
    written = written && write_all(descriptor, content) && fsync(descriptor) == 0;
    int error = errno;

    if (descriptor >= 0 && close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && rename(beside, path) != 0) {
        written = false;
        error = errno;
    }
    if (!written && descriptor >= 0)
        unlink(beside);
    free(beside);
    errno = error;
    return written;
}

bool file_write_atomically(const char *path, struct raw_text content, struct problem *problem)
{
    struct stat old;
    bool exists = stat(path, &old) == 0, written;

    if (exists && !S_ISREG(old.st_mode)) {
        written = write_in_place(path, content);
    } else {
        /* A link stays a link: the file behind it is replaced. */
        char *real = exists ? realpath(path, NULL) : NULL;

        written = write_beside(real ? real : path, content, MODE_BY_UMASK, exists ? &old : NULL);
        int error = errno;

        free(real);
        errno = error;
    }
    return written || problem_set(problem, "cannot write %s: %s", path, strerror(errno));
}

bool file_write_private(const char *path, struct raw_text content, struct problem *problem)
{
    return write_beside(path, content, MODE_PRIVATE, NULL) ||
           problem_set(problem, "cannot write %s: %s", path, strerror(errno));
}

bool file_exists(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

int64_t file_size(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISREG(found.st_mode) ? found.st_size : -1;
}

bool file_make_folder(const char *path, struct problem *problem)
{
    char *part = memory_new(strlen(path) + 1);
    bool made = true;

    memcpy(part, path, strlen(path) + 1);
    for (char *at = part; made && *at; at++) {
        char next = at[1];

        if (at > part && (next == '/' || next == '\0')) {
            at[1] = '\0';
            made = mkdir(part, 0700) == 0 || errno == EEXIST;
            at[1] = next;
        }
    }
    int error = errno;

    free(part);
    return made || problem_set(problem, "cannot make the folder %s: %s", path, strerror(error));
}
