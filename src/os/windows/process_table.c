#include "os/windows/process_table.h"

#include <string.h>

#include "base/wide_text.h"

/* Offsets in bytes; times in 100 ns. */
enum {
    ENTRY_NEXT = 0, /* to the next entry from this one; 0: the last one */
    ENTRY_CREATED = 32,
    ENTRY_USER = 40,
    ENTRY_KERNEL = 48,
    ENTRY_NAME_BYTES = 56,
    ENTRY_NAME_ADDRESS = 64,
    ENTRY_PID = 80,
    ENTRY_PARENT = 88,
    ENTRY_WORKING_SET = 144,
    ENTRY_SIZE = 152, /* of what is read of it */
    NAME_UNITS_MAX = 4096,
    ENTRIES_MAX = 1 << 20,
};

static uint16_t u16_at(const unsigned char *bytes)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t u32_at(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t u64_at(const unsigned char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static struct raw_text name_of(struct arena *arena, const unsigned char *entry,
                               const unsigned char *bytes, size_t size, uint64_t address)
{
    uint64_t at = u64_at(entry + ENTRY_NAME_ADDRESS);
    size_t count = u16_at(entry + ENTRY_NAME_BYTES) / 2;
    if (count == 0 || count > NAME_UNITS_MAX || at < address || at - address > size ||
        count * 2 > size - (size_t)(at - address))
        return (struct raw_text){NULL, 0};
    return wide_text(arena, bytes + (size_t)(at - address), count);
}

static int64_t not_negative(uint64_t value)
{
    return value <= INT64_MAX ? (int64_t)value : 0;
}

static struct measured counter(uint64_t value)
{
    return value <= INT64_MAX ? measured_known((int64_t)value)
                              : measured_unknown(REASON_incredible_value);
}

static struct windows_process process_of(struct arena *arena, const unsigned char *entry,
                                         const unsigned char *bytes, size_t size, uint64_t address)
{
    uint64_t user = u64_at(entry + ENTRY_USER), kernel = u64_at(entry + ENTRY_KERNEL);
    return (struct windows_process){
        .pid = not_negative(u64_at(entry + ENTRY_PID)),
        .parent_pid = not_negative(u64_at(entry + ENTRY_PARENT)),
        .name = name_of(arena, entry, bytes, size, address),
        .created_100ns = not_negative(u64_at(entry + ENTRY_CREATED)),
        .cpu_100ns = user <= INT64_MAX && kernel <= INT64_MAX
                         ? counter(user + kernel)
                         : measured_unknown(REASON_incredible_value),
        .working_set_bytes = counter(u64_at(entry + ENTRY_WORKING_SET)),
    };
}

/* Where the entry behind the one at `at` begins; SIZE_MAX: there is none. */
static size_t next_of(const unsigned char *bytes, size_t size, size_t at)
{
    size_t step = u32_at(bytes + at + ENTRY_NEXT);
    return step >= ENTRY_SIZE && step <= size - at && size - at - step >= ENTRY_SIZE ? at + step
                                                                                     : SIZE_MAX;
}

void process_table_read(struct arena *arena, const void *table, size_t size, uint64_t address,
                        struct windows_process_list *list)
{
    const unsigned char *bytes = table;
    size_t count = 0, first = size >= ENTRY_SIZE ? 0 : SIZE_MAX;
    for (size_t at = first; at != SIZE_MAX && count < ENTRIES_MAX; at = next_of(bytes, size, at))
        count++;
    struct windows_process *items = ARENA_ARRAY(arena, struct windows_process, count);
    size_t at = first;
    for (size_t i = 0; i < count; i++, at = next_of(bytes, size, at))
        items[i] = process_of(arena, bytes + at, bytes, size, address);
    *list = (struct windows_process_list){.read = count > 0, .items = items, .count = count};
}
