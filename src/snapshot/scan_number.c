#include <stdlib.h>
#include <string.h>

#include "snapshot/scan_value.h"

enum { WHOLE_DIGITS = 18, EXPONENT_MOST = 99, REAL_SIZE = 64 };

/* Integers up to here, and powers of ten up to the 22nd, are exact as doubles. */
#define EXACT_INTEGER (UINT64_C(1) << 53)
enum { EXACT_POWER = 22 };

static bool is_digit(const struct scan_cursor *cursor)
{
    return cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
}

static bool is_here(const struct scan_cursor *cursor, char c)
{
    return cursor->at < cursor->end && *cursor->at == c;
}

/* Adds digits to a number; how many there were, -1: too many. */
static int take_digits(struct scan_cursor *cursor, uint64_t *value)
{
    int count = 0;
    for (; is_digit(cursor); cursor->at++, count++) {
        unsigned digit = (unsigned)(*cursor->at - '0');
        if (*value > (UINT64_MAX - digit) / 10) {
            return -1;
        }
        *value = *value * 10 + digit;
    }
    return count;
}

/* The digits before the point, without a leading zero. */
static bool take_whole(struct scan_cursor *cursor, uint64_t *value)
{
    const char *begin = cursor->at;
    *value = 0;
    int count = take_digits(cursor, value);
    return count == 1 || (count > 1 && *begin != '0');
}

static bool number_goes_on(const struct scan_cursor *cursor)
{
    return is_here(cursor, '.') || is_here(cursor, 'e') || is_here(cursor, 'E');
}

static bool take_exponent(struct scan_cursor *cursor, int *exponent)
{
    *exponent = 0;
    if (!is_here(cursor, 'e') && !is_here(cursor, 'E')) {
        return true;
    }
    cursor->at++;
    bool negative = is_here(cursor, '-');
    cursor->at += negative || is_here(cursor, '+');
    uint64_t value = 0;
    int count = take_digits(cursor, &value);
    *exponent = value <= EXPONENT_MOST ? (negative ? -(int)value : (int)value) : 0;
    return count > 0 && value <= EXPONENT_MOST;
}

bool scan_integer(struct scan_cursor *cursor, int64_t *value)
{
    uint64_t magnitude;
    bool negative = scan_take(cursor, '-');
    if (!take_whole(cursor, &magnitude) || magnitude > INT64_MAX || number_goes_on(cursor)) {
        return false;
    }
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

bool scan_number(struct scan_cursor *cursor)
{
    int exponent;
    scan_take(cursor, '-');
    const char *begin = cursor->at;
    while (is_digit(cursor)) {
        cursor->at++;
    }
    ptrdiff_t count = cursor->at - begin;
    if (count == 0 || count > WHOLE_DIGITS || (*begin == '0' && count > 1)) {
        return false;
    }
    if (is_here(cursor, '.')) {
        const char *point = cursor->at++;
        while (is_digit(cursor)) {
            cursor->at++;
        }
        if (cursor->at == point + 1) {
            return false;
        }
    }
    return take_exponent(cursor, &exponent);
}

/* Where both the digits and the power of ten are exact, one multiplication or division rounds
 * once, as reading the number does. */
static bool exact_real(struct scan_cursor *cursor, double *value)
{
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = scan_take(cursor, '-');
    uint64_t digits;
    int decimals = 0, exponent = 0;
    if (!take_whole(cursor, &digits)) {
        return false;
    }
    bool whole = !number_goes_on(cursor);
    if (is_here(cursor, '.')) {
        cursor->at++;
        decimals = take_digits(cursor, &digits);
        if (decimals <= 0) {
            return false;
        }
    }
    if (!take_exponent(cursor, &exponent) || digits > (whole ? INT64_MAX : EXACT_INTEGER)) {
        return false;
    }
    exponent -= decimals;
    if (exponent < -EXACT_POWER || exponent > EXACT_POWER) {
        return false;
    }
    double magnitude = (double)digits;
    magnitude = exponent < 0 ? magnitude / powers[-exponent] : magnitude * powers[exponent];
    *value = negative ? -magnitude : magnitude;
    return true;
}

bool scan_real(struct scan_cursor *cursor, double *value)
{
    char copy[REAL_SIZE];
    struct scan_cursor again = *cursor;
    if (exact_real(cursor, value)) {
        return true;
    }
    scan_peek(&again);
    const char *begin = again.at;
    bool good = scan_number(&again) && again.at - begin < REAL_SIZE;
    if (good) {
        size_t size = (size_t)(again.at - begin);
        memcpy(copy, begin, size);
        copy[size] = '\0';
        *value = strtod(copy, NULL); /* LC_NUMERIC is never set */
        *cursor = again;
    }
    return good;
}
