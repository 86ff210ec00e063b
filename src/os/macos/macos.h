/* A macOS machine: what is the same for the live one (os/macos/system_door.c) and for a recorded
 * one (os/recorded/macos.c). Whoever answers is a table of functions; what they say becomes a
 * system_reading here. */
#ifndef OS_MACOS_MACOS_H
#define OS_MACOS_MACOS_H

#include "os/machine.h"
#include "os/macos/process_list.h"

struct macos_source {
    void *context; /* of all functions */
    void (*close)(void *context);
    /* `sample` is the number of the pass: a recording answers for it. */
    void (*list)(void *context, uint64_t sample, struct arena *arena,
                 const struct macos_process_details *details, struct macos_process_list *list);
    /* What is not told stays as it is, unknown. */
    void (*host)(void *context, uint64_t sample, struct arena *arena, struct host_reading *host);
};

/* `self_pid` 0: unknown. Takes `source` over, its context too. */
struct machine *macos_machine_new(const struct macos_source *source, int64_t self_pid);

/* The process table as the last read_system() found it; valid until the next one. Of the
 * collector's thread. */
const struct macos_process_list *macos_machine_processes(const struct machine *machine);
/* The context of its source. */
void *macos_machine_context(const struct machine *machine);

/* The identity of a process: its start in microseconds is the stamp. */
struct identity macos_identity(const struct macos_process *process);
/* NULL: not in the table. The first of a pid counts. */
const struct macos_process *macos_process_find(const struct macos_process_list *list, int64_t pid);
/* Fills the processes, everyone and the missing pids of `reading` from the list. */
void macos_processes_read(const struct macos_process_list *list,
                          const struct system_request *request, int64_t running_ns,
                          struct system_reading *reading);

#endif
