/* gputaskman without a command word: the live screen, or one picture. */
#include "cli/command.h"

int command_plain(struct command_call *call)
{
    static const struct {
        enum option_id option;
        int (*run)(struct command_call *call);
    } instead[] = {
        {OPTION_list_gpus, command_list_gpus},
        {OPTION_json, command_json},
        {OPTION_once, command_once},
        {OPTION_demo, command_demo},
    };
    int (*run)(struct command_call *) = command_live;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++) {
        if (!options_flag(&call->options, instead[i].option)) {
            continue;
        }
        /* --json is a kind of --once. */
        if (name && !(run == command_json && instead[i].run == command_once)) {
            return command_fail(EXIT_USAGE, "--%s and --%s do not go together; choose one", name,
                                option_info(instead[i].option)->name);
        }
        run = name ? run : instead[i].run;
        name = option_info(instead[i].option)->name;
    }
    return run(call);
}
