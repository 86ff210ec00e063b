#include "view/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double mebibyte = 1048576.0;

/* Some hundred numbers a screen: printf() would be a good part of its cost. Returns the length. */
static size_t write_digits(unsigned long long value, char *out)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    memcpy(out, digits + at, sizeof digits - at);
    out[sizeof digits - at] = '\0';
    return sizeof digits - at;
}

/* Rounded to a whole number, as printf() does: ties to even. */
static size_t whole(double value, char out[UNITS_SIZE])
{
    double limit = 1e15;
    long long rounded = llrint(value > limit ? limit : value < -limit ? -limit : value);
    size_t at = 0;
    if (rounded < 0)
        out[at++] = '-';
    return at + write_digits((unsigned long long)llabs(rounded), out + at);
}

/* One decimal and a point in every locale. */
static size_t one_decimal(double value, char out[UNITS_SIZE])
{
    double limit = 1e15;
    long long tenths = llround((value > limit ? limit : value) * 10);
    size_t at = 0;
    if (tenths < 0)
        out[at++] = '-';
    at += write_digits((unsigned long long)(llabs(tenths) / 10), out + at);
    out[at++] = '.';
    return at + write_digits((unsigned long long)(llabs(tenths) % 10), out + at);
}

static void with_unit(double value, const char *unit, char out[UNITS_SIZE])
{
    size_t at = one_decimal(value, out);
    out[at++] = ' ';
    memcpy(out + at, unit, strlen(unit) + 1);
}

static void bytes_with(double bytes, const char *mega, const char *giga, char out[UNITS_SIZE])
{
    double mebibytes = bytes / mebibyte;
    if (!(bytes > 0))
        snprintf(out, UNITS_SIZE, "0");
    else if (mebibytes < 0.05)
        snprintf(out, UNITS_SIZE, "<0.1 %s", mega);
    else if (mebibytes < 999.95)
        with_unit(mebibytes, mega, out);
    else if (mebibytes / 1024 < 999.95)
        with_unit(mebibytes / 1024, giga, out);
    else
        snprintf(out, UNITS_SIZE, "%.0f %s", mebibytes / 1024, giga);
}

void units_bytes(double bytes, char out[UNITS_SIZE])
{
    bytes_with(bytes, "M", "G", out);
}

void units_bytes_long(double bytes, char out[UNITS_SIZE])
{
    bytes_with(bytes, "MiB", "GiB", out);
}

void units_bytes_of(double bytes, double total_bytes, char out[UNITS_SIZE])
{
    bool giga = total_bytes / mebibyte >= 999.95;
    double unit = giga ? mebibyte * 1024 : mebibyte;
    char part[UNITS_SIZE] = "<0.1", total[UNITS_SIZE];
    if (!(bytes > 0 && bytes / unit < 0.05))
        one_decimal(bytes / unit, part);
    with_unit(total_bytes / unit, giga ? "GiB" : "MiB", total);
    snprintf(out, UNITS_SIZE, "%.20s / %.24s", part, total);
}

void units_rate(double bytes_per_second, char out[UNITS_SIZE])
{
    if (!(bytes_per_second > 0))
        snprintf(out, UNITS_SIZE, "0");
    else if (bytes_per_second < 500)
        snprintf(out, UNITS_SIZE, "<1 kB/s");
    else if (bytes_per_second < 999.5e3)
        snprintf(out, UNITS_SIZE, "%.0f kB/s", bytes_per_second / 1e3);
    else if (bytes_per_second < 999.5e6)
        snprintf(out, UNITS_SIZE, "%.0f MB/s", bytes_per_second / 1e6);
    else
        with_unit(bytes_per_second / 1e9, "GB/s", out);
}

void units_percent(double percent, char out[UNITS_SIZE])
{
    if (percent > 0 && percent < 0.5)
        snprintf(out, UNITS_SIZE, "<1");
    else
        whole(percent > 0 ? percent : 0.0, out);
}

void units_watts(double watts, char out[UNITS_SIZE])
{
    if (watts < 9.95)
        with_unit(watts, "W", out);
    else
        snprintf(out, UNITS_SIZE, "%.0f W", watts);
}

void units_celsius(double celsius, bool ascii, char out[UNITS_SIZE])
{
    snprintf(out, UNITS_SIZE, ascii ? "%.0f C" : "%.0f \u00b0C", celsius);
}

void units_mhz(double mhz, char out[UNITS_SIZE])
{
    snprintf(out, UNITS_SIZE, "%.0f MHz", mhz);
}

void units_duration(double seconds, char out[UNITS_SIZE])
{
    double limit = 86400.0 * 99999;
    long long whole = !(seconds > 0) ? 0 : seconds > limit ? (long long)limit : (long long)seconds;
    long long minutes = whole / 60, hours = minutes / 60, days = hours / 24;
    if (days > 0)
        snprintf(out, UNITS_SIZE, "%lld d %lld h", days, hours % 24);
    else if (hours > 0)
        snprintf(out, UNITS_SIZE, "%lld h %lld min", hours, minutes % 60);
    else if (minutes > 0)
        snprintf(out, UNITS_SIZE, "%lld min %lld s", minutes, whole % 60);
    else if (whole > 0 || !(seconds > 0))
        snprintf(out, UNITS_SIZE, "%lld s", whole);
    else
        snprintf(out, UNITS_SIZE, "<1 s");
}

void units_count(int64_t count, char out[UNITS_SIZE])
{
    char digits[UNITS_SIZE];
    uint64_t size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)size);
    size_t at = 0;
    if (count < 0)
        out[at++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}
