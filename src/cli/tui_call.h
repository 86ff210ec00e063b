/* The terminal screen on a source, for the commands that show one. */
#ifndef CLI_TUI_CALL_H
#define CLI_TUI_CALL_H

#include "cli/command.h"
#include "present/tui/tui.h"

struct tui_call {
    struct tui_options options;
    struct config config;
    struct wake *signals;
};

/* Blocks the signals (so before any thread is started) and takes over what the config file and,
 * above it, the options say. */
void tui_call_prepare(struct tui_call *tui, struct command_call *call);
/* Shows the source until the user leaves; closes it. Returns the exit status. */
int tui_call_run(struct tui_call *tui, struct source *source);
/* For a call that is not run. */
void tui_call_end(struct tui_call *tui);

#endif
