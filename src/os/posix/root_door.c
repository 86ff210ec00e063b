#include "os/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/number.h"
#include "os/root_door.h"

enum { PATH_SIZE = 4096, LINKS_MAX = 40 };

struct root {
    int descriptor;
    bool recorded;
    bool by_hand; /* its paths are walked here, not by the kernel */
    uint64_t generation;
};

/* A descriptor of a folder, or -1 with errno. */
static int open_top(const char *path)
{
    int descriptor;
    do
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

struct root *root_open(const char *path)
{
    int descriptor = open_top(path);
    if (descriptor < 0)
        return NULL;
    struct root *root = memory_new(sizeof *root);
    root->descriptor = descriptor;
    root->recorded = strcmp(path, "/") != 0;
    root->by_hand = root->recorded || root_door_guards();
    return root;
}

bool root_move(struct root *root, const char *path)
{
    int descriptor = open_top(path);
    if (descriptor < 0)
        return false;
    close(root->descriptor);
    root->descriptor = descriptor;
    root->recorded = strcmp(path, "/") != 0;
    root->by_hand = root->recorded || root_door_guards();
    root->generation++;
    return true;
}

void root_close(struct root **root)
{
    if (!*root)
        return;
    close((*root)->descriptor);
    free(*root);
    *root = NULL;
}

int root_descriptor(const struct root *root)
{
    return root->descriptor;
}

bool root_is_recorded(const struct root *root)
{
    return root->recorded;
}

uint64_t root_generation(const struct root *root)
{
    return root->generation;
}

enum root_result root_result_of(int error)
{
    switch (error) {
    case 0:
        return ROOT_OK;
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
    case ENODEV:
    case ENXIO:
        return ROOT_ABSENT;
    case EACCES:
    case EPERM:
        return ROOT_DENIED;
    default:
        return ROOT_FAILED;
    }
}

/* Cuts the last component off a path of components joined by '/'. False at the top. */
static bool pop_component(char *path, size_t *length)
{
    if (*length == 0)
        return false;
    while (*length > 0 && path[*length - 1] != '/')
        --*length;
    if (*length > 0)
        --*length;
    path[*length] = '\0';
    return true;
}

/* Puts a link's target in front of what is left to walk. */
static int prepend(char rest[PATH_SIZE], const char *at, const char *target, size_t target_length)
{
    size_t left = strlen(at);
    if (target_length + 1 + left + 1 > PATH_SIZE)
        return ENAMETOOLONG;
    memmove(rest + target_length + 1, at, left + 1);
    memcpy(rest, target, target_length);
    rest[target_length] = '/';
    return 0;
}

/* Appends one component to the resolved path and, when it is a link, steps back and puts its target
 * into `rest`. Nothing but folders and links is ever handed to the kernel on the way, so a link
 * can't lead out of the tree. */
static int step_into(const struct root *root, const char *name, size_t name_length,
                     char resolved[PATH_SIZE], size_t *length, char rest[PATH_SIZE], const char *at,
                     int *links)
{
    if (*length + 1 + name_length + 1 > PATH_SIZE)
        return ENAMETOOLONG;
    size_t before = *length;
    if (*length > 0)
        resolved[(*length)++] = '/';
    memcpy(resolved + *length, name, name_length);
    *length += name_length;
    resolved[*length] = '\0';
    if (!root->recorded && root_door_refuses(resolved))
        return EACCES;

    char target[PATH_SIZE];
    ssize_t got = readlinkat(root->descriptor, resolved, target, sizeof target);
    if (got < 0) {
        if (errno != EINVAL)
            return errno;
        return prepend(rest, at, "", 0);
    }
    if (got == 0 || got == (ssize_t)sizeof target)
        return ENAMETOOLONG;
    if (++*links > LINKS_MAX)
        return ELOOP;
    *length = target[0] == '/' ? 0 : before;
    resolved[*length] = '\0';
    return prepend(rest, at, target, (size_t)got);
}

/* The canonical path inside the tree. 0 or an errno; EXDEV when it leaves the tree. Absolute links
 * are relative to the tree's top. */
static int resolve(const struct root *root, const char *path, char resolved[PATH_SIZE])
{
    char rest[PATH_SIZE];
    size_t length = 0;
    int links = 0;

    if (strlen(path) >= sizeof rest)
        return ENAMETOOLONG;
    memcpy(rest, path, strlen(path) + 1);
    resolved[0] = '\0';
    for (;;) {
        const char *name = rest + strspn(rest, "/");
        size_t name_length = strcspn(name, "/");
        if (name_length == 0)
            return 0;
        const char *at = name + name_length;
        int error = 0;
        if (name_length == 1 && name[0] == '.')
            error = prepend(rest, at, "", 0);
        else if (name_length == 2 && name[0] == '.' && name[1] == '.')
            error = pop_component(resolved, &length) ? prepend(rest, at, "", 0) : EXDEV;
        else
            error = step_into(root, name, name_length, resolved, &length, rest, at, &links);
        if (error)
            return error;
    }
}

/* The real machine's names are the kernel's business; a recorded tree is walked by hand, and so is
 * one with folders that must not be entered. */
static int place(const struct root *root, const char *path, char buffer[PATH_SIZE],
                 const char **placed)
{
    if (!root->by_hand) {
        *placed = *path ? path : ".";
        return 0;
    }
    int error = resolve(root, path, buffer);
    *placed = buffer[0] ? buffer : ".";
    return error;
}

/* The same for a path whose last component is not followed. */
static int place_link(const struct root *root, const char *path, char buffer[PATH_SIZE],
                      const char **placed)
{
    const char *name = strrchr(path, '/');
    if (!root->by_hand || !name) {
        *placed = path;
        return 0;
    }
    char folder[PATH_SIZE];
    size_t folder_length = (size_t)(name - path);
    if (folder_length >= sizeof folder)
        return ENAMETOOLONG;
    memcpy(folder, path, folder_length);
    folder[folder_length] = '\0';
    int error = resolve(root, folder, buffer);
    if (error)
        return error;
    size_t length = strlen(buffer);
    if (length + strlen(name) + 1 > PATH_SIZE)
        return ENAMETOOLONG;
    if (length == 0)
        name++;
    memcpy(buffer + length, name, strlen(name) + 1);
    *placed = buffer;
    return 0;
}

int root_open_descriptor(const struct root *root, const char *path, int flags, int *error)
{
    char buffer[PATH_SIZE];
    const char *placed;
    int failure = place(root, path, buffer, &placed);
    int descriptor = -1;
    if (!failure) {
        flags |= O_CLOEXEC | (root->by_hand ? O_NOFOLLOW : 0);
        do
            descriptor = openat(root->descriptor, placed, flags);
        while (descriptor < 0 && errno == EINTR);
        if (descriptor < 0)
            failure = errno;
    }
    if (error)
        *error = failure;
    return descriptor;
}

enum root_result root_read_link(const struct root *root, const char *path, char *buffer,
                                size_t size, size_t *length)
{
    char walked[PATH_SIZE];
    const char *placed;
    *length = 0;
    if (size == 0)
        return ROOT_FAILED;
    buffer[0] = '\0';
    int failure = place_link(root, path, walked, &placed);
    if (failure)
        return root_result_of(failure);
    ssize_t got = readlinkat(root->descriptor, placed, buffer, size);
    if (got < 0)
        return root_result_of(errno);
    bool truncated = (size_t)got == size;
    *length = truncated ? size - 1 : (size_t)got;
    buffer[*length] = '\0';
    return truncated ? ROOT_TRUNCATED : ROOT_OK;
}

bool root_exists(const struct root *root, const char *path)
{
    char buffer[PATH_SIZE];
    const char *placed;
    if (place(root, path, buffer, &placed) != 0)
        return false;
    return faccessat(root->descriptor, placed, F_OK, 0) == 0;
}

bool root_modified_ns(const struct root *root, const char *path, int64_t *modified_ns)
{
    char buffer[PATH_SIZE];
    const char *placed;
    struct stat about;
    return place(root, path, buffer, &placed) == 0 &&
           fstatat(root->descriptor, placed, &about, 0) == 0 &&
           root_door_modified_ns(&about, modified_ns);
}

bool root_file_facts(const struct root *root, const char *path, struct root_file_facts *facts)
{
    char buffer[PATH_SIZE];
    const char *placed;
    struct stat about;
    if (place(root, path, buffer, &placed) != 0 ||
        fstatat(root->descriptor, placed, &about, 0) != 0)
        return false;
    *facts = (struct root_file_facts){
        .device = root_door_device(&about),
        .inode = about.st_ino,
        .size_bytes = about.st_size,
        .regular = S_ISREG(about.st_mode),
        .directory = S_ISDIR(about.st_mode),
    };
    return root_door_modified_ns(&about, &facts->modified_ns);
}

bool root_resolve(const struct root *root, const char *path, char *buffer, size_t size)
{
    if (!root->by_hand && root_door_resolve(root->descriptor, path, buffer, size))
        return true;
    char resolved[PATH_SIZE];
    if (resolve(root, path, resolved) != 0 || strlen(resolved) >= size)
        return false;
    memcpy(buffer, resolved, strlen(resolved) + 1);
    return true;
}
