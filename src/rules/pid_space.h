/* Are the pids of NVML's lists those of this pid namespace, or of the host? Told by behaviour, in
 * each refresh; a step over a state, because a process may end between two reads, and a host pid
 * may be the number of a process here. Only used inside a container. */
#ifndef RULES_PID_SPACE_H
#define RULES_PID_SPACE_H

#include "rules/container_candidates.h"
#include "rules/nvml_processes.h"

enum pids_are { PIDS_UNKNOWN, PIDS_TRANSLATED, PIDS_HOST };

struct pid_space;

struct pid_space *pid_space_new(void);
void pid_space_free(struct pid_space **space);
/* `processes_known`: false when local processes could not be read; what was found before stands. */
enum pids_are pid_space_step(struct pid_space *space, const struct local_processes *processes,
                             const struct nvml_seen *nvml, bool processes_known);
/* Of translated lists: do their load samples still name host pids? Several sampled pids that are
 * all listed say no; a list whose memory is 0 throughout says yes; else the version, and where that
 * is unknown, whether any sampled pid is a listed one. */
bool pid_space_samples_are_host(const struct nvml_seen *nvml);

#endif
