/* gputaskman record -- COMMAND: records while it runs, then says what it used. */
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/thread.h"
#include "cli/record.h"
#include "cli/session.h"
#include "os/child.h"
#include "os/signals.h"
#include "present/diff.h"
#include "present/summary.h"

enum { KNOWN_MAX = 65536 };

struct watched_command {
    struct recording *recording;
    struct child *child;
    struct map *known; /* struct identity -> bool: it belongs to the command */
    struct summary *summary;
    struct snapshot *before;
};

/* A process is asked about once: what it belongs to does not change. */
static bool belongs(struct watched_command *watched, const struct process *process)
{
    bool added;
    if (!watched->child || process->identity.space != NAMESPACE_LOCAL) {
        return false;
    }
    if (map_count(watched->known) > KNOWN_MAX) {
        map_clear(watched->known);
    }
    bool *known = map_put(watched->known, &process->identity, &added);
    if (added) {
        *known = child_is_ancestor(watched->child, process->pid);
    }
    return *known;
}

static void look(void *context, struct snapshot *chosen)
{
    struct watched_command *watched = context;
    /* The pids of a recorded machine are not those of this one. */
    for (size_t i = 0; chosen->origin == ORIGIN_LIVE && i < chosen->process_count; i++) {
        chosen->processes[i].tracked = belongs(watched, &chosen->processes[i]);
    }
    summary_add(watched->summary, chosen);
}

/* The command goes on whatever becomes of the recording. */
static void write_sample(struct watched_command *watched)
{
    struct recording *recording = watched->recording;
    struct problem problem = {""};
    if (record_sample_write(recording, &problem) == APPEND_FAILED) {
        command_fail(EXIT_FAILED, "%s; the command goes on unrecorded", problem.text);
        record_file_close(&recording->file, &problem);
    } else if (recording->file && record_has_enough(recording)) {
        if (!record_file_close(&recording->file, &problem)) {
            command_fail(EXIT_FAILED, "%s", problem.text);
        }
    }
}

static void wait_until(const struct watched_command *watched, int64_t due_ns)
{
    struct wake *quit = watched->recording->quit;
    while (!child_has_ended(watched->child) && wake_wait(quit, due_ns)) {
        wake_clear(quit);
        session_is_left(); /* stops with the command when the terminal says so */
    }
}

static void watch(struct watched_command *watched)
{
    struct recording *recording = watched->recording;
    int64_t due_ns = thread_clock_ns();
    bool waits = true;
    while (!child_has_ended(watched->child)) {
        due_ns = record_sample_due(recording, due_ns, &waits);
        wait_until(watched, due_ns);
        if (!child_has_ended(watched->child) && record_sample_take(recording, false)) {
            write_sample(watched);
        }
    }
}

static bool was_seen(const struct summary *summary)
{
    for (size_t i = 0; i < summary->process_count; i++) {
        if (summary->processes[i].tracked) {
            return true;
        }
    }
    return false;
}

static void print(const struct watched_command *watched, const char *path)
{
    struct arena *arena = arena_new();
    const struct command_call *call = watched->recording->call;
    const struct diff_options before_after = {.ascii = !command_may_use_utf8(call)};
    const struct summary_options options = {
        .file = path,
        .ascii = !command_may_use_utf8(call),
        .all = true,
        .tracked_only = true,
    };
    fputs("\n", stderr);
    summary_sort(watched->summary);
    summary_text(stderr, watched->summary, &options);
    if (!was_seen(watched->summary)) {
        fputs("No process of the command was seen to use a GPU.\n\n", stderr);
    }
    fputs("Before the command and after it\n\n", stderr);
    diff_text(stderr, diff_make(watched->before, watched->recording->last, arena), &before_after);
    arena_free(&arena);
}

/* With the command's end: a last sample, which says what stayed behind. */
static int finish(struct watched_command *watched, const char *path)
{
    struct recording *recording = watched->recording;
    signals_pass_to(0);
    int status = child_finish(watched->child);
    if (record_sample_take(recording, true)) {
        write_sample(watched);
    }
    if (!recording->seen_adapter) {
        command_fail(EXIT_NO_GPU, "no supported GPU was found; `gputaskman --once` says what was "
                                  "looked for");
    } else {
        print(watched, path);
    }
    return status;
}

static int run(struct watched_command *watched, char *const *argv)
{
    struct recording *recording = watched->recording;
    struct problem problem = {""}, path;
    int status = EXIT_FAILED;
    if (!record_sample_take(recording, true)) {
        return command_fail(EXIT_FAILED, "no sample could be taken; the command was not started");
    }
    problem_set(&path, "%s", record_file_path(recording->file));
    watched->before = snapshot_take(recording->last);
    write_sample(watched);
    watched->child = child_start(argv, recording->quit, &status, &problem);
    if (!watched->child) {
        return command_fail(status, "%s", problem.text);
    }
    signals_pass_to(child_id(watched->child));
    watch(watched);
    return finish(watched, path.text);
}

int record_command(struct recording *recording, char *const *argv)
{
    struct watched_command watched = {
        .recording = recording,
        .known = map_new(sizeof(struct identity), sizeof(bool)),
        .summary = summary_new(),
    };
    recording->look = look;
    recording->context = &watched;
    int status = run(&watched, argv);
    recording->look = NULL;
    child_free(&watched.child);
    snapshot_drop(&watched.before);
    summary_free(&watched.summary);
    map_free(&watched.known);
    return status;
}
