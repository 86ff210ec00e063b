#include "os/linux/host.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "os/linux/cpu_stat.h"
#include "os/linux/meminfo.h"
#include "os/linux/mountinfo.h"

enum {
    NAME_LIMIT = 4096,
    MEMINFO_LIMIT = 65536,
    STAT_LIMIT = 4 << 20, /* the interrupts' line grows with CPUs and devices */
    MOUNTINFO_LIMIT = 4 << 20,
};

#define NAMES_LIFE_NS INT64_C(30000000000)

static struct raw_text read_line(const struct root *root, struct arena *arena, const char *path)
{
    struct raw_text content;
    if (root_read_arena(root, arena, path, NAME_LIMIT, &content, NULL) != ROOT_OK)
        return (struct raw_text){NULL, 0};
    content = raw_trim(content);
    return content.length > 0 ? content : (struct raw_text){NULL, 0};
}

/* "Linux version 6.8.0-79-generic (builder@...) ..." */
static struct raw_text kernel_of_version(struct raw_text version)
{
    struct raw_text word;
    for (int i = 0; i < 3; i++)
        if (!words_next(&version, &word))
            return (struct raw_text){NULL, 0};
    return word;
}

struct host_names {
    struct arena *arena;
    struct raw_text name, kernel, boot_id;
    struct measured pid_max;
    bool read;
    int64_t read_ns;
    uint64_t generation;
};

struct host_names *host_names_new(void)
{
    struct host_names *names = memory_new(sizeof *names);
    names->arena = arena_new();
    return names;
}

void host_names_free(struct host_names **names)
{
    if (!*names)
        return;
    arena_free(&(*names)->arena);
    free(*names);
    *names = NULL;
}

static void read_names(struct host_names *names, const struct root *root, int64_t running_ns)
{
    int64_t age_ns = running_ns - names->read_ns;
    if (names->read && names->generation == root_generation(root) && age_ns >= 0 &&
        age_ns < NAMES_LIFE_NS)
        return;
    arena_reset(names->arena);
    names->read = true;
    names->read_ns = running_ns;
    names->generation = root_generation(root);
    names->name = read_line(root, names->arena, "proc/sys/kernel/hostname");
    if (!names->name.bytes)
        names->name = read_line(root, names->arena, "etc/hostname");
    names->boot_id = read_line(root, names->arena, "proc/sys/kernel/random/boot_id");
    names->kernel = read_line(root, names->arena, "proc/sys/kernel/osrelease");
    if (!names->kernel.bytes)
        names->kernel = kernel_of_version(read_line(root, names->arena, "proc/version"));
    int64_t pid_max;
    names->pid_max = root_read_i64(root, "proc/sys/kernel/pid_max", &pid_max, NULL) == ROOT_OK
                         ? measured_known(pid_max)
                         : measured_unknown(REASON_not_reported);
}

static struct raw_text copy(struct arena *arena, struct raw_text raw)
{
    if (!raw.bytes)
        return raw;
    return (struct raw_text){arena_string(arena, raw.bytes, raw.length), raw.length};
}

void host_read(struct host_names *names, const struct root *root, int64_t running_ns,
               struct arena *arena, struct host_reading *host, int64_t *boot_wall_ns)
{
    struct raw_text content;
    struct meminfo meminfo;
    struct cpu_stat stat;

    read_names(names, root, running_ns);
    host->name = copy(arena, names->name);
    host->kernel = copy(arena, names->kernel);
    host->boot_id = copy(arena, names->boot_id);
    host->pid_max = names->pid_max;
    root_read_arena(root, arena, "proc/meminfo", MEMINFO_LIMIT, &content, NULL);
    meminfo_parse(content, &meminfo);
    host->memory_total_bytes = meminfo.total_bytes;
    host->memory_available_bytes = meminfo.available_bytes;
    host->swap_total_bytes = meminfo.swap_total_bytes;
    host->swap_free_bytes = meminfo.swap_free_bytes;

    root_read_arena(root, arena, "proc/stat", STAT_LIMIT, &content, NULL);
    cpu_stat_parse(content, &stat);
    host->cpu_count = stat.cpu_count;
    host->cpu_busy_ticks = stat.busy_ticks;
    host->cpu_total_ticks = stat.total_ticks;
    if (!stat.boot_wall_s.known ||
        !number_multiply_i64(stat.boot_wall_s.value, 1000000000, boot_wall_ns))
        *boot_wall_ns = 0;
}

/* Who may read what belongs to process 1 has nothing hidden from him: root, mostly. */
static bool sees_first_process(const struct root *root)
{
    char byte;
    size_t length;
    enum root_result result = root_read(root, "proc/1/stat", &byte, 1, &length, NULL);
    return result == ROOT_OK || result == ROOT_TRUNCATED;
}

/* The last mount on /proc is the one in use. */
static bool take_mount(struct raw_text line, void *context)
{
    struct measured *hidden = context;
    bool hides;
    if (mountinfo_hides_processes(line, &hides))
        *hidden = measured_known(hides);
    return true;
}

struct measured host_hides_processes(const struct root *root, const char *self)
{
    char path[64];
    struct measured hidden = measured_unknown(REASON_not_reported);
    snprintf(path, sizeof path, "proc/%.32s/mountinfo", self);
    root_each_line(root, path, MOUNTINFO_LIMIT, take_mount, &hidden, NULL);
    if (hidden.value != 0 && sees_first_process(root))
        hidden.value = 0;
    return hidden;
}
