#include "gpu/wddm/pdh_array.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/wide_text.h"

static void make_room(struct pdh_buffer *buffer, uint32_t size)
{
    if (size <= buffer->capacity)
        return;
    pdh_buffer_free(buffer);
    buffer->bytes = memory_new(size);
    buffer->capacity = size;
}

static bool is_too_small(uint32_t status)
{
    return status == PDH_MORE_DATA || status == PDH_INVALID_ARGUMENT;
}

/* A quarter more than was needed a moment ago. */
static uint32_t with_reserve(uint32_t size)
{
    uint64_t room = (uint64_t)size + size / 4;
    return room > PDH_ARRAY_BYTES_MAX ? PDH_ARRAY_BYTES_MAX : (uint32_t)room;
}

/* Its status; *size and *count of what is in the buffer. */
static uint32_t fill(const struct pdh_calls *calls, void *counter, struct pdh_buffer *buffer,
                     uint32_t *size, uint32_t *count)
{
    uint32_t status = PDH_MORE_DATA;
    for (int i = 0; i < PDH_ARRAY_TRIES; i++) {
        *count = 0;
        if (buffer->capacity > 0) {
            *size = buffer->capacity;
            status = calls->raw_array(counter, size, count, buffer->bytes);
            if (!is_too_small(status))
                return status;
        }
        *size = *count = 0;
        status = calls->raw_array(counter, size, count, NULL);
        if (status != PDH_MORE_DATA) {
            *count = 0; /* nothing was written */
            return status;
        }
        if (*size > PDH_ARRAY_BYTES_MAX)
            return PDH_INVALID_DATA;
        make_room(buffer, with_reserve(*size > 0 ? *size : 1));
    }
    return status;
}

/* Names may lie anywhere in the buffer, but nowhere else. */
static bool name_of(const struct pdh_buffer *buffer, const void *name, struct arena *arena,
                    struct raw_text *text)
{
    uintptr_t begin = (uintptr_t)buffer->bytes, at = (uintptr_t)name;
    if (at < begin || at - begin >= buffer->capacity)
        return false;
    size_t units = (buffer->capacity - (at - begin)) / sizeof(uint16_t);
    *text = wide_text(arena, name, units < PDH_NAME_UNITS_MAX ? units : PDH_NAME_UNITS_MAX);
    return text->bytes != NULL;
}

void pdh_array_read(const struct pdh_calls *calls, void *counter, struct pdh_buffer *buffer,
                    struct arena *arena, struct pdh_raw_array *array)
{
    uint32_t size = 0, count = 0;
    *array = (struct pdh_raw_array){.status = fill(calls, counter, buffer, &size, &count)};
    if (array->status == PDH_NO_DATA)
        array->status = PDH_VALID_DATA;
    if (!pdh_is_valid(array->status) || count == 0)
        return;
    if (count > buffer->capacity / sizeof(struct pdh_wire_item)) {
        array->status = PDH_INVALID_DATA;
        return;
    }
    struct pdh_raw_item *items = ARENA_ARRAY(arena, struct pdh_raw_item, count);
    size_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pdh_wire_item wire;
        memcpy(&wire, (const char *)buffer->bytes + i * sizeof wire, sizeof wire);
        struct pdh_raw_item *item = &items[kept];
        if (!name_of(buffer, wire.name, arena, &item->instance))
            continue;
        item->status = wire.status;
        item->first = wire.first;
        item->second = wire.second;
        item->time_100ns = (int64_t)((uint64_t)wire.time_high << 32 | wire.time_low);
        kept++;
    }
    array->items = items;
    array->count = kept;
}

void pdh_buffer_free(struct pdh_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct pdh_buffer){NULL, 0};
}
