#include "base/lines.h"

#include <string.h>

static struct raw_text raw_after(struct raw_text raw, size_t skip)
{
    return (struct raw_text){raw.bytes + skip, raw.length - skip};
}

bool lines_next(struct raw_text *rest, struct raw_text *line)
{
    if (rest->length == 0)
        return false;
    const char *end = memchr(rest->bytes, '\n', rest->length);
    size_t length = end ? (size_t)(end - rest->bytes) : rest->length;

    *line = (struct raw_text){rest->bytes, length};
    *rest = raw_after(*rest, end ? length + 1 : length);
    if (end && length && line->bytes[length - 1] == '\r')
        line->length--;
    return true;
}

bool fields_next(struct raw_text *rest, char separator, struct raw_text *field)
{
    if (!rest->bytes)
        return false;
    *field = *rest;
    if (!raw_split(*field, separator, field, rest))
        *rest = (struct raw_text){NULL, 0};
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool words_next(struct raw_text *rest, struct raw_text *word)
{
    size_t start = 0;

    while (start < rest->length && is_blank(rest->bytes[start]))
        start++;
    size_t end = start;

    while (end < rest->length && !is_blank(rest->bytes[end]))
        end++;
    if (start == end)
        return false;
    *word = (struct raw_text){rest->bytes + start, end - start};
    *rest = raw_after(*rest, end);
    return true;
}

static bool is_space(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

struct raw_text raw_trim(struct raw_text raw)
{
    while (raw.length && is_space(raw.bytes[raw.length - 1]))
        raw.length--;
    size_t start = 0;

    while (start < raw.length && is_space(raw.bytes[start]))
        start++;
    return start ? raw_after(raw, start) : raw;
}

bool raw_starts_with(struct raw_text raw, const char *prefix)
{
    size_t length = strlen(prefix);

    return length == 0 || (raw.length >= length && memcmp(raw.bytes, prefix, length) == 0);
}

bool raw_split(struct raw_text raw, char separator, struct raw_text *before, struct raw_text *after)
{
    const char *at = raw.length ? memchr(raw.bytes, separator, raw.length) : NULL;

    if (!at)
        return false;
    size_t length = (size_t)(at - raw.bytes);

    *before = (struct raw_text){raw.bytes, length};
    *after = raw_after(raw, length + 1);
    return true;
}
