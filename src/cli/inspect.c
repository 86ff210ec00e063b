/* gputaskman inspect PID | FILE [-- RUNTIME FLAGS] | --log FILE. */
#include "cli/command.h"

int command_inspect(struct command_call *call)
{
    int64_t pid;
    if (options_flag(&call->options, OPTION_log)) {
        return call->options.word_count
                   ? command_fail(EXIT_USAGE, "--log takes one FILE; '%.80s' is one too many",
                                  call->options.words[0])
                   : command_inspect_log(call);
    }
    if (call->options.word_count == 1 && command_parse_pid(call->options.words[0], &pid)) {
        return command_inspect_pid(call);
    }
    if (call->options.word_count) {
        return command_inspect_file(call);
    }
    return command_fail(EXIT_USAGE, "inspect needs PID, FILE or --log FILE");
}
