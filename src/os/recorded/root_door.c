#include "os/root.h"

#include <errno.h>

/* A system without a file tree of Linux's: nothing is there. */
struct root *root_open(const char *path)
{
    (void)path;
    errno = ENOENT;
    return NULL;
}

void root_close(struct root **root)
{
    *root = NULL;
}

int root_descriptor(const struct root *root)
{
    (void)root;
    return -1;
}

bool root_is_recorded(const struct root *root)
{
    (void)root;
    return false;
}

bool root_move(struct root *root, const char *path)
{
    (void)root;
    (void)path;
    return false;
}

uint64_t root_generation(const struct root *root)
{
    (void)root;
    return 0;
}

int root_open_descriptor(const struct root *root, const char *path, int flags, int *error)
{
    (void)root;
    (void)path;
    (void)flags;
    if (error)
        *error = ENOENT;
    return -1;
}

enum root_result root_result_of(int error)
{
    return error == EACCES ? ROOT_DENIED : ROOT_ABSENT;
}

static enum root_result absent(int *error)
{
    if (error)
        *error = ENOENT;
    return ROOT_ABSENT;
}

enum root_result root_read(const struct root *root, const char *path, char *buffer, size_t size,
                           size_t *length, int *error)
{
    (void)root;
    (void)path;
    (void)buffer;
    (void)size;
    *length = 0;
    return absent(error);
}

enum root_result root_read_arena(const struct root *root, struct arena *arena, const char *path,
                                 size_t limit, struct raw_text *content, int *error)
{
    (void)root;
    (void)arena;
    (void)path;
    (void)limit;
    *content = (struct raw_text){NULL, 0};
    return absent(error);
}

enum root_result root_each_line(const struct root *root, const char *path, size_t limit,
                                bool (*each)(struct raw_text line, void *context), void *context,
                                int *error)
{
    (void)root;
    (void)path;
    (void)limit;
    (void)each;
    (void)context;
    return absent(error);
}

enum root_result root_read_link(const struct root *root, const char *path, char *buffer,
                                size_t size, size_t *length)
{
    (void)root;
    (void)path;
    (void)buffer;
    (void)size;
    *length = 0;
    return ROOT_ABSENT;
}

enum root_result root_list(const struct root *root, struct arena *arena, const char *path,
                           size_t limit, char ***names, size_t *count)
{
    (void)root;
    (void)arena;
    (void)path;
    (void)limit;
    *names = NULL;
    *count = 0;
    return ROOT_ABSENT;
}

bool root_exists(const struct root *root, const char *path)
{
    (void)root;
    (void)path;
    return false;
}

bool root_modified_ns(const struct root *root, const char *path, int64_t *modified_ns)
{
    (void)root;
    (void)path;
    *modified_ns = 0;
    return false;
}

bool root_file_facts(const struct root *root, const char *path, struct root_file_facts *facts)
{
    (void)root;
    (void)path;
    *facts = (struct root_file_facts){0};
    return false;
}

bool root_resolve(const struct root *root, const char *path, char *buffer, size_t size)
{
    (void)root;
    (void)path;
    (void)buffer;
    (void)size;
    return false;
}
