#include "os/root_door.h"

#include <sys/stat.h>

#include "base/number.h"
#include "os/macos/protected_path.h"

bool root_door_guards(void)
{
    return true;
}

bool root_door_refuses(const char *path)
{
    return macos_path_is_protected(path);
}

/* As vst_dev of a mapped file has it: 32 bits. */
uint64_t root_door_device(const struct stat *about)
{
    return (uint32_t)about->st_dev;
}

bool root_door_modified_ns(const struct stat *about, int64_t *modified_ns)
{
    int64_t whole_ns;
    return number_multiply_i64(about->st_mtimespec.tv_sec, 1000000000, &whole_ns) &&
           number_add_i64(whole_ns, about->st_mtimespec.tv_nsec, modified_ns);
}

/* The tree is guarded: paths are walked by hand. */
bool root_door_resolve(int top, const char *path, char *buffer, size_t size)
{
    (void)top;
    (void)path;
    (void)buffer;
    (void)size;
    return false;
}
