/* What the processes of this container show of a GPU: who could have a context, and whether a pid
 * that NVML names is of this namespace. Pure. */
#ifndef RULES_CONTAINER_CANDIDATES_H
#define RULES_CONTAINER_CANDIDATES_H

#include "reading/reading.h"
#include "rules/container_pairing.h"
#include "rules/nvml_processes.h"

/* What is known here of a pid that NVML names. */
enum local_evidence {
    EVIDENCE_NONE,    /* no such process, or one without anything of the GPU */
    EVIDENCE_REFUSED, /* such a process, whose descriptors and mappings may not be read */
    EVIDENCE_GPU,     /* it has libcuda mapped, or holds /dev/nvidia<N> or /dev/nvidia-uvm */
};

struct local_process {
    int64_t pid;
    const struct process_reading *process; /* NULL: only in the walk */
    const struct walked_process *walked;   /* NULL: holds no device file */
};

/* Ascending by pid, each once. */
struct local_processes {
    const struct local_process *items;
    size_t count;
};

struct local_processes local_processes_of(struct arena *arena, const struct system_reading *system);
const struct local_process *local_process_find(const struct local_processes *processes,
                                               int64_t pid);
/* `process` may be NULL. */
enum local_evidence local_evidence_of(const struct local_process *process);

/* Fills candidates, and doubtful where a process that may not be read could be one. We and our
 * helpers (children of `self_pid`) are none. */
void container_candidates(struct arena *arena, const struct local_processes *processes,
                          const struct nvml_seen *nvml, int64_t self_pid,
                          struct pairing_facts *facts);

#endif
