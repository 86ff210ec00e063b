#include "os/linux/proc_maps.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

static bool hex_pair(struct raw_text word, char separator, uint64_t *first, uint64_t *second)
{
    struct raw_text before, after;
    return raw_split(word, separator, &before, &after) && number_parse_hex(before, first, NULL) &&
           number_parse_hex(after, second, NULL);
}

bool path_strip_deleted(struct raw_text *path)
{
    static const char mark[] = " (deleted)";
    size_t length = sizeof mark - 1;
    if (path->length < length || memcmp(path->bytes + path->length - length, mark, length) != 0)
        return false;
    path->length -= length;
    return true;
}

bool proc_mapping_parse(struct raw_text line, struct proc_mapping *mapping)
{
    struct raw_text word;
    uint64_t major, minor;

    *mapping = (struct proc_mapping){.inode = 0};
    if (!words_next(&line, &word) || !hex_pair(word, '-', &mapping->start, &mapping->end) ||
        mapping->end < mapping->start)
        return false;
    if (!words_next(&line, &word) || word.length < 4)
        return false;
    mapping->readable = word.bytes[0] == 'r';
    mapping->writable = word.bytes[1] == 'w';
    mapping->executable = word.bytes[2] == 'x';
    mapping->shared = word.bytes[3] == 's';
    if (!words_next(&line, &word) || !number_parse_hex(word, &mapping->offset, NULL))
        return false;
    if (!words_next(&line, &word) || !hex_pair(word, ':', &major, &minor) || major > UINT32_MAX ||
        minor > UINT32_MAX)
        return false;
    mapping->device_major = (uint32_t)major;
    mapping->device_minor = (uint32_t)minor;
    if (!words_next(&line, &word) || !number_parse_u64(word, &mapping->inode, NULL))
        return false;
    /* The path is the rest of the line: it may hold blanks. */
    while (line.length > 0 && (line.bytes[0] == ' ' || line.bytes[0] == '\t')) {
        line.bytes++;
        line.length--;
    }
    mapping->path = line;
    mapping->deleted = path_strip_deleted(&mapping->path);
    return true;
}

bool path_is_cuda_driver(struct raw_text path)
{
    static const char name[] = "libcuda.so";
    path_strip_deleted(&path);
    struct raw_text base = path;
    for (size_t at = path.length; at > 0; at--)
        if (path.bytes[at - 1] == '/') {
            base = (struct raw_text){path.bytes + at, path.length - at};
            break;
        }
    if (!raw_starts_with(base, name))
        return false;
    return base.length == sizeof name - 1 || base.bytes[sizeof name - 1] == '.';
}
