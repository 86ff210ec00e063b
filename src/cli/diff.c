/* gputaskman diff BEFORE AFTER: what is different between two snapshots. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/snapshot_file.h"
#include "os/terminal.h"
#include "present/diff.h"

/* As diff(1): nothing differs, something does, there was trouble. */
enum { DIFF_SAME = 0, DIFF_DIFFERS = 1, DIFF_TROUBLE = 2 };

static int print(struct command_call *call, const struct diff *diff,
                 const struct diff_options *options)
{
    if (options_flag(&call->options, OPTION_json)) {
        struct buffer buffer = {0};
        diff_json(diff, options, terminal_is_output(), &buffer);
        fwrite(buffer.bytes, 1, buffer.size, stdout);
        fputc('\n', stdout);
        buffer_free(&buffer);
    } else {
        diff_text(stdout, diff, options);
    }
    bool tells = options_flag(&call->options, OPTION_exit_code) && diff->differs;
    int status = tells ? DIFF_DIFFERS : DIFF_SAME;
    return command_finish_output(DIFF_TROUBLE) != DIFF_TROUBLE ? DIFF_TROUBLE : status;
}

/* What -g and -p leave of both. */
static int compare(struct command_call *call, const struct snapshot *before,
                   const struct snapshot *after, const struct diff_options *options)
{
    struct problem problem = {""};
    struct arena *arena = arena_new();
    const char *unmatched = selection_unmatched(&call->selection, before);
    int status = DIFF_TROUBLE;
    if (unmatched && selection_unmatched(&call->selection, after)) {
        command_fail(DIFF_TROUBLE, "no GPU of the snapshots matches '%.80s'", unmatched);
        arena_free(&arena);
        return status;
    }
    struct snapshot chosen_before = selection_apply(&call->selection, before, arena);
    struct snapshot chosen_after = selection_apply(&call->selection, after, arena);
    const struct diff *diff = diff_make(&chosen_before, &chosen_after, arena);
    status = diff_same_adapters(diff, &problem) ? print(call, diff, options)
                                                : command_fail(DIFF_TROUBLE, "%s", problem.text);
    arena_free(&arena);
    return status;
}

int command_diff(struct command_call *call)
{
    const struct options *options = &call->options;
    struct problem problem = {""};
    if (options->word_count != 2) {
        return command_fail(DIFF_TROUBLE, "diff needs two snapshots: diff BEFORE AFTER (FILE, "
                                          "FILE@N, FILE@last or FILE@TIME)");
    }
    if (strcmp(options->words[0], "-") == 0 && strcmp(options->words[1], "-") == 0) {
        return command_fail(DIFF_TROUBLE, "standard input can be only one of the two");
    }
    call->selection.active_only = false;
    const struct diff_options shown = {
        .before_name = options->words[0],
        .after_name = options->words[1],
        .width = (size_t)terminal_columns(),
        .ascii = !command_may_use_utf8(call),
    };
    struct snapshot *before = snapshot_file_read(options->words[0], &problem);
    struct snapshot *after = before ? snapshot_file_read(options->words[1], &problem) : NULL;
    int status = after ? compare(call, before, after, &shown)
                       : command_fail(DIFF_TROUBLE, "%s", problem.text);
    snapshot_drop(&before);
    snapshot_drop(&after);
    return status;
}
