#include "gpu/metal/metal_door.h"

#include <errno.h>
#include <mach/mach.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>

#include "base/fatal.h"
#include "gpu/metal/macos/books.h"
#include "gpu/metal/macos/frameworks.h"
#include "gpu/metal/macos/registry.h"
#include "gpu/metal/macos/report.h"
#include "gpu/metal/macos/sensors.h"
#include "os/clock.h"

/* No public header has it; libSystem has it since 10.7 (xnu bsd/sys/ledger.h). */
extern int ledger(int command, caddr_t first, caddr_t second, caddr_t third);

_Static_assert(offsetof(struct task_vm_info, phys_footprint) == 144 &&
                   offsetof(struct task_vm_info, ledger_tag_graphics_footprint) == 272 &&
                   offsetof(struct task_vm_info, ledger_tag_graphics_footprint_compressed) == 280 &&
                   offsetof(struct task_vm_info, ledger_tag_graphics_nofootprint) == 288 &&
                   offsetof(struct task_vm_info, ledger_tag_graphics_nofootprint_compressed) ==
                       296 &&
                   offsetof(struct task_vm_info, ledger_tag_neural_footprint) == 304 &&
                   TASK_VM_INFO_REV3_COUNT * sizeof(natural_t) == TASK_COMPLETE_BYTES &&
                   sizeof(struct task_vm_info) >= TASK_COMPLETE_BYTES && TASK_VM_INFO == 22,
               "struct task_vm_info");

struct metal_door {
    struct frameworks frameworks;
    struct report report;
    struct smc smc;
    struct hid hid;
    struct arena *kept;
    struct raw_text frequencies;
    bool frequencies_read;
    struct books books;
};

static int call_ledger(int command, void *first, void *second, void *third)
{
    errno = 0;
    if (ledger(command, (caddr_t)first, (caddr_t)second, (caddr_t)third) == 0)
        return 0;
    return errno ? errno : EIO;
}

/* A name port is given for one's own processes (root: for all), and is given back. */
static size_t call_task(int pid, void *info)
{
    mach_port_t task = MACH_PORT_NULL;
    task_vm_info_data_t filled;
    mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
    memset(&filled, 0, sizeof filled);
    if (task_name_for_pid(mach_task_self(), pid, &task) != KERN_SUCCESS)
        return 0;
    kern_return_t result = task_info(task, TASK_VM_INFO, (task_info_t)&filled, &count);
    mach_port_deallocate(mach_task_self(), task);
    size_t bytes = count * sizeof(natural_t);
    if (result != KERN_SUCCESS)
        return 0;
    memcpy(info, &filled, sizeof filled < TASK_BYTES ? sizeof filled : TASK_BYTES);
    return bytes < TASK_BYTES ? bytes : TASK_BYTES;
}

static const struct book_calls book_calls = {.ledger = call_ledger, .task = call_task};

struct metal_door *metal_door_open(struct problem *problem)
{
    struct metal_door *door = memory_new(sizeof *door);
    if (!frameworks_load(&door->frameworks, problem)) {
        free(door);
        return NULL;
    }
    door->frameworks.task = mach_task_self();
    door->kept = arena_new_small();
    door->books.calls = &book_calls;
    return door;
}

void metal_door_close(struct metal_door **closing)
{
    struct metal_door *door = *closing;
    *closing = NULL;
    if (!door)
        return;
    report_close(&door->frameworks, &door->report);
    smc_close(&door->frameworks, &door->smc);
    hid_close(&door->frameworks, &door->hid);
    frameworks_unload(&door->frameworks);
    arena_free(&door->kept);
    free(door);
}

/* Numbers of the kernel come in 4 or 8 bytes. */
static struct measured read_number(const char *name)
{
    union {
        int64_t wide;
        int32_t narrow;
    } value = {0};
    size_t size = sizeof value;
    if (sysctlbyname(name, &value, &size, NULL, 0) != 0)
        return measured_unknown(REASON_not_reported);
    int64_t number = size == sizeof value.narrow ? value.narrow : value.wide;
    bool fits = (size == sizeof value.narrow || size == sizeof value.wide) && number >= 0;
    return fits ? measured_known(number) : measured_unknown(REASON_incredible_value);
}

static void read_sample(struct metal_door *door, struct arena *arena, bool clients,
                        struct metal_sample *sample)
{
    memset(sample, 0, sizeof *sample);
    registry_read(&door->frameworks, arena, clients, clock_running_ns, sample);
    sample->memory_bytes = read_number("hw.memsize");
    sample->wired_limit_mb = read_number("iogpu.wired_limit_mb");
    /* Metal alone knows it, and asking would make us its client. */
    sample->working_set_bytes = measured_unknown(REASON_not_reported);
}

void metal_door_read(struct metal_door *door, struct arena *arena, struct metal_sample *sample)
{
    read_sample(door, arena, true, sample);
}

void metal_door_find(struct metal_door *door, struct arena *arena, struct metal_sample *sample)
{
    read_sample(door, arena, false, sample);
}

void metal_door_ledger_names(struct metal_door *door, struct arena *arena,
                             struct metal_ledger_names *names)
{
    books_names(&door->books, arena, names);
}

void metal_door_ledger(struct metal_door *door, int64_t pid, size_t count,
                       struct metal_ledger *balances)
{
    books_read(&door->books, pid, count, balances);
}

static void read_sensors(struct metal_door *door, struct arena *arena, struct metal_power *power)
{
    struct metal_sensor *sensors = ARENA_ARRAY(arena, struct metal_sensor, METAL_SENSORS_MAX);
    power->smc_status = smc_read(&door->frameworks, &door->smc, arena, sensors, &power->smc_count);
    power->smc = sensors;
    power->hid_status = METAL_UNSUPPORTED;
    if (power->smc_count > 0)
        return;
    sensors = ARENA_ARRAY(arena, struct metal_sensor, METAL_SENSORS_MAX);
    power->hid_status = hid_read(&door->frameworks, &door->hid, arena, sensors, &power->hid_count);
    power->hid = sensors;
}

void metal_door_power(struct metal_door *door, struct arena *arena, struct metal_power *power)
{
    memset(power, 0, sizeof *power);
    if (!door->frequencies_read)
        door->frequencies = registry_frequencies(&door->frameworks, door->kept);
    door->frequencies_read = true;
    power->frequency_table = door->frequencies;
    report_read(&door->frameworks, &door->report, arena, clock_running_ns(), power);
    read_sensors(door, arena, power);
}
