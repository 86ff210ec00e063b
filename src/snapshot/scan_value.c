#include "snapshot/scan_value.h"

#include <string.h>

enum { DEPTH_MAX = 32 };

bool scan_open(struct scan_cursor *cursor, char bracket, struct scan_series *series)
{
    *series = (struct scan_series){.close = bracket == '{' ? '}' : ']'};
    return scan_take(cursor, bracket);
}

bool scan_more(struct scan_cursor *cursor, struct scan_series *series, bool *good)
{
    if (series->begun) {
        if (scan_take(cursor, ',')) {
            return true;
        }
        *good = scan_take(cursor, series->close);
        return false;
    }
    series->begun = true;
    return !scan_take(cursor, series->close);
}

bool scan_names_add(struct scan_names *names, struct text name)
{
    unsigned char hash = (unsigned char)name.size;
    if (name.size > 0) {
        unsigned first = (unsigned char)name.utf8[0];
        unsigned middle = (unsigned char)name.utf8[name.size / 2];
        unsigned last = (unsigned char)name.utf8[name.size - 1];
        hash = (unsigned char)(name.size * 29 + first * 3 + middle * 7 + last * 13);
    }
    uint64_t bit = UINT64_C(1) << (hash & 63);
    if (names->seen[hash >> 6] & bit) {
        for (size_t i = 0; i < names->count; i++) {
            if (names->names[i].size == name.size &&
                memcmp(names->names[i].utf8, name.utf8, name.size) == 0) {
                return false;
            }
        }
    }
    if (names->count == SCAN_NAMES_MAX) {
        return false;
    }
    names->seen[hash >> 6] |= bit;
    names->names[names->count++] = name;
    return true;
}

static bool take_word(struct scan_cursor *cursor, const char *word, size_t length)
{
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0) {
        return false;
    }
    cursor->at += length;
    return true;
}

bool scan_null(struct scan_cursor *cursor)
{
    return scan_peek(cursor) == 'n' && take_word(cursor, "null", 4);
}

bool scan_boolean(struct scan_cursor *cursor, bool *value)
{
    *value = scan_peek(cursor) == 't';
    return *value ? take_word(cursor, "true", 4) : take_word(cursor, "false", 5);
}

/* From a byte above 127 to behind the last one in a row. */
static bool take_utf8(struct scan_cursor *cursor)
{
    size_t size = (size_t)(cursor->end - cursor->at), at = 0;
    while (at < size && (unsigned char)cursor->at[at] >= 0x80) {
        size_t before = at;
        if (text_next(cursor->at, size, &at) == 0xfffd && at == before + 1) {
            return false;
        }
    }
    cursor->at += at;
    return true;
}

static int hex_digit(char c)
{
    char lower = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The four digits behind \u; -1: they are not there. */
static int take_hex4(struct scan_cursor *cursor)
{
    int unit = 0;
    for (int i = 0; i < 4; i++, cursor->at++) {
        int digit = cursor->at < cursor->end ? hex_digit(*cursor->at) : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

/* From behind a backslash; the character, 0 (also for NUL, which is left to others): none. */
static uint32_t take_escape(struct scan_cursor *cursor)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char c = cursor->at < cursor->end ? *cursor->at : '\0';
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    cursor->at++;
    if (letter) {
        return (uint32_t)meanings[letter - letters];
    }
    int unit = c == 'u' ? take_hex4(cursor) : -1;
    if (unit < 0xd800 || unit > 0xdfff) {
        return unit > 0 ? (uint32_t)unit : 0;
    }
    int low = unit < 0xdc00 && take_word(cursor, "\\u", 2) ? take_hex4(cursor) : -1;
    return low >= 0xdc00 && low <= 0xdfff
               ? 0x10000U + (((uint32_t)unit - 0xd800U) << 10) + ((uint32_t)low - 0xdc00U)
               : 0;
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* True where all eight bytes are plain. */
static bool are_plain(const char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    uint64_t odd = (word - ones * 0x20) | (quote - ones) | (backslash - ones) | word;
    return (odd & highs) == 0;
}

/* Over plain characters. */
static void pass_plain(struct scan_cursor *cursor)
{
    while (cursor->end - cursor->at >= 8 && are_plain(cursor->at)) {
        cursor->at += 8;
    }
    while (cursor->at < cursor->end && is_plain((unsigned char)*cursor->at)) {
        cursor->at++;
    }
}

bool scan_raw_text(struct scan_cursor *cursor, struct text *text, bool *escaped)
{
    *escaped = false;
    if (!scan_take(cursor, '"')) {
        return false;
    }
    const char *begin = cursor->at;
    for (;;) {
        pass_plain(cursor);
        if (cursor->at == cursor->end) {
            return false;
        }
        unsigned char byte = (unsigned char)*cursor->at;
        if (byte == '"') {
            *text = (struct text){begin, (size_t)(cursor->at - begin)};
            cursor->at++;
            return text->size <= TEXT_LIMIT;
        }
        cursor->at += byte == '\\';
        *escaped |= byte == '\\';
        if (byte == '\\' ? take_escape(cursor) == 0 : byte < 0x80 || !take_utf8(cursor)) {
            return false;
        }
    }
}

bool scan_text(struct scan_cursor *cursor, struct text *text)
{
    bool escaped;
    return scan_raw_text(cursor, text, &escaped) && !escaped;
}

struct text scan_unescape(struct arena *arena, struct text text, bool escaped)
{
    if (!escaped) {
        return text;
    }
    char *bytes = arena_alloc(arena, text.size);
    size_t size = 0;
    struct scan_cursor cursor = {text.utf8, text.utf8 + text.size};
    while (cursor.at < cursor.end) {
        if (*cursor.at == '\\') {
            cursor.at++;
            size += text_encode(take_escape(&cursor), bytes + size);
        } else {
            bytes[size++] = *cursor.at++;
        }
    }
    return (struct text){bytes, size};
}

bool scan_key(struct scan_cursor *cursor, struct text *key)
{
    return scan_text(cursor, key) && scan_take(cursor, ':');
}

static bool skip_at(struct scan_cursor *cursor, int depth);

static bool skip_object(struct scan_cursor *cursor, int depth)
{
    struct scan_series series;
    struct scan_names names;
    bool good = depth < DEPTH_MAX && scan_open(cursor, '{', &series);
    scan_names_start(&names);
    while (good && scan_more(cursor, &series, &good)) {
        struct text key;
        good = scan_key(cursor, &key) && scan_names_add(&names, key) && skip_at(cursor, depth + 1);
    }
    return good;
}

static bool skip_list(struct scan_cursor *cursor, int depth)
{
    struct scan_series series;
    bool good = depth < DEPTH_MAX && scan_open(cursor, '[', &series);
    while (good && scan_more(cursor, &series, &good)) {
        good = skip_at(cursor, depth + 1);
    }
    return good;
}

static bool skip_at(struct scan_cursor *cursor, int depth)
{
    bool boolean;
    struct text text;
    switch (scan_peek(cursor)) {
    case '"':
        return scan_raw_text(cursor, &text, &boolean);
    case '{':
        return skip_object(cursor, depth);
    case '[':
        return skip_list(cursor, depth);
    case 'n':
        return scan_null(cursor);
    case 't':
    case 'f':
        return scan_boolean(cursor, &boolean);
    default:
        return scan_number(cursor);
    }
}

bool scan_skip(struct scan_cursor *cursor)
{
    return skip_at(cursor, 0);
}
