#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "inspect/log_text.h"

enum { PREFIX_BYTES = 160 }; /* a prefix with facts stands at the start of its line */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void pass(struct raw_text *raw, size_t count)
{
    raw->bytes += count;
    raw->length -= count;
}

/* True when raw begins with `shape`: '0' stands for a digit, all else for itself. */
static bool has_shape(struct raw_text raw, const char *shape)
{
    size_t length = strlen(shape);
    if (raw.length < length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (shape[i] == '0' ? !is_digit(raw.bytes[i]) : raw.bytes[i] != shape[i]) {
            return false;
        }
    }
    return true;
}

/* "2025-08-22T17:36:22.027-04:00": the length of the text; 0 when it is none, or has no zone. */
static size_t zoned_time_length(struct raw_text raw)
{
    if (!has_shape(raw, "0000-00-00T00:00:00")) {
        return 0;
    }
    size_t i = 19;
    if (i < raw.length && raw.bytes[i] == '.') {
        do {
            i++;
        } while (i < raw.length && is_digit(raw.bytes[i]));
    }
    struct raw_text zone = {raw.bytes + i, raw.length - i};
    if (zone.length && *zone.bytes == 'Z') {
        return i + 1;
    }
    return has_shape(zone, "+00:00") || has_shape(zone, "-00:00") ? i + 6 : 0;
}

static void read_time(struct raw_text *raw, struct log_prefix *prefix)
{
    size_t skipped = raw_starts_with(*raw, "time=") ? 5 : 0;
    struct raw_text time = {raw->bytes + skipped, raw->length - skipped};
    size_t length = zoned_time_length(time);
    if (length) {
        prefix->time = (struct raw_text){time.bytes, length};
        pass(raw, skipped + length);
        *raw = raw_trim(*raw);
    }
}

/* "Aug 22 17:36:22 host ollama[30907]: ", or the same after a time of another form. */
static void read_journal(struct raw_text *raw, struct log_prefix *prefix)
{
    static const char *const months[] = {"Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ",
                                         "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "};
    bool starts = prefix->time.length > 0 || has_shape(*raw, "0000-00-00T");
    for (size_t i = 0; i < sizeof months / sizeof *months; i++) {
        starts = starts || raw_starts_with(*raw, months[i]);
    }
    struct raw_text start = {raw->bytes, raw->length < PREFIX_BYTES ? raw->length : PREFIX_BYTES};
    struct raw_text rest;
    if (!starts || !log_find(start, "]: ", &rest)) {
        return;
    }
    struct raw_text before = {raw->bytes, (size_t)(rest.bytes - raw->bytes) - 3};
    size_t digits = 0;
    while (digits < before.length && is_digit(before.bytes[before.length - 1 - digits])) {
        digits++;
    }
    uint64_t pid;
    struct raw_text number = {before.bytes + before.length - digits, digits};
    if (digits == 0 || digits == before.length || before.bytes[before.length - 1 - digits] != '[' ||
        !number_parse_u64(number, &pid, NULL) || pid > INT32_MAX) {
        return;
    }
    prefix->pid = measured_known((int64_t)pid);
    pass(raw, (size_t)(rest.bytes - raw->bytes));
}

/* "llama-1  | " of docker compose. */
static void read_compose(struct raw_text *raw, struct log_prefix *prefix)
{
    size_t name = 0;
    while (name < raw->length && name < 64 &&
           (is_digit(raw->bytes[name]) || is_letter(raw->bytes[name]) ||
            memchr("-_.", raw->bytes[name], 3))) {
        name++;
    }
    size_t end = name;
    while (end < raw->length && raw->bytes[end] == ' ') {
        end++;
    }
    if (name && end > name && end + 1 < raw->length && raw->bytes[end] == '|' &&
        raw->bytes[end + 1] == ' ') {
        prefix->lane = (struct raw_text){raw->bytes, name};
        pass(raw, end + 2);
    }
}

/* "[48429] ": a router's child, by its port. */
static void read_port(struct raw_text *raw, struct log_prefix *prefix)
{
    size_t digits = 0;
    uint64_t port;
    while (digits + 1 < raw->length && is_digit(raw->bytes[digits + 1])) {
        digits++;
    }
    if (!raw->length || *raw->bytes != '[' || digits < 3 || digits > 5 ||
        digits + 2 > raw->length || raw->bytes[digits + 1] != ']') {
        return;
    }
    struct raw_text number = {raw->bytes + 1, digits};
    if (number_parse_u64(number, &port, NULL) && port < 65536) {
        prefix->lane = number;
        prefix->lane_is_port = true;
        pass(raw, digits + 2);
        *raw = raw_trim(*raw);
    }
}

/* "0.00.141.220 I ": minutes, seconds, milliseconds, microseconds since the start. */
static void read_relative(struct raw_text *raw, struct log_prefix *prefix)
{
    uint64_t minutes, number;
    size_t used;
    if (!number_parse_u64(*raw, &minutes, &used) || minutes > 1000000000) {
        return;
    }
    struct raw_text rest = {raw->bytes + used, raw->length - used};
    if (!has_shape(rest, ".00.000.000")) {
        return;
    }
    number_parse_u64((struct raw_text){rest.bytes + 1, 2}, &number, NULL);
    int64_t total = ((int64_t)minutes * 60 + (int64_t)number) * 1000000;
    number_parse_u64((struct raw_text){rest.bytes + 4, 3}, &number, NULL);
    total += (int64_t)number * 1000;
    number_parse_u64((struct raw_text){rest.bytes + 8, 3}, &number, NULL);
    prefix->relative_us = measured_known(total + (int64_t)number);
    pass(raw, used + 11);
}

struct log_prefix log_prefix_read(struct raw_text line)
{
    struct log_prefix prefix = {.relative_us = measured_unknown(REASON_not_reported)};
    struct raw_text raw = raw_trim(line);
    while (raw_starts_with(raw, "> ") || raw_starts_with(raw, "data: ")) {
        pass(&raw, *raw.bytes == '>' ? 2 : 6);
        raw = raw_trim(raw);
    }
    read_compose(&raw, &prefix);
    read_time(&raw, &prefix);
    read_journal(&raw, &prefix);
    if (!prefix.time.length) {
        read_time(&raw, &prefix);
    }
    read_port(&raw, &prefix);
    read_relative(&raw, &prefix);
    prefix.rest = raw_trim(raw);
    return prefix;
}
