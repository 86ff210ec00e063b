/* The values of JSON, one after the other. Every function that returns bool returns false where the
 * text is no JSON, or JSON that is left to a slower reader (a number of very many digits, a key
 * with escapes, deep nesting); the cursor is of no use afterwards. What is accepted, jansson
 * accepts. */
#ifndef SNAPSHOT_SCAN_VALUE_H
#define SNAPSHOT_SCAN_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

struct scan_cursor {
    const char *at, *end;
};

/* The next character that is no blank; '\0' at the end. */
static inline char scan_peek(struct scan_cursor *cursor)
{
    while (cursor->at < cursor->end && (unsigned char)*cursor->at <= ' ') {
        char c = *cursor->at;
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            return '\x01'; /* no JSON */
        }
        cursor->at++;
    }
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static inline bool scan_take(struct scan_cursor *cursor, char c)
{
    bool taken = scan_peek(cursor) == c;
    cursor->at += taken;
    return taken;
}

/* The members of an object or the items of a list: opens it; then, before each one, says whether
 * there is one more. `*good` becomes false when the text is not right. */
struct scan_series {
    char close;
    bool begun;
};
bool scan_open(struct scan_cursor *cursor, char bracket, struct scan_series *series);
bool scan_more(struct scan_cursor *cursor, struct scan_series *series, bool *good);

/* The keys of one object so far: none may come twice. */
enum { SCAN_NAMES_MAX = 96 };
struct scan_names {
    uint64_t seen[4];
    size_t count;
    struct text names[SCAN_NAMES_MAX];
};
static inline void scan_names_start(struct scan_names *names)
{
    names->seen[0] = names->seen[1] = names->seen[2] = names->seen[3] = 0;
    names->count = 0;
}
/* False: it was there before, or there are too many to tell. */
bool scan_names_add(struct scan_names *names, struct text name);

bool scan_null(struct scan_cursor *cursor); /* takes it when it is there */
bool scan_boolean(struct scan_cursor *cursor, bool *value);
/* A text as it is written, between its quotes; *escaped: it holds escapes. */
bool scan_raw_text(struct scan_cursor *cursor, struct text *text, bool *escaped);
/* A text without escapes. */
bool scan_text(struct scan_cursor *cursor, struct text *text);
/* What scan_raw_text() found, without its escapes: itself, or a copy in the arena. */
struct text scan_unescape(struct arena *arena, struct text text, bool escaped);
bool scan_key(struct scan_cursor *cursor, struct text *key); /* and its colon */
bool scan_integer(struct scan_cursor *cursor, int64_t *value);
/* The double that is nearest. */
bool scan_real(struct scan_cursor *cursor, double *value);
bool scan_number(struct scan_cursor *cursor); /* any, passed over */
/* Any value, passed over. */
bool scan_skip(struct scan_cursor *cursor);

#endif
