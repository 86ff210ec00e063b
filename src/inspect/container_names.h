/* Names of containers from files that may simply be read: podman's containers.json (of the system
 * and of the process's user) and the names of the kubelet's links in /var/log/containers. No
 * runtime's socket is ever asked. Bounded; a name once found is kept, one that was not there is
 * looked for again after some seconds. For one thread. */
#ifndef INSPECT_CONTAINER_NAMES_H
#define INSPECT_CONTAINER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/containers.h"
#include "os/root.h"

struct container_names;

struct container_names *container_names_new(void);
void container_names_free(struct container_names **names);
/* Fills place->name, and place->pod with the pod's name, where a file has them. `user`: the name of
 * the process's user; bytes NULL: unknown. The bytes live as long as `names`
 * knows the container: copy them. */
void container_names_look_up(struct container_names *names, const struct root *root,
                             int64_t running_ns, struct raw_text user,
                             struct container_place *place);

/* Pure: the name of a container in podman's containers.json; false when it is not there. */
bool podman_name(struct arena *arena, struct raw_text json, struct raw_text id,
                 struct raw_text *name);
/* Pure: "POD_NAMESPACE_CONTAINER-ID.log"; false when it is not of this container. */
bool kubelet_link_name(struct raw_text link, struct raw_text id, struct raw_text *name,
                       struct raw_text *pod);

#endif
