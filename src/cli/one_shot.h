/* What --once, --json and --list-gpus have in common: one picture of the machine, then leave. */
#ifndef CLI_ONE_SHOT_H
#define CLI_ONE_SHOT_H

#include "cli/command.h"

/* Takes two samples and gives the second to `print`, which returns the exit status. A -g that no
 * adapter matches is wrong usage. */
int one_shot(struct command_call *call, const struct wanted *wanted,
             int (*print)(struct command_call *call, const struct snapshot *snapshot));

/* False, with its words printed, when there are adapters and a -g matches none of them. */
bool one_shot_selects(const struct command_call *call, const struct snapshot *snapshot);

#endif
