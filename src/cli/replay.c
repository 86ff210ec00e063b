/* gputaskman replay: a recording in the live screen. */
#include "source/replay.h"

#include "cli/tui_call.h"
#include "timeline/recording.h"

int command_replay(struct command_call *call)
{
    if (call->options.word_count != 1) {
        return command_fail(EXIT_USAGE, "replay needs one recording: gputaskman replay FILE");
    }
    if (!command_has_terminal("replay",
                              "; gputaskman summary FILE prints what a recording holds")) {
        return EXIT_USAGE;
    }
    struct problem problem = {""};
    /* Looked at before signals are taken over: a named pipe without a writer waits for one, and is
     * left with Ctrl-C. */
    struct recording *recording = recording_open(call->options.words[0], &problem);
    if (!recording) {
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    recording_close(&recording);
    struct tui_call tui;
    tui_call_prepare(&tui, call);
    struct source *source = replay_open(call->options.words[0], &problem);
    if (!source) {
        tui_call_end(&tui);
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    return tui_call_run(&tui, source);
}
