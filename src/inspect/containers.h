/* Which container a process is in, by the text of its /proc/PID/cgroup, as seen from the host.
 * Pure.
 *
 * Sources: reference nvidia.md section 6 (cgroup -> container): docker (rootless too), podman, the
 * Kubernetes drivers systemd and cgroupfs in every quality-of-service class, containerd, CRI-O,
 * LXC, LXD and Incus, systemd-nspawn, Slurm. Of nested containers the innermost counts. A
 * container's monitor (conmon, lxc.monitor) is not in it; a virtual machine is no container. */
#ifndef INSPECT_CONTAINERS_H
#define INSPECT_CONTAINERS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

struct container_place {
    const char *runtime;  /* "docker", "podman", "kubernetes", "containerd", "cri-o", "lxc",
                           * "systemd-nspawn", "slurm"; static */
    struct raw_text id;   /* 64 hexadecimal digits, a name, or the number of a job */
    struct raw_text name; /* where the path says it (LXC, nspawn); bytes NULL: it does not */
    struct raw_text pod;  /* the pod's uid with dashes; bytes NULL: none */
};

/* False: in none. What it gives lives in the text or in the arena. */
bool container_of_cgroup(struct arena *arena, struct raw_text cgroup,
                         struct container_place *place);

#endif
