/* One record on one line: a word, then tab-separated key=value pairs. Tabs, line ends and
 * backslashes of a value are escaped. Which members there are is a table, used to write and to
 * read, so that the two sides cannot drift apart. Reading is total: unknown keys are passed over,
 * anything malformed or out of range refuses the record. */
#ifndef GPU_HELPER_RECORD_H
#define GPU_HELPER_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/* The C type of a member. */
enum record_kind {
    RECORD_BOOL,
    RECORD_INT, /* int or int32_t */
    RECORD_I64,
    RECORD_U32,
    RECORD_U64,
    RECORD_CHARS,    /* char[size], NUL-terminated */
    RECORD_RAW,      /* struct raw_text */
    RECORD_MEASURED, /* struct measured: "12", or "!reason" */
    RECORD_SAID,     /* struct said: "12", "how:12", or "!reason" */
    RECORD_REASON,   /* enum reason, by its code */
    RECORD_HOW,      /* these are enums, as numbers below `limit` */
    RECORD_KIND,
    RECORD_POWER,
    RECORD_LIST
};

struct record_field {
    const char *key;
    size_t key_length;
    enum record_kind kind;
    size_t offset, size; /* of the member */
};

/* A member's entry; its offset and size, array elements included. */
#define RECORD_FIELD(type, kind, key, member)                                                      \
    {                                                                                              \
        key, sizeof(key) - 1, RECORD_##kind, offsetof(type, member), sizeof(((type *)0)->member)   \
    }
#define RECORD_COUNT(fields) (sizeof(fields) / sizeof(fields)[0])

/* Lines being written. Zero it to begin; VECTOR_FREE() it. */
struct record_lines {
    char *items;
    size_t count, capacity; /* bytes */
};

void record_write_format(struct record_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the word and every member that is not zero, without the line's end. */
void record_write(struct record_lines *lines, const char *word, const struct record_field *fields,
                  size_t count, const void *record);
/* Writes one more pair of the record begun by record_write(). */
void record_write_pair(struct record_lines *lines, const char *key, struct raw_text value);

/* Takes the next pair off the rest of a line; false at its end or when it is malformed (*ok). The
 * value is still escaped. */
bool record_next_pair(struct raw_text *rest, struct raw_text *key, struct raw_text *value,
                      bool *ok);
/* The value without its escapes, in the arena. */
struct raw_text record_unescape(struct arena *arena, struct raw_text value);

/* Reads the pairs after the word into a zeroed record. raw_texts go into the arena. */
bool record_read(struct arena *arena, struct raw_text pairs, const struct record_field *fields,
                 size_t count, void *record);

#endif
