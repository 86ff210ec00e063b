/* What the kernel's files show without asking any driver: a few milliseconds, and nothing is woken.
 */
#ifndef SAMPLER_PROBE_H
#define SAMPLER_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/backend.h"
#include "os/machine.h"
#include "reading/pass.h"

/* Is there anything to look at? True when a backend sees an adapter, or has a library to ask. Asked
 * before the screen is taken over. */
bool probe_finds_gpu(struct machine *machine);

/* True when each of the selectors (-g) fits an adapter that is seen, and none of these adapters is
 * one of `helper`: its library then has nothing to say. A selector that fits nothing may be meant
 * for what only the library knows (a UUID). */
bool probe_selects_others(struct machine *machine, const struct pass *pass,
                          const struct backend *helper, const char *const *selectors, size_t count);

#endif
