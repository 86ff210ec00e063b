/* From readings to a snapshot: the one place where facts become meaning, in one fixed order: rates
 * -> ownership and matching -> identification -> reconciliation -> totals -> events. Pure: no
 * files, no clocks, no threads. What it remembers between samples are the states of its steps,
 * which are values keyed by identity. */
#ifndef SAMPLER_ASSEMBLE_H
#define SAMPLER_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "inspect/inspector.h"
#include "reading/pass.h"
#include "reading/reading.h"
#include "rules/wsl_foreign.h"
#include "snapshot/snapshot.h"

struct assembler;

struct assemble_input {
    const struct pass *pass;
    const struct system_reading *system; /* NULL: none yet, or too old */
    enum reason system_why_not;          /* while NULL: stale when it is too old */
    /* The newest completed reading of each backend; one that is too old has state SOURCE_STALE and
     * no adapters beyond their identity. */
    const struct reading *const *readings;
    size_t reading_count;
    enum snapshot_mode mode;
    enum origin origin;
    const char *system_name; /* "linux", "windows", "macos": host.os */
    bool hide_host_name;
    const struct snapshot *previous; /* of this assembler, for the events; NULL: none */
    int64_t self_pid;                /* ours is no GPU process of interest; 0: unknown */
    bool look_for_holders;           /* NVML names no processes: who holds its files is listed */
    /* What the inspector knows of processes; of those that it lacks nothing is identified. */
    const struct inspection *const *inspections;
    size_t inspection_count;
    int64_t inspected_pid; /* listed whether or not it uses a GPU; 0: none */
};

struct assembler *assembler_new(void);
void assembler_free(struct assembler **assembler);
/* Fills an empty snapshot. The first call of an assembler gives no rates. */
void assembler_step(struct assembler *assembler, const struct assemble_input *input,
                    struct snapshot *snapshot);
/* The pids (as the drivers named them, local namespace) whose details the next system reading must
 * bring; the array is valid until the next call. */
size_t assembler_wanted_pids(const struct assembler *assembler, const int64_t **pids);
/* One more pid for the first system reading; later ones follow from inspected_pid. */
void assembler_want_pid(struct assembler *assembler, int64_t pid);
/* WSL: sizes that an earlier run found to be foreign, before the first step; and what is known now.
 */
void assembler_set_foreign(struct assembler *assembler, const struct foreign_sizes *sizes);
const struct foreign_sizes *assembler_foreign(const struct assembler *assembler);

#endif
