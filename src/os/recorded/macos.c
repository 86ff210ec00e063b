#include "os/recorded/recorded.h"

bool recorded_macos_open(struct machine **machine, struct sample_script *script,
                         struct problem *problem)
{
    *machine = NULL;
    return problem_set(problem,
                       "GPUTASKMAN_RECORDED: %.200s is a macOS machine, which this build "
                       "does not play",
                       script->recorded);
}
