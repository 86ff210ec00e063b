/* gputaskman --demo: the live screen on the built-in recording. */
#include "cli/demo_recording.h"
#include "cli/session.h"
#include "cli/tui_call.h"
#include "source/snapshot_stream.h"

int command_demo(struct command_call *call)
{
    if (!command_has_terminal("--demo", "")) {
        return EXIT_USAGE;
    }
    struct tui_call tui;
    tui_call_prepare(&tui, call);
    const struct snapshot_stream_options options = {
        .name = "demo",
        .loops = true,
        .shifts_to_now = true,
        .interval_ns = session_interval_ns(call),
    };
    struct problem problem = {""};
    struct source *source =
        snapshot_stream_open(demo_recording, demo_recording_size, &options, &problem);
    if (!source) {
        tui_call_end(&tui);
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    return tui_call_run(&tui, source);
}
