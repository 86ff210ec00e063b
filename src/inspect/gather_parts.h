/* What gather*.c share. Private to them. */
#ifndef INSPECT_GATHER_PARTS_H
#define INSPECT_GATHER_PARTS_H

#include "inspect/command_models.h"
#include "inspect/gather.h"
#include "inspect/stores/store.h"

enum { GATHER_PATH_SIZE = 4096 + 64 };

/* One gathering at work. */
enum { GATHERED_LIBRARIES_MAX = 512 };

struct gathering {
    const struct gather_place *place;
    const struct inspection_wish *wish;
    const struct inspection_parts *previous;
    struct inspection_parts *parts; /* being filled */
    struct arena *arena;            /* of the parts */
    struct arena *scratch;
    struct process_files files;
    struct raw_text *libraries; /* paths of mapped programs and libraries; in the scratch arena */
    size_t library_count;
    struct command_models models;
    char prefix[GATHER_PATH_SIZE]; /* struct store_place */
    size_t damaged_records;
};

/* The path in the tree of an absolute path of the process. False when it is too long. */
bool gathering_place(const struct gathering *gathering, struct raw_text path,
                     char out[GATHER_PATH_SIZE]);
struct raw_text gathering_copy(struct gathering *gathering, struct raw_text raw);
/* The value of a variable of its environment; empty when it is not set or not known. */
struct raw_text gathering_variable(const struct gathered *gathered, const char *name);
/* The home folder of its user, by the environment. */
struct raw_text gathering_home(const struct gathered *gathered);
void gathering_note(struct gathering *gathering, struct text note);

/* gather_command.c: names, command line, environment, parent, flags. */
void gather_command(struct gathering *gathering);
/* gather_files.c: model files, libraries, store names. */
void gather_files(struct gathering *gathering);
/* gather_warnings.c: notes about what is wrong with those files. */
void gather_warnings(struct gathering *gathering);
/* gather_logs.c: the runs of load logs that are this process's. */
void gather_logs(struct gathering *gathering);

#endif
