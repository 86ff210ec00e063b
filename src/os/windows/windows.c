#include "os/windows/windows.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "os/windows/processes.h"

struct windows_machine {
    struct machine machine; /* first: a machine is one of these */
    struct windows_source source;
    struct windows_processes *processes;
};

static void close_windows(struct machine *machine)
{
    struct windows_machine *windows = (struct windows_machine *)machine;
    if (windows->source.close)
        windows->source.close(windows->source.context);
    windows_processes_free(&windows->processes);
    free(windows);
}

static void read_system(struct machine *machine, const struct pass *pass,
                        const struct system_request *request, struct system_reading *reading)
{
    struct windows_machine *windows = (struct windows_machine *)machine;
    reading->pass_number = pass->number;
    if (windows->source.host)
        windows->source.host(windows->source.context, pass->number, reading->arena, &reading->host);
    windows_processes_read(windows->processes, &windows->source, machine, pass, request, reading);
    reading->running_ns = machine_running_ns(machine);
}

static enum machine_mode mode_of(struct machine *machine)
{
    (void)machine;
    return MODE_WINDOWS;
}

static const struct machine_ops windows_ops = {
    .close = close_windows,
    .read_system = read_system,
    .mode = mode_of,
};

struct machine *windows_machine_new(const struct windows_source *source, int64_t self_pid)
{
    struct windows_machine *windows = memory_new(sizeof *windows);
    windows->machine = (struct machine){
        .ops = &windows_ops,
        .system = "windows",
        .self_pid = self_pid,
    };
    windows->source = *source;
    windows->processes = windows_processes_new();
    return &windows->machine;
}
