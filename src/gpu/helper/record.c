#include "gpu/helper/record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"
#include "reading/adapter.h"
#include "reading/nvml_process.h"

enum { FORMATTED_MAX = 256 }; /* a key, a number and a reason */

void record_write_format(struct record_lines *lines, const char *format, ...)
{
    lines->items = vector_reserve(lines->items, &lines->capacity, lines->count + FORMATTED_MAX, 1);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(lines->items + lines->count, FORMATTED_MAX, format, arguments);
    va_end(arguments);
    if (length > 0)
        lines->count += length < FORMATTED_MAX ? (size_t)length : FORMATTED_MAX - 1;
}

static void write_bytes(struct record_lines *lines, const char *bytes, size_t length)
{
    lines->items = vector_reserve(lines->items, &lines->capacity, lines->count + length, 1);
    memcpy(lines->items + lines->count, bytes, length);
    lines->count += length;
}

/* An answer is some thousand numbers: printf() would be most of its cost. */
static void write_unsigned(struct record_lines *lines, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    write_bytes(lines, digits + at, sizeof digits - at);
}

static void write_number(struct record_lines *lines, int64_t value)
{
    if (value < 0)
        write_bytes(lines, "-", 1);
    write_unsigned(lines, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void write_string(struct record_lines *lines, const char *string)
{
    write_bytes(lines, string, strlen(string));
}

static void write_key(struct record_lines *lines, const char *key, size_t length)
{
    write_bytes(lines, "\t", 1);
    write_bytes(lines, key, length);
    write_bytes(lines, "=", 1);
}

static const char escaped[] = "\t\n\r\\";
static const char escapes[] = "tnr\\";

static void write_escaped(struct record_lines *lines, struct raw_text value)
{
    lines->items =
        vector_reserve(lines->items, &lines->capacity, lines->count + 2 * value.length, 1);
    for (size_t i = 0; i < value.length; i++) {
        char byte = value.bytes[i];
        const char *at = NULL;
        if ((unsigned char)byte < ' ' || byte == '\\') {
            at = byte == '\0' ? NULL : strchr(escaped, byte);
            if (byte == '\0' || at != NULL) {
                lines->items[lines->count++] = '\\';
                byte = at != NULL ? escapes[at - escaped] : '0';
            }
        }
        lines->items[lines->count++] = byte;
    }
}

void record_write_pair(struct record_lines *lines, const char *key, struct raw_text value)
{
    write_key(lines, key, strlen(key));
    write_escaped(lines, value);
}

struct raw_text record_unescape(struct arena *arena, struct raw_text value)
{
    char *bytes = arena_alloc(arena, value.length + 1);
    size_t length = 0;
    for (size_t i = 0; i < value.length; i++) {
        char byte = value.bytes[i];
        if (byte == '\\' && i + 1 < value.length) {
            char next = value.bytes[++i];
            const char *at = next == '\0' ? NULL : strchr(escapes, next);
            byte = next == '0' ? '\0' : at != NULL ? escaped[at - escapes] : next;
        }
        bytes[length++] = byte;
    }
    return (struct raw_text){bytes, length};
}

static void write_reason(struct record_lines *lines, enum reason reason)
{
    write_bytes(lines, "!", 1);
    write_string(lines, reason_code(reason));
}

static void write_said(struct record_lines *lines, const struct said *said)
{
    if (said->how == HOW_UNAVAILABLE) {
        write_reason(lines, said->why_not);
        return;
    }
    if (said->how != HOW_MEASURED) {
        write_string(lines, how_name(said->how));
        write_bytes(lines, ":", 1);
    }
    write_number(lines, said->value);
}

static void write_measured(struct record_lines *lines, const struct measured *measured)
{
    if (measured->known)
        write_number(lines, measured->value);
    else
        write_reason(lines, measured->why_not);
}

/* Every enum of the table is the size of an int with the compilers that we know. */
_Static_assert(sizeof(enum reason) == sizeof(int) && sizeof(enum how) == sizeof(int), "enums");
_Static_assert(sizeof(enum adapter_kind) == sizeof(int) && sizeof(enum power_state) == sizeof(int),
               "enums");
_Static_assert(sizeof(enum nvml_list) == sizeof(int), "enums");

static int int_at(const void *member)
{
    int value;
    memcpy(&value, member, sizeof value);
    return value;
}

static void write_member(struct record_lines *lines, const struct record_field *field,
                         const void *member)
{
    write_key(lines, field->key, field->key_length);
    switch (field->kind) {
    case RECORD_BOOL:
        write_bytes(lines, "1", 1);
        break;
    case RECORD_I64:
        write_number(lines, *(const int64_t *)member);
        break;
    case RECORD_U32:
        write_unsigned(lines, *(const uint32_t *)member);
        break;
    case RECORD_U64:
        write_unsigned(lines, *(const uint64_t *)member);
        break;
    case RECORD_CHARS:
        write_escaped(lines, raw_from_string(member));
        break;
    case RECORD_RAW:
        write_escaped(lines, *(const struct raw_text *)member);
        break;
    case RECORD_MEASURED:
        write_measured(lines, member);
        break;
    case RECORD_SAID:
        write_said(lines, member);
        break;
    case RECORD_REASON:
        write_string(lines, reason_code((enum reason)int_at(member)));
        break;
    case RECORD_INT:
    case RECORD_HOW:
    case RECORD_KIND:
    case RECORD_POWER:
    case RECORD_LIST:
        write_number(lines, int_at(member));
        break;
    }
}

/* Unknown and not_reported is what a zeroed record says. */
static bool is_default(const struct record_field *field, const void *member)
{
    if (field->kind == RECORD_MEASURED) {
        const struct measured *measured = member;
        return !measured->known && measured->why_not == REASON_not_reported;
    }
    if (field->kind == RECORD_SAID) {
        const struct said *said = member;
        return said->how == HOW_UNAVAILABLE && said->why_not == REASON_not_reported;
    }
    if (field->kind == RECORD_RAW)
        return ((const struct raw_text *)member)->bytes == NULL;
    if (field->kind == RECORD_CHARS)
        return *(const char *)member == '\0';
    for (size_t i = 0; i < field->size; i++)
        if (((const unsigned char *)member)[i] != 0)
            return false;
    return true;
}

void record_write(struct record_lines *lines, const char *word, const struct record_field *fields,
                  size_t count, const void *record)
{
    write_string(lines, word);
    for (size_t i = 0; i < count; i++) {
        const void *member = (const unsigned char *)record + fields[i].offset;
        if (!is_default(&fields[i], member))
            write_member(lines, &fields[i], member);
    }
}

bool record_next_pair(struct raw_text *rest, struct raw_text *key, struct raw_text *value, bool *ok)
{
    *ok = true;
    if (!rest->bytes)
        return false;
    size_t length = rest->length, equals = length, end = 0;
    for (; end < length && rest->bytes[end] != '\t'; end++)
        if (rest->bytes[end] == '=' && equals == length)
            equals = end;
    *ok = equals > 0 && equals < end;
    if (!*ok)
        return false;
    *key = (struct raw_text){rest->bytes, equals};
    *value = (struct raw_text){rest->bytes + equals + 1, end - equals - 1};
    *rest = end == length ? (struct raw_text){NULL, 0}
                          : (struct raw_text){rest->bytes + end + 1, length - end - 1};
    return true;
}

/* A record being read. */
struct reader {
    struct arena *arena;
    enum reason last; /* mostly one reason holds for many members */
};

static bool read_reason(struct reader *reader, struct raw_text raw, enum reason *reason)
{
    *reason = reader->last;
    /* Only compared with the codes of the table, so that it need not be valid UTF-8. */
    if (!raw_equal_string(raw, reason_code(*reason)) &&
        !reason_from_code((struct text){raw.bytes, raw.length}, reason))
        return false;
    reader->last = *reason;
    return true;
}

static bool read_measured(struct reader *reader, struct raw_text raw, struct measured *measured)
{
    if (raw.length > 0 && raw.bytes[0] == '!') {
        measured->known = false;
        return read_reason(reader, (struct raw_text){raw.bytes + 1, raw.length - 1},
                           &measured->why_not);
    }
    measured->known = number_parse_i64(raw, &measured->value, NULL);
    return measured->known;
}

static bool read_said(struct reader *reader, struct raw_text raw, struct said *said)
{
    if (raw.length > 0 && raw.bytes[0] == '!') {
        said->how = HOW_UNAVAILABLE;
        return read_reason(reader, (struct raw_text){raw.bytes + 1, raw.length - 1},
                           &said->why_not);
    }
    struct raw_text how, value;
    said->how = HOW_MEASURED;
    if (!raw_split(raw, ':', &how, &value))
        return number_parse_i64(raw, &said->value, NULL);
    for (int i = HOW_REPORTED; i < HOW_COUNT; i++)
        if (raw_equal_string(how, how_name((enum how)i))) {
            said->how = (enum how)i;
            return number_parse_i64(value, &said->value, NULL);
        }
    return false;
}

static bool read_int(struct raw_text raw, int64_t low, int64_t high, void *member)
{
    int64_t value;
    if (!number_parse_i64(raw, &value, NULL) || value < low || value > high)
        return false;
    int narrow = (int)value;
    memcpy(member, &narrow, sizeof narrow);
    return true;
}

static bool read_u32(struct raw_text raw, uint32_t *member)
{
    uint64_t value;
    if (!number_parse_u64(raw, &value, NULL) || value > UINT32_MAX)
        return false;
    *member = (uint32_t)value;
    return true;
}

static bool read_chars(struct arena *arena, struct raw_text raw, char *member, size_t size)
{
    bool plain = raw.length == 0 || memchr(raw.bytes, '\\', raw.length) == NULL;
    struct raw_text value = plain ? raw : record_unescape(arena, raw);
    if (value.length == 0) {
        member[0] = '\0';
        return true;
    }
    if (value.length >= size || memchr(value.bytes, '\0', value.length) != NULL)
        return false;
    memcpy(member, value.bytes, value.length);
    member[value.length] = '\0';
    return true;
}

static bool read_member(struct reader *reader, const struct record_field *field,
                        struct raw_text raw, void *member)
{
    switch (field->kind) {
    case RECORD_BOOL:
        *(bool *)member = raw_equal_string(raw, "1");
        return raw_equal_string(raw, "1") || raw_equal_string(raw, "0");
    case RECORD_INT:
        return read_int(raw, INT32_MIN, INT32_MAX, member);
    case RECORD_I64:
        return number_parse_i64(raw, member, NULL);
    case RECORD_U32:
        return read_u32(raw, member);
    case RECORD_U64:
        return number_parse_u64(raw, member, NULL);
    case RECORD_CHARS:
        return read_chars(reader->arena, raw, member, field->size);
    case RECORD_RAW:
        *(struct raw_text *)member = record_unescape(reader->arena, raw);
        return true;
    case RECORD_MEASURED:
        return read_measured(reader, raw, member);
    case RECORD_SAID:
        return read_said(reader, raw, member);
    case RECORD_REASON:
        return read_reason(reader, raw, member);
    case RECORD_HOW:
        return read_int(raw, 0, HOW_COUNT - 1, member);
    case RECORD_KIND:
        return read_int(raw, 0, ADAPTER_KIND_COUNT - 1, member);
    case RECORD_POWER:
        return read_int(raw, 0, POWER_STATE_COUNT - 1, member);
    case RECORD_LIST:
        return read_int(raw, 0, NVML_LIST_COUNT - 1, member);
    }
    return false;
}

/* Pairs come in the order of the table: the search goes on where the last one was found. */
static const struct record_field *field_named(const struct record_field *fields, size_t count,
                                              size_t *from, struct raw_text key)
{
    for (size_t i = 0, at = *from; i < count; i++, at = at + 1 == count ? 0 : at + 1)
        if (fields[at].key_length == key.length &&
            memcmp(fields[at].key, key.bytes, key.length) == 0) {
            *from = at;
            return &fields[at];
        }
    return NULL;
}

bool record_read(struct arena *arena, struct raw_text pairs, const struct record_field *fields,
                 size_t count, void *record)
{
    struct raw_text key, value;
    bool ok = true;
    size_t at = 0;
    struct reader reader = {.arena = arena, .last = REASON_not_supported};
    while (record_next_pair(&pairs, &key, &value, &ok)) {
        const struct record_field *field = field_named(fields, count, &at, key);
        if (field && !read_member(&reader, field, value, (unsigned char *)record + field->offset))
            return false;
    }
    return ok;
}
