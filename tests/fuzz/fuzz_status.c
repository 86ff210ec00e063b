/* /proc/PID/status and /proc/meminfo: no figure is negative. */
#include <stdlib.h>

#include "os/linux/meminfo.h"
#include "os/linux/proc_status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct measured value)
{
    if (value.known ? value.value < 0 : value.value != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text raw = {(const char *)data, size};
    struct proc_status status;
    struct meminfo meminfo;
    proc_status_parse(raw, &status);
    check(status.resident_bytes);
    meminfo_parse(raw, &meminfo);
    check(meminfo.total_bytes);
    check(meminfo.available_bytes);
    check(meminfo.swap_total_bytes);
    check(meminfo.swap_free_bytes);
    return 0;
}
