/* What a recorded machine's variables say: which tree each sample reads and what the clocks show
 * (docs/recorded-machines.md). */
#ifndef OS_RECORDED_SCRIPT_H
#define OS_RECORDED_SCRIPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"

/* Values of the variables; NULL: not set. */
struct script_variables {
    const char *sysroot, *recorded, *sample_times, *wall_times, *sample_file, *self_pid;
    const char *nvml, *rocdxg, *adl, *powershell;
};

/* Of GPUTASKMAN_RECORDED: by the files in the folder. */
enum recorded_kind { RECORDED_NONE, RECORDED_WINDOWS, RECORDED_MACOS };

struct sample_script {
    char *recorded; /* folder of a machine of another system; NULL: none */
    enum recorded_kind kind;
    char **trees;
    size_t tree_count, tree;       /* tree: the current one */
    int64_t *running_ns, *wall_ns; /* of the samples */
    size_t running_count, wall_count;
    char *sample_file;                           /* NULL: none */
    int64_t self_pid;                            /* 0: not said */
    _Atomic int64_t now_running_ns, now_wall_ns; /* of the current sample */
};

/* *script is NULL when no variable is set. False with a line about the variable that is malformed.
 */
bool sample_script_parse(const struct script_variables *variables, struct sample_script **script,
                         struct problem *problem);
/* The same for the environment of this program. */
bool sample_script_read(struct sample_script **script, struct problem *problem);
void sample_script_free(struct sample_script **script);

/* Trees or times, whichever is more; 0: no end. */
uint64_t sample_script_count(const struct sample_script *script);
/* The clocks of a sample; beyond the last one time goes on in steps as long as the last. False when
 * that clock is not scripted. */
bool sample_script_running_ns(const struct sample_script *script, uint64_t number, int64_t *ns);
bool sample_script_wall_ns(const struct sample_script *script, uint64_t number, int64_t *ns);
/* The clocks of a machine whose samples carry their own times; those that a variable gives stay.
 * Copies the arrays. */
void sample_script_set_times(struct sample_script *script, const int64_t *running_ns,
                             const int64_t *wall_ns, size_t count);
/* Rewrites the sample file, if there is one. */
void sample_script_write_number(const struct sample_script *script, uint64_t number);

#endif
