#include "os/macos/host.h"

#include <mach/mach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include "base/fatal.h"

enum { TEXT_BYTES = 256 };

_Static_assert(sizeof(struct xsw_usage) == 32, "xsw_usage");
_Static_assert(CPU_STATE_MAX == (int)MACOS_CPU_STATES && CPU_STATE_IDLE == (int)MACOS_CPU_IDLE,
               "the order of CPU states");

/* mach_host_self() gives a right to be given back at each call: it is asked for once. */
struct macos_host {
    host_t port;
    struct macos_ticks ticks;
};

struct macos_host *macos_host_new(void)
{
    struct macos_host *host = memory_new(sizeof *host);
    host->port = mach_host_self();
    return host;
}

void macos_host_free(struct macos_host **host)
{
    if (!*host)
        return;
    mach_port_deallocate(mach_task_self(), (*host)->port);
    free(*host);
    *host = NULL;
}

static bool read_text(const char *name, char text[TEXT_BYTES])
{
    size_t size = TEXT_BYTES;
    memset(text, 0, TEXT_BYTES);
    if (sysctlbyname(name, text, &size, NULL, 0) != 0)
        return false;
    text[TEXT_BYTES - 1] = '\0';
    return text[0] != '\0';
}

static struct raw_text keep(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    return (struct raw_text){arena_string(arena, text, length), length};
}

static void read_names(struct arena *arena, struct host_reading *host)
{
    char name[TEXT_BYTES], kernel[TEXT_BYTES], version[TEXT_BYTES], all[2 * TEXT_BYTES + 32];
    if (gethostname(name, sizeof name) == 0) {
        name[sizeof name - 1] = '\0';
        host->name = keep(arena, name);
    }
    if (read_text("kern.bootsessionuuid", name))
        host->boot_id = keep(arena, name);
    if (!read_text("kern.osrelease", kernel))
        return;
    bool has_version = read_text("kern.osproductversion", version);
    snprintf(all, sizeof all, has_version ? "Darwin %s (macOS %s)" : "Darwin %s", kernel, version);
    host->kernel = keep(arena, all);
}

static struct measured read_bytes(const char *name)
{
    uint64_t value = 0;
    size_t size = sizeof value;
    if (sysctlbyname(name, &value, &size, NULL, 0) != 0 || size != sizeof value ||
        value > INT64_MAX)
        return measured_unknown(REASON_call_failed);
    return measured_known((int64_t)value);
}

static void read_swap(struct host_reading *host)
{
    struct xsw_usage swap;
    size_t size = sizeof swap;
    if (sysctlbyname("vm.swapusage", &swap, &size, NULL, 0) != 0 || size != sizeof swap ||
        swap.xsu_total > INT64_MAX || swap.xsu_avail > swap.xsu_total)
        return;
    host->swap_total_bytes = measured_known((int64_t)swap.xsu_total);
    host->swap_free_bytes = measured_known((int64_t)swap.xsu_avail);
}

static void read_memory(const struct macos_host *macos, struct host_reading *host)
{
    vm_statistics64_data_t memory;
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    host->memory_total_bytes = read_bytes("hw.memsize");
    host->memory_available_bytes = measured_unknown(REASON_call_failed);
    if (!host->memory_total_bytes.known ||
        host_statistics64(macos->port, HOST_VM_INFO64, (host_info64_t)&memory, &count) !=
            KERN_SUCCESS)
        return;
    struct macos_pages pages = {
        .internal = memory.internal_page_count,
        .purgeable = memory.purgeable_count,
        .wired = memory.wire_count,
        .compressor = memory.compressor_page_count,
        .page_bytes = vm_kernel_page_size,
    };
    host->memory_available_bytes = macos_available_bytes(&pages, host->memory_total_bytes.value);
}

static void read_cpu(struct macos_host *macos, struct host_reading *host)
{
    host_cpu_load_info_data_t load;
    mach_msg_type_number_t count = HOST_CPU_LOAD_INFO_COUNT;
    int32_t cpus = 0;
    size_t size = sizeof cpus;
    if (sysctlbyname("hw.logicalcpu", &cpus, &size, NULL, 0) == 0 && cpus > 0)
        host->cpu_count = cpus;
    if (host_statistics(macos->port, HOST_CPU_LOAD_INFO, (host_info_t)&load, &count) !=
        KERN_SUCCESS)
        return;
    macos_ticks_take(&macos->ticks, load.cpu_ticks, host);
}

void macos_host_read(struct macos_host *macos, struct arena *arena, struct host_reading *host)
{
    read_names(arena, host);
    read_memory(macos, host);
    read_swap(host);
    read_cpu(macos, host);
}
