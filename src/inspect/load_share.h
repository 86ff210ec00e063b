/* What of a run is one process's own. vLLM and SGLang write the logs of all their processes to one
 * place, each with a GPU of its own. Pure. */
#ifndef INSPECT_LOAD_SHARE_H
#define INSPECT_LOAD_SHARE_H

#include "inspect/load_log.h"

/* How a process can be told in such a log. */
struct load_sharer {
    int64_t pid, inner_pid; /* here, and in its own pid namespace (0: not known) */
    struct raw_text title;  /* "VLLM::Worker_TP1", "sglang::scheduler_TP0"; any other command too */
};

/* The run with only what this process holds, on a device called "GPU"; the run itself where its log
 * is not one of several processes. Everything in the arena or of the run. */
const struct load_run *load_run_share(struct arena *arena, const struct load_run *run,
                                      const struct load_sharer *sharer);

#endif
