#include "gpu/helper/opening.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"

void opening_write(struct record_lines *lines, const char *name, const struct record_field *fields,
                   size_t count, const void *record)
{
    record_write_format(lines, "%s\tversion=%d", name, OPENING_VERSION);
    record_write(lines, "", fields, count, record);
}

struct raw_text opening_word(struct raw_text *line)
{
    struct raw_text word = {NULL, 0};
    if (!fields_next(line, '\t', &word))
        return (struct raw_text){"", 0};
    return word;
}

static bool is_our_version(struct raw_text pairs)
{
    struct raw_text key, value;
    bool ok;
    while (record_next_pair(&pairs, &key, &value, &ok)) {
        uint64_t version;
        if (raw_equal_string(key, "version"))
            return number_parse_u64(value, &version, NULL) && version == OPENING_VERSION;
    }
    return false;
}

bool opening_read(struct arena *arena, struct raw_text line, const char *name,
                  const struct record_field *fields, size_t count, void *record)
{
    struct raw_text word = opening_word(&line);
    return raw_equal_string(word, name) && is_our_version(line) &&
           record_read(arena, line, fields, count, record);
}

void request_write(const char *name, const struct record_field *fields, size_t count,
                   const void *record, char *line, size_t size)
{
    struct record_lines lines = {0};
    opening_write(&lines, name, fields, count, record);
    size_t length = lines.count < size ? lines.count : 0;
    memcpy(line, lines.items, length);
    line[length] = '\0';
    VECTOR_FREE(&lines);
}

bool request_read(struct raw_text line, const char *name, const struct record_field *fields,
                  size_t count, void *record)
{
    struct arena *arena = arena_new();
    bool ok = opening_read(arena, line, name, fields, count, record);
    arena_free(&arena);
    return ok;
}
