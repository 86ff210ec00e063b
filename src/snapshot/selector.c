#include "snapshot/selector.h"

#include <string.h>

#include "base/number.h"

static char folded(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* How many bytes of `prefix` begin the text, either case; all of them or nothing matters. */
static bool begins_with(struct text text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (text_is_none(text) || length == 0 || length > text.size) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (folded(text.utf8[i]) != folded(prefix[i])) {
            return false;
        }
    }
    return true;
}

/* "0000:03:00.0", "03:00.0", "pci:0000:03:00.0" against the id; eight-digit domains (NVML) too. */
static bool is_address(const char *selector, struct text id)
{
    static const char scheme[] = "pci:";
    size_t skip = sizeof scheme - 1;
    if (!begins_with(id, scheme) || !strchr(selector, ':') || !strchr(selector, '.')) {
        return false;
    }
    struct text address = {id.utf8 + skip, id.size - skip};
    const char *wanted = strncmp(selector, scheme, skip) == 0 ? selector + skip : selector;
    while (strlen(wanted) > address.size && *wanted == '0') {
        wanted++;
    }
    size_t length = strlen(wanted);
    if (length > address.size) {
        return false;
    }
    size_t offset = address.size - length;
    bool whole_part = offset == 0 || address.utf8[offset - 1] == ':';
    return whole_part && begins_with((struct text){address.utf8 + offset, length}, wanted);
}

bool selector_matches(const char *selector, const struct adapter *adapter)
{
    /* Up to three digits are an index, never part of a name; "4090" is a name. */
    enum { INDEX_DIGITS = 3 };
    uint64_t index = 0;
    if (strlen(selector) <= INDEX_DIGITS &&
        number_parse_u64(raw_from_string(selector), &index, NULL)) {
        return index == (uint64_t)adapter->index;
    }
    if (*selector == '\0') {
        return false;
    }
    struct text wanted = {selector, strlen(selector)};
    return is_address(selector, adapter->id) || begins_with(adapter->uuid, selector) ||
           begins_with(adapter->id, selector) || text_contains_folded(adapter->name, wanted);
}
