/* gputaskman summary FILE...: what a recording comes to. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "os/terminal.h"
#include "present/summary.h"
#include "snapshot/scan.h"
#include "timeline/recording.h"

struct summing {
    struct command_call *call;
    struct summary *summary;
    struct snapshot_scanner *scanner;
    struct snapshot_pool *pool;
    struct problem last_part; /* its name, of a recording in parts */
};

static void add(struct summing *summing, const struct snapshot *snapshot)
{
    const struct selection *selection = &summing->call->selection;
    if (selection->selector_count == 0 && selection->pid_count == 0) {
        summary_add(summing->summary, snapshot);
        return;
    }
    struct arena *arena = arena_new();
    struct snapshot chosen = selection_apply(selection, snapshot, arena);
    summary_add(summing->summary, &chosen);
    arena_free(&arena);
}

/* False: the line is malformed, *problem. What is torn at the end is skipped. */
static bool add_line(struct summing *summing, struct recording *recording,
                     const struct recording_line *line, struct problem *problem)
{
    const struct snapshot *scanned =
        scanner_read(summing->scanner, line->text.bytes, line->text.length);
    if (scanned) {
        add(summing, scanned);
        return true;
    }
    struct snapshot *snapshot =
        snapshot_read(line->text.bytes, line->text.length, recording_name(recording),
                      (size_t)line->place.line, summing->pool, problem);
    if (snapshot) {
        add(summing, snapshot);
        snapshot_drop(&snapshot);
        return true;
    }
    if (line->unended) {
        recording_skip_torn(recording);
        return true;
    }
    return false;
}

/* `alone`: the parts that go on with it belong to it. */
static bool add_file(struct summing *summing, const char *path, bool alone, struct problem *problem)
{
    struct recording *recording = recording_open(path, problem);
    if (!recording) {
        return false;
    }
    if (alone) {
        recording_follow(recording);
    }
    struct recording_line line;
    enum recording_result result;
    while ((result = recording_next(recording, &line, problem)) == RECORDING_LINE) {
        if (!add_line(summing, recording, &line, problem)) {
            result = RECORDING_BAD;
            break;
        }
    }
    if (recording_warning(recording)[0]) {
        fprintf(stderr, "gputaskman: %s\n", recording_warning(recording));
    }
    if (recording_end_place(recording).part > 0) {
        problem_set(&summing->last_part, "%s", recording_name(recording));
    }
    recording_close(&recording);
    return result == RECORDING_END;
}

static int print(const struct summing *summing, const char *name)
{
    const struct command_call *call = summing->call;
    const struct summary_options options = {
        .file = name,
        .width = (size_t)terminal_columns(),
        .ascii = !command_may_use_utf8(call),
        .all = options_flag(&call->options, OPTION_all),
    };
    summary_sort(summing->summary);
    if (options_flag(&call->options, OPTION_json)) {
        struct buffer buffer = {0};
        summary_json(summing->summary, name, terminal_is_output(), &buffer);
        fwrite(buffer.bytes, 1, buffer.size, stdout);
        fputc('\n', stdout);
        buffer_free(&buffer);
    } else {
        summary_text(stdout, summing->summary, &options);
    }
    return command_finish_output(EXIT_DONE);
}

static int sum_up(struct summing *summing)
{
    const struct options *options = &summing->call->options;
    struct problem problem = {""};
    for (size_t i = 0; i < options->word_count; i++) {
        if (!add_file(summing, options->words[i], options->word_count == 1, &problem)) {
            return command_fail(EXIT_FAILED, "%s", problem.text);
        }
    }
    if (summing->summary->samples == 0) {
        return command_fail(EXIT_FAILED, "%s holds no snapshot", options->words[0]);
    }
    if (summing->call->selection.selector_count > 0 && summing->summary->adapter_count == 0) {
        return command_fail(EXIT_USAGE, "no GPU of the recording matches '%.80s'",
                            summing->call->selection.selectors[0]);
    }
    struct problem name;
    if (options->word_count > 1) {
        problem_set(&name, "%zu files", options->word_count);
    } else if (summing->last_part.text[0] != '\0') {
        problem_set(&name, "%.200s to %.200s", options->words[0], summing->last_part.text);
    } else {
        return print(summing, options->words[0]);
    }
    return print(summing, name.text);
}

int command_summary(struct command_call *call)
{
    if (call->options.word_count == 0) {
        return command_fail(EXIT_USAGE, "summary needs a recording: summary FILE");
    }
    call->selection.active_only = false;
    struct summing summing = {
        .call = call,
        .summary = summary_new(),
        .scanner = scanner_new(summary_fields),
        .pool = snapshot_pool_new(),
    };
    int status = sum_up(&summing);
    scanner_free(&summing.scanner);
    summary_free(&summing.summary);
    snapshot_pool_free(&summing.pool);
    return status;
}
