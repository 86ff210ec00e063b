/* What seldom changes of a process: command line, user, program, cgroup, whether the GPU runtime is
 * mapped. Owned copies, kept from pass to pass. Portable over os/root.h. */
#ifndef OS_LINUX_PROCESS_FACTS_H
#define OS_LINUX_PROCESS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "os/root.h"
#include "reading/process.h"

struct passwd;

struct process_facts {
    /* bytes NULL: unknown. Each owns its bytes. */
    struct raw_text command, executable, cgroup, user;
    struct raw_text cuda_visible_devices, nvidia_visible_devices; /* once it maps libcuda */
    struct measured status_resident_bytes; /* VmRSS, as of the last reading */
    int64_t read_ns;                       /* running clock; meaningful after the first reading */
    unsigned readings;

    bool maps_looked_at, maps_readable, maps_gpu_runtime;
    int64_t maps_next_ns, maps_step_ns;
};

void process_facts_free(struct process_facts *facts);
/* Reads all but the mappings. False when the process is gone: what was read is then no use. */
bool process_facts_read(struct process_facts *facts, const struct root *root, struct arena *scratch,
                        int64_t pid, const struct passwd *passwd, int64_t running_ns);
/* Looks for NVIDIA's driver library among the mappings. It is loaded late, so a process without it
 * is looked at again after 1, 2, 4 ... 32 s; `again` forces a look. Of a process that has it the
 * variables that choose devices are read too, where its environment may be read. */
void process_facts_look_for_cuda(struct process_facts *facts, const struct root *root,
                                 struct arena *scratch, int64_t pid, int64_t running_ns,
                                 bool again);
/* Copies into the arena of a reading. */
void process_facts_copy(const struct process_facts *facts, struct arena *arena,
                        struct process_reading *process);

#endif
