/* One NVML helper process on one scenario of the fake library, driven over pipes by a test. */
#ifndef TESTS_NVML_HELPER_SESSION_H
#define TESTS_NVML_HELPER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "gpu/nvml/nvml_lines.h"

struct helper_session {
    int to, from; /* pipes */
    int pid;
    char folder[64]; /* temporary: scenario, step file, log */
    struct arena *arena;
    struct nvml_answer answer; /* the last one */
    uint64_t number;
};

/* Paths of the helper program and the fake library. */
struct helper_programs {
    const char *helper, *library;
};

/* Starts the helper on a scenario file (scenario_text NULL) or text. `times`: FAKE_NVML_TIMES, may
 * be NULL; epoch_us: FAKE_NVML_EPOCH, 0 for none. */
void helper_session_start(struct helper_session *session, const struct helper_programs *programs,
                          const char *scenario_path, const char *scenario_text, const char *times,
                          int64_t epoch_us);
/* Sends a request and reads its answer. False when the helper ended or did not answer in
 * `patience_ms`. request->number is set. */
bool helper_session_ask(struct helper_session *session, struct nvml_request *request,
                        int patience_ms);
/* Closes its input and waits; the wait status. */
int helper_session_end(struct helper_session *session);
/* Calls counted by the fake's log, of functions whose name begins so ("" is all). After the end. */
long helper_session_calls(const struct helper_session *session, const char *prefix);
void helper_session_free(struct helper_session *session);

#endif
