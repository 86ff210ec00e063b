#include "os/system.h"

#include <windows.h>

#include "os/windows/host.h"
#include "os/windows/windows.h"

static void read_list(void *context, uint64_t sample, struct arena *arena,
                      struct windows_process_list *list)
{
    (void)context;
    (void)sample;
    windows_process_list_read(arena, list);
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
    *machine = windows_machine_new(&(struct windows_source){.list = read_list, .host = read_host},
                                   (int64_t)GetCurrentProcessId());
    return true;
}
