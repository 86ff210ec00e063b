#include "os/linux/cgroup.h"

#include "base/lines.h"

struct raw_text cgroup_path(struct raw_text raw)
{
    struct raw_text line, number, rest, controllers, path;
    struct raw_text unified = {NULL, 0}, longest = {NULL, 0};
    while (lines_next(&raw, &line)) {
        if (!raw_split(line, ':', &number, &rest) || !raw_split(rest, ':', &controllers, &path) ||
            path.length == 0 || path.bytes[0] != '/')
            continue;
        if (raw_equal_string(number, "0") && controllers.length == 0)
            unified = path;
        else if (path.length > longest.length)
            longest = path;
    }
    if (unified.length > 1 || longest.length <= unified.length)
        return unified;
    return longest;
}
