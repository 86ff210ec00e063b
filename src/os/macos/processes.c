#include "base/number.h"
#include "os/macos/macos.h"

struct identity macos_identity(const struct macos_process *process)
{
    uint64_t stamp = process->started_us > 0 ? (uint64_t)process->started_us : IDENTITY_NO_STAMP;
    return identity_make(NAMESPACE_LOCAL, process->pid, stamp);
}

static int64_t wall_ns(int64_t started_us)
{
    int64_t ns;
    return started_us > 0 && number_multiply_i64(started_us, 1000, &ns) ? ns : 0;
}

/* The list lives until the next pass, a reading longer. */
static struct raw_text copy(struct arena *arena, struct raw_text text)
{
    if (!text.bytes)
        return text;
    return (struct raw_text){arena_string(arena, text.bytes, text.length), text.length};
}

static struct process_reading process_of(struct arena *arena, const struct macos_process *from,
                                         int64_t running_ns)
{
    return (struct process_reading){
        .identity = macos_identity(from),
        .parent_pid = from->parent_pid,
        .name = copy(arena, from->name),
        .user = copy(arena, from->user),
        .command = copy(arena, from->command),
        .executable = copy(arena, from->path),
        .start_wall_ns = wall_ns(from->started_us),
        .cpu_time_ns = from->cpu_time_ns,
        .ram_bytes = from->ram_bytes,
        .read_running_ns = running_ns,
    };
}

const struct macos_process *macos_process_find(const struct macos_process_list *list, int64_t pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->processes[i].pid == pid)
            return &list->processes[i];
    return NULL;
}

static void set_everyone(const struct macos_process_list *list, struct system_reading *reading)
{
    struct identity *everyone = ARENA_ARRAY(reading->arena, struct identity, list->count);
    for (size_t i = 0; i < list->count; i++)
        everyone[i] = macos_identity(&list->processes[i]);
    reading->everyone = everyone;
    reading->everyone_count = list->count;
    reading->everyone_read = list->read;
}

/* A list that could not be read hides everybody: nobody is known to be missing. */
void macos_processes_read(const struct macos_process_list *list,
                          const struct system_request *request, int64_t running_ns,
                          struct system_reading *reading)
{
    struct process_reading *found =
        ARENA_ARRAY(reading->arena, struct process_reading, request->pid_count);
    int64_t *missing = ARENA_ARRAY(reading->arena, int64_t, request->pid_count);
    for (size_t i = 0; i < request->pid_count; i++) {
        const struct macos_process *from = macos_process_find(list, request->pids[i]);
        if (system_request_repeats(request, i))
            continue;
        if (from)
            found[reading->process_count++] = process_of(reading->arena, from, running_ns);
        else if (list->read)
            missing[reading->missing_pid_count++] = request->pids[i];
    }
    reading->processes = found;
    reading->missing_pids = missing;
    set_everyone(list, reading);
}
