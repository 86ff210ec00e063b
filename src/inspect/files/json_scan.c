#include "inspect/files/json_scan.h"

#include <string.h>

#include "base/text.h"

void json_scan_start(struct json_scan *scan, struct byte_stream *stream)
{
    memset(scan, 0, sizeof *scan);
    scan->stream = stream;
}

/* The next byte that is no white space, without taking it; -1 at the end. */
static int peek(struct json_scan *scan)
{
    for (;;) {
        size_t available;
        const unsigned char *byte = byte_stream_peek(scan->stream, &available);
        if (!byte) {
            return -1;
        }
        if (*byte != ' ' && *byte != '\t' && *byte != '\n' && *byte != '\r') {
            return *byte;
        }
        scan->stream->position++;
    }
}

static int take(struct json_scan *scan)
{
    uint8_t byte;
    return byte_stream_u8(scan->stream, &byte) ? byte : -1;
}

static void keep(struct json_scan *scan, const char *bytes, size_t count)
{
    if (scan->text_cut || count > JSON_TEXT_KEPT - scan->text_length) {
        scan->text_cut = true;
        return;
    }
    memcpy(scan->text + scan->text_length, bytes, count);
    scan->text_length += count;
}

static bool take_hex(struct json_scan *scan, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int byte = take(scan);
        int digit = byte >= '0' && byte <= '9'                 ? byte - '0'
                    : (byte | 32) >= 'a' && (byte | 32) <= 'f' ? (byte | 32) - 'a' + 10
                                                               : -1;
        if (byte < 0 || digit < 0) {
            return false;
        }
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

static bool take_escape(struct json_scan *scan)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int byte = take(scan);
    const char *found = byte > 0 ? strchr(from, byte) : NULL;
    if (found) {
        keep(scan, &to[found - from], 1);
        return true;
    }
    uint32_t code, low;
    if (byte != 'u' || !take_hex(scan, &code)) {
        return false;
    }
    if (code >= 0xd800 && code < 0xdc00) {
        if (take(scan) != '\\' || take(scan) != 'u' || !take_hex(scan, &low) || low < 0xdc00 ||
            low > 0xdfff) {
            return false;
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        code = 0xfffd;
    }
    char bytes[4];
    keep(scan, bytes, text_encode(code, bytes));
    return true;
}

/* Behind the opening quote. */
static bool take_string(struct json_scan *scan)
{
    scan->text_length = 0;
    scan->text_cut = false;
    for (;;) {
        size_t available, count = 0;
        const unsigned char *bytes = byte_stream_peek(scan->stream, &available);
        if (!bytes) {
            return false;
        }
        while (count < available && bytes[count] != '"' && bytes[count] != '\\' &&
               bytes[count] >= 0x20) {
            count++;
        }
        size_t room = JSON_TEXT_KEPT - scan->text_length;
        keep(scan, (const char *)bytes, count < room ? count : room);
        scan->text_cut |= count > room;
        scan->stream->position += (int64_t)count;
        if (count == available) {
            continue;
        }
        int byte = take(scan);
        if (byte == '"') {
            scan->text[scan->text_length] = '\0';
            return true;
        }
        if (byte != '\\' || !take_escape(scan)) {
            return false;
        }
    }
}

static bool continues_number(int byte)
{
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+' ||
           byte == 'e' || byte == 'E';
}

static enum json_token take_number(struct json_scan *scan)
{
    bool negative = false, whole = true, digits = false;
    int64_t value = 0;
    size_t available;
    for (const unsigned char *at; (at = byte_stream_peek(scan->stream, &available)) != NULL;) {
        if (!continues_number(*at)) {
            break;
        }
        if (*at == '-' && !digits && !negative) {
            negative = true;
        } else if (*at >= '0' && *at <= '9') {
            digits = true;
            whole = whole && !__builtin_mul_overflow(value, 10, &value) &&
                    !__builtin_add_overflow(value, *at - '0', &value);
        } else {
            whole = false;
        }
        scan->stream->position++;
    }
    scan->integer = !whole ? INT64_MIN : negative ? -value : value;
    return digits ? JSON_NUMBER : JSON_ERROR;
}

static enum json_token take_word(struct json_scan *scan, const char *word, enum json_token token)
{
    for (; *word; word++) {
        if (take(scan) != *word) {
            return JSON_ERROR;
        }
    }
    return token;
}

static bool in_list(const struct json_scan *scan)
{
    return scan->lists >> scan->depth & 1;
}

static enum json_token open_container(struct json_scan *scan, bool list)
{
    if (scan->depth == JSON_DEPTH_MAX) {
        return JSON_ERROR;
    }
    scan->depth++;
    scan->lists &= ~((uint64_t)1 << scan->depth);
    scan->lists |= (uint64_t)list << scan->depth;
    scan->begun = false;
    return list ? JSON_LIST : JSON_OBJECT;
}

static enum json_token close_container(struct json_scan *scan, bool list)
{
    if (scan->depth == 0 || in_list(scan) != list || scan->after_key) {
        return JSON_ERROR;
    }
    scan->depth--;
    scan->begun = true;
    return list ? JSON_LIST_END : JSON_OBJECT_END;
}

static enum json_token take_value(struct json_scan *scan, int byte)
{
    scan->after_key = false;
    scan->begun = true;
    switch (byte) {
    case '{':
    case '[':
        take(scan);
        return open_container(scan, byte == '[');
    case '"':
        take(scan);
        return take_string(scan) ? JSON_STRING : JSON_ERROR;
    case 't':
        return take_word(scan, "true", JSON_TRUE);
    case 'f':
        return take_word(scan, "false", JSON_FALSE);
    case 'n':
        return take_word(scan, "null", JSON_NULL);
    default:
        return take_number(scan);
    }
}

enum json_token json_scan_next(struct json_scan *scan)
{
    if (scan->depth == 0) {
        return scan->begun ? JSON_END : take_value(scan, peek(scan));
    }
    if (scan->after_key) {
        return take_value(scan, peek(scan));
    }
    int byte = peek(scan);
    if (byte == '}' || byte == ']') {
        take(scan);
        return close_container(scan, byte == ']');
    }
    if (scan->begun) {
        if (byte != ',') {
            return JSON_ERROR;
        }
        take(scan);
        byte = peek(scan);
    }
    if (in_list(scan)) {
        return take_value(scan, byte);
    }
    if (byte != '"') {
        return JSON_ERROR;
    }
    take(scan);
    if (!take_string(scan) || peek(scan) != ':') {
        return JSON_ERROR;
    }
    take(scan);
    scan->after_key = true;
    return JSON_KEY;
}

bool json_scan_skip(struct json_scan *scan, enum json_token token)
{
    if (token != JSON_OBJECT && token != JSON_LIST) {
        return token != JSON_ERROR && token != JSON_END;
    }
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        token = json_scan_next(scan);
        if (token == JSON_ERROR || token == JSON_END) {
            return false;
        }
    }
    return true;
}
