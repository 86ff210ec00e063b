#include "base/number.h"

#include "base/lines.h"

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Digits of `base` from `start` on; *end says where they stop. */
static bool parse_digits(struct raw_text raw, size_t start, unsigned base, uint64_t *value,
                         size_t *end)
{
    uint64_t sum = 0;
    size_t at = start;

    for (; at < raw.length; at++) {
        unsigned digit = (unsigned)digit_value(raw.bytes[at]);

        if (digit >= base)
            break;
        if (sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    if (at == start)
        return false;
    *value = sum;
    *end = at;
    return true;
}

/* Where the number must be the whole text, or where it ended. */
static bool parse_ended(struct raw_text raw, size_t end, size_t *used)
{
    if (used)
        *used = end;
    return used || end == raw.length;
}

bool number_parse_u64(struct raw_text raw, uint64_t *value, size_t *used)
{
    uint64_t parsed;
    size_t end;

    if (!used)
        raw = raw_trim(raw);
    if (!parse_digits(raw, 0, 10, &parsed, &end) || !parse_ended(raw, end, used))
        return false;
    *value = parsed;
    return true;
}

bool number_parse_i64(struct raw_text raw, int64_t *value, size_t *used)
{
    uint64_t magnitude;
    size_t end;

    if (!used)
        raw = raw_trim(raw);
    bool negative = raw.length && raw.bytes[0] == '-';
    bool has_sign = negative || (raw.length && raw.bytes[0] == '+');

    if (!parse_digits(raw, has_sign, 10, &magnitude, &end))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative || !parse_ended(raw, end, used))
        return false;
    if (negative && magnitude > (uint64_t)INT64_MAX)
        *value = INT64_MIN;
    else
        *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

bool number_parse_hex(struct raw_text raw, uint64_t *value, size_t *used)
{
    uint64_t parsed;
    size_t end, start = 0;

    if (!used)
        raw = raw_trim(raw);
    if (raw.length > 2 && raw.bytes[0] == '0' && (raw.bytes[1] == 'x' || raw.bytes[1] == 'X') &&
        digit_value(raw.bytes[2]) < 16)
        start = 2;
    if (!parse_digits(raw, start, 16, &parsed, &end) || !parse_ended(raw, end, used))
        return false;
    *value = parsed;
    return true;
}

bool number_add_i64(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

bool number_multiply_i64(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}
