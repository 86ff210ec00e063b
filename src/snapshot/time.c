#include "snapshot/json.h"

enum { NS_PER_SECOND = 1000000000, SECONDS_PER_DAY = 86400, DAYS_TO_1970 = 719468 };

/* Days since 1970-01-01 of a date of the Gregorian calendar, and back, counted in eras of 400 years
 * that begin in March (Howard Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - DAYS_TO_1970;
}

static void date_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    days += DAYS_TO_1970;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    *day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    *month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static int64_t floor_divide(int64_t value, int64_t divisor)
{
    return value / divisor - (value % divisor < 0);
}

static char *put_digits(char *out, int64_t value, int digits)
{
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return out + digits;
}

void time_format(int64_t wall_ns, char out[TIME_TEXT_SIZE])
{
    int64_t seconds = floor_divide(wall_ns, NS_PER_SECOND);
    int64_t rest = wall_ns % NS_PER_SECOND;
    int64_t nanoseconds = rest < 0 ? rest + NS_PER_SECOND : rest;
    int64_t days = floor_divide(seconds, SECONDS_PER_DAY);
    int64_t second_of_day = seconds - days * SECONDS_PER_DAY;
    int64_t year, month, day;
    date_from_days(days, &year, &month, &day);
    out = put_digits(out, year, 4); /* int64_t nanoseconds reach from 1677 to 2262 */
    *out++ = '-';
    out = put_digits(out, month, 2);
    *out++ = '-';
    out = put_digits(out, day, 2);
    *out++ = 'T';
    out = put_digits(out, second_of_day / 3600, 2);
    *out++ = ':';
    out = put_digits(out, second_of_day / 60 % 60, 2);
    *out++ = ':';
    out = put_digits(out, second_of_day % 60, 2);
    *out++ = '.';
    out = put_digits(out, nanoseconds / 1000, 6);
    *out++ = 'Z';
    *out = '\0';
}

/* `digits` decimal digits at *at. */
static bool take_digits(struct text text, size_t *at, int digits, int64_t *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++) {
        if (*at >= text.size || text.utf8[*at] < '0' || text.utf8[*at] > '9') {
            return false;
        }
        *value = *value * 10 + (text.utf8[(*at)++] - '0');
    }
    return true;
}

static bool take_one_of(struct text text, size_t *at, const char *allowed)
{
    for (; *at < text.size && *allowed; allowed++) {
        if (text.utf8[*at] == *allowed) {
            (*at)++;
            return true;
        }
    }
    return false;
}

static int64_t days_in_month(int64_t year, int64_t month)
{
    int64_t next_year = month == 12 ? year + 1 : year;
    int64_t next_month = month == 12 ? 1 : month + 1;
    return days_from_date(next_year, next_month, 1) - days_from_date(year, month, 1);
}

/* Whole microseconds: what a snapshot keeps. What is finer is cut. */
static bool take_fraction(struct text text, size_t *at, int64_t *nanoseconds)
{
    *nanoseconds = 0;
    if (!take_one_of(text, at, ".")) {
        return true;
    }
    int64_t digit, scale = NS_PER_SECOND / 10;
    size_t first = *at;
    while (take_digits(text, at, 1, &digit)) {
        *nanoseconds += scale >= 1000 ? digit * scale : 0;
        scale /= 10;
    }
    return *at > first;
}

static bool take_zone(struct text text, size_t *at, int64_t *offset_seconds)
{
    *offset_seconds = 0;
    if (take_one_of(text, at, "Zz")) {
        return true;
    }
    int64_t hours, minutes;
    bool west = *at < text.size && text.utf8[*at] == '-';
    if (!take_one_of(text, at, "+-") || !take_digits(text, at, 2, &hours) ||
        !take_one_of(text, at, ":") || !take_digits(text, at, 2, &minutes) || hours > 23 ||
        minutes > 59) {
        return false;
    }
    *offset_seconds = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return true;
}

bool time_parse(struct text text, int64_t *wall_ns)
{
    size_t at = 0;
    int64_t year, month, day, hour, minute, second, nanoseconds, offset_seconds;
    if (!take_digits(text, &at, 4, &year) || !take_one_of(text, &at, "-") ||
        !take_digits(text, &at, 2, &month) || !take_one_of(text, &at, "-") ||
        !take_digits(text, &at, 2, &day) || !take_one_of(text, &at, "Tt ") ||
        !take_digits(text, &at, 2, &hour) || !take_one_of(text, &at, ":") ||
        !take_digits(text, &at, 2, &minute) || !take_one_of(text, &at, ":") ||
        !take_digits(text, &at, 2, &second) || !take_fraction(text, &at, &nanoseconds) ||
        !take_zone(text, &at, &offset_seconds) || at != text.size) {
        return false;
    }
    /* 60 is a leap second; the clock shows it as the first of the next minute. */
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 ||
        minute > 59 || second > 60) {
        return false;
    }
    int64_t seconds = days_from_date(year, month, day) * SECONDS_PER_DAY + hour * 3600 +
                      minute * 60 + second - offset_seconds;
    /* One second less than int64_t holds at either end, so that the sum cannot overflow. */
    int64_t limit = INT64_MAX / NS_PER_SECOND - 1;
    if (seconds > limit || seconds < -limit) {
        return false;
    }
    *wall_ns = seconds * NS_PER_SECOND + nanoseconds;
    return true;
}
