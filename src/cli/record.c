/* gputaskman record: one JSON snapshot a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "cli/no_gpu.h"
#include "cli/one_shot.h"
#include "cli/record.h"
#include "cli/session.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/terminal.h"
#include "snapshot/json.h"
#include "view/units.h"

/* gputaskman-20261129T120000Z.jsonl.zst */
static void name_by_date(char *name, size_t size)
{
    char time[TIME_TEXT_SIZE];
    time_format(clock_wall_ns(), time);
    size_t used = (size_t)snprintf(name, size, "gputaskman-");
    for (const char *c = time; *c && *c != '.' && used + 1 < size; c++) {
        if (*c != '-' && *c != ':') {
            name[used++] = *c;
        }
    }
    snprintf(name + used, size - used, "Z.jsonl.zst");
}

static void show_progress(const struct recording *recording)
{
    char bytes[UNITS_SIZE];
    struct problem line; /* safe for a terminal */
    if (!recording->shows_progress) {
        return;
    }
    units_bytes_long((double)record_file_bytes(recording->file), bytes);
    problem_set(&line, "%llu samples, %s in %s  (Ctrl-C ends)",
                (unsigned long long)recording->count, bytes, record_file_path(recording->file));
    fprintf(stderr, "\r%s", line.text);
    fflush(stderr);
}

enum append_result record_sample_write(struct recording *recording, struct problem *problem)
{
    struct arena *arena = arena_new();
    struct snapshot chosen = selection_apply(&recording->call->selection, recording->last, arena);
    enum append_result result = APPEND_OK;
    if (recording->look) {
        recording->look(recording->context, &chosen);
    }
    if (recording->file) {
        recording->line.size = 0;
        snapshot_write(&chosen, false, &recording->line);
        buffer_add(&recording->line, "\n", 1);
        result = record_file_write(recording->file, recording->line.bytes, recording->line.size,
                                   problem);
        recording->count += result == APPEND_OK;
        show_progress(recording);
    }
    arena_free(&arena);
    return result;
}

bool record_has_enough(const struct recording *recording)
{
    return (recording->limit && recording->count >= recording->limit) ||
           thread_clock_ns() >= recording->until_ns;
}

bool record_sample_take(struct recording *recording, bool complete)
{
    uint64_t after = recording->last ? recording->last->sequence : 0;
    struct snapshot *snapshot = session_sample(recording->source, after, complete, recording->quit);
    if (!snapshot) {
        return false;
    }
    snapshot_drop(&recording->last);
    recording->last = snapshot;
    recording->seen_adapter |= snapshot->adapter_count > 0;
    return true;
}

int64_t record_sample_due(const struct recording *recording, int64_t due_ns, bool *waits)
{
    struct source_state_view state;
    int64_t now_ns = thread_clock_ns();
    source_get_state(recording->source, &state);
    due_ns += session_interval_ns(recording->call);
    *waits = !state.scripted;
    return due_ns < now_ns ? now_ns : due_ns;
}

static int record_samples(struct recording *recording)
{
    struct problem problem = {""};
    enum append_result result = APPEND_OK;
    int64_t due_ns = thread_clock_ns();
    int status = EXIT_DONE;
    while (result == APPEND_OK && !record_has_enough(recording)) {
        if (!record_sample_take(recording, recording->last == NULL)) {
            status = session_is_left()
                         ? EXIT_DONE
                         : command_fail(EXIT_FAILED, "no sample could be taken in a minute");
            break;
        }
        if (recording->count == 0 && !one_shot_selects(recording->call, recording->last)) {
            status = EXIT_USAGE;
            break;
        }
        result = record_sample_write(recording, &problem);
        bool waits;
        due_ns = record_sample_due(recording, due_ns, &waits);
        int64_t wake_ns = due_ns < recording->until_ns ? due_ns : recording->until_ns;
        if (!record_has_enough(recording) && !session_pause(waits ? wake_ns : 0, recording->quit)) {
            break;
        }
    }
    if (recording->shows_progress) {
        fputc('\n', stderr);
    }
    if (result == APPEND_FAILED) {
        status = command_fail(EXIT_FAILED, "%s", problem.text);
    } else if (status == EXIT_DONE && recording->last && !recording->seen_adapter) {
        status = no_gpu_explain(recording->last);
    }
    return status;
}

static int record_into(struct recording *recording, char **argv)
{
    struct problem problem = {""};
    const struct wanted wanted = {.pcie_rates = true};
    recording->file = record_file_open(
        recording->path, (int64_t)recording->call->options.values[OPTION_max_size].number,
        &problem);
    if (!recording->file) {
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    if (record_file_cut_bytes(recording->file) > 0) {
        problem_set(&problem, "cut off a torn line (%lld bytes) at the end of %.300s",
                    (long long)record_file_cut_bytes(recording->file),
                    record_file_path(recording->file));
        fprintf(stderr, "gputaskman: %s\n", problem.text);
    }
    int status = EXIT_FAILED;
    recording->source = session_open(recording->call, SESSION_RECORDING, &wanted, &problem);
    if (recording->source) {
        status = argv ? record_command(recording, argv) : record_samples(recording);
        source_close(&recording->source);
    } else {
        command_fail(EXIT_FAILED, "%s", problem.text);
    }
    if (!record_file_close(&recording->file, &problem)) {
        command_fail(EXIT_FAILED, "%s", problem.text);
        status = status == EXIT_DONE && !argv ? EXIT_FAILED : status;
    }
    snapshot_drop(&recording->last);
    buffer_free(&recording->line);
    return status;
}

/* The command behind "--", ending in NULL; NULL: there is none. */
static char **find_command(const struct options *options)
{
    if (!options->has_dashes) {
        return NULL;
    }
    char **argv = memory_new((options->word_count + 1) * sizeof *argv);
    memcpy(argv, options->words, options->word_count * sizeof *argv);
    return argv;
}

static const char *wrong_usage(const struct options *options)
{
    const struct option_value *output = &options->values[OPTION_output];
    if (options->has_dashes && options->word_count == 0) {
        return "record -- needs a command behind the --";
    }
    if (options->has_dashes && output->set && strcmp(output->text, "-") == 0) {
        return "standard output is the command's own; name a file with -o";
    }
    return NULL;
}

int command_record(struct command_call *call)
{
    const struct option_value *values = call->options.values;
    const char *wrong = wrong_usage(&call->options);
    if (wrong) {
        return command_fail(EXIT_USAGE, "%s", wrong);
    }
    char name[64], **argv = find_command(&call->options);
    name_by_date(name, sizeof name);
    struct wake *quit = wake_new();
    signals_start(quit);
    call->selection.active_only = false;
    struct recording recording = {
        .call = call,
        .quit = quit,
        .path = values[OPTION_output].set ? values[OPTION_output].text : name,
        .limit = (uint64_t)values[OPTION_count].number,
        .until_ns = values[OPTION_for_time].set
                        ? thread_clock_ns() + (int64_t)(values[OPTION_for_time].number * 1e9)
                        : INT64_MAX,
    };
    recording.shows_progress = !argv && terminal_is_error() && strcmp(recording.path, "-") != 0;
    int status = record_into(&recording, argv);
    free(argv);
    wake_free(&quit);
    return status;
}
