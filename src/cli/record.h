/* The parts of `record`, between record.c and record_command.c. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/command.h"
#include "cli/record_file.h"
#include "os/wake.h"
#include "snapshot/json.h"

struct recording {
    struct command_call *call;
    struct source *source;
    struct record_file *file; /* NULL once writing has failed, or enough was written */
    struct wake *quit;
    struct buffer line;
    const char *path;
    uint64_t count;        /* samples written */
    uint64_t limit;        /* 0: none */
    int64_t until_ns;      /* thread clock; INT64_MAX: none */
    struct snapshot *last; /* the newest sample, one reference */
    bool shows_progress;
    bool seen_adapter;
    /* Looks at what is about to be written, and may mark its processes. NULL: nobody. */
    void (*look)(void *context, struct snapshot *chosen);
    void *context;
};

bool record_has_enough(const struct recording *recording);
/* Takes a sample into `last`; false: none came, or the user left. `complete`: whatever it takes. */
bool record_sample_take(struct recording *recording, bool complete);
/* Writes `last` (nothing, without a file). */
enum append_result record_sample_write(struct recording *recording, struct problem *problem);
/* When the sample after the one that was due at due_ns is due; *waits is false on a recorded
 * machine, whose samples follow each other. */
int64_t record_sample_due(const struct recording *recording, int64_t due_ns, bool *waits);

/* Runs the command behind "--" and records meanwhile; returns its exit status. */
int record_command(struct recording *recording, char *const *argv);

#endif
