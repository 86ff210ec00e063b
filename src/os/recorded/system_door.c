#include "os/system.h"

bool system_machine_open(struct machine **machine, const struct sample_script *script,
                         struct problem *problem)
{
    (void)script;
    *machine = NULL;
    return problem_set(problem,
                       "this system cannot be observed by this version yet: run it on Linux, "
                       "or give a recording");
}
