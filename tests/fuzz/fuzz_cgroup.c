/* The text of /proc/PID/cgroup, and the files that name containers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/container_names.h"
#include "inspect/containers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct raw_text text = {(const char *)data, size}, name, pod;
    struct container_place place;
    if (container_of_cgroup(arena, text, &place)) {
        if (!place.runtime || place.id.length == 0 || place.id.length > size)
            abort();
        kubelet_link_name(text, place.id, &name, &pod);
    }
    size_t half = size / 2;
    if (kubelet_link_name(text, (struct raw_text){(const char *)data, half}, &name, &pod) &&
        (name.length == 0 || name.length + pod.length >= size))
        abort();
    podman_name(arena, text, (struct raw_text){"ab", 2}, &name);
    arena_free(&arena);
    return 0;
}
