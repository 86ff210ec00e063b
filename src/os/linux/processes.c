#include "os/linux/processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/lines.h"
#include "base/map.h"
#include "base/number.h"
#include "base/vector.h"
#include "os/linux/passwd.h"
#include "os/linux/proc_stat.h"
#include "os/linux/process_door.h"
#include "os/linux/process_facts.h"
#include "os/linux/process_handle.h"
#include "os/linux/process_wanted.h"

enum {
    STAT_SIZE = 2048,
    NAME_SIZE = 64,
    PASSWD_LIMIT = 4 << 20,
    YOUNG_READINGS = 3, /* a process execs soon after it was forked */
    KEPT_PASSES = 10,   /* how long a process nobody asks for is remembered */
    IDLE_TURNS = 4,     /* an idle one is read in every fourth pass, where it may wait */
    RECORDED_TICKS = 100,
    RECORDED_PAGE_BYTES = 4096,
};

#define STALE_NS INT64_C(30000000000)
#define IDLE_LIFE_NS INT64_C(3000000000)

struct known_process {
    uint64_t start_stamp;
    uint64_t last_pass;
    struct process_handle handle;
    /* What PID/stat said last; idle: no CPU time since the reading before. */
    struct process_reading numbers;
    bool is_idle, is_watched, has_ended;
    char name[NAME_SIZE];
    size_t name_length;
    size_t device_file_count; /* as of the last look for the GPU runtime */
    struct process_facts facts;
};

struct processes {
    struct map *known; /* int64_t pid -> struct known_process */
    size_t descriptor_count;
    uint64_t passes;
    struct process_ends *ends; /* NULL: nobody is watched */
    struct passwd *passwd;
    int64_t passwd_modified_ns;
    uint64_t passwd_generation;
    struct arena *scratch;
};

/* One pass. */
struct reader {
    struct processes *processes;
    struct machine *machine;
    const struct pass *pass;
    bool recorded, idle_may_wait;
    int64_t ticks_per_second, page_bytes, boot_wall_ns;
    struct arena *arena;
};

struct processes *processes_new(void)
{
    struct processes *processes = memory_new(sizeof *processes);
    processes->known = map_new(sizeof(int64_t), sizeof(struct known_process));
    processes->scratch = arena_new();
    return processes;
}

static void forget(struct processes *processes, struct known_process *known)
{
    process_handle_close(&known->handle, &processes->descriptor_count);
    process_facts_free(&known->facts);
    known->name_length = 0;
    known->is_idle = known->is_watched = known->has_ended = false;
}

static bool is_unwanted(const void *key, void *value, void *context)
{
    struct processes *processes = context;
    struct known_process *known = value;
    (void)key;
    if (known->last_pass + KEPT_PASSES > processes->passes)
        return false;
    forget(processes, known);
    return true;
}

void processes_free(struct processes **processes)
{
    if (!*processes)
        return;
    (*processes)->passes = UINT64_MAX;
    map_remove_if((*processes)->known, is_unwanted, *processes);
    map_free(&(*processes)->known);
    process_ends_free(&(*processes)->ends);
    passwd_free(&(*processes)->passwd);
    arena_free(&(*processes)->scratch);
    free(*processes);
    *processes = NULL;
}

/* The names of users, read again when the file changed. */
static void refresh_passwd(struct processes *processes, const struct root *root)
{
    int64_t modified_ns = 0;
    root_modified_ns(root, "etc/passwd", &modified_ns);
    if (processes->passwd && modified_ns == processes->passwd_modified_ns &&
        processes->passwd_generation == root_generation(root))
        return;
    struct raw_text content;
    root_read_arena(root, processes->scratch, "etc/passwd", PASSWD_LIMIT, &content, NULL);
    passwd_free(&processes->passwd);
    processes->passwd = passwd_new(content);
    processes->passwd_modified_ns = modified_ns;
    processes->passwd_generation = root_generation(root);
}

static int64_t read_stat_once(const struct root *root, int64_t pid, char text[STAT_SIZE])
{
    char path[64];
    size_t length;
    snprintf(path, sizeof path, "proc/%" PRId64 "/stat", pid);
    enum root_result result = root_read(root, path, text, STAT_SIZE, &length, NULL);
    return result == ROOT_OK || result == ROOT_TRUNCATED ? (int64_t)length : -1;
}

/* The text of PID/stat; -1 when there is no such process. */
static int64_t read_stat(const struct reader *reader, int64_t pid, struct known_process *known,
                         char text[STAT_SIZE])
{
    struct processes *processes = reader->processes;
    if (reader->recorded)
        return read_stat_once(reader->machine->root, pid, text);
    bool kept = known->handle.stat >= 0;
    int64_t length =
        process_handle_read(&known->handle, &processes->descriptor_count, reader->machine->root,
                            pid, reader->idle_may_wait, text, STAT_SIZE);
    if (length <= 0 && kept) {
        forget(processes, known); /* that process is gone; the pid may be another's now */
        length =
            process_handle_read(&known->handle, &processes->descriptor_count, reader->machine->root,
                                pid, reader->idle_may_wait, text, STAT_SIZE);
    }
    if (known->handle.end < 0)
        known->is_watched = false;
    else if (!known->is_watched && processes->ends)
        known->is_watched = process_ends_watch(processes->ends, known->handle.end, pid);
    return length;
}

/* Recorded trees may hold the resident set in either of two files. */
static struct measured recorded_resident_bytes(const struct reader *reader, int64_t pid,
                                               const struct process_facts *facts)
{
    char path[64], text[256];
    size_t length;
    struct raw_text rest, word;
    int64_t pages, bytes;
    snprintf(path, sizeof path, "proc/%" PRId64 "/statm", pid);
    if (root_read(reader->machine->root, path, text, sizeof text, &length, NULL) == ROOT_OK) {
        rest = (struct raw_text){text, length};
        if (words_next(&rest, &word) && words_next(&rest, &word) &&
            number_parse_i64(word, &pages, NULL) && pages >= 0 &&
            number_multiply_i64(pages, reader->page_bytes, &bytes))
            return measured_known(bytes);
    }
    return facts->status_resident_bytes;
}

static void fill_numbers(const struct reader *reader, const struct proc_stat *stat,
                         struct process_reading *process)
{
    int64_t tick_ns = INT64_C(1000000000) / reader->ticks_per_second;
    int64_t ticks, value;
    if (stat->user_ticks <= INT64_MAX && stat->system_ticks <= INT64_MAX &&
        number_add_i64((int64_t)stat->user_ticks, (int64_t)stat->system_ticks, &ticks) &&
        number_multiply_i64(ticks, tick_ns, &value))
        process->cpu_time_ns = measured_known(value);
    if (reader->boot_wall_ns != 0 && stat->start_stamp <= INT64_MAX &&
        number_multiply_i64((int64_t)stat->start_stamp, tick_ns, &value) &&
        number_add_i64(value, reader->boot_wall_ns, &value))
        process->start_wall_ns = value;
    process->parent_pid = stat->parent_pid;
    if (stat->resident_pages >= 0 &&
        number_multiply_i64(stat->resident_pages, reader->page_bytes, &value))
        process->ram_bytes = measured_known(value);
}

/* comm, as the recorded tree has it; a live one has the same in stat. */
static struct raw_text recorded_name(const struct reader *reader, int64_t pid, struct raw_text name)
{
    char path[64];
    struct raw_text content;
    snprintf(path, sizeof path, "proc/%" PRId64 "/comm", pid);
    if (root_read_arena(reader->machine->root, reader->processes->scratch, path, 4096, &content,
                        NULL) != ROOT_OK)
        return name;
    if (content.length > 0 && content.bytes[content.length - 1] == '\n')
        content.length--;
    return content;
}

static bool was_renamed(struct known_process *known, struct raw_text name)
{
    size_t length = name.length < NAME_SIZE ? name.length : NAME_SIZE;
    if (length == known->name_length && memcmp(known->name, name.bytes, length) == 0)
        return false;
    memcpy(known->name, name.bytes, length);
    known->name_length = length;
    return true;
}

/* A process that opened or closed device files may have loaded the library before it did. */
static void look_for_cuda(const struct reader *reader, const struct wanted_pid *wanted,
                          struct known_process *known, bool again)
{
    again = again || (!known->facts.maps_gpu_runtime &&
                      wanted->device_file_count != known->device_file_count);
    known->device_file_count = wanted->device_file_count;
    process_facts_look_for_cuda(&known->facts, reader->machine->root, reader->processes->scratch,
                                wanted->pid, machine_running_ns(reader->machine), again);
}

/* What was read last still serves: the process has done nothing since, lives, and it is not its
 * turn. */
static bool may_wait(const struct reader *reader, const struct wanted_pid *wanted,
                     const struct known_process *known)
{
    bool turn = ((uint64_t)wanted->pid + reader->processes->passes) % IDLE_TURNS == 0;
    int64_t age_ns = reader->pass->running_ns - known->facts.read_ns;
    return reader->idle_may_wait && !wanted->look_for_cuda && known->is_idle && known->is_watched &&
           !known->has_ended && !turn && age_ns >= 0 && age_ns <= STALE_NS &&
           wanted->pid != reader->pass->wanted.selected.pid;
}

static void describe(const struct reader *reader, const struct known_process *known,
                     struct raw_text name, struct process_reading *process)
{
    *process = known->numbers;
    process->name =
        (struct raw_text){arena_string(reader->arena, name.bytes, name.length), name.length};
    process_facts_copy(&known->facts, reader->arena, process);
}

static bool read_process(const struct reader *reader, const struct wanted_pid *wanted,
                         struct process_reading *process)
{
    char text[STAT_SIZE];
    struct proc_stat stat;
    bool added;
    const struct root *root = reader->machine->root;
    struct known_process *known = map_put(reader->processes->known, &wanted->pid, &added);
    if (added)
        known->handle = PROCESS_HANDLE_NONE;
    if (may_wait(reader, wanted, known)) {
        known->last_pass = reader->processes->passes;
        describe(reader, known, (struct raw_text){known->name, known->name_length}, process);
        return true;
    }

    int64_t length = read_stat(reader, wanted->pid, known, text);
    int64_t now_ns = machine_running_ns(reader->machine);
    if (length <= 0 || !proc_stat_parse((struct raw_text){text, (size_t)length}, &stat))
        return false;
    if (known->facts.readings > 0 && known->start_stamp != stat.start_stamp) {
        process_facts_free(&known->facts);
        known->name_length = 0;
    }
    known->start_stamp = stat.start_stamp;
    known->last_pass = reader->processes->passes;

    struct process_facts *facts = &known->facts;
    int64_t age_ns = now_ns - facts->read_ns;
    bool renamed = was_renamed(known, stat.name);
    bool again = reader->recorded || renamed;
    if (again || facts->readings < YOUNG_READINGS || age_ns < 0 || age_ns > STALE_NS) {
        refresh_passwd(reader->processes, root);
        if (!process_facts_read(facts, root, reader->processes->scratch, wanted->pid,
                                reader->processes->passwd, now_ns))
            return false;
    }
    if (wanted->look_for_cuda)
        look_for_cuda(reader, wanted, known, again);

    struct process_reading numbers = {
        .identity = identity_make(NAMESPACE_LOCAL, wanted->pid, stat.start_stamp),
        .read_running_ns = now_ns,
        .address_space_bytes = stat.address_space_bytes,
    };
    fill_numbers(reader, &stat, &numbers);
    known->is_idle = facts->readings >= YOUNG_READINGS &&
                     identity_equal(known->numbers.identity, numbers.identity) &&
                     known->numbers.cpu_time_ns.known && numbers.cpu_time_ns.known &&
                     known->numbers.cpu_time_ns.value == numbers.cpu_time_ns.value;
    known->numbers = numbers;
    struct raw_text name = stat.name;
    if (reader->recorded) {
        name = recorded_name(reader, wanted->pid, name);
        known->numbers.ram_bytes = recorded_resident_bytes(reader, wanted->pid, facts);
    }
    describe(reader, known, name, process);
    return true;
}

static void note_end(int64_t pid, void *context)
{
    struct known_process *known = map_get(context, &pid);
    if (known)
        known->has_ended = true;
}

void processes_read(struct processes *processes, struct machine *machine, const struct pass *pass,
                    const struct system_request *request, int64_t boot_wall_ns,
                    struct system_reading *reading)
{
    bool recorded = root_is_recorded(machine->root);
    struct reader reader = {
        .processes = processes,
        .machine = machine,
        .pass = pass,
        .recorded = recorded,
        .idle_may_wait = !recorded && !pass->one_shot && pass->wanted.idle_may_wait &&
                         (IDLE_TURNS - 1) * pass->interval_ns <= IDLE_LIFE_NS &&
                         process_door_is_us(machine->self_pid),
        .ticks_per_second = recorded ? RECORDED_TICKS : process_door_ticks_per_second(),
        .page_bytes = recorded ? RECORDED_PAGE_BYTES : process_door_page_bytes(),
        .boot_wall_ns = boot_wall_ns,
        .arena = reading->arena,
    };
    size_t count;
    processes->passes++;
    if (reader.idle_may_wait && !processes->ends)
        processes->ends = process_ends_new();
    reader.idle_may_wait = reader.idle_may_wait && processes->ends;
    if (reader.idle_may_wait)
        process_ends_take(processes->ends, note_end, processes->known);
    const struct wanted_pid *wanted =
        processes_wanted(reading->arena, request, &reading->walk, &count);
    struct process_reading *found = ARENA_ARRAY(reading->arena, struct process_reading, count);
    int64_t *missing = ARENA_ARRAY(reading->arena, int64_t, count);
    for (size_t i = 0; i < count; i++) {
        if (wanted[i].pid > 0 && read_process(&reader, &wanted[i], &found[reading->process_count]))
            reading->process_count++;
        else if (wanted[i].asked)
            missing[reading->missing_pid_count++] = wanted[i].pid;
    }
    reading->processes = found;
    reading->missing_pids = missing;
    map_remove_if(processes->known, is_unwanted, processes);
    arena_reset(processes->scratch);
}
