/* gputaskman --once and --list-gpus: plain text. */
#include <stdio.h>

#include "cli/no_gpu.h"
#include "cli/one_shot.h"
#include "os/terminal.h"
#include "present/text.h"

bool command_may_use_utf8(const struct command_call *call)
{
    return terminal_speaks_utf8() && !options_flag(&call->options, OPTION_ascii);
}

/* What --sort, --all, -g and -p ask of the table. The adapters' ids live in the arena. */
static void choose_rows(const struct command_call *call, const struct snapshot *snapshot,
                        struct arena *arena, struct rows_options *rows)
{
    rows->sort = call->sort;
    rows->all = options_flag(&call->options, OPTION_all);
    rows->pids = call->selection.pids;
    rows->pid_count = call->selection.pid_count;
    if (call->selection.selector_count) {
        struct text *ids = ARENA_ARRAY(arena, struct text, snapshot->adapter_count);
        for (size_t i = 0; i < snapshot->adapter_count; i++) {
            if (selection_has_adapter(&call->selection, snapshot, &snapshot->adapters[i])) {
                ids[rows->adapter_count++] = snapshot->adapters[i].id;
            }
        }
        rows->adapters = ids;
    }
}

static int print_with(struct command_call *call, const struct snapshot *snapshot,
                      void (*print)(FILE *file, const struct snapshot *snapshot,
                                    const struct text_options *options))
{
    if (snapshot->adapter_count == 0) {
        return no_gpu_explain(snapshot);
    }
    struct arena *arena = arena_new();
    struct text_options options = {
        .width = (size_t)terminal_columns(),
        .ascii = !command_may_use_utf8(call),
    };
    choose_rows(call, snapshot, arena, &options.rows);
    print(stdout, snapshot, &options);
    arena_free(&arena);
    return command_finish_output(EXIT_DONE);
}

static int print_snapshot(struct command_call *call, const struct snapshot *snapshot)
{
    return print_with(call, snapshot, text_snapshot);
}

static int print_list(struct command_call *call, const struct snapshot *snapshot)
{
    return print_with(call, snapshot, text_list_gpus);
}

int command_once(struct command_call *call)
{
    const struct wanted wanted = {.pcie_rates = true};
    return one_shot(call, &wanted, print_snapshot);
}

int command_list_gpus(struct command_call *call)
{
    const struct wanted wanted = {.all_static = true};
    return one_shot(call, &wanted, print_list);
}
