/* A backend that lives in a helper process, as the sampler sees it: ask, poll, and always a newest
 * reading, whatever state the helper is in. */
#ifndef SAMPLER_HELPER_DRIVER_H
#define SAMPLER_HELPER_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/backend.h"
#include "os/helper.h"
#include "os/machine.h"
#include "os/wake.h"

struct helper_driver;

struct helper_driver *helper_driver_new(const struct backend *backend, struct machine *machine,
                                        struct wake *wake);
/* Stops the helper; it is left behind when it does not end within `patience_ns`. */
void helper_driver_free(struct helper_driver **driver, int64_t patience_ns);

/* Only other GPUs are of interest: from now on the helper is not started, its GPUs are listed
 * without figures. */
void helper_driver_leave_out(struct helper_driver *driver);
/* Begins a pass: asks the helper, unless its backend says that it must not be asked now. */
void helper_driver_ask(struct helper_driver *driver, const struct pass *pass);
/* Takes what has arrived. True while an answer to this pass is still outstanding. */
bool helper_driver_poll(struct helper_driver *driver);
/* The newest reading; its state tells how good it is. Never NULL after the first ask. Valid until
 * the next ask or poll. */
const struct reading *helper_driver_newest(const struct helper_driver *driver);
struct helper *helper_driver_helper(const struct helper_driver *driver);

#endif
