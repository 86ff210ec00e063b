#include "gpu/wddm/instance.h"

#include <stddef.h>
#include <string.h>

#include "base/number.h"

enum { TYPE_SIZE = 64, HEX_DIGITS_MAX = 8 };

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Takes a keyword, in lower case, in any case, off the start. */
static bool take_word(struct raw_text *rest, const char *word)
{
    size_t length = strlen(word);
    if (rest->length < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (folded(rest->bytes[i]) != word[i])
            return false;
    rest->bytes += length;
    rest->length -= length;
    return true;
}

static bool take_decimal(struct raw_text *rest, uint64_t most, uint64_t *value)
{
    size_t used;
    if (!number_parse_u64(*rest, value, &used) || *value > most)
        return false;
    rest->bytes += used;
    rest->length -= used;
    return true;
}

static bool take_decimal_32(struct raw_text *rest, uint32_t *value)
{
    uint64_t wide;
    if (!take_decimal(rest, UINT32_MAX, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

static int hex_digit(char c)
{
    c = folded(c);
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "0x0000D1A2": leading zeros beyond eight digits are let through. */
static bool take_hex(struct raw_text *rest, uint32_t *value)
{
    size_t digits = 0, significant = 0;
    *value = 0;
    if (!take_word(rest, "0x"))
        return false;
    for (; digits < rest->length && hex_digit(rest->bytes[digits]) >= 0; digits++) {
        int digit = hex_digit(rest->bytes[digits]);
        significant += significant > 0 || digit > 0;
        if (significant > HEX_DIGITS_MAX || digits >= (size_t)2 * HEX_DIGITS_MAX)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    rest->bytes += digits;
    rest->length -= digits;
    return digits > 0;
}

static bool take_luid(struct raw_text *rest, uint64_t *luid)
{
    uint32_t high, low;
    if (!take_hex(rest, &high) || !take_word(rest, "_") || !take_hex(rest, &low))
        return false;
    *luid = (uint64_t)high << 32 | low;
    return true;
}

bool wddm_luid_parse(struct raw_text text, uint64_t *luid)
{
    return take_luid(&text, luid) && text.length == 0;
}

/* Cuts "#2" off the end. */
static uint32_t cut_duplicate(struct raw_text *name)
{
    size_t at = name->length;
    while (at > 0 && name->bytes[at - 1] >= '0' && name->bytes[at - 1] <= '9')
        at--;
    if (at == 0 || at == name->length || name->bytes[at - 1] != '#')
        return 0;
    struct raw_text digits = {name->bytes + at, name->length - at};
    uint32_t duplicate;
    if (!take_decimal_32(&digits, &duplicate))
        return 0;
    name->length = at - 1;
    return duplicate;
}

static bool take_engine(struct raw_text *rest, struct wddm_instance *instance)
{
    if (!take_decimal_32(rest, &instance->engine) || !take_word(rest, "_engtype_"))
        return false;
    instance->has_engine = true;
    instance->type = *rest;
    return true;
}

bool wddm_instance_parse(struct raw_text name, struct wddm_instance *instance)
{
    uint64_t pid;
    *instance = (struct wddm_instance){.duplicate = cut_duplicate(&name)};
    if (take_word(&name, "pid_")) {
        if (!take_decimal(&name, UINT32_MAX, &pid) || !take_word(&name, "_"))
            return false;
        instance->has_pid = true;
        instance->pid = (int64_t)pid;
    }
    if (!take_word(&name, "luid_") || !take_luid(&name, &instance->luid) ||
        !take_word(&name, "_phys_") || !take_decimal_32(&name, &instance->physical))
        return false;
    if (name.length == 0)
        return true;
    if (instance->has_pid)
        return take_word(&name, "_eng_") && take_engine(&name, instance);
    instance->has_part = true;
    return take_word(&name, "_part_") && take_decimal_32(&name, &instance->part) &&
           name.length == 0;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum engine wddm_engine_column(struct raw_text type)
{
    /* The first that fits; a type of the drivers may go on behind it ("compute_0"). */
    static const struct {
        const char *words;
        bool whole;
        enum engine column;
    } columns[] = {
        {"3d", true, ENGINE_gfx},
        {"vr", true, ENGINE_gfx},
        {"graphics", false, ENGINE_gfx},
        {"compute", false, ENGINE_compute},
        {"cuda", true, ENGINE_compute},
        {"copy", false, ENGINE_copy},
        {"videodecode", true, ENGINE_decode},
        {"video decode", false, ENGINE_decode},
        {"videoencode", true, ENGINE_encode},
        {"video encode", false, ENGINE_encode},
        {"videocodec", true, ENGINE_video},
        {"video codec", false, ENGINE_video},
    };
    char text[TYPE_SIZE];
    size_t length = type.length < sizeof text - 1 ? type.length : sizeof text - 1;
    for (size_t i = 0; i < length; i++)
        text[i] = type.bytes[i] == '_' ? ' ' : folded(type.bytes[i]);
    text[length] = '\0';
    const char *words = starts_with(text, "high priority ") ? text + sizeof "high priority" : text;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].whole ? strcmp(words, columns[i].words) == 0
                             : starts_with(words, columns[i].words))
            return columns[i].column;
    return ENGINE_other;
}

/* FNV-1a. */
uint32_t wddm_engine_type(struct raw_text type)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < type.length; i++) {
        hash ^= (unsigned char)folded(type.bytes[i]);
        hash *= UINT32_C(16777619);
    }
    return hash;
}
