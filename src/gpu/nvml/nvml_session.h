/* What the NVML helper keeps between requests: the library and the devices. Everything here runs in
 * the helper process. */
#ifndef GPU_NVML_SESSION_H
#define GPU_NVML_SESSION_H

#include "gpu/nvml/nvml_lines.h"

struct nvml_session;

/* `only`: the one library to load; NULL for the known places. Nothing is loaded yet. */
struct nvml_session *nvml_session_new(const char *only);
/* Shuts NVML down. */
void nvml_session_free(struct nvml_session **session);

/* Answers one request. The first initialises the library, which may take seconds. The answer is
 * valid until the next call. */
const struct nvml_answer *nvml_session_answer(struct nvml_session *session,
                                              const struct nvml_request *request);

#endif
