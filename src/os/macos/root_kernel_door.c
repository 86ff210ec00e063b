#include "os/root_door.h"

#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/fatal.h"
#include "base/number.h"
#include "os/macos/protected_path.h"

enum { MOUNTS_MAX = 1024 };

bool root_door_guards(void)
{
    return true;
}

/* The kernel's list as it is, without asking the servers: one that is gone would be waited for. */
static bool is_on_network(const char *path)
{
    int count = getfsstat(NULL, 0, MNT_NOWAIT);
    if (count <= 0 || count > MOUNTS_MAX)
        return count > MOUNTS_MAX;
    size_t size = (size_t)count * sizeof(struct statfs);
    struct statfs *mounts = memory_new(size);
    count = getfsstat(mounts, (int)size, MNT_NOWAIT);
    bool found = false;
    for (int i = 0; i < count && !found; i++)
        found =
            !(mounts[i].f_flags & MNT_LOCAL) && macos_path_is_below(path, mounts[i].f_mntonname);
    free(mounts);
    return found;
}

bool root_door_refuses(const char *path)
{
    return macos_path_is_protected(path) || is_on_network(path);
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
