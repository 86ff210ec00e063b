/* Machines of another system than Linux, recorded in a folder (GPUTASKMAN_RECORDED,
 * docs/recorded-machines.md): they run on any platform. Each sets the clocks of the script from the
 * samples' own times. */
#ifndef OS_RECORDED_RECORDED_H
#define OS_RECORDED_RECORDED_H

#include "base/problem.h"
#include "os/machine.h"
#include "os/recorded/script.h"

/* The one of the script's kind. */
bool recorded_machine_open(struct machine **machine, struct sample_script *script,
                           struct problem *problem);
/* counters.jsonl, adapters.json, processes.json. */
bool recorded_windows_open(struct machine **machine, struct sample_script *script,
                           struct problem *problem);
/* input.json and the footprint files that it names. */
bool recorded_macos_open(struct machine **machine, struct sample_script *script,
                         struct problem *problem);

enum { RECORDED_FILE_LIMIT = 64 << 20, RECORDED_SAMPLES_MAX = 1000000 };

/* Reads DIR/NAME, at most RECORDED_FILE_LIMIT bytes; the caller frees. */
bool recorded_read(const struct sample_script *script, const char *name, char **bytes, size_t *size,
                   struct problem *problem);

#endif
