#include "inspect/redact.h"

#include <string.h>

#include "base/vector.h"
#include "inspect/secrets.h"

static const char mark[] = "[redacted]";

void redact_copy(struct redacted *out, const char *bytes, size_t length)
{
    if (length == 0)
        return;
    out->bytes = vector_reserve(out->bytes, &out->capacity, out->count + length, 1);
    memcpy(out->bytes + out->count, bytes, length);
    out->count += length;
}

void redact_mark(struct redacted *out)
{
    redact_copy(out, mark, sizeof mark - 1);
}

/* Where the scan stands. */
struct scan {
    struct raw_text raw;
    size_t at;
    bool is_argument;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

static char peek(const struct scan *scan, size_t at)
{
    return at < scan->raw.length ? scan->raw.bytes[at] : '\0';
}

static bool is_end(const struct scan *scan, size_t at)
{
    return at >= scan->raw.length;
}

/* The end of a value in quotes; an escaped quote belongs to it. */
static size_t quoted_end(const struct scan *scan, size_t at, char quote)
{
    while (!is_end(scan, at) && peek(scan, at) != quote)
        at += peek(scan, at) == '\\' ? 2 : 1;
    return at < scan->raw.length ? at : scan->raw.length;
}

static size_t word_end(const struct scan *scan, size_t at)
{
    while (!is_end(scan, at) && !is_blank(peek(scan, at)) && !is_quote(peek(scan, at)) &&
           peek(scan, at) != '&')
        at++;
    return at;
}

static size_t line_end(const struct scan *scan, size_t at)
{
    while (!is_end(scan, at) && peek(scan, at) != '\n' && !is_quote(peek(scan, at)))
        at++;
    return at;
}

static bool is_scheme(const struct scan *scan, size_t at, size_t end)
{
    static const char *const schemes[] = {"bearer", "basic", "token", "digest"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i]);
        if (end - at != length)
            continue;
        size_t same = 0;
        while (same < length && (peek(scan, at + same) | 0x20) == schemes[i][same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* Replaces the value at `at`; scan->at moves behind it. */
static void take_value(struct redacted *out, struct scan *scan, size_t at, size_t end)
{
    if (end > at)
        redact_mark(out);
    scan->at = end;
}

static void redact_value(struct redacted *out, struct scan *scan, struct raw_text name,
                         bool starts_argument)
{
    size_t at = scan->at;
    char quote = peek(scan, at);
    if (starts_argument) {
        take_value(out, scan, at, scan->raw.length);
    } else if (!is_end(scan, at) && is_quote(quote)) {
        redact_copy(out, &quote, 1);
        take_value(out, scan, at + 1, quoted_end(scan, at + 1, quote));
    } else if (secret_header(name)) {
        take_value(out, scan, at, line_end(scan, at));
    } else {
        size_t end = word_end(scan, at);
        if (is_scheme(scan, at, end) && peek(scan, end) == ' ') {
            redact_copy(out, scan->raw.bytes + at, end + 1 - at);
            at = end + 1;
            end = word_end(scan, at);
        }
        take_value(out, scan, at, end);
    }
}

/* A lone "token" in a sentence is rarely a secret's name: its value must look like one. */
static bool is_credible(const struct scan *scan, struct raw_text name, size_t value, bool spaced)
{
    enum { LEAST = 8 };
    bool bare = raw_equal_string(name, "token") || raw_equal_string(name, "tokens") ||
                raw_equal_string(name, "pass") || raw_equal_string(name, "secret") ||
                raw_equal_string(name, "bearer");
    return !bare || !spaced || is_quote(peek(scan, value)) ||
           word_end(scan, value) - value >= LEAST;
}

/* "name=value", "name: value", "name": "value", "--name value". True when it was such a thing and
 * its secret was taken out. */
static bool redact_named(struct redacted *out, struct scan *scan, size_t name_end)
{
    struct raw_text name = {scan->raw.bytes + scan->at, name_end - scan->at};
    bool is_flag = name.bytes[0] == '-';
    bool starts_argument = scan->at == 0 && scan->is_argument;
    size_t at = name_end;
    bool spaced = false;

    char before = scan->at > 0 ? peek(scan, scan->at - 1) : ' ';
    bool is_parameter =
        (before == '?' || before == '&') && peek(scan, at) == '=' && secret_parameter(name);

    bool by_name = is_parameter || secret_name(name, is_flag);
    if (!by_name && !is_flag)
        return false;
    if (is_quote(peek(scan, at)) && !starts_argument)
        at++;
    if (peek(scan, at) == ']' && at > name_end)
        at++; /* os.environ["NAME"] = */
    size_t behind_name = at;
    while (is_space(peek(scan, at)) && !is_end(scan, at) && at - behind_name < 2) {
        at++;
        spaced = true;
    }
    char separator = peek(scan, at);
    if (separator == '=' || separator == ':') {
        bool equals = separator == '=';
        at++;
        while (is_space(peek(scan, at)) && !is_end(scan, at)) {
            at++;
            spaced = true;
        }
        if (!equals && peek(scan, at) == '/' && peek(scan, at + 1) == '/')
            return false;
        if (!is_credible(scan, name, at, spaced))
            return false;
        starts_argument = starts_argument && (equals || !secret_header(name));
    } else if (!is_flag || !spaced || separator == '-') {
        return false;
    } else {
        starts_argument = false;
    }
    struct raw_text value = {scan->raw.bytes + at, word_end(scan, at) - at};
    if (!by_name && !secret_by_value(name, is_flag, value))
        return false;
    redact_copy(out, name.bytes, at - scan->at);
    scan->at = at;
    redact_value(out, scan, name, starts_argument);
    return true;
}

/* "Bearer abc..." anywhere. */
static bool redact_bearer(struct redacted *out, struct scan *scan, size_t name_end)
{
    enum { LEAST = 8 };
    if (name_end - scan->at != strlen("bearer") || !is_scheme(scan, scan->at, name_end) ||
        peek(scan, name_end) != ' ')
        return false;
    size_t end = word_end(scan, name_end + 1);
    if (end - (name_end + 1) < LEAST)
        return false;
    redact_copy(out, scan->raw.bytes + scan->at, name_end + 1 - scan->at);
    take_value(out, scan, name_end + 1, end);
    return true;
}

/* True when the scheme that ends at `end` is one whose user name alone may be a token: git+https.
 */
static bool is_web(const struct scan *scan, size_t end)
{
    static const char *const schemes[] = {"http", "https"};
    size_t start = end;
    while (start > 0 && is_name(peek(scan, start - 1)) && peek(scan, start - 1) != '.')
        start--;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct raw_text scheme = {scan->raw.bytes + start, end - start};
        if (raw_equal_string(scheme, schemes[i]))
            return true;
    }
    return false;
}

/* At "://": the password of "user:password@host"; a token that stands for the user. */
static void redact_userinfo(struct redacted *out, struct scan *scan)
{
    size_t start = scan->at + 3, colon = 0, at_sign = 0, at = start;
    while (!is_end(scan, at) && !is_blank(peek(scan, at)) && !is_quote(peek(scan, at)) &&
           !strchr("/?#", peek(scan, at))) {
        if (peek(scan, at) == ':' && !colon)
            colon = at;
        if (peek(scan, at) == '@')
            at_sign = at;
        at++;
    }
    bool has_password = at_sign && colon && colon < at_sign;
    redact_copy(out, "://", 3);
    scan->at = start;
    if (has_password) {
        struct raw_text user = {scan->raw.bytes + start, colon - start};
        if (secret_key_length(user) > 0)
            redact_mark(out);
        else
            redact_copy(out, user.bytes, user.length);
        redact_copy(out, ":", 1);
        take_value(out, scan, colon + 1, at_sign);
    } else if (at_sign && is_web(scan, start - 3)) {
        take_value(out, scan, start, at_sign);
    }
}

static void redact_step(struct redacted *out, struct scan *scan)
{
    struct raw_text rest = {scan->raw.bytes + scan->at, scan->raw.length - scan->at};
    size_t key = is_name(rest.bytes[0]) ? secret_key_length(rest) : 0;
    if (key > 0) {
        redact_mark(out);
        scan->at += key;
        return;
    }
    size_t name_end = scan->at;
    while (!is_end(scan, name_end) && is_name(peek(scan, name_end)))
        name_end++;
    if (name_end > scan->at) {
        if (redact_named(out, scan, name_end) || redact_bearer(out, scan, name_end))
            return;
        redact_copy(out, rest.bytes, name_end - scan->at);
        scan->at = name_end;
        return;
    }
    if (raw_equal_string((struct raw_text){rest.bytes, rest.length < 3 ? rest.length : 3}, "://")) {
        redact_userinfo(out, scan);
        return;
    }
    redact_copy(out, rest.bytes, 1);
    scan->at++;
}

void redact_append(struct redacted *out, struct raw_text raw, bool is_argument)
{
    struct scan scan = {.raw = raw, .is_argument = is_argument};
    while (scan.at < raw.length)
        redact_step(out, &scan);
}
