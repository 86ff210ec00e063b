#include "base/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file_door.h"
#include "base/vector.h"

enum { READ_STEP = 4096 };

/* Closes the file; NULL: it could not be opened, and errno says why. */
static bool read_file(FILE *file, const char *path, size_t limit, char **bytes, size_t *size,
                      struct problem *problem)
{
    if (!file)
        return problem_set(problem, "cannot open %s: %s", path, strerror(errno));
    if (limit == SIZE_MAX)
        limit--;
    char *content = NULL;
    size_t used = 0, capacity = 0, got;

    /* One byte more than the limit is asked for, to tell a file that fills it from a larger one. */
    do {
        content = vector_reserve(content, &capacity, used + READ_STEP, 1);
        size_t room = capacity < limit + 1 ? capacity : limit + 1;

        got = fread(content + used, 1, room - used, file);
        used += got;
    } while (got && used <= limit);
    int error = ferror(file) ? errno : 0;

    fclose(file);
    if (!error && used <= limit) {
        *bytes = content;
        *size = used;
        return true;
    }
    free(content);
    if (error)
        return problem_set(problem, "cannot read %s: %s", path, strerror(error));
    return problem_set(problem, "%s is larger than %llu bytes, which is the most that is read",
                       path, (unsigned long long)limit);
}

bool file_read_all(const char *path, size_t limit, char **bytes, size_t *size,
                   struct problem *problem)
{
    return read_file(file_door_open(path), path, limit, bytes, size, problem);
}

bool file_read_private(const char *path, size_t limit, char **bytes, size_t *size,
                       struct problem *problem)
{
    return read_file(file_door_open_private(path), path, limit, bytes, size, problem);
}
