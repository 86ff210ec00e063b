/* A backend speaks to one family of drivers. It turns files or library calls into a reading: facts,
 * no policy. Adding a driver of an existing family is one file in its folder; adding a family is
 * one folder and one line in sampler/backends.c.
 *
 * Two ways to run: on the collector thread (files of the kernel, bounded), or in a helper process
 * (foreign libraries). */
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include <stdbool.h>

#include "base/problem.h"
#include "os/machine.h"
#include "reading/reading.h"

struct backend_state; /* each backend's own */

struct backend {
    const char *name; /* "drm", "nvml": also sources[].name */

    /* False: never on such a machine, so that it is no source there. NULL: everywhere. */
    bool (*belongs)(struct machine *machine);
    /* NULL when there is nothing to keep. */
    struct backend_state *(*open)(struct machine *machine);
    void (*close)(struct backend_state **state);

    /* Collector backends. Finds the adapters without touching a sleeping one; fast (first frame).
     * May be called before every read: adapters come and go. Fills reading->adapters with identity
     * only. */
    void (*find)(struct backend_state *state, struct machine *machine, const struct pass *pass,
                 struct reading *reading);
    /* The whole reading. `system` holds the walk of this pass. */
    void (*read)(struct backend_state *state, struct machine *machine, const struct pass *pass,
                 const struct system_reading *system, struct reading *reading);
    /* True when this backend needs the walk over all processes' descriptors in this pass. */
    bool (*needs_walk)(struct backend_state *state);

    /* Helper backends: the program's side. Whether to ask at all now (a sleeping card is not
     * woken), and the request line; then the answer's lines, read back into a reading. */
    bool (*should_ask)(struct backend_state *state, struct machine *machine,
                       const struct pass *pass, struct reading *reading);
    void (*write_request)(struct backend_state *state, const struct pass *pass, char *line,
                          size_t size);
    bool (*read_answer)(struct backend_state *state, struct raw_text answer,
                        struct reading *reading);
    /* The helper's side: answers requests from standard input until it ends; the exit status. */
    int (*serve)(void);
};

extern const struct backend backend_adl;       /* gpu/adl/adl.c */
extern const struct backend backend_drm;       /* gpu/drm/drm.c */
extern const struct backend backend_nvml;      /* gpu/nvml/nvml.c */
extern const struct backend backend_metal;     /* gpu/metal/metal.c */
extern const struct backend backend_footprint; /* gpu/metal/footprint_serve.c */
extern const struct backend backend_rocdxg;    /* gpu/rocdxg/rocdxg.c */
extern const struct backend backend_wddm;      /* gpu/wddm/wddm.c */

#endif
