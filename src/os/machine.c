#include "os/machine.h"

#include "os/clock.h"
#include "os/recorded/recorded.h"
#include "os/recorded/script.h"
#include "os/system.h"

const char *machine_mode_name(enum machine_mode mode)
{
    static const char *const names[MODE_COUNT] = {"native", "container", "wsl", "windows", "macos"};
    return names[mode];
}

bool machine_open(struct machine **machine, struct problem *problem)
{
    struct sample_script *script;
    *machine = NULL;
    if (!sample_script_read(&script, problem))
        return false;
    bool opened = script && script->recorded ? recorded_machine_open(machine, script, problem)
                                             : system_machine_open(machine, script, problem);
    if (!opened) {
        sample_script_free(&script);
        return false;
    }
    (*machine)->script = script;
    (*machine)->recorded = script != NULL;
    (*machine)->inside.recorded |= script != NULL;
    if (script && script->self_pid != 0)
        (*machine)->self_pid = script->self_pid;
    return true;
}

void machine_close(struct machine **machine)
{
    if (!*machine)
        return;
    struct sample_script *script = (*machine)->script;
    (*machine)->ops->close(*machine);
    sample_script_free(&script);
    *machine = NULL;
}

/* A tree that cannot be opened any more leaves the machine at the one before. */
static void move_to_tree(struct machine *machine, uint64_t number)
{
    struct sample_script *script = machine->script;
    if (script->tree_count == 0)
        return;
    size_t tree = number < script->tree_count ? (size_t)number : script->tree_count - 1;
    if (tree != script->tree && root_move(machine->root, script->trees[tree]))
        script->tree = tree;
}

void machine_begin_sample(struct machine *machine, uint64_t number, struct pass *pass)
{
    struct sample_script *script = machine->script;
    if (script) {
        move_to_tree(machine, number);
        sample_script_write_number(script, number);
        int64_t ns;
        if (sample_script_running_ns(script, number, &ns))
            atomic_store(&script->now_running_ns, ns);
        if (sample_script_wall_ns(script, number, &ns))
            atomic_store(&script->now_wall_ns, ns);
    }
    pass->running_ns = machine_running_ns(machine);
    pass->elapsed_ns = script && script->running_count > 0 ? pass->running_ns : clock_elapsed_ns();
    pass->wall_ns = machine_wall_ns(machine);
}

bool machine_waits_between_samples(const struct machine *machine)
{
    return !machine->script || machine->script->running_count == 0;
}

uint64_t machine_sample_count(const struct machine *machine)
{
    return machine->script ? sample_script_count(machine->script) : 0;
}

int64_t machine_running_ns(const struct machine *machine)
{
    struct sample_script *script = machine->script;
    return script && script->running_count > 0 ? atomic_load(&script->now_running_ns)
                                               : clock_running_ns();
}

int64_t machine_wall_ns(const struct machine *machine)
{
    struct sample_script *script = machine->script;
    return script && script->wall_count > 0 ? atomic_load(&script->now_wall_ns) : clock_wall_ns();
}

bool system_request_repeats(const struct system_request *request, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (request->pids[i] == request->pids[at])
            return true;
    return false;
}
