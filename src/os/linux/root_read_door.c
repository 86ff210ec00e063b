#include "os/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vector.h"
#include "os/root_lines.h"

enum { FIRST_CHUNK = 4096 };

/* Opens a file for reading. A recorded tree may hold only regular files: anything else there (a
 * pipe, a device) could block or do harm. */
static int open_file(const struct root *root, const char *path, int *error)
{
    int descriptor = root_open_descriptor(root, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, error);
    struct stat about;
    if (descriptor < 0 || !root_is_recorded(root))
        return descriptor;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode))
        return descriptor;
    close(descriptor);
    *error = EINVAL;
    return -1;
}

/* Reads until the end or until `size` bytes are there. Bytes, or -1 with errno in *error. */
static ssize_t read_some(int descriptor, char *buffer, size_t size, int *error)
{
    size_t filled = 0;
    while (filled < size) {
        ssize_t got = read(descriptor, buffer + filled, size - filled);
        if (got == 0)
            break;
        if (got > 0) {
            filled += (size_t)got;
        } else if (errno != EINTR) {
            *error = errno;
            return -1;
        }
    }
    return (ssize_t)filled;
}

static enum root_result finish(int failure, int *error)
{
    if (error)
        *error = failure;
    return root_result_of(failure);
}

enum root_result root_read(const struct root *root, const char *path, char *buffer, size_t size,
                           size_t *length, int *error)
{
    int failure = 0;
    *length = 0;
    int descriptor = open_file(root, path, &failure);
    if (descriptor < 0)
        return finish(failure, error);
    ssize_t got = read_some(descriptor, buffer, size, &failure);
    char more;
    bool truncated = got == (ssize_t)size && read_some(descriptor, &more, 1, &failure) == 1;
    close(descriptor);
    if (got < 0)
        return finish(failure, error);
    *length = (size_t)got;
    if (error)
        *error = 0;
    return truncated ? ROOT_TRUNCATED : ROOT_OK;
}

enum root_result root_read_arena(const struct root *root, struct arena *arena, const char *path,
                                 size_t limit, struct raw_text *content, int *error)
{
    int failure = 0;
    *content = (struct raw_text){NULL, 0};
    int descriptor = open_file(root, path, &failure);
    if (descriptor < 0)
        return finish(failure, error);

    /* Kernel files have no size of their own: read into memory that grows, copy at the end. */
    char first[FIRST_CHUNK], *bytes = first;
    char *grown = NULL;
    size_t room = sizeof first < limit ? sizeof first : limit, capacity = 0, filled = 0;
    bool truncated = false;
    for (;;) {
        ssize_t got = read_some(descriptor, bytes + filled, room - filled, &failure);
        if (got < 0)
            break;
        filled += (size_t)got;
        if (filled < room)
            break;
        if (room == limit) {
            char more;
            truncated = read_some(descriptor, &more, 1, &failure) == 1;
            break;
        }
        bool moved = !grown;
        room = room < limit / 4 ? room * 4 : limit;
        grown = vector_reserve(grown, &capacity, room, 1);
        if (moved)
            memcpy(grown, first, filled);
        bytes = grown;
    }
    close(descriptor);
    if (!failure)
        *content = (struct raw_text){arena_string(arena, bytes, filled), filled};
    free(grown);
    enum root_result result = finish(failure, error);
    return result == ROOT_OK && truncated ? ROOT_TRUNCATED : result;
}

enum root_result root_each_line(const struct root *root, const char *path, size_t limit,
                                bool (*each)(struct raw_text line, void *context), void *context,
                                int *error)
{
    int failure = 0;
    int descriptor = open_file(root, path, &failure);
    if (descriptor < 0)
        return finish(failure, error);
    char buffer[ROOT_LINE_SIZE];
    size_t filled = 0, total = 0;
    bool go_on = true, at_end = false;
    while (go_on && !at_end && total < limit) {
        size_t room = sizeof buffer - filled;
        if (room > limit - total)
            room = limit - total;
        /* One read a round, not until full: procfs files give what fits and go on. */
        ssize_t got = read(descriptor, buffer + filled, room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            failure = errno;
            break;
        }
        at_end = got == 0;
        filled += (size_t)got;
        total += (size_t)got;
        filled = root_give_lines(buffer, filled, at_end, each, context, &go_on);
    }
    close(descriptor);
    enum root_result result = finish(failure, error);
    return result == ROOT_OK && go_on && !at_end ? ROOT_TRUNCATED : result;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum root_result root_list(const struct root *root, struct arena *arena, const char *path,
                           size_t limit, char ***names, size_t *count)
{
    struct {
        char **items;
        size_t count, capacity;
    } found = {0};
    int failure = 0;
    *names = NULL;
    *count = 0;
    int descriptor = root_open_descriptor(root, path, O_RDONLY | O_DIRECTORY, &failure);
    if (descriptor < 0)
        return root_result_of(failure);
    DIR *folder = fdopendir(descriptor);
    if (!folder) {
        failure = errno;
        close(descriptor);
        return root_result_of(failure);
    }
    bool truncated = false;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry) {
            failure = errno;
            break;
        }
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        truncated = found.count == limit;
        if (truncated)
            break;
        VECTOR_PUSH(&found, arena_string(arena, name, strlen(name)));
    }
    closedir(folder);
    if (found.count > 0) {
        qsort(found.items, found.count, sizeof *found.items, compare_names);
        *names = ARENA_ARRAY(arena, char *, found.count);
        memcpy(*names, found.items, found.count * sizeof *found.items);
        *count = found.count;
    }
    VECTOR_FREE(&found);
    if (failure)
        return root_result_of(failure);
    return truncated ? ROOT_TRUNCATED : ROOT_OK;
}
