#include "os/linux/mountinfo.h"

#include "base/lines.h"

static bool hides(struct raw_text options)
{
    struct raw_text option, key, value;
    while (fields_next(&options, ',', &option))
        if (raw_split(option, '=', &key, &value) && raw_equal_string(key, "hidepid"))
            return !raw_equal_string(value, "0") && !raw_equal_string(value, "off");
    return false;
}

/* 23 28 0:21 / /proc rw,nosuid - proc proc rw,hidepid=invisible */
bool mountinfo_hides_processes(struct raw_text line, bool *result)
{
    enum { FIELD_MOUNT_POINT = 4 };
    struct raw_text word, type, source;
    for (int i = 0; words_next(&line, &word); i++) {
        if (i == FIELD_MOUNT_POINT && !raw_equal_string(word, "/proc"))
            return false;
        if (i > FIELD_MOUNT_POINT && raw_equal_string(word, "-"))
            break;
    }
    if (!words_next(&line, &type) || !raw_equal_string(type, "proc") || !words_next(&line, &source))
        return false;
    *result = hides(raw_trim(line));
    return true;
}
