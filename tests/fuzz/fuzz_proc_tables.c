/* The tables of /proc and /etc: passwd, cgroup, devices, mountinfo, stat. */
#include <stdlib.h>

#include "base/lines.h"
#include "os/linux/cgroup.h"
#include "os/linux/cpu_stat.h"
#include "os/linux/mountinfo.h"
#include "os/linux/passwd.h"
#include "os/linux/proc_devices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text raw = {(const char *)data, size}, line;
    struct passwd *passwd = passwd_new(raw);
    for (uint64_t user = 0; user < 2000; user += 250)
        passwd_name(passwd, user);
    passwd_free(&passwd);

    struct raw_text path = cgroup_path(raw);
    if (path.bytes && (path.length == 0 || path.bytes[0] != '/'))
        abort();

    struct proc_devices devices = {.rest = raw};
    struct proc_device device;
    while (proc_devices_next(&devices, &device))
        if (device.name.length > size)
            abort();

    struct cpu_stat stat;
    cpu_stat_parse(raw, &stat);
    if (stat.busy_ticks.known &&
        (stat.busy_ticks.value < 0 || stat.busy_ticks.value > stat.total_ticks.value))
        abort();

    bool hides;
    while (lines_next(&raw, &line))
        mountinfo_hides_processes(line, &hides);
    return 0;
}
