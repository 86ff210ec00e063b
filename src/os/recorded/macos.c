/* A recorded Mac: input.json with "host" {own_uid, memsize, ...} and "samples", each with t_ns (the
 * running clock), "processes" [{pid, ppid, uid, start_us, comm, path, and perhaps user, command and
 * environment (lists), cpu_ns, ram_bytes}] and "mapped_files" [{pid, path, and perhaps device,
 * inode, bytes}]. What gpu/metal/recorded.c reads of a sample is described there. The folder is
 * also the tree that paths of its processes lead to. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "os/recorded/json_text.h"
#include "os/recorded/macos_input.h"
#include "os/recorded/recorded.h"

enum { PROCESSES_MAX = 65536 };

/* Recordings have no wall clock of their own: that of their newest process is near enough to tell
 * how long each has run. */
enum { SECONDS_AFTER_START = 60 };

static void close_input(void *context)
{
    struct macos_input *input = context;
    json_decref(input->root);
    root_close(&input->files);
    free(input->folder);
    free(input);
}

static bool read_process(struct arena *arena, const json_t *entry, struct macos_process *process)
{
    struct measured pid = macos_input_number(json_object_get(entry, "pid"));
    struct measured parent = macos_input_number(json_object_get(entry, "ppid"));
    struct measured uid = macos_input_number(json_object_get(entry, "uid"));
    struct measured start = macos_input_number(json_object_get(entry, "start_us"));
    if (!pid.known || pid.value < 0 || pid.value > INT32_MAX)
        return false;
    *process = (struct macos_process){
        .pid = pid.value,
        .parent_pid =
            parent.known && parent.value > 0 && parent.value <= INT32_MAX ? parent.value : 0,
        .uid = uid.known && uid.value >= 0 && uid.value <= UINT32_MAX ? (uint32_t)uid.value
                                                                      : UINT32_MAX,
        .started_us = start.known && start.value > 0 ? start.value : 0,
        .name = json_text(arena, json_object_get(entry, "comm")),
        .user = json_text(arena, json_object_get(entry, "user")),
        .path = json_text(arena, json_object_get(entry, "path")),
        .command = json_words(arena, json_object_get(entry, "command")),
        .cpu_time_ns = macos_input_number(json_object_get(entry, "cpu_ns")),
        .ram_bytes = macos_input_number(json_object_get(entry, "ram_bytes")),
    };
    if (!process->user.bytes && process->uid != UINT32_MAX) {
        char digits[16];
        int length = snprintf(digits, sizeof digits, "%" PRIu32, process->uid);
        process->user =
            (struct raw_text){arena_string(arena, digits, (size_t)length), (size_t)length};
    }
    return true;
}

void macos_input_processes(const struct macos_input *input, struct arena *arena,
                           struct macos_process_list *list)
{
    const json_t *from =
        json_object_get(macos_input_sample(input, atomic_load(&input->sample)), "processes");
    const json_t *host = macos_input_host(input);
    struct measured own = macos_input_number(json_object_get(host, "own_uid"));
    size_t size = json_array_size(from);
    list->own_uid = own.known && own.value >= 0 && own.value < UINT32_MAX ? (uint32_t)own.value
                                                                          : UINT32_MAX - 1;
    list->sandboxed = json_is_true(json_object_get(host, "sandboxed"));
    if (!json_is_array(from) || size > PROCESSES_MAX)
        return;
    struct macos_process *items = ARENA_ARRAY(arena, struct macos_process, size);
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += read_process(arena, json_array_get(from, i), &items[count]);
    list->read = true;
    list->processes = items;
    list->count = count;
}

static void read_list(void *context, uint64_t sample, struct arena *arena,
                      const struct macos_process_details *details, struct macos_process_list *list)
{
    struct macos_input *input = context;
    (void)details;
    atomic_store(&input->sample, sample);
    macos_input_processes(input, arena, list);
}

static void read_host(void *context, uint64_t sample, struct arena *arena,
                      struct host_reading *host)
{
    const json_t *from = macos_input_host(context);
    struct measured cpus = macos_input_number(json_object_get(from, "cpu_count"));
    (void)sample;
    host->name = json_text(arena, json_object_get(from, "name"));
    host->kernel = json_text(arena, json_object_get(from, "kernel"));
    host->cpu_count = cpus.known && cpus.value > 0 ? cpus.value : 0;
    host->memory_total_bytes = macos_input_number(json_object_get(from, "memsize"));
    host->memory_available_bytes =
        macos_input_number(json_object_get(from, "memory_available_bytes"));
}

struct raw_text macos_input_environment(const struct macos_input *input, struct arena *arena,
                                        int64_t pid)
{
    const json_t *list =
        json_object_get(macos_input_sample(input, atomic_load(&input->sample)), "processes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (json_is_integer(json_object_get(entry, "pid")) &&
            json_integer_value(json_object_get(entry, "pid")) == pid)
            return json_words(arena, json_object_get(entry, "environment"));
    }
    return (struct raw_text){NULL, 0};
}

void macos_input_mapped(const struct macos_input *input, struct arena *arena, int64_t pid,
                        struct macos_mapped_files *mapped)
{
    const json_t *from =
        json_object_get(macos_input_sample(input, atomic_load(&input->sample)), "mapped_files");
    size_t size = json_array_size(from);
    if (!json_is_array(from) || size > PROCESSES_MAX)
        return;
    struct macos_mapped_file *items = ARENA_ARRAY(arena, struct macos_mapped_file, size);
    for (size_t i = 0; i < size; i++) {
        const json_t *entry = json_array_get(from, i), *path = json_object_get(entry, "path");
        if (!json_is_string(path) || json_integer_value(json_object_get(entry, "pid")) != pid)
            continue;
        uint64_t bytes = macos_input_id(json_object_get(entry, "bytes"));
        items[mapped->count++] = (struct macos_mapped_file){
            .path = json_text(arena, path),
            .device = macos_input_id(json_object_get(entry, "device")),
            .inode = macos_input_id(json_object_get(entry, "inode")),
            .file_bytes = bytes,
            .mapped_bytes = bytes,
        };
    }
    mapped->status = mapped->count > 0 ? MACOS_MAPPED_OK : MACOS_MAPPED_DENIED;
    mapped->files = items;
}

static int64_t newest_start_us(const struct macos_input *input)
{
    const json_t *samples = json_object_get(input->root, "samples");
    int64_t newest = 0;
    for (size_t i = 0; i < json_array_size(samples); i++) {
        const json_t *list = json_object_get(json_array_get(samples, i), "processes");
        for (size_t k = 0; k < json_array_size(list); k++) {
            int64_t start =
                json_integer_value(json_object_get(json_array_get(list, k), "start_us"));
            newest = start > newest ? start : newest;
        }
    }
    return newest < INT64_C(4000000000000000) ? newest : 0;
}

/* Both clocks are those of the samples: the running clock is their own. */
static bool set_times(struct sample_script *script, const struct macos_input *input,
                      struct problem *problem)
{
    const json_t *samples = json_object_get(input->root, "samples");
    size_t count = json_array_size(samples);
    if (count == 0 || count > RECORDED_SAMPLES_MAX)
        return problem_set(problem, "GPUTASKMAN_RECORDED: %.200s/input.json has no samples",
                           script->recorded);
    int64_t *running = memory_new(count * sizeof *running),
            *wall = memory_new(count * sizeof *wall);
    int64_t start_ns = (newest_start_us(input) + SECONDS_AFTER_START * INT64_C(1000000)) * 1000;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        struct measured at =
            macos_input_number(json_object_get(json_array_get(samples, i), "t_ns"));
        good = at.known && at.value >= (i > 0 ? running[i - 1] : 0) &&
               at.value < INT64_C(4000000000000000000);
        running[i] = at.value;
        wall[i] = start_ns + (running[i] - running[0]);
    }
    if (good)
        sample_script_set_times(script, running, wall, count);
    free(running);
    free(wall);
    return good || problem_set(problem,
                               "GPUTASKMAN_RECORDED: %.200s/input.json: a sample has no t_ns, or "
                               "one that is earlier than that before it",
                               script->recorded);
}

bool recorded_macos_new(struct machine **machine, struct sample_script *script, const char *bytes,
                        size_t size, struct problem *problem)
{
    struct macos_input *input = memory_new(sizeof *input);
    size_t length = strlen(script->recorded);
    *machine = NULL;
    input->folder = memory_new(length + 1);
    memcpy(input->folder, script->recorded, length);
    input->root = json_file_parse(script->recorded, "input.json", bytes, size, false, problem);
    if (!input->root || !set_times(script, input, problem)) {
        close_input(input);
        return false;
    }
    input->files = root_open(script->recorded);
    *machine = macos_machine_new(
        &(struct macos_source){
            .context = input,
            .close = close_input,
            .list = read_list,
            .host = read_host,
        },
        0);
    (*machine)->inside = macos_input_inside(input->files);
    return true;
}

bool recorded_macos_open(struct machine **machine, struct sample_script *script,
                         struct problem *problem)
{
    char *bytes;
    size_t size;
    *machine = NULL;
    if (!recorded_read(script, "input.json", &bytes, &size, problem))
        return false;
    bool opened = recorded_macos_new(machine, script, bytes, size, problem);
    free(bytes);
    return opened;
}
