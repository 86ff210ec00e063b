#include "os/macos/kinfo.h"

#include <string.h>

#include "base/number.h"
#include "os/macos/calls.h"

static int32_t number_at(const char *record, size_t offset)
{
    int32_t value;
    memcpy(&value, record + offset, sizeof value);
    return value;
}

int64_t kinfo_started_us(const char *record)
{
    int64_t seconds, us;
    int32_t microseconds = number_at(record, KINFO_START_MICROSECONDS);
    memcpy(&seconds, record + KINFO_START_SECONDS, sizeof seconds);
    if (seconds <= 0 || microseconds < 0 || microseconds > 999999 ||
        !number_multiply_i64(seconds, 1000000, &us) || !number_add_i64(us, microseconds, &us))
        return 0;
    return us;
}

bool kinfo_parse(struct arena *arena, const char *record, struct macos_process *process)
{
    const char *name = record + KINFO_NAME;
    const char *end = memchr(name, '\0', KINFO_NAME_BYTES);
    size_t length = end ? (size_t)(end - name) : KINFO_NAME_BYTES;
    int32_t pid = number_at(record, KINFO_PID), parent = number_at(record, KINFO_PARENT);
    if (pid < 0)
        return false;
    *process = (struct macos_process){
        .pid = pid,
        .parent_pid = parent > 0 ? parent : 0,
        .uid = (uint32_t)number_at(record, KINFO_UID),
        .started_us = kinfo_started_us(record),
        .name = {arena_string(arena, name, length), length},
        .cpu_time_ns = measured_unknown(REASON_not_permitted),
        .ram_bytes = measured_unknown(REASON_not_permitted),
        .zombie = record[KINFO_STATE] == KINFO_STATE_ZOMBIE,
    };
    return true;
}
