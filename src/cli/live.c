/* gputaskman: the live screen. */
#include <stdio.h>
#include <string.h>

#include "cli/no_gpu.h"
#include "cli/session.h"
#include "cli/tui_call.h"
#include "sampler/probe.h"

/* False when there is no GPU to look at; *status is the exit status then. */
static bool find_gpu(struct command_call *call, int *status)
{
    struct problem problem = {""};
    struct machine *machine = NULL;
    if (!machine_open(&machine, &problem)) {
        *status = command_fail(EXIT_FAILED, "%s", problem.text);
        return false;
    }
    bool found = probe_finds_gpu(machine);
    bool asks_windows = machine_mode(machine) == MODE_WSL;
    machine_close(&machine);
    if (found) {
        return true;
    }
    if (asks_windows && !options_flag(&call->options, OPTION_no_host)) {
        fputs("gputaskman: no GPU library here; asking Windows, which takes some seconds\n",
              stderr);
        fflush(stderr);
    }
    const struct wanted wanted = {0};
    struct source *source = session_open(call, SESSION_ONE_SHOT, &wanted, &problem);
    struct snapshot *snapshot = source ? session_sample(source, 0, true, NULL) : NULL;
    /* In WSL there may be one that only the Windows host knows. */
    found = snapshot && snapshot->adapter_count > 0;
    if (!found) {
        *status =
            snapshot ? no_gpu_explain(snapshot) : command_fail(EXIT_FAILED, "%s", problem.text);
    }
    snapshot_drop(&snapshot);
    source_close(&source);
    return found;
}

int command_live(struct command_call *call)
{
    int status = EXIT_FAILED;
    if (!command_has_terminal("the live screen", "; use --once or --json")) {
        return EXIT_USAGE;
    }
    struct tui_call tui;
    tui_call_prepare(&tui, call);
    if (!find_gpu(call, &status)) {
        tui_call_end(&tui);
        return status;
    }
    const struct wanted wanted = {.idle_may_wait = true};
    struct problem problem = {""};
    struct source *source = session_open(call, SESSION_SCREEN, &wanted, &problem);
    if (!source) {
        tui_call_end(&tui);
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    return tui_call_run(&tui, source);
}
