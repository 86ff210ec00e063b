#include "os/system.h"

#include <windows.h>

#include "os/windows/host.h"
#include "os/windows/inside.h"
#include "os/windows/windows.h"

static void read_list(void *context, uint64_t sample, struct arena *arena,
                      struct windows_process_list *list)
{
    (void)context;
    (void)sample;
    windows_process_list_read(arena, list);
}

static void read_details(void *context, uint64_t sample, struct arena *arena, int64_t pid,
                         int64_t created_100ns, struct windows_process_details *details)
{
    (void)context;
    (void)sample;
    windows_process_details_read(arena, pid, created_100ns, details);
}

/* The files of processes are read through the drives. */
static void close_files(void *context)
{
    struct root *files = context;
    root_close(&files);
}

static void read_host(void *context, uint64_t sample, struct arena *arena,
                      struct host_reading *host)
{
    (void)context;
    (void)sample;
    windows_host_read(arena, host);
}

bool system_machine_open(struct machine **machine, const struct sample_script *script,
                         struct problem *problem)
{
    *machine = NULL;
    if (script && script->tree_count > 0)
        return problem_set(problem, "GPUTASKMAN_SYSROOT: a recorded Linux machine is run on Linux");
    struct root *files = root_open("/");
    const struct windows_source source = {
        .context = files,
        .close = close_files,
        .list = read_list,
        .details = read_details,
        .host = read_host,
    };
    *machine = windows_machine_new(&source, (int64_t)GetCurrentProcessId());
    (*machine)->inside = windows_inside(files);
    return true;
}
