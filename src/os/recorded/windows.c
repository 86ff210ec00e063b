/* A recorded Windows machine: the times of its samples are those of the collections in
 * counters.jsonl, its processes those of processes.json: {"0": [{"pid", "name", "create_100ns"},
 * ...], "1": ...}, and perhaps "parent_pid", "cpu_100ns", "working_set_bytes", "executable",
 * "user", "command" (a list) and "access" ("full", "refused", "protected"). A sample without a list
 * of its own has the one before it. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"
#include "os/recorded/json_text.h"
#include "os/recorded/recorded.h"
#include "os/recorded/windows_inside.h"
#include "os/windows/windows.h"

enum { PROCESSES_MAX = 65536 };

struct recorded_windows {
    json_t *processes;  /* NULL: there is no such file */
    struct root *files; /* what they name; NULL: it is not recorded */
    uint64_t sample_count;
};

struct times {
    int64_t *items;
    size_t count, capacity;
};

static struct measured counter_of(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? measured_known(json_integer_value(value))
               : measured_unknown(REASON_not_reported);
}

/* The list that is told for this sample, or for the last one before it. */
static const json_t *list_of(const struct recorded_windows *recorded, uint64_t sample)
{
    if (recorded->sample_count > 0 && sample >= recorded->sample_count)
        sample = recorded->sample_count - 1;
    for (uint64_t number = sample + 1; number-- > 0;) {
        char key[32];
        snprintf(key, sizeof key, "%" PRIu64, number);
        const json_t *list = json_object_get(recorded->processes, key);
        if (list)
            return list;
    }
    return NULL;
}

static void close_recorded(void *context)
{
    struct recorded_windows *recorded = context;
    json_decref(recorded->processes);
    root_close(&recorded->files);
    free(recorded);
}

static bool read_process(struct arena *arena, const json_t *entry, struct windows_process *process)
{
    struct measured pid = counter_of(json_object_get(entry, "pid"));
    struct measured created = counter_of(json_object_get(entry, "create_100ns"));
    struct measured parent = counter_of(json_object_get(entry, "parent_pid"));
    if (!pid.known || pid.value > UINT32_MAX)
        return false;
    *process = (struct windows_process){
        .pid = pid.value,
        .parent_pid = parent.known && parent.value <= UINT32_MAX ? parent.value : 0,
        .name = json_text(arena, json_object_get(entry, "name")),
        .created_100ns = created.known ? created.value : 0,
        .cpu_100ns = counter_of(json_object_get(entry, "cpu_100ns")),
        .working_set_bytes = counter_of(json_object_get(entry, "working_set_bytes")),
    };
    return true;
}

static void read_list(void *context, uint64_t sample, struct arena *arena,
                      struct windows_process_list *list)
{
    const json_t *from = list_of(context, sample);
    size_t size = json_array_size(from);
    if (!json_is_array(from) || size > PROCESSES_MAX)
        return;
    struct windows_process *items = ARENA_ARRAY(arena, struct windows_process, size);
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += read_process(arena, json_array_get(from, i), &items[count]);
    *list = (struct windows_process_list){.read = true, .items = items, .count = count};
}

static enum windows_access access_of(const json_t *value)
{
    const char *word = json_is_string(value) ? json_string_value(value) : "";
    return strcmp(word, "full") == 0        ? WINDOWS_ACCESS_FULL
           : strcmp(word, "refused") == 0   ? WINDOWS_ACCESS_REFUSED
           : strcmp(word, "protected") == 0 ? WINDOWS_ACCESS_PROTECTED
                                            : WINDOWS_ACCESS_UNKNOWN;
}

static void read_details(void *context, uint64_t sample, struct arena *arena, int64_t pid,
                         int64_t created_100ns, struct windows_process_details *details)
{
    const json_t *list = list_of(context, sample);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        struct measured of = counter_of(json_object_get(entry, "pid"));
        struct measured created = counter_of(json_object_get(entry, "create_100ns"));
        if (!of.known || of.value != pid || created.value != created_100ns)
            continue;
        *details = (struct windows_process_details){
            .executable = json_text(arena, json_object_get(entry, "executable")),
            .command = json_words(arena, json_object_get(entry, "command")),
            .access = access_of(json_object_get(entry, "access")),
            .user = json_text(arena, json_object_get(entry, "user")),
        };
        return;
    }
}

static bool mentions(struct raw_text line, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= line.length; at++)
        if (memcmp(line.bytes + at, word, length) == 0)
            return true;
    return false;
}

static bool take_time(const struct sample_script *script, struct raw_text line, struct times *times,
                      struct problem *problem)
{
    json_t *object = json_loadb(line.bytes, line.length, 0, NULL);
    const json_t *number = json_object_get(object, "collect");
    struct measured filetime = counter_of(json_object_get(object, "t100ns"));
    bool is_next =
        json_is_integer(number) && json_integer_value(number) == (json_int_t)times->count;
    json_decref(object);
    if (!number)
        return true;
    int64_t ns;
    bool good = is_next && filetime.known && times->count < RECORDED_SAMPLES_MAX &&
                filetime.value > FILETIME_OF_1970 &&
                number_multiply_i64(filetime.value - FILETIME_OF_1970, 100, &ns) &&
                (times->count == 0 || ns >= times->items[times->count - 1]);
    if (!good)
        return problem_set(problem,
                           "GPUTASKMAN_RECORDED: %.200s/counters.jsonl: collection %u is missing, "
                           "or its time is none or earlier than the one before it",
                           script->recorded, (unsigned)times->count);
    VECTOR_PUSH(times, ns);
    return true;
}

/* The running clock is that of the collections: both clocks are their times. */
static bool read_times(struct sample_script *script, uint64_t *count, struct problem *problem)
{
    char *bytes;
    size_t size;
    if (!recorded_read(script, "counters.jsonl", &bytes, &size, problem))
        return false;
    struct times times = {NULL, 0, 0};
    struct raw_text rest = {bytes, size}, line;
    bool good = true;
    while (good && lines_next(&rest, &line))
        if (mentions(line, "\"collect\""))
            good = take_time(script, line, &times, problem);
    if (good && times.count == 0)
        good =
            problem_set(problem, "GPUTASKMAN_RECORDED: %.200s/counters.jsonl names no collection",
                        script->recorded);
    if (good)
        sample_script_set_times(script, times.items, times.items, times.count);
    *count = times.count;
    VECTOR_FREE(&times);
    free(bytes);
    return good;
}

static bool read_processes(const struct sample_script *script, struct recorded_windows *recorded,
                           struct problem *problem)
{
    char *bytes;
    size_t size;
    if (!recorded_read(script, "processes.json", &bytes, &size, problem))
        return false;
    recorded->processes =
        json_file_parse(script->recorded, "processes.json", bytes, size, false, problem);
    free(bytes);
    return recorded->processes != NULL;
}

static struct root *open_files(const struct sample_script *script)
{
    static const char folder[] = "/files";
    size_t length = strlen(script->recorded);
    char *path = memory_new(length + sizeof folder);
    memcpy(path, script->recorded, length);
    memcpy(path + length, folder, sizeof folder);
    struct root *files = root_open(path);
    free(path);
    return files ? files : root_open(script->recorded);
}

bool recorded_windows_open(struct machine **machine, struct sample_script *script,
                           struct problem *problem)
{
    struct recorded_windows *recorded = memory_new(sizeof *recorded);
    if (!read_times(script, &recorded->sample_count, problem) ||
        !read_processes(script, recorded, problem)) {
        close_recorded(recorded);
        return false;
    }
    recorded->files = open_files(script);
    *machine = windows_machine_new(
        &(struct windows_source){
            .context = recorded,
            .close = close_recorded,
            .list = read_list,
            .details = read_details,
        },
        0);
    (*machine)->inside = recorded_windows_inside(recorded->processes, recorded->files);
    return true;
}
