/* gputaskman inspect PID: one process, with what the inspector knows of it. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/session.h"
#include "os/terminal.h"
#include "present/text.h"
#include "present/text_models.h"
#include "snapshot/json.h"

enum { NOTES_MAX = 16 };

static const struct process *find(const struct snapshot *snapshot, int64_t pid)
{
    const struct process *found = NULL;
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process *process = &snapshot->processes[i];
        bool local = process->space == NAMESPACE_LOCAL;
        if (process->pid == pid && (!found || local)) {
            found = process;
        }
    }
    return found;
}

static void print_json(const struct snapshot *snapshot, const struct process *process)
{
    struct buffer buffer = {0};
    processes_write(process, 1, snapshot->notes, snapshot->note_count, terminal_is_output(),
                    &buffer);
    fwrite(buffer.bytes, 1, buffer.size, stdout);
    fputc('\n', stdout);
    buffer_free(&buffer);
}

static void print_text(const struct command_call *call, const struct snapshot *snapshot,
                       const struct process *process)
{
    struct note notes[NOTES_MAX];
    size_t note_count = 0;
    for (size_t i = 0; i < snapshot->note_count && note_count < NOTES_MAX; i++) {
        if (note_is_about(&snapshot->notes[i], process)) {
            notes[note_count++] = snapshot->notes[i];
        }
    }
    bool ascii = !command_may_use_utf8(call);
    struct text_options options = {.width = (size_t)terminal_columns(), .ascii = ascii};
    text_process(stdout, process, &options);
    text_models(stdout, process->models, process->model_count, notes, note_count, ascii);
}

int command_inspect_pid(struct command_call *call)
{
    int64_t pid = 0;
    struct problem problem = {""};
    const struct wanted wanted = {.pcie_rates = false};
    command_parse_pid(call->options.words[0], &pid);
    call->inspected_pid = pid;
    struct source *source = session_open(call, SESSION_ONE_SHOT, &wanted, &problem);
    if (!source) {
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    struct snapshot *snapshot = session_two_samples(call, source);
    const struct process *process = snapshot ? find(snapshot, pid) : NULL;
    int status;
    if (!process) {
        status = command_fail(
            EXIT_FAILED,
            "there is no process %" PRId64 " here, or it may not be looked at; "
            "try %s",
            pid, snapshot && snapshot->mode == SNAPSHOT_WINDOWS ? "as administrator" : "with sudo");
    } else {
        if (options_flag(&call->options, OPTION_json)) {
            print_json(snapshot, process);
        } else {
            print_text(call, snapshot, process);
        }
        status = command_finish_output(EXIT_DONE);
    }
    snapshot_drop(&snapshot);
    source_close(&source);
    return status;
}
