#include "os/linux/proc_environ.h"

#include "base/lines.h"

bool environ_find(struct raw_text environment, const char *name, struct raw_text *value)
{
    struct raw_text entry, before, after;
    while (fields_next(&environment, '\0', &entry)) {
        if (!raw_split(entry, '=', &before, &after) || !raw_equal_string(before, name))
            continue;
        *value = after;
        return true;
    }
    return false;
}
