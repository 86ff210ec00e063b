/* Clients for which the kernel was slow to answer: some drivers resume the card or wait for work of
 * the GPU while their fdinfo is read. They are left out for a while, so that one stuck client costs
 * the others nothing. Pure. */
#ifndef GPU_DRM_SLOW_CLIENTS_H
#define GPU_DRM_SLOW_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reading/identity.h"

enum { SLOW_CLIENTS_MAX = 32 };

/* One descriptor of one process. */
struct slow_client {
    struct identity holder;
    int32_t fd;
};

/* Zeroed: none. A value without pointers. */
struct slow_clients {
    struct {
        struct slow_client client;
        int64_t until_ns; /* left out until then; 0: a free place */
    } items[SLOW_CLIENTS_MAX];
};

/* A read took this long. Beyond 20 ms the client is left out for fifty times the time it took, at
 * least 2 s and at most 60 s; the clock is the caller's, in nanoseconds. */
void slow_clients_note(struct slow_clients *slow, struct slow_client client, int64_t began_ns,
                       int64_t ended_ns);
bool slow_clients_is_left_out(const struct slow_clients *slow, struct slow_client client,
                              int64_t now_ns);

#endif
