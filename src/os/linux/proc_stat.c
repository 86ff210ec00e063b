#include "os/linux/proc_stat.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"

/* include/linux/sched.h */
#define FLAG_KERNEL_THREAD UINT64_C(0x00200000)

/* Numbers of the fields as proc_pid_stat(5) counts them; the state is field 3. */
enum {
    FIELD_PARENT = 4,
    FIELD_FLAGS = 9,
    FIELD_USER_TIME = 14,
    FIELD_SYSTEM_TIME = 15,
    FIELD_START = 22,
    FIELD_ADDRESS_SPACE = 23,
    FIELD_RESIDENT = 24,
};

static bool find_name(struct raw_text raw, struct raw_text *name, struct raw_text *rest)
{
    const char *open = memchr(raw.bytes, '(', raw.length);
    if (!open)
        return false;
    const char *end = raw.bytes + raw.length, *close = NULL;
    for (const char *at = end; at > open && !close; at--)
        if (at[-1] == ')')
            close = at - 1;
    if (!close)
        return false;
    *name = (struct raw_text){open + 1, (size_t)(close - open - 1)};
    *rest = (struct raw_text){close + 1, (size_t)(end - close - 1)};
    return true;
}

static bool take_field(int number, struct raw_text word, struct proc_stat *stat)
{
    switch (number) {
    case FIELD_PARENT:
        return number_parse_i64(word, &stat->parent_pid, NULL);
    case FIELD_FLAGS:
        return number_parse_u64(word, &stat->flags, NULL);
    case FIELD_USER_TIME:
        return number_parse_u64(word, &stat->user_ticks, NULL);
    case FIELD_SYSTEM_TIME:
        return number_parse_u64(word, &stat->system_ticks, NULL);
    case FIELD_START:
        return number_parse_u64(word, &stat->start_stamp, NULL);
    case FIELD_ADDRESS_SPACE:
        return number_parse_u64(word, &stat->address_space_bytes, NULL);
    case FIELD_RESIDENT:
        return number_parse_i64(word, &stat->resident_pages, NULL);
    default:
        return true;
    }
}

bool proc_stat_parse(struct raw_text raw, struct proc_stat *stat)
{
    struct raw_text rest, word;

    *stat = (struct proc_stat){.resident_pages = 0};
    if (!raw.bytes || !find_name(raw, &stat->name, &rest))
        return false;
    rest = raw_trim(rest);
    if (!words_next(&rest, &word) || word.length != 1)
        return false;
    stat->state = word.bytes[0];
    int number = FIELD_PARENT;
    for (; number <= FIELD_RESIDENT && words_next(&rest, &word); number++)
        if (!take_field(number, word, stat))
            return false;
    return number > FIELD_RESIDENT;
}

bool proc_stat_is_kernel_thread(const struct proc_stat *stat)
{
    return (stat->flags & FLAG_KERNEL_THREAD) != 0;
}

bool proc_stat_is_zombie(const struct proc_stat *stat)
{
    return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x';
}
