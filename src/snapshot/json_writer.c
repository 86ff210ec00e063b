#include "snapshot/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"

enum { NUMBER_SIZE = 340 };

void buffer_free(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){NULL, 0, 0};
}

/* Room for `size` more bytes; they are filled by the caller. */
static char *buffer_extend(struct buffer *buffer, size_t size)
{
    if (buffer->capacity - buffer->size < size) {
        size_t want = buffer->capacity + buffer->capacity / 2 + size + 256;
        if (want < buffer->capacity) {
            fatal_out_of_memory(size);
        }
        buffer->bytes = memory_grow(buffer->bytes, want, 1);
        buffer->capacity = want;
    }
    char *at = buffer->bytes + buffer->size;
    buffer->size += size;
    return at;
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t size)
{
    memcpy(buffer_extend(buffer, size), bytes, size);
}

void json_put_bytes(struct json_writer *writer, const char *bytes, size_t size)
{
    buffer_add(writer->out, bytes, size);
}

void json_put_string(struct json_writer *writer, const char *string)
{
    json_put_bytes(writer, string, strlen(string));
}

void json_put_char(struct json_writer *writer, char c)
{
    *buffer_extend(writer->out, 1) = c;
}

static void new_line(struct json_writer *writer)
{
    json_put_char(writer, '\n');
    memset(buffer_extend(writer->out, 2 * (size_t)writer->depth), ' ', 2 * (size_t)writer->depth);
}

/* Before each member of an object and each item of a list. */
void json_separate(struct json_writer *writer)
{
    if (!writer->first) {
        json_put_char(writer, ',');
    }
    if (writer->pretty) {
        new_line(writer);
    }
    writer->first = false;
}

void json_open(struct json_writer *writer, char bracket)
{
    json_put_char(writer, bracket);
    writer->depth++;
    writer->first = true;
}

void json_close(struct json_writer *writer, char bracket)
{
    writer->depth--;
    if (writer->pretty && !writer->first) {
        new_line(writer);
    }
    writer->first = false;
    json_put_char(writer, bracket);
}

/* True for bytes that stand for themselves in a JSON string and on every terminal. */
static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static void put_unit(struct json_writer *writer, unsigned unit)
{
    static const char digits[] = "0123456789abcdef";
    char *at = buffer_extend(writer->out, 6);
    at[0] = '\\';
    at[1] = 'u';
    for (unsigned i = 0; i < 4; i++) {
        at[2 + i] = digits[unit >> (12 - 4 * i) & 0xf];
    }
}

/* What must not reach a terminal is escaped: nothing is lost, and --json stays safe to look at. */
static void put_code_point(struct json_writer *writer, uint32_t code_point)
{
    if (code_point == '"' || code_point == '\\') {
        json_put_char(writer, '\\');
        json_put_char(writer, (char)code_point);
    } else if (!text_is_unsafe(code_point)) {
        char bytes[4];
        json_put_bytes(writer, bytes, text_encode(code_point, bytes));
    } else if (code_point < 0x10000) {
        put_unit(writer, code_point);
    } else {
        put_unit(writer, 0xd800 + ((code_point - 0x10000) >> 10));
        put_unit(writer, 0xdc00 + (code_point & 0x3ff));
    }
}

void json_put_text(struct json_writer *writer, struct text text)
{
    json_put_char(writer, '"');
    for (size_t at = 0; at < text.size;) {
        size_t run = at;
        while (run < text.size && is_plain((unsigned char)text.utf8[run])) {
            run++;
        }
        json_put_bytes(writer, text.utf8 + at, run - at);
        at = run;
        if (at < text.size) {
            put_code_point(writer, text_next(text.utf8, text.size, &at));
        }
    }
    json_put_char(writer, '"');
}

/* A word of our own: nothing in it needs escaping. */
void json_put_word(struct json_writer *writer, const char *word)
{
    json_put_char(writer, '"');
    json_put_string(writer, word);
    json_put_char(writer, '"');
}

void json_put_null(struct json_writer *writer)
{
    json_put_bytes(writer, "null", 4);
}

void json_put_colon(struct json_writer *writer)
{
    json_put_bytes(writer, ": ", writer->pretty ? 2 : 1);
}

void json_put_key(struct json_writer *writer, const char *key)
{
    json_separate(writer);
    json_put_word(writer, key);
    json_put_colon(writer);
}

static void write_unsigned(struct json_writer *writer, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    json_put_bytes(writer, digits + at, sizeof digits - at);
}

void json_put_integer(struct json_writer *writer, int64_t value)
{
    if (value < 0) {
        json_put_char(writer, '-');
        write_unsigned(writer, (uint64_t)0 - (uint64_t)value);
    } else {
        write_unsigned(writer, (uint64_t)value);
    }
}

/* At most six decimals, no exponent, no zeros at the end, whatever the locale. */
void json_put_real(struct json_writer *writer, double value)
{
    double magnitude = fabs(value), whole;
    uint64_t millionths = (uint64_t)llround(modf(magnitude, &whole) * 1e6);
    if (millionths == 1000000) {
        millionths = 0;
        whole += 1;
    }
    if (value < 0 && (whole > 0 || millionths > 0)) {
        json_put_char(writer, '-');
    }
    if (whole >= 9223372036854775808.0) {
        /* The point keeps readers from taking it for an integer that fits no integer type. */
        char digits[NUMBER_SIZE];
        int size = snprintf(digits, sizeof digits, "%.0f", whole);
        json_put_bytes(writer, digits, (size_t)size);
        json_put_bytes(writer, ".0", 2);
        return;
    }
    write_unsigned(writer, (uint64_t)whole);
    if (millionths > 0) {
        char decimals[7] = ".000000";
        size_t size = sizeof decimals;
        for (size_t i = 6; i > 0; i--, millionths /= 10) {
            decimals[i] = (char)('0' + millionths % 10);
        }
        while (decimals[size - 1] == '0') {
            size--;
        }
        json_put_bytes(writer, decimals, size);
    }
}
