/* gputaskman --json: one JSON snapshot. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/no_gpu.h"
#include "cli/one_shot.h"
#include "os/terminal.h"
#include "snapshot/json.h"

static int print_json(struct command_call *call, const struct snapshot *snapshot)
{
    struct arena *arena = arena_new();
    struct snapshot chosen = selection_apply(&call->selection, snapshot, arena);
    struct buffer buffer = {0};
    snapshot_write(&chosen, terminal_is_output(), &buffer);
    fwrite(buffer.bytes, 1, buffer.size, stdout);
    fputc('\n', stdout);
    buffer_free(&buffer);
    arena_free(&arena);
    return command_finish_output(snapshot->adapter_count ? EXIT_DONE : no_gpu_explain(snapshot));
}

int command_json(struct command_call *call)
{
    const struct wanted wanted = {.pcie_rates = true, .all_static = true};
    return one_shot(call, &wanted, print_json);
}
