#include "os/macos/macos.h"

#include <stdlib.h>

#include "base/fatal.h"

struct macos_machine {
    struct machine machine; /* first: a machine is one of these */
    struct macos_source source;
    struct arena *arena; /* of `list` */
    struct macos_process_list list;
};

static void close_macos(struct machine *machine)
{
    struct macos_machine *macos = (struct macos_machine *)machine;
    if (macos->source.close)
        macos->source.close(macos->source.context);
    arena_free(&macos->arena);
    free(macos);
}

static void read_system(struct machine *machine, const struct pass *pass,
                        const struct system_request *request, struct system_reading *reading)
{
    struct macos_machine *macos = (struct macos_machine *)machine;
    const struct macos_process_details details = {request->pids, request->pid_count};
    reading->pass_number = pass->number;
    if (macos->source.host)
        macos->source.host(macos->source.context, pass->number, reading->arena, &reading->host);
    macos->list = (struct macos_process_list){.read = false};
    arena_reset(macos->arena);
    macos->source.list(macos->source.context, pass->number, macos->arena, &details, &macos->list);
    reading->running_ns = machine_running_ns(machine);
    macos_processes_read(&macos->list, request, reading->running_ns, reading);
}

static enum machine_mode mode_of(struct machine *machine)
{
    (void)machine;
    return MODE_MACOS;
}

static const struct machine_ops macos_ops = {
    .close = close_macos,
    .read_system = read_system,
    .mode = mode_of,
};

struct machine *macos_machine_new(const struct macos_source *source, int64_t self_pid)
{
    struct macos_machine *macos = memory_new(sizeof *macos);
    macos->source = *source;
    macos->arena = arena_new();
    macos->machine = (struct machine){
        .ops = &macos_ops,
        .system = "macos",
        .self_pid = self_pid,
    };
    return &macos->machine;
}

const struct macos_process_list *macos_machine_processes(const struct machine *machine)
{
    return &((const struct macos_machine *)machine)->list;
}

void *macos_machine_context(const struct machine *machine)
{
    return ((const struct macos_machine *)machine)->source.context;
}
