/* A Windows machine: what is the same for the live one (os/windows/system_door.c) and for a
 * recorded one (os/recorded/windows.c). Whoever answers is a table of functions; what they say
 * becomes a system_reading here. */
#ifndef OS_WINDOWS_WINDOWS_H
#define OS_WINDOWS_WINDOWS_H

#include "os/machine.h"
#include "os/windows/process_details.h"
#include "os/windows/process_list.h"

struct windows_source {
    void *context; /* of all functions */
    void (*close)(void *context);
    /* `sample` is the number of the pass: a recording answers for it. */
    void (*list)(void *context, uint64_t sample, struct arena *arena,
                 struct windows_process_list *list);
    /* NULL: nothing more is known of any process. */
    void (*details)(void *context, uint64_t sample, struct arena *arena, int64_t pid,
                    int64_t created_100ns, struct windows_process_details *details);
    /* What is not told stays as it is, unknown. */
    void (*host)(void *context, uint64_t sample, struct arena *arena, struct host_reading *host);
};

/* `self_pid` 0: unknown. Takes `source` over, its context too. */
struct machine *windows_machine_new(const struct windows_source *source, int64_t self_pid);

#endif
