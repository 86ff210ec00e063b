#include "rules/visible_devices.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

static bool is_device(const struct adapter_reading *adapter)
{
    return adapter->parent_id[0] == '\0';
}

static bool are_of_one_model(const struct adapter_reading *adapters, size_t count)
{
    const struct adapter_reading *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_device(&adapters[i]))
            continue;
        if (!first)
            first = &adapters[i];
        if (adapters[i].name.length == 0 || adapters[i].name.length != first->name.length ||
            memcmp(adapters[i].name.bytes, first->name.bytes, first->name.length) != 0)
            return false;
    }
    return first != NULL;
}

static uint64_t bit_of_index(const struct adapter_reading *adapters, size_t count, uint64_t index)
{
    for (size_t i = 0; i < count; i++)
        if (is_device(&adapters[i]) && index-- == 0)
            return device_bit(i);
    return 0;
}

/* The place of the device itself, or of the one that an instance is a part of; SIZE_MAX: not here.
 */
static size_t device_place(const struct adapter_reading *adapters, size_t count, size_t place)
{
    if (is_device(&adapters[place]))
        return place;
    for (size_t i = 0; i < count; i++)
        if (strncmp(adapters[i].id, adapters[place].parent_id, ADAPTER_ID_SIZE) == 0)
            return i;
    return SIZE_MAX;
}

/* 0: none begins so, or several do. */
static uint64_t bit_of_uuid(const struct adapter_reading *adapters, size_t count,
                            struct raw_text entry)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (adapters[i].uuid.length < entry.length ||
            memcmp(adapters[i].uuid.bytes, entry.bytes, entry.length) != 0)
            continue;
        if (found != SIZE_MAX)
            return 0;
        found = i;
    }
    found = found != SIZE_MAX ? device_place(adapters, count, found) : found;
    return found != SIZE_MAX ? device_bit(found) : 0;
}

/* "GPU-...", "MIG-...", and as it was before R470: "MIG-GPU-.../3/0". */
static uint64_t bit_of_name(const struct adapter_reading *adapters, size_t count,
                            struct raw_text entry)
{
    static const char instance[] = "MIG-";
    const size_t length = sizeof instance - 1;
    struct raw_text parent, numbers;
    if (entry.length <= length)
        return 0;
    if (raw_starts_with(entry, "MIG-GPU-")) {
        entry = (struct raw_text){entry.bytes + length, entry.length - length};
        return raw_split(entry, '/', &parent, &numbers) ? bit_of_uuid(adapters, count, parent) : 0;
    }
    return bit_of_uuid(adapters, count, entry);
}

uint64_t visible_devices(struct raw_text value, const struct adapter_reading *adapters,
                         size_t adapter_count, bool indexes_are_ours)
{
    uint64_t allowed = 0, index, bit;
    struct raw_text rest = raw_trim(value), entry;

    if (!value.bytes || rest.length == 0 || raw_equal_string(rest, "all"))
        return UINT64_MAX;
    while (fields_next(&rest, ',', &entry)) {
        entry = raw_trim(entry);
        if (number_parse_u64(entry, &index, NULL)) {
            if (!indexes_are_ours || !are_of_one_model(adapters, adapter_count))
                return UINT64_MAX;
            bit = bit_of_index(adapters, adapter_count, index);
            if (bit == 0)
                break;
        } else if (raw_starts_with(entry, "GPU-") || raw_starts_with(entry, "MIG-")) {
            bit = bit_of_name(adapters, adapter_count, entry);
            if (bit == 0)
                break;
        } else {
            break; /* -1, none, anything else */
        }
        allowed |= bit;
    }
    /* None at all: it says nothing about a context that is there nevertheless. */
    return allowed != 0 ? allowed : UINT64_MAX;
}
