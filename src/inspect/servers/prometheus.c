#include "inspect/servers/prometheus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

enum { NUMBER_SIZE = 64 };

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':';
}

/* Behind the quote that ends a label's value; line.length when none does. */
static size_t quoted_end(struct raw_text line, size_t at)
{
    for (; at < line.length; at++) {
        if (line.bytes[at] == '\\')
            at++;
        else if (line.bytes[at] == '"')
            return at + 1;
    }
    return line.length;
}

static bool take_labels(struct raw_text line, size_t *at, struct raw_text *labels)
{
    *labels = (struct raw_text){line.bytes + *at, 0};
    if (*at >= line.length || line.bytes[*at] != '{')
        return true;
    size_t start = ++*at;
    while (*at < line.length && line.bytes[*at] != '}')
        *at = line.bytes[*at] == '"' ? quoted_end(line, *at + 1) : *at + 1;
    if (*at >= line.length)
        return false;
    *labels = (struct raw_text){line.bytes + start, *at - start};
    ++*at;
    return true;
}

/* A decimal number in the C locale's spelling, whatever the locale is: strtod() would take a comma.
 */
static bool parse_number(struct raw_text word, double *value)
{
    double mantissa = 0;
    int scale = 0, exponent = 0;
    size_t at = 0;
    bool negative = word.length > 0 && word.bytes[0] == '-', any = false, after_point = false;
    if (word.length > 0 && (word.bytes[0] == '-' || word.bytes[0] == '+'))
        at++;
    for (; at < word.length; at++) {
        char c = word.bytes[at];
        if (c == '.' && !after_point) {
            after_point = true;
        } else if (c >= '0' && c <= '9') {
            mantissa = mantissa * 10 + (c - '0');
            scale -= after_point;
            any = true;
        } else {
            break;
        }
    }
    if (at < word.length && any && (word.bytes[at] == 'e' || word.bytes[at] == 'E')) {
        bool minus = ++at < word.length && word.bytes[at] == '-';
        if (at < word.length && (word.bytes[at] == '-' || word.bytes[at] == '+'))
            at++;
        for (; at < word.length && word.bytes[at] >= '0' && word.bytes[at] <= '9'; at++)
            exponent = exponent < 1000 ? exponent * 10 + (word.bytes[at] - '0') : exponent;
        exponent = minus ? -exponent : exponent;
    }
    *value = (negative ? -mantissa : mantissa) * pow(10, scale + exponent);
    return any && at == word.length && isfinite(*value);
}

static bool parse_sample(struct raw_text line, struct prometheus_sample *sample)
{
    size_t at = 0;
    struct raw_text word;
    while (at < line.length && is_name(line.bytes[at]))
        at++;
    sample->name = (struct raw_text){line.bytes, at};
    if (at == 0 || !take_labels(line, &at, &sample->labels))
        return false;
    struct raw_text rest = {line.bytes + at, line.length - at};
    return words_next(&rest, &word) && word.length < NUMBER_SIZE &&
           parse_number(word, &sample->value);
}

bool prometheus_next(struct raw_text *rest, struct prometheus_sample *sample)
{
    struct raw_text line;
    while (lines_next(rest, &line))
        if (parse_sample(raw_trim(line), sample))
            return true;
    return false;
}

bool prometheus_label(const struct prometheus_sample *sample, const char *label,
                      struct raw_text *value)
{
    struct raw_text labels = sample->labels;
    size_t at = 0, length = strlen(label);
    while (at < labels.length) {
        while (at < labels.length && !is_name(labels.bytes[at]))
            at++;
        size_t start = at;
        while (at < labels.length && is_name(labels.bytes[at]))
            at++;
        size_t end = at;
        if (at + 1 >= labels.length || labels.bytes[at] != '=' || labels.bytes[at + 1] != '"')
            continue;
        size_t value_at = at + 2;
        at = quoted_end(labels, value_at);
        if (at == labels.length && (at == value_at || labels.bytes[at - 1] != '"'))
            return false;
        if (end - start == length && memcmp(labels.bytes + start, label, length) == 0) {
            *value = (struct raw_text){labels.bytes + value_at, at - 1 - value_at};
            return true;
        }
    }
    return false;
}
