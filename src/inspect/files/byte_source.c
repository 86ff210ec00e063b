#include "inspect/files/byte_source.h"

#include <string.h>

#include "inspect/files/byte_source_door.h"

struct byte_source byte_source_over_memory(const char *bytes, size_t size)
{
    return (struct byte_source){.size = (int64_t)size, .memory = bytes ? bytes : ""};
}

bool byte_source_read(const struct byte_source *source, int64_t offset, void *buffer, size_t length)
{
    if (offset < 0 || offset > source->size || length > (uint64_t)(source->size - offset)) {
        return false;
    }
    if (length == 0) {
        return true;
    }
    if (source->memory) {
        memcpy(buffer, source->memory + offset, length);
        return true;
    }
    return byte_source_door_read(source, offset, buffer, length);
}

void byte_source_close(struct byte_source *source)
{
    if (!source->memory) {
        byte_source_door_close(source);
    }
    *source = byte_source_over_memory("", 0);
}

static bool open_real(const struct byte_opener *opener, const char *path,
                      struct byte_source *source, struct problem *problem)
{
    (void)opener;
    return byte_source_door_open(path, source, problem);
}

struct byte_opener byte_opener_real(void)
{
    return (struct byte_opener){.open = open_real};
}

static bool open_in_root(const struct byte_opener *opener, const char *path,
                         struct byte_source *source, struct problem *problem)
{
    while (*path == '/') {
        path++;
    }
    return byte_source_door_open_root(opener->context, path, source, problem);
}

struct byte_opener byte_opener_root(const struct root *root)
{
    return (struct byte_opener){.open = open_in_root, .context = root};
}
