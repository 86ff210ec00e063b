#include "os/linux/process_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "os/linux/passwd.h"
#include "os/linux/proc_cmdline.h"
#include "os/linux/proc_environ.h"
#include "os/linux/proc_maps.h"
#include "os/linux/proc_status.h"

enum {
    COMMAND_LIMIT = 128 * 1024,
    CGROUP_LIMIT = 16 * 1024,
    ENVIRON_LIMIT = 256 * 1024,
    STATUS_LIMIT = 64 * 1024,
    MAPS_LIMIT = 16 * 1024 * 1024,
    PATH_SIZE = 64,
    TARGET_SIZE = 4096,
};

#define SECOND_NS INT64_C(1000000000)
#define MAPS_STEP_MAX_NS (32 * SECOND_NS)

static void drop(struct raw_text *kept)
{
    free((void *)(uintptr_t)kept->bytes);
    *kept = (struct raw_text){NULL, 0};
}

/* Replaces a kept text by a copy; a NUL follows the bytes. */
static void keep(struct raw_text *kept, struct raw_text raw)
{
    drop(kept);
    if (!raw.bytes)
        return;
    char *copy = memory_new(raw.length + 1);
    memcpy(copy, raw.bytes, raw.length);
    *kept = (struct raw_text){copy, raw.length};
}

void process_facts_free(struct process_facts *facts)
{
    drop(&facts->command);
    drop(&facts->executable);
    drop(&facts->cgroup);
    drop(&facts->user);
    drop(&facts->cuda_visible_devices);
    drop(&facts->nvidia_visible_devices);
    *facts = (struct process_facts){.readings = 0};
}

static enum root_result read_file(const struct root *root, struct arena *scratch, int64_t pid,
                                  const char *leaf, size_t limit, struct raw_text *content)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "proc/%" PRId64 "/%s", pid, leaf);
    enum root_result result = root_read_arena(root, scratch, path, limit, content, NULL);
    return result == ROOT_TRUNCATED ? ROOT_OK : result;
}

static void read_user(struct process_facts *facts, const struct root *root, struct arena *scratch,
                      int64_t pid, const struct passwd *passwd)
{
    struct raw_text content;
    struct proc_status status;
    read_file(root, scratch, pid, "status", STATUS_LIMIT, &content);
    proc_status_parse(content, &status);
    facts->status_resident_bytes = status.resident_bytes;
    drop(&facts->user);
    if (!status.has_user)
        return;
    struct raw_text name = passwd_name(passwd, status.user);
    char digits[24];
    if (!name.bytes) {
        snprintf(digits, sizeof digits, "%" PRIu64, status.user);
        name = raw_from_string(digits);
    }
    keep(&facts->user, name);
}

bool process_facts_read(struct process_facts *facts, const struct root *root, struct arena *scratch,
                        int64_t pid, const struct passwd *passwd, int64_t running_ns)
{
    struct raw_text content;
    enum root_result command = read_file(root, scratch, pid, "cmdline", COMMAND_LIMIT, &content);
    keep(&facts->command, command == ROOT_OK ? cmdline_trim(content) : (struct raw_text){NULL, 0});
    read_user(facts, root, scratch, pid, passwd);

    char path[PATH_SIZE], target[TARGET_SIZE];
    size_t length;
    snprintf(path, sizeof path, "proc/%" PRId64 "/exe", pid);
    bool linked = root_read_link(root, path, target, sizeof target, &length) == ROOT_OK;
    keep(&facts->executable, (struct raw_text){linked ? target : NULL, linked ? length : 0});
    read_file(root, scratch, pid, "cgroup", CGROUP_LIMIT, &content);
    keep(&facts->cgroup, content);
    facts->read_ns = running_ns;
    facts->readings++;
    return command != ROOT_ABSENT || facts->user.bytes != NULL;
}

static bool take_mapping(struct raw_text line, void *context)
{
    bool *found = context;
    struct proc_mapping mapping;
    *found = proc_mapping_parse(line, &mapping) && path_is_cuda_driver(mapping.path);
    return !*found;
}

/* Only two values of it are kept. */
static void read_environment(struct process_facts *facts, const struct root *root,
                             struct arena *scratch, int64_t pid)
{
    struct raw_text content, value = {NULL, 0};
    read_file(root, scratch, pid, "environ", ENVIRON_LIMIT, &content);
    environ_find(content, "CUDA_VISIBLE_DEVICES", &value);
    keep(&facts->cuda_visible_devices, value);
    value = (struct raw_text){NULL, 0};
    environ_find(content, "NVIDIA_VISIBLE_DEVICES", &value);
    keep(&facts->nvidia_visible_devices, value);
}

void process_facts_look_for_cuda(struct process_facts *facts, const struct root *root,
                                 struct arena *scratch, int64_t pid, int64_t running_ns, bool again)
{
    if (facts->maps_looked_at && !again) {
        if (facts->maps_gpu_runtime || running_ns < facts->maps_next_ns)
            return;
        facts->maps_step_ns *= 2;
        if (facts->maps_step_ns > MAPS_STEP_MAX_NS)
            facts->maps_step_ns = MAPS_STEP_MAX_NS;
    } else {
        facts->maps_step_ns = SECOND_NS;
    }
    facts->maps_looked_at = true;
    facts->maps_next_ns = running_ns + facts->maps_step_ns;

    char path[PATH_SIZE];
    bool found = false;
    snprintf(path, sizeof path, "proc/%" PRId64 "/maps", pid);
    enum root_result result = root_each_line(root, path, MAPS_LIMIT, take_mapping, &found, NULL);
    facts->maps_readable = result == ROOT_OK || result == ROOT_TRUNCATED;
    facts->maps_gpu_runtime = found;
    if (found)
        read_environment(facts, root, scratch, pid);
}

/* A copy with a NUL behind it. */
static struct raw_text copy(struct arena *arena, struct raw_text kept)
{
    if (!kept.bytes)
        return kept;
    return (struct raw_text){arena_string(arena, kept.bytes, kept.length), kept.length};
}

void process_facts_copy(const struct process_facts *facts, struct arena *arena,
                        struct process_reading *process)
{
    process->command = copy(arena, facts->command);
    if (process->command.length > 0)
        process->command.length++; /* the last argument is followed by a NUL too */
    process->executable = copy(arena, facts->executable);
    process->cgroup = copy(arena, facts->cgroup);
    process->user = copy(arena, facts->user);
    process->maps_gpu_runtime = facts->maps_gpu_runtime;
    process->maps_readable = facts->maps_readable;
    process->cuda_visible_devices = copy(arena, facts->cuda_visible_devices);
    process->nvidia_visible_devices = copy(arena, facts->nvidia_visible_devices);
}
