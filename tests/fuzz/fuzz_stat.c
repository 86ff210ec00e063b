/* Whatever /proc/PID/stat holds, the name stays inside the text. */
#include <stdlib.h>

#include "os/linux/proc_stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text raw = {(const char *)data, size};
    struct proc_stat stat;
    if (!proc_stat_parse(raw, &stat))
        return 0;
    if (stat.name.bytes < raw.bytes || stat.name.bytes + stat.name.length >= raw.bytes + size)
        abort();
    if (proc_stat_is_zombie(&stat) && stat.state == 'S')
        abort();
    return 0;
}
