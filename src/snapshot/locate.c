#include "snapshot/locate.h"

#include <stdbool.h>
#include <string.h>

struct cursor {
    const char *bytes;
    size_t size, at;
};

static char cursor_char(const struct cursor *cursor)
{
    return cursor->at < cursor->size ? cursor->bytes[cursor->at] : '\0';
}

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->size && strchr(" \t\r\n", cursor->bytes[cursor->at]) &&
           cursor->bytes[cursor->at] != '\0') {
        cursor->at++;
    }
}

/* From an opening quote to behind the closing one. */
static void skip_string(struct cursor *cursor)
{
    for (cursor->at++; cursor->at < cursor->size; cursor->at++) {
        if (cursor->bytes[cursor->at] == '\\') {
            cursor->at++;
        } else if (cursor->bytes[cursor->at] == '"') {
            cursor->at++;
            return;
        }
    }
}

/* To behind the value that begins here, however deep it is. */
static void skip_value(struct cursor *cursor)
{
    size_t depth = 0;
    while (cursor->at < cursor->size) {
        char c = cursor_char(cursor);
        if (c == '"') {
            skip_string(cursor);
            if (depth == 0) {
                return;
            }
            continue;
        }
        if (depth == 0 && strchr(",]} \t\r\n", c)) {
            return;
        }
        depth += c == '{' || c == '[';
        cursor->at++;
        if ((c == '}' || c == ']') && --depth == 0) {
            return;
        }
    }
}

static bool is_key(const struct cursor *cursor, size_t begin, size_t end, const char *key)
{
    size_t length = strlen(key);
    return end - begin == length + 2 && memcmp(cursor->bytes + begin + 1, key, length) == 0;
}

/* From a container to the value that one step leads to; false (and the cursor stays) when it is not
 * there. */
static bool step_into(struct cursor *cursor, const struct locate_step *step)
{
    struct cursor inside = *cursor;
    if (cursor_char(&inside) != (step->key ? '{' : '[')) {
        return false;
    }
    inside.at++;
    for (size_t index = 0; inside.at < inside.size; index++) {
        bool found = index == step->index;
        skip_blanks(&inside);
        if (step->key) {
            size_t begin = inside.at;
            skip_string(&inside);
            found = inside.at <= inside.size && is_key(&inside, begin, inside.at, step->key);
            skip_blanks(&inside);
            inside.at++; /* the colon */
            skip_blanks(&inside);
        }
        if (found) {
            *cursor = inside;
            return true;
        }
        skip_value(&inside);
        skip_blanks(&inside);
        if (cursor_char(&inside) != ',') {
            return false;
        }
        inside.at++;
    }
    return false;
}

struct locate_position locate(const char *bytes, size_t size, const struct locate_step *steps,
                              size_t step_count)
{
    struct cursor cursor = {bytes, size, 0};
    skip_blanks(&cursor);
    for (size_t i = 0; i < step_count && step_into(&cursor, &steps[i]); i++) {
    }
    struct locate_position position = {1, 1};
    for (size_t i = 0; i < cursor.at && i < size; i++) {
        if (bytes[i] == '\n') {
            position.line++;
            position.column = 1;
        } else if (((unsigned char)bytes[i] & 0xc0) != 0x80) {
            position.column++;
        }
    }
    return position;
}
