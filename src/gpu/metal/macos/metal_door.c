#include "gpu/metal/metal_door.h"

#include <errno.h>
#include <mach/mach.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>

#include "base/fatal.h"
#include "gpu/metal/macos/frameworks.h"
#include "gpu/metal/macos/registry.h"
#include "gpu/metal/macos/report.h"
#include "gpu/metal/macos/sensors.h"
#include "os/clock.h"

/* No public header has it; libSystem has it since 10.7 (xnu bsd/sys/ledger.h). */
extern int ledger(int command, caddr_t first, caddr_t second, caddr_t third);

enum { LEDGER_ENTRY_INFO = 1, LEDGER_TEMPLATE_INFO = 2 };

struct ledger_template {
    char name[32], group[32], units[32];
};
struct ledger_entry {
    int64_t balance, credit, debit;
    uint64_t limit, refill_period, last_refill;
};
_Static_assert(sizeof(struct ledger_template) == 96 && sizeof(struct ledger_entry) == 48,
               "xnu bsd/sys/ledger.h");

/* The same balances, of own processes, by a name port: where the ledger call says nothing. */
static const struct {
    const char *name;
    size_t offset;
} tags[] = {
    {"graphics_footprint", offsetof(struct task_vm_info, ledger_tag_graphics_footprint)},
    {"graphics_footprint_compressed",
     offsetof(struct task_vm_info, ledger_tag_graphics_footprint_compressed)},
    {"graphics_nofootprint", offsetof(struct task_vm_info, ledger_tag_graphics_nofootprint)},
    {"graphics_nofootprint_compressed",
     offsetof(struct task_vm_info, ledger_tag_graphics_nofootprint_compressed)},
    {"neural_footprint", offsetof(struct task_vm_info, ledger_tag_neural_footprint)},
    {"neural_nofootprint", offsetof(struct task_vm_info, ledger_tag_neural_nofootprint)},
    {"phys_footprint", offsetof(struct task_vm_info, phys_footprint)},
};
enum { TAG_COUNT = sizeof tags / sizeof *tags };

_Static_assert(offsetof(struct task_vm_info, phys_footprint) == 144 &&
                   offsetof(struct task_vm_info, ledger_tag_graphics_footprint) == 272 &&
                   offsetof(struct task_vm_info, ledger_tag_graphics_footprint_compressed) == 280 &&
                   offsetof(struct task_vm_info, ledger_tag_neural_footprint) == 304 &&
                   TASK_VM_INFO_REV3_COUNT == 84 && TASK_VM_INFO == 22,
               "struct task_vm_info");

struct metal_door {
    struct frameworks frameworks;
    struct report report;
    struct smc smc;
    struct hid hid;
    struct arena *kept;
    struct raw_text frequencies;
    bool frequencies_read;
    bool by_task; /* the ledger's names are those of `tags` */
};

struct metal_door *metal_door_open(struct problem *problem)
{
    struct metal_door *door = memory_new(sizeof *door);
    if (!frameworks_load(&door->frameworks, problem)) {
        free(door);
        return NULL;
    }
    door->frameworks.task = mach_task_self();
    door->kept = arena_new_small();
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

static enum metal_status status_of(int error)
{
    return error == EPERM || error == EACCES    ? METAL_DENIED
           : error == ESRCH                     ? METAL_GONE
           : error == ENOSYS || error == EINVAL ? METAL_UNSUPPORTED
                                                : METAL_FAILED;
}

static void use_tags(struct metal_door *door, struct arena *arena, struct metal_ledger_names *names)
{
    struct raw_text *list = ARENA_ARRAY(arena, struct raw_text, TAG_COUNT);
    for (size_t i = 0; i < TAG_COUNT; i++)
        list[i] = raw_from_string(tags[i].name);
    door->by_task = true;
    *names = (struct metal_ledger_names){.status = METAL_OK, .names = list, .count = TAG_COUNT};
}

/* The kernel fills in at most `count` templates and lowers it to what there is. */
void metal_door_ledger_names(struct metal_door *door, struct arena *arena,
                             struct metal_ledger_names *names)
{
    struct ledger_template *templates = memory_new(METAL_LEDGER_ENTRIES_MAX * sizeof *templates);
    int count = METAL_LEDGER_ENTRIES_MAX;
    *names = (struct metal_ledger_names){.status = METAL_OK};
    door->by_task = false;
    if (ledger(LEDGER_TEMPLATE_INFO, (caddr_t)templates, (caddr_t)&count, NULL) != 0 ||
        count <= 0 || count > METAL_LEDGER_ENTRIES_MAX) {
        use_tags(door, arena, names);
        free(templates);
        return;
    }
    struct raw_text *list = ARENA_ARRAY(arena, struct raw_text, (size_t)count);
    for (int i = 0; i < count; i++) {
        size_t length = strnlen(templates[i].name, sizeof templates[i].name);
        list[i] = (struct raw_text){arena_string(arena, templates[i].name, length), length};
    }
    names->names = list;
    names->count = (size_t)count;
    free(templates);
}

static void read_ledger(int64_t pid, size_t count, struct metal_ledger *books)
{
    struct ledger_entry entries[METAL_LEDGER_ENTRIES_MAX];
    int filled = (int)(count < METAL_LEDGER_ENTRIES_MAX ? count : METAL_LEDGER_ENTRIES_MAX);
    errno = 0;
    if (ledger(LEDGER_ENTRY_INFO, (caddr_t)(intptr_t)pid, (caddr_t)entries, (caddr_t)&filled) !=
        0) {
        books->status = status_of(errno);
        return;
    }
    books->status = METAL_OK;
    for (int i = 0; i < filled && i < METAL_LEDGER_ENTRIES_MAX; i++)
        books->balances[books->count++] = entries[i].balance;
}

/* A name port is given for one's own processes (root: for all), and is given back. */
static void read_task(int64_t pid, size_t count, struct metal_ledger *books)
{
    mach_port_t task = MACH_PORT_NULL;
    task_vm_info_data_t info;
    mach_msg_type_number_t filled = TASK_VM_INFO_COUNT;
    memset(&info, 0, sizeof info);
    if (task_name_for_pid(mach_task_self(), (int)pid, &task) != KERN_SUCCESS) {
        books->status = METAL_DENIED;
        return;
    }
    kern_return_t result = task_info(task, TASK_VM_INFO, (task_info_t)&info, &filled);
    mach_port_deallocate(mach_task_self(), task);
    books->status =
        result == KERN_SUCCESS && filled >= TASK_VM_INFO_REV3_COUNT ? METAL_OK : METAL_FAILED;
    if (books->status != METAL_OK)
        return;
    for (size_t i = 0; i < TAG_COUNT && i < count; i++) {
        memcpy(&books->balances[i], (const char *)&info + tags[i].offset, sizeof(int64_t));
        books->count++;
    }
}

void metal_door_ledger(struct metal_door *door, int64_t pid, size_t count,
                       struct metal_ledger *books)
{
    books->status = METAL_GONE;
    books->count = 0;
    if (pid < 0 || pid > INT32_MAX)
        return;
    if (door->by_task)
        read_task(pid, count, books);
    else
        read_ledger(pid, count, books);
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
