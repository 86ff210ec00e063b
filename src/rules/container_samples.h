/* Load samples that name host pids while the lists name translated ones (kernel modules 535.113 to
 * 570): whose are they? A step over a state.
 *
 * `*` only when one sampled host pid and one listed process are all there is since the list last
 * changed, or when as many of both have been there for several refreshes: then in order. Everything
 * else is a guess in order, newest to newest. Sources: reference nvidia.md section 6. */
#ifndef RULES_CONTAINER_SAMPLES_H
#define RULES_CONTAINER_SAMPLES_H

#include "rules/container_pairing.h"
#include "rules/nvml_processes.h"

struct container_samples;

/* Whose samples a listed process's are. */
struct sample_owner {
    struct identity identity;
    enum pair_mark mark;
    int64_t sampled_pid; /* 0: none, it is idle (as far as the mark goes) */
};

struct container_samples *container_samples_new(void);
void container_samples_free(struct container_samples **samples);
/* `owners`: the listed processes, once each, in any order; fills mark and sampled_pid. PAIR_NONE
 * with no pid: nobody was sampled, so that all are idle for certain. */
void container_samples_step(struct container_samples *samples, const struct nvml_seen *nvml,
                            struct sample_owner *owners, size_t owner_count);

#endif
