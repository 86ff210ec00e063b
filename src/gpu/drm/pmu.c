#include "gpu/drm/pmu.h"

#include <math.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"

enum { BITS = 64, DIGITS_MAX = 64, EXPONENT_MAX = 300, CPU_MAX = 65535 };

static bool take_u64(struct raw_text *rest, uint64_t *value)
{
    size_t used;
    if (!number_parse_u64(*rest, value, &used)) {
        return false;
    }
    rest->bytes += used;
    rest->length -= used;
    return true;
}

bool pmu_parse_field(struct raw_text text, struct pmu_field *field)
{
    struct raw_text word, range;
    uint64_t first, last;
    text = raw_trim(text);
    if (!raw_split(text, ':', &word, &range) || !raw_equal_string(word, "config") ||
        !take_u64(&range, &first)) {
        return false;
    }
    last = first;
    if (range.length > 0) {
        if (range.bytes[0] != '-') {
            return false;
        }
        range = (struct raw_text){range.bytes + 1, range.length - 1};
        if (!take_u64(&range, &last) || range.length > 0) {
            return false;
        }
    }
    if (first > last || last >= BITS) {
        return false;
    }
    *field = (struct pmu_field){(unsigned)first, (unsigned)last};
    return true;
}

bool pmu_set_field(struct pmu_field field, uint64_t value, uint64_t *config)
{
    unsigned width = field.last - field.first + 1;
    if (width < BITS && value >> width != 0) {
        return false;
    }
    *config |= value << field.first;
    return true;
}

bool pmu_parse_term(struct raw_text text, const char *key, uint64_t *value)
{
    struct raw_text rest = raw_trim(text), term;
    while (fields_next(&rest, ',', &term)) {
        struct raw_text name, number;
        if (raw_split(term, '=', &name, &number) && raw_equal_string(raw_trim(name), key)) {
            number = raw_trim(number);
            return raw_starts_with(number, "0x") ? number_parse_hex(number, value, NULL)
                                                 : number_parse_u64(number, value, NULL);
        }
    }
    return false;
}

/* Digits with at most one point; *shift is how many of them stand behind it. */
static bool take_digits(struct raw_text *rest, double *value, int *shift)
{
    bool point = false;
    size_t digits = 0;
    *value = 0;
    *shift = 0;
    for (; rest->length > 0 && digits < DIGITS_MAX; rest->bytes++, rest->length--) {
        char byte = rest->bytes[0];
        if (byte == '.' && !point) {
            point = true;
        } else if (byte >= '0' && byte <= '9') {
            *value = *value * 10 + (byte - '0');
            *shift += point;
            digits++;
        } else {
            break;
        }
    }
    return digits > 0;
}

bool pmu_parse_scale(struct raw_text text, double *scale)
{
    int shift;
    int64_t exponent = 0;
    struct raw_text rest = raw_trim(text);
    if (!take_digits(&rest, scale, &shift)) {
        return false;
    }
    if (rest.length > 0) {
        if (rest.bytes[0] != 'e' && rest.bytes[0] != 'E') {
            return false;
        }
        rest = (struct raw_text){rest.bytes + 1, rest.length - 1};
        if (!number_parse_i64(rest, &exponent, NULL) || exponent < -EXPONENT_MAX ||
            exponent > EXPONENT_MAX) {
            return false;
        }
    }
    *scale *= pow(10, (double)(exponent - shift));
    return isfinite(*scale) && *scale > 0;
}

int pmu_parse_cpu(struct raw_text text)
{
    struct raw_text rest = raw_trim(text);
    uint64_t cpu;
    return take_u64(&rest, &cpu) && cpu <= CPU_MAX ? (int)cpu : 0;
}

bool pmu_parse_busy_event(const char *name, char class_name[8])
{
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    size_t digits = strspn(name + letters, "0123456789");
    if (letters == 0 || letters >= 8 || digits == 0 ||
        strcmp(name + letters + digits, "-busy") != 0) {
        return false;
    }
    memcpy(class_name, name, letters);
    class_name[letters] = '\0';
    return true;
}
