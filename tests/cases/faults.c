/* A preload library that makes file operations fail as a case's faults.txt says.
 *
 * GPUTASKMAN_TEST_FAULTS names a file of lines "ERRNO operation path": the operation (open, opendir,
 * readlink, read ...) on a path that ends in "/path" fails with that error; with HANG in its place
 * it fails after a minute. An opendir fault refuses every way of opening the folder.
 * GPUTASKMAN_TEST_FAULTS_COUNT, when set, names a file to which one byte is appended at each fault,
 * so that a test sees that it happened. */
#undef _FILE_OFFSET_BITS /* or open and open64 would be one symbol */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAULTS_MAX = 64, HANG = -1, HANG_S = 60 };

static struct {
    int error;
    char operation[16];
    char path[256];
} faults[FAULTS_MAX];
static int fault_count = -1;

static int error_from_name(const char *name)
{
    static const struct {
        const char *name;
        int error;
    } names[] = {{"EACCES", EACCES}, {"EPERM", EPERM},   {"ENOENT", ENOENT}, {"ESRCH", ESRCH},
                 {"EIO", EIO},       {"EMFILE", EMFILE}, {"ENODEV", ENODEV}, {"EINVAL", EINVAL},
                 {"HANG", HANG}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            return names[i].error;
        }
    }
    return EIO;
}

static FILE *real_fopen(const char *path)
{
    FILE *(*function)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return function(path, "r");
}

static void load(void)
{
    fault_count = 0;
    const char *path = getenv("GPUTASKMAN_TEST_FAULTS");
    FILE *file = path ? real_fopen(path) : NULL;
    char name[16];
    while (file && fault_count < FAULTS_MAX &&
           fscanf(file, "%15s %15s %255[^\n]", name, faults[fault_count].operation,
                  faults[fault_count].path) == 3) {
        faults[fault_count++].error = error_from_name(name);
    }
    if (file) {
        fclose(file);
    }
}

static void count_fault(void)
{
    const char *path = getenv("GPUTASKMAN_TEST_FAULTS_COUNT");
    int (*function)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    int descriptor = path ? function(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (descriptor >= 0) {
        if (write(descriptor, "x", 1) != 1) {
            abort();
        }
        close(descriptor);
    }
}

/* The error for an operation on `path` below `folder`, or 0. */
static int fault(int folder, const char *path, bool opens)
{
    if (fault_count < 0) {
        load();
    }
    char full[2 * PATH_MAX] = "";
    if (fault_count > 0 && path[0] != '/') {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t (*function)(const char *, char *, size_t) =
            (ssize_t(*)(const char *, char *, size_t))dlsym(RTLD_NEXT, "readlink");
        ssize_t length = folder == AT_FDCWD ? 0 : function(link, full, PATH_MAX);
        full[length > 0 ? length : 0] = '\0';
        strcat(full, "/");
    }
    strncat(full, path, PATH_MAX);
    size_t length = strlen(full);
    for (int i = 0; i < fault_count; i++) {
        size_t tail = strlen(faults[i].path);
        bool matches = length > tail && full[length - tail - 1] == '/' &&
                       strcmp(full + length - tail, faults[i].path) == 0;
        bool of_opening = strncmp(faults[i].operation, "open", 4) == 0 ||
                          strcmp(faults[i].operation, "read") == 0;
        if (matches && of_opening == opens) {
            count_fault();
            if (faults[i].error != HANG) {
                return faults[i].error;
            }
            sleep(HANG_S);
            return EIO;
        }
    }
    return 0;
}

#define OPENS(folder, path)                                                                        \
    int error = fault(folder, path, true);                                                         \
    if (error) {                                                                                   \
        errno = error;                                                                             \
        return -1;                                                                                 \
    }                                                                                              \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;                   \
    va_end(arguments)

int openat(int folder, const char *path, int flags, ...)
{
    OPENS(folder, path);
    int (*function)(int, const char *, int, ...) =
        (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    return function(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    OPENS(folder, path);
    int (*function)(int, const char *, int, ...) =
        (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat64");
    return function(folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    OPENS(AT_FDCWD, path);
    int (*function)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return function(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    OPENS(AT_FDCWD, path);
    int (*function)(const char *, int, ...) =
        (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    return function(path, flags, mode);
}

ssize_t readlinkat(int folder, const char *path, char *buffer, size_t size)
{
    int error = fault(folder, path, false);
    if (error) {
        errno = error;
        return -1;
    }
    ssize_t (*function)(int, const char *, char *, size_t) =
        (ssize_t(*)(int, const char *, char *, size_t))dlsym(RTLD_NEXT, "readlinkat");
    return function(folder, path, buffer, size);
}
