/* Which run in a log belongs to one process instance. Pure. A log file outlives the processes that
 * write to it: what an older run said must never be shown for the present one. */
#ifndef INSPECT_LOG_PLACE_H
#define INSPECT_LOG_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "inspect/load_log.h"
#include "snapshot/snapshot.h"

enum log_source {
    LOG_OWN_OUTPUT,  /* regular file that the process itself has open as fd 1, fd 2 or --log-file */
    LOG_JOURNAL,     /* journal lines selected by this pid */
    LOG_PARENT,      /* log of the proven parent: a router, an Ollama server */
    LOG_APPLICATION, /* a known place of the application (LM Studio, Jan, Handy, KoboldCpp) */
};

/* What is known of the process and of the log; unknown measured values and empty texts are not
 * compared. */
struct log_place {
    enum log_source source;
    int64_t start_ns;            /* wall clock at which the process started; TIME_UNKNOWN */
    struct measured pid;         /* as the journal's prefix would show it */
    struct measured modified_ns; /* wall clock of the log's last change */
    struct measured position;    /* fdinfo `pos` of the process's descriptor, in the log */
    uint64_t fed_from;           /* offset in the log at which feeding began (tail first) */
    const int64_t *ports;        /* that it listens on */
    size_t port_count;
    bool ports_known;
    struct raw_text model_path; /* from its command line or maps */
    bool file_is_shared;        /* other processes have the same file open, or it is appended to */
};

struct log_place_found {
    const struct load_run *run; /* NULL: nothing in the log is this process's */
    enum strength strength;
    const char *reason; /* static: why it is taken, or why not */
};

struct log_place_found log_place_find(const struct load_log *log, const struct log_place *place);

#endif
