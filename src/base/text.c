#include "base/text.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/width.h"

enum { REPLACEMENT = 0xFFFD };

struct raw_text raw_from_string(const char *string)
{
    return (struct raw_text){string, string ? strlen(string) : 0};
}

/* How many bytes the sequence that starts with `lead` has; 0: no sequence starts with it. C0, C1
 * and F5 to FF never occur in UTF-8 (RFC 3629). */
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    if (lead >= 0xF0 && lead <= 0xF4)
        return 4;
    return 0;
}

/* Decodes one code point and its length; false (one byte) when the bytes are not UTF-8. */
static bool decode(const char *utf8, size_t size, uint32_t *code_point, size_t *length)
{
    static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)utf8;
    size_t wanted = sequence_length(bytes[0]);

    *code_point = REPLACEMENT;
    *length = 1;
    if (wanted == 0 || wanted > size)
        return false;
    uint32_t value = bytes[0] & lead_mask[wanted];

    for (size_t i = 1; i < wanted; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return false;
        value = value << 6 | (bytes[i] & 0x3F);
    }
    if (value < smallest[wanted] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return false;
    *code_point = value;
    *length = wanted;
    return true;
}

uint32_t text_next(const char *utf8, size_t size, size_t *at)
{
    uint32_t code_point;
    size_t length;

    decode(utf8 + *at, size - *at, &code_point, &length);
    *at += length;
    return code_point;
}

size_t text_encode(uint32_t code_point, char out[4])
{
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF))
        code_point = REPLACEMENT;
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)(lead[length] | code_point);
    return length;
}

/* Copies one character of `raw` at *at to `out` (NULL: only counted); returns its bytes. */
static size_t copy_character(struct raw_text raw, size_t *at, char *out)
{
    uint32_t code_point = text_next(raw.bytes, raw.length, at);
    char encoded[4];
    size_t length = text_encode(code_point ? code_point : REPLACEMENT, encoded);

    if (out)
        memcpy(out, encoded, length);
    return length;
}

/* Most texts are: ASCII needs no conversion. */
static bool is_plain(struct raw_text raw)
{
    unsigned char all = 0;
    bool zero = false;
    for (size_t i = 0; i < raw.length; i++) {
        all |= (unsigned char)raw.bytes[i];
        zero |= raw.bytes[i] == '\0';
    }
    return all < 0x80 && !zero;
}

struct text text_from_raw(struct arena *arena, struct raw_text raw)
{
    if (!raw.bytes)
        return TEXT_NONE;
    if (raw.length <= TEXT_LIMIT && is_plain(raw))
        return (struct text){arena_string(arena, raw.bytes, raw.length), raw.length};
    size_t size = 0, end = 0;

    for (size_t at = 0; at < raw.length; end = at) {
        size_t length = copy_character(raw, &at, NULL);

        if (size + length > TEXT_LIMIT)
            break;
        size += length;
    }
    char *utf8 = arena_alloc(arena, size + 1);
    size_t written = 0;

    for (size_t at = 0; at < end;)
        written += copy_character(raw, &at, utf8 + written);
    return (struct text){utf8, size};
}

struct text text_format(struct arena *arena, const char *format, ...)
{
    char buffer[1024];
    va_list arguments, again;

    va_start(arguments, format);
    va_copy(again, arguments);
    int printed = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    struct raw_text raw = {buffer, printed < 0 ? 0 : (size_t)printed};

    if (raw.length >= sizeof buffer) {
        char *longer = arena_alloc(arena, raw.length + 1);

        vsnprintf(longer, raw.length + 1, format, again);
        raw.bytes = longer;
    }
    va_end(again);
    return text_from_raw(arena, raw);
}

struct text text_copy(struct arena *arena, struct text text)
{
    if (!text.utf8)
        return TEXT_NONE;
    return (struct text){arena_string(arena, text.utf8, text.size), text.size};
}

bool text_is_none(struct text text)
{
    return !text.utf8;
}

static bool same_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return a_size == b_size && (a_size == 0 || memcmp(a, b, a_size) == 0);
}

bool text_equal(struct text a, struct text b)
{
    if (!a.utf8 || !b.utf8) {
        return !a.utf8 == !b.utf8;
    }
    return same_bytes(a.utf8, a.size, b.utf8, b.size);
}

bool text_equal_string(struct text a, const char *string)
{
    return a.utf8 && same_bytes(a.utf8, a.size, string, strlen(string));
}

bool raw_equal(struct raw_text a, struct raw_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool raw_equal_string(struct raw_text raw, const char *string)
{
    if (!raw.bytes)
        return false;
    /* Mostly the first byte decides. */
    for (size_t i = 0; i < raw.length; i++)
        if (string[i] == '\0' || string[i] != raw.bytes[i])
            return false;
    return string[raw.length] == '\0';
}

int text_compare(struct text a, struct text b)
{
    if (!a.utf8 || !b.utf8)
        return (a.utf8 ? 1 : 0) - (b.utf8 ? 1 : 0);
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.utf8, b.utf8, common) : 0;

    if (order == 0)
        order = (a.size > b.size) - (a.size < b.size);
    return order < 0 ? -1 : order > 0;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_contains_folded(struct text haystack, struct text needle)
{
    if (needle.size == 0)
        return true;
    for (size_t at = 0; haystack.utf8 && at + needle.size <= haystack.size; at++) {
        size_t same = 0;

        while (same < needle.size && fold(haystack.utf8[at + same]) == fold(needle.utf8[same]))
            same++;
        if (same == needle.size)
            return true;
    }
    return false;
}

bool text_is_unsafe(uint32_t code_point)
{
    if (code_point >= 0x20 && code_point < 0x7F)
        return false;
    static const struct {
        uint32_t first, last;
    } unsafe[] = {
        {0x0000, 0x001F}, {0x007F, 0x009F}, {0x061C, 0x061C}, {0x200E, 0x200F},   {0x2028, 0x202E},
        {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };

    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
        if (code_point >= unsafe[i].first && code_point <= unsafe[i].last)
            return true;
    return false;
}

/* Whether a character stays away: an invisible one that joins others, or one mark too many over the
 * same character. `*marks` counts those. */
static bool is_left_out(uint32_t code_point, int *marks)
{
    if (width_of(code_point) > 0) {
        *marks = 0;
        return false;
    }
    return !width_is_mark(code_point) || ++*marks > WIDTH_MARKS_MOST;
}

void text_out(FILE *file, struct text text, bool ascii)
{
    int marks = 0;
    for (size_t at = 0; at < text.size;) {
        uint32_t code_point = text_next(text.utf8, text.size, &at);
        bool unsafe = text_is_unsafe(code_point) || (ascii && code_point > 126);
        char encoded[4];
        size_t length = text_encode(!unsafe ? code_point : ascii ? '?' : REPLACEMENT, encoded);

        if (unsafe || !is_left_out(code_point, &marks))
            fwrite(encoded, 1, length, file);
    }
}
