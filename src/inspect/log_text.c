#include "inspect/log_text.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct raw_text skip(struct raw_text raw, size_t count)
{
    return (struct raw_text){raw.bytes + count, raw.length - count};
}

/* Blanks and the signs that stand between a name and its value. */
static struct raw_text skip_to_value(struct raw_text raw)
{
    size_t i = 0;
    while (i < raw.length && memchr(" \t=:\"'", raw.bytes[i], 6)) {
        i++;
    }
    return skip(raw, i);
}

struct decimal {
    int64_t whole, fraction, fraction_unit; /* whole + fraction / fraction_unit */
    size_t used;
};

/* At most 9 digits before and 9 kept after the sign: nothing a runtime prints is longer. */
static bool read_decimal(struct raw_text raw, struct decimal *number)
{
    size_t i = 0;
    *number = (struct decimal){.fraction_unit = 1};
    for (; i < raw.length && is_digit(raw.bytes[i]); i++) {
        if (i == 9) {
            return false;
        }
        number->whole = number->whole * 10 + (raw.bytes[i] - '0');
    }
    if (i == 0) {
        return false;
    }
    if (i + 1 < raw.length && (raw.bytes[i] == '.' || raw.bytes[i] == ',') &&
        is_digit(raw.bytes[i + 1])) {
        for (i++; i < raw.length && is_digit(raw.bytes[i]); i++) {
            if (number->fraction_unit < 1000000000) {
                number->fraction = number->fraction * 10 + (raw.bytes[i] - '0');
                number->fraction_unit *= 10;
            }
        }
    }
    number->used = i;
    return true;
}

/* number * unit, rounded to the nearest. */
static bool scale(struct decimal number, int64_t unit, int64_t *value)
{
    int64_t whole;
    double fraction = (double)number.fraction / (double)number.fraction_unit * (double)unit;
    return number_multiply_i64(number.whole, unit, &whole) &&
           number_add_i64(whole, (int64_t)(fraction + 0.5), value);
}

static int power_of(char prefix)
{
    static const char prefixes[] = "KMGT";
    const char *at = prefix ? strchr(prefixes, prefix == 'k' ? 'K' : prefix) : NULL;
    return at ? (int)(at - prefixes) + 1 : 0;
}

bool log_size(struct raw_text raw, enum size_unit meaning, int64_t *bytes, size_t *used)
{
    struct raw_text value = skip_to_value(raw);
    struct decimal number;
    if (!read_decimal(value, &number)) {
        return false;
    }
    struct raw_text unit = skip(value, number.used);
    while (unit.length && *unit.bytes == ' ') {
        unit = skip(unit, 1);
    }
    int power = unit.length ? power_of(*unit.bytes) : 0;
    unit = skip(unit, power ? 1 : 0);
    bool binary = power && unit.length && *unit.bytes == 'i';
    unit = skip(unit, binary ? 1 : 0);
    if (!unit.length || *unit.bytes != 'B') {
        return false;
    }
    int64_t step = binary || meaning == SIZE_BINARY ? 1024 : 1000, size = 1;
    for (int i = 0; i < power; i++) {
        size *= step;
    }
    if (used) {
        *used = (size_t)(unit.bytes + 1 - raw.bytes);
    }
    /* More than any machine holds is a wrapped-around number, not a size. */
    return scale(number, size, bytes) && *bytes <= INT64_C(1) << 50;
}

struct measured log_count(struct raw_text raw)
{
    uint64_t value;
    size_t used;
    struct raw_text number = skip_to_value(raw);
    if (!number_parse_u64(number, &value, &used) || value > INT64_MAX) {
        return measured_unknown(REASON_not_reported);
    }
    return measured_known((int64_t)value);
}

struct measured log_parameters(struct raw_text raw)
{
    struct raw_text value = skip_to_value(raw);
    struct decimal number;
    int64_t count, unit = 1;
    if (!read_decimal(value, &number)) {
        return measured_unknown(REASON_not_reported);
    }
    struct raw_text word = raw_trim(skip(value, number.used));
    switch (word.length ? *word.bytes : ' ') {
    case 'K':
        unit = 1000;
        break;
    case 'M':
        unit = 1000000;
        break;
    case 'B':
        unit = 1000000000;
        break;
    case 'T':
        unit = 1000000000000;
        break;
    default:
        break;
    }
    return scale(number, unit, &count) ? measured_known(count)
                                       : measured_unknown(REASON_not_reported);
}

bool log_find(struct raw_text raw, const char *needle, struct raw_text *after)
{
    size_t length = strlen(needle);
    while (raw.length >= length) {
        const char *at = memchr(raw.bytes, needle[0], raw.length - length + 1);
        if (!at) {
            return false;
        }
        raw = skip(raw, (size_t)(at - raw.bytes));
        if (memcmp(raw.bytes, needle, length) == 0) {
            *after = skip(raw, length);
            return true;
        }
        raw = skip(raw, 1);
    }
    return false;
}

struct raw_text log_until(struct raw_text raw, char end)
{
    const char *at = raw.length ? memchr(raw.bytes, end, raw.length) : NULL;
    return at ? (struct raw_text){raw.bytes, (size_t)(at - raw.bytes)} : raw;
}

struct raw_text log_until_last(struct raw_text raw, char end)
{
    while (raw.length && raw.bytes[raw.length - 1] != end) {
        raw.length--;
    }
    raw.length -= raw.length ? 1 : 0;
    return raw;
}

bool log_last_word(struct raw_text *raw, struct raw_text *word)
{
    struct raw_text trimmed = raw_trim(*raw);
    size_t start = trimmed.length;
    while (start && trimmed.bytes[start - 1] != ' ' && trimmed.bytes[start - 1] != '\t') {
        start--;
    }
    *word = skip(trimmed, start);
    *raw = (struct raw_text){trimmed.bytes, start};
    return word->length > 0;
}

bool log_value(struct raw_text raw, const char *key, struct raw_text *value)
{
    struct raw_text rest;
    while (log_find(raw, key, &rest)) {
        struct raw_text sign = skip(rest, rest.length && *rest.bytes == '"' ? 1 : 0);
        if (sign.length && (*sign.bytes == '=' || *sign.bytes == ':')) {
            sign = skip(sign, 1);
            bool quoted = sign.length && *sign.bytes == '"';
            size_t length = 0;
            sign = skip(sign, quoted ? 1 : 0);
            while (length < sign.length &&
                   (quoted ? sign.bytes[length] != '"' : !memchr(" ,}\t", sign.bytes[length], 4))) {
                length += quoted && sign.bytes[length] == '\\' && length + 1 < sign.length ? 2 : 1;
            }
            *value = (struct raw_text){sign.bytes, length};
            return true;
        }
        raw = rest;
    }
    return false;
}

size_t log_remove_colours(char *bytes, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\033') {
            bytes[kept++] = bytes[i];
            continue;
        }
        size_t end = i + 1;
        if (end < length && bytes[end] == '[') {
            end++;
            while (end < length &&
                   (is_digit(bytes[end]) || bytes[end] == ';' || bytes[end] == '?')) {
                end++;
            }
            i = end < length ? end : length - 1;
        }
    }
    return kept;
}

/* What a backslash makes of the next character, as far as load logs have it. */
static char unescaped(char c)
{
    return c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f' ? ' ' : c;
}

size_t log_unwrap_json(char *bytes, size_t length)
{
    struct raw_text message;
    size_t kept = 0;
    if (length == 0 || bytes[0] != '{' ||
        !log_find((struct raw_text){bytes, length}, "\"msg\":\"", &message)) {
        return length;
    }
    for (size_t i = 0; i < message.length && message.bytes[i] != '"'; i++) {
        bool escaped = message.bytes[i] == '\\' && i + 1 < message.length;
        i += escaped;
        bytes[kept++] = escaped ? unescaped(message.bytes[i]) : message.bytes[i];
    }
    while (kept > 0 && bytes[kept - 1] == ' ') {
        kept--;
    }
    return kept;
}
