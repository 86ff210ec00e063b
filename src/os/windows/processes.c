#include "os/windows/processes.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"
#include "base/number.h"

enum { KEPT_PASSES = 10 }; /* how long a process nobody asks for is remembered */

#define DETAILS_LIFE_NS INT64_C(30000000000)

struct known_process {
    struct arena *texts; /* of the details */
    struct windows_process_details details;
    int64_t read_ns;
    uint64_t last_pass;
};

struct windows_processes {
    struct map *known; /* struct identity -> struct known_process */
    uint64_t passes;
};

struct windows_processes *windows_processes_new(void)
{
    struct windows_processes *processes = memory_new(sizeof *processes);
    processes->known = map_new(sizeof(struct identity), sizeof(struct known_process));
    return processes;
}

static bool is_unwanted(const void *key, void *value, void *context)
{
    const struct windows_processes *processes = context;
    struct known_process *known = value;
    (void)key;
    if (known->last_pass + KEPT_PASSES > processes->passes)
        return false;
    arena_free(&known->texts);
    return true;
}

void windows_processes_free(struct windows_processes **processes)
{
    if (!*processes)
        return;
    (*processes)->passes = UINT64_MAX;
    map_remove_if((*processes)->known, is_unwanted, *processes);
    map_free(&(*processes)->known);
    free(*processes);
    *processes = NULL;
}

static struct identity identity_of(const struct windows_process *process)
{
    uint64_t stamp =
        process->created_100ns > 0 ? (uint64_t)process->created_100ns : IDENTITY_NO_STAMP;
    return identity_make(NAMESPACE_LOCAL, process->pid, stamp);
}

static struct raw_text copy(struct arena *arena, struct raw_text text)
{
    if (!text.bytes)
        return text;
    return (struct raw_text){arena_string(arena, text.bytes, text.length), text.length};
}

static struct measured nanoseconds(struct measured hundreds)
{
    int64_t ns;
    if (hundreds.known && number_multiply_i64(hundreds.value, 100, &ns))
        return measured_known(ns);
    return hundreds.known ? measured_unknown(REASON_incredible_value) : hundreds;
}

static int64_t wall_ns(int64_t filetime)
{
    int64_t ns;
    return filetime > FILETIME_OF_1970 && number_multiply_i64(filetime - FILETIME_OF_1970, 100, &ns)
               ? ns
               : 0;
}

static void count_access(enum windows_access access, struct system_reading *reading)
{
    bool refused = access == WINDOWS_ACCESS_REFUSED || access == WINDOWS_ACCESS_PROTECTED;
    if (access == WINDOWS_ACCESS_UNKNOWN)
        return;
    reading->unreadable = measured_known(reading->unreadable.value + refused);
    reading->protected_count += access == WINDOWS_ACCESS_PROTECTED;
}

/* What a handle must be opened for, not at every pass. */
static void set_details(struct windows_processes *processes, const struct windows_source *source,
                        const struct windows_process *from, const struct pass *pass,
                        struct system_reading *reading, struct process_reading *process)
{
    struct arena *arena = reading->arena;
    bool added;
    struct known_process *known = map_put(processes->known, &process->identity, &added);
    int64_t age_ns = pass->running_ns - known->read_ns;
    if (added)
        known->texts = arena_new_small();
    if (source->details && (added || age_ns < 0 || age_ns > DETAILS_LIFE_NS)) {
        arena_reset(known->texts);
        known->details = (struct windows_process_details){.user = {NULL, 0}};
        source->details(source->context, pass->number, known->texts, from->pid, from->created_100ns,
                        &known->details);
        known->read_ns = pass->running_ns;
    }
    known->last_pass = processes->passes;
    process->executable = copy(arena, known->details.executable);
    process->command = copy(arena, known->details.command);
    process->user = copy(arena, known->details.user);
    count_access(known->details.access, reading);
}

static struct process_reading process_of(const struct windows_process *from, int64_t running_ns)
{
    return (struct process_reading){
        .identity = identity_of(from),
        .parent_pid = from->parent_pid,
        .name = from->name,
        .start_wall_ns = wall_ns(from->created_100ns),
        .cpu_time_ns = nanoseconds(from->cpu_100ns),
        .ram_bytes = from->working_set_bytes,
        .read_running_ns = running_ns,
    };
}

/* The first of a pid counts. */
static const struct windows_process *find(const struct windows_process_list *list, int64_t pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].pid == pid)
            return &list->items[i];
    return NULL;
}

static void set_everyone(const struct windows_process_list *list, struct system_reading *reading)
{
    struct identity *everyone = ARENA_ARRAY(reading->arena, struct identity, list->count);
    for (size_t i = 0; i < list->count; i++)
        everyone[i] = identity_of(&list->items[i]);
    reading->everyone = everyone;
    reading->everyone_count = list->count;
    reading->everyone_read = list->read;
}

void windows_processes_read(struct windows_processes *processes,
                            const struct windows_source *source, const struct machine *machine,
                            const struct pass *pass, const struct system_request *request,
                            struct system_reading *reading)
{
    struct windows_process_list list = {.read = false};
    source->list(source->context, pass->number, reading->arena, &list);
    int64_t now_ns = machine_running_ns(machine);
    struct process_reading *found =
        ARENA_ARRAY(reading->arena, struct process_reading, request->pid_count);
    int64_t *missing = ARENA_ARRAY(reading->arena, int64_t, request->pid_count);
    processes->passes++;
    for (size_t i = 0; i < request->pid_count; i++) {
        const struct windows_process *from = find(&list, request->pids[i]);
        if (system_request_repeats(request, i))
            continue;
        if (!from) {
            /* A list that could not be read hides everybody: nobody is known to be missing. */
            if (list.read)
                missing[reading->missing_pid_count++] = request->pids[i];
            continue;
        }
        struct process_reading *process = &found[reading->process_count++];
        *process = process_of(from, now_ns);
        set_details(processes, source, from, pass, reading, process);
    }
    reading->processes = found;
    reading->missing_pids = missing;
    set_everyone(&list, reading);
    map_remove_if(processes->known, is_unwanted, processes);
}
