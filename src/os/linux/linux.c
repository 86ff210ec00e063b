#include "os/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/number.h"
#include "os/linux/fd_walk.h"
#include "os/linux/host.h"
#include "os/linux/inside.h"
#include "os/linux/mode.h"
#include "os/linux/processes.h"

struct linux_machine {
    struct machine machine; /* first: a machine is one of these */
    struct fd_walk *walk;
    struct processes *processes;
    struct host_names *names;
    enum machine_mode mode;
    bool mode_known;
    struct measured hidden; /* hidepid */
    bool hidden_read;
    uint64_t hidden_generation;
};

/* The folder in /proc of the program itself. */
static void self_folder(const struct machine *machine, char folder[32])
{
    if (root_is_recorded(machine->root) && machine->self_pid > 0)
        snprintf(folder, 32, "%lld", (long long)machine->self_pid);
    else
        memcpy(folder, "self", sizeof "self");
}

static void close_linux(struct machine *machine)
{
    struct linux_machine *linux_machine = (struct linux_machine *)machine;
    fd_walk_free(&linux_machine->walk);
    processes_free(&linux_machine->processes);
    host_names_free(&linux_machine->names);
    root_close(&machine->root);
    free(linux_machine);
}

static struct measured read_hidden(struct linux_machine *linux_machine)
{
    const struct root *root = linux_machine->machine.root;
    if (!linux_machine->hidden_read || linux_machine->hidden_generation != root_generation(root)) {
        char self[32];
        self_folder(&linux_machine->machine, self);
        linux_machine->hidden = host_hides_processes(root, self);
        linux_machine->hidden_read = true;
        linux_machine->hidden_generation = root_generation(root);
    }
    return linux_machine->hidden;
}

static void read_system(struct machine *machine, const struct pass *pass,
                        const struct system_request *request, struct system_reading *reading)
{
    struct linux_machine *linux_machine = (struct linux_machine *)machine;
    int64_t boot_wall_ns;

    reading->pass_number = pass->number;
    host_read(linux_machine->names, machine->root, pass->running_ns, reading->arena, &reading->host,
              &boot_wall_ns);
    if (request->walk) {
        enum machine_mode mode = machine_mode(machine);
        fd_walk_be_timely(linux_machine->walk, mode == MODE_CONTAINER || mode == MODE_WSL);
        fd_walk_run(linux_machine->walk, machine->root, pass, reading->arena, &reading->walk);
        reading->walk.hidden = read_hidden(linux_machine);
    }
    processes_read(linux_machine->processes, machine, pass, request, boot_wall_ns, reading);
    reading->running_ns = machine_running_ns(machine);
}

static enum machine_mode mode_of(struct machine *machine)
{
    struct linux_machine *linux_machine = (struct linux_machine *)machine;
    if (!linux_machine->mode_known) {
        char self[32];
        self_folder(machine, self);
        bool says_wsl = !root_is_recorded(machine->root) &&
                        (getenv("WSL_DISTRO_NAME") || getenv("WSL_INTEROP"));
        linux_machine->mode = mode_detect(machine->root, self, says_wsl);
        linux_machine->mode_known = true;
    }
    return linux_machine->mode;
}

static const struct machine_ops linux_ops = {
    .close = close_linux,
    .read_system = read_system,
    .mode = mode_of,
};

/* Our own number in the process table that is looked at: what /proc/self says, since /proc may be
 * that of another pid namespace. */
static int64_t own_pid(const struct root *root)
{
    char target[32];
    size_t length;
    int64_t pid;
    if (root_is_recorded(root) ||
        root_read_link(root, "proc/self", target, sizeof target, &length) != ROOT_OK ||
        !number_parse_i64((struct raw_text){target, length}, &pid, NULL))
        return 0;
    return pid;
}

/* All trees, so that a wrong name is told before the first sample and not at the tenth. */
static bool check_trees(const struct sample_script *script, struct problem *problem)
{
    for (size_t i = 0; i < script->tree_count; i++) {
        struct root *root = root_open(script->trees[i]);
        if (!root)
            return problem_set(problem, "GPUTASKMAN_SYSROOT: %s: %s", script->trees[i],
                               strerror(errno));
        root_close(&root);
    }
    return true;
}

bool system_machine_open(struct machine **machine, const struct sample_script *script,
                         struct problem *problem)
{
    const char *top = script && script->tree_count > 0 ? script->trees[0] : "/";
    if (script && !check_trees(script, problem))
        return false;
    struct root *root = root_open(top);
    if (!root)
        return problem_set(problem, "cannot open %s: %s", top, strerror(errno));
    struct linux_machine *linux_machine = memory_new(sizeof *linux_machine);
    linux_machine->machine = (struct machine){
        .ops = &linux_ops,
        .system = "linux",
        .self_pid = own_pid(root),
        .root = root,
        .inside = linux_inside(root),
    };
    linux_machine->walk = fd_walk_new();
    linux_machine->processes = processes_new();
    linux_machine->names = host_names_new();
    *machine = &linux_machine->machine;
    return true;
}
