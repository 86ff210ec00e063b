#include "cli/one_shot.h"

#include "cli/session.h"
#include "snapshot/selection.h"

bool one_shot_selects(const struct command_call *call, const struct snapshot *snapshot)
{
    const char *unmatched = selection_unmatched(&call->selection, snapshot);
    if (unmatched && snapshot->adapter_count > 0) {
        command_fail(EXIT_USAGE, "no GPU matches '%.80s'; `gputaskman --list-gpus` lists them",
                     unmatched);
        return false;
    }
    return true;
}

int one_shot(struct command_call *call, const struct wanted *wanted,
             int (*print)(struct command_call *call, const struct snapshot *snapshot))
{
    struct problem problem = {""};
    struct source *source = session_open(call, SESSION_ONE_SHOT, wanted, &problem);
    if (!source) {
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    struct snapshot *snapshot = session_two_samples(call, source);
    int status = EXIT_FAILED;
    if (!snapshot) {
        command_fail(EXIT_FAILED, "no sample could be taken in a minute; the system does not "
                                  "answer, try again later");
    } else {
        status = one_shot_selects(call, snapshot) ? print(call, snapshot) : EXIT_USAGE;
    }
    snapshot_drop(&snapshot);
    source_close(&source);
    return status;
}
