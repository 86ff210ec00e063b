/* The load log parser's state: which runs a log holds, and who writes to which. Private to it. */
#ifndef INSPECT_LOAD_LOG_LANES_H
#define INSPECT_LOAD_LOG_LANES_H

#include "inspect/load_log.h"
#include "inspect/load_run.h"
#include "inspect/log_words.h"

enum {
    LINE_BYTES_MAX = 16384, /* what is longer is cut: templates, requests */
    LANES_MAX = 8,
    LANE_NAME_MAX = 64,
    PIDS_MAX = 8,
};

/* Lines with the same prefix: of a router's child, of a container, of the log itself (no name). */
struct lane {
    char name[LANE_NAME_MAX];
    size_t name_length;
    struct load_run_reading *run;  /* NULL: nothing has been said in it */
    struct load_run_reading *held; /* Ollama: the runner before, until the newest says sizes */
    int64_t last_us;
    uint64_t used; /* number of the line that used it last */
};

struct load_log {
    struct log_words *words; /* NULL, and so is `line`, while nothing is fed: both are large */
    char *line;
    size_t line_length;
    uint64_t offset, line_offset, line_count;
    bool wide, has_low; /* two bytes a character, and the first of one has come */
    unsigned char low;

    struct lane lanes[LANES_MAX]; /* the first is the log's own */
    size_t lane_count;
    struct load_run_reading *runs[LOAD_RUNS_MAX];
    size_t run_count;
    int64_t pids[PIDS_MAX]; /* of the journal's prefix, the newest last */
    size_t pid_count;
};

/* `held`: NULL, or an earlier run that still counts. */
void load_log_begin_run(struct load_log *log, struct lane *lane, struct load_run_reading *held,
                        bool has_start);
/* The log's own program starts anew: its children and containers are gone with it. */
void load_log_end_lanes(struct load_log *log);

/* load_log_starts.c: where runs begin. */

/* Ollama starts a runner: its command line says which model, and on which port. */
bool load_log_begin_section(struct load_log *log, struct lane *lane, const struct log_line *line);
/* Begins a run where the line is the start of one. */
void load_log_mark_start(struct load_log *log, struct lane *lane, const struct log_line *line);
/* A clock that counts from the start of the process has fallen back. */
void load_log_watch_clock(struct load_log *log, struct lane *lane, struct measured relative_us);

#endif
