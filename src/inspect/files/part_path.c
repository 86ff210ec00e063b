#include <stdio.h>
#include <string.h>

#include "inspect/files/formats.h"

enum { PARTS_SIZE = sizeof "-00001-of-00003" - 1 };

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

bool path_has_ending(const char *path, const char *suffix)
{
    size_t length = strlen(path), size = strlen(suffix);
    if (length < size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (lower(path[length - size + i]) != lower(suffix[i])) {
            return false;
        }
    }
    return true;
}

bool sibling_path(const char *path, const char *name, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *other = strrchr(path, '\\'); /* Windows writes both */
    slash = !slash || (other && other > slash) ? other : slash;
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    int used = folder < size ? snprintf(out, size, "%.*s%s", (int)folder, path, name) : -1;
    return used >= 0 && (size_t)used < size;
}

static bool five_digits(const char *at, int64_t *value)
{
    *value = 0;
    for (int i = 0; i < 5; i++) {
        if (at[i] < '0' || at[i] > '9') {
            return false;
        }
        *value = *value * 10 + (at[i] - '0');
    }
    return true;
}

bool part_of(const char *path, const char *suffix, int64_t *part, int64_t *parts)
{
    size_t length = strlen(path), size = strlen(suffix);
    if (length < size + PARTS_SIZE || !path_has_ending(path, suffix)) {
        return false;
    }
    const char *at = path + length - size - PARTS_SIZE;
    bool valid = at[0] == '-' && five_digits(at + 1, part) && memcmp(at + 6, "-of-", 4) == 0 &&
                 five_digits(at + 10, parts);
    --*part;
    return valid && *part >= 0 && *part < *parts;
}

bool part_path(const char *path, const char *suffix, int64_t part, int64_t parts, char *out,
               size_t size)
{
    int64_t own, count;
    size_t length = strlen(path);
    if (!part_of(path, suffix, &own, &count) || count != parts || length >= size) {
        return false;
    }
    size_t stem = length - strlen(suffix) - PARTS_SIZE;
    memcpy(out, path, length + 1);
    snprintf(out + stem, size - stem, "-%05u-of-%05u%s", (unsigned)part + 1, (unsigned)parts,
             path + length - strlen(suffix));
    return true;
}
