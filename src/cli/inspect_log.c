/* gputaskman inspect --log FILE: what the last run in a load log reports. A log may come from any
 * machine, so its devices are not this machine's adapters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "cli/command.h"
#include "inspect/command.h"
#include "inspect/reported.h"
#include "os/bounded_input.h"
#include "os/terminal.h"
#include "present/text_models.h"
#include "snapshot/json.h"

#define MIB INT64_C(1048576)
#define SECOND_NS INT64_C(1000000000)

enum { CHUNK_BYTES = 1 << 18, NOTES_MAX = 8, READ_SECONDS = 30 };

/* A log up to this size is read whole, of a larger one only parts of this size. */
static const int64_t whole_bytes_max = 256 * MIB;
static const int64_t part_bytes = 128 * MIB;

/* What is shown of the log. */
struct log_view {
    struct arena *arena;
    struct model *models;
    size_t model_count;
    struct note notes[NOTES_MAX];
    size_t note_count;
};

/* The log being read: nothing that is given for one is read for ever. */
struct log_reading {
    struct load_log *log;
    struct bounded_input *input;
    char *chunk;
    int64_t until_ns;
    bool late; /* no more came in time */
    bool cut;  /* there is more */
};

/* Reads at most `bytes`. */
static bool feed(struct log_reading *reading, int64_t bytes, struct problem *problem)
{
    size_t length = 0;
    enum bounded_input_result result = INPUT_BYTES;
    while (bytes > 0 && result == INPUT_BYTES) {
        size_t room = bytes < CHUNK_BYTES ? (size_t)bytes : CHUNK_BYTES;
        result = bounded_input_read(reading->input, reading->chunk, room, reading->until_ns,
                                    &length, problem);
        if (result == INPUT_BYTES) {
            load_log_feed(reading->log, (struct raw_text){reading->chunk, length});
            bytes -= (int64_t)length;
        }
    }
    load_log_end(reading->log);
    reading->late = result == INPUT_LATE;
    reading->cut = result == INPUT_BYTES;
    return result != INPUT_FAILED;
}

/* The end of a file that is too large, and where that holds nothing its beginning: the last run is
 * asked for, and a server that has run for long loaded its model at its start. */
static bool feed_parts(struct log_reading *reading, int64_t size, struct problem *problem)
{
    if (!bounded_input_seek(reading->input, size - part_bytes, problem) ||
        !feed(reading, part_bytes, problem))
        return false;
    if (load_log_run_count(reading->log) > 0)
        return true;
    load_log_free(&reading->log);
    reading->log = load_log_new();
    return bounded_input_seek(reading->input, 0, problem) && feed(reading, part_bytes, problem);
}

/* What was left out; "" when nothing was. */
static void say_limits(const struct log_reading *reading, int64_t size, struct problem *limits)
{
    if (reading->late)
        problem_set(limits, "it has not ended after %d s: what came until then was read",
                    READ_SECONDS);
    else if (size > whole_bytes_max)
        problem_set(limits, "it is larger than %lld MiB: its last %lld MiB were read%s",
                    (long long)(whole_bytes_max / MIB), (long long)(part_bytes / MIB),
                    load_log_run_count(reading->log) ? "" : ", and its first");
    else if (reading->cut)
        problem_set(limits, "only its first %lld MiB were read",
                    (long long)(whole_bytes_max / MIB));
}

/* The log, which the caller frees; NULL: *problem. */
static struct load_log *read_log(const char *path, struct problem *limits, struct problem *problem)
{
    struct log_reading reading = {.input = bounded_input_open(path, problem)};
    if (!reading.input)
        return NULL;
    int64_t size = bounded_input_size(reading.input);
    reading.log = load_log_new();
    reading.chunk = memory_new(CHUNK_BYTES);
    reading.until_ns = thread_clock_ns() + READ_SECONDS * SECOND_NS;
    bool good = size > whole_bytes_max ? feed_parts(&reading, size, problem)
                                       : feed(&reading, whole_bytes_max, problem);
    if (good)
        say_limits(&reading, size, limits);
    else
        load_log_free(&reading.log);
    free(reading.chunk);
    bounded_input_close(&reading.input);
    return reading.log;
}

static void add_note(struct log_view *view, struct text code, struct text text)
{
    if (view->note_count < NOTES_MAX) {
        view->notes[view->note_count++] = (struct note){code, text};
    }
}

static bool is_on_gpu(const struct load_run *run)
{
    for (size_t i = 0; i < run->buffer_count; i++) {
        if (!load_buffer_is_host(run->buffers[i].name)) {
            return true;
        }
    }
    return run->buffer_count == 0;
}

static bool says_offloaded(const struct load_run *run)
{
    for (size_t i = 0; i < run->model_count; i++) {
        if (run->models[i].offloaded.known && run->models[i].offloaded.value > 0) {
            return true;
        }
    }
    return false;
}

static void add_run(struct log_view *view, const struct load_run *run, struct text name)
{
    struct model_list list = reported_models(view->arena, run, NULL, name, STRENGTH_STRONG);
    struct model *models = ARENA_ARRAY(view->arena, struct model, view->model_count + list.count);
    if (view->model_count) {
        memcpy(models, view->models, view->model_count * sizeof *models);
    }
    if (list.count) {
        memcpy(models + view->model_count, list.items, list.count * sizeof *models);
    }
    view->models = models;
    view->model_count += list.count;
    if (run->error.length) {
        add_note(view, TEXT("load_failed"), text_redact(view->arena, run->error));
    }
    if (list.count && run->buffer_count == 0) {
        add_note(view, TEXT("no_sizes"),
                 TEXT("the log names a model and no sizes: not logged at this verbosity "
                      "(start llama-server with -lv 4), or not loaded yet"));
    }
    if (!is_on_gpu(run) && says_offloaded(run)) {
        add_note(view, TEXT("offloaded_nowhere"),
                 TEXT("the log says that layers were offloaded, but every buffer is in system "
                      "memory: no GPU took part"));
    }
}

static struct log_view view_log(struct arena *arena, const struct load_log *log, const char *path)
{
    struct log_view view = {.arena = arena};
    struct text name = text_from_raw(arena, raw_from_string(path));
    for (size_t i = 0; i < load_log_run_count(log); i++) {
        if (load_log_run_is_last(log, i)) {
            add_run(&view, load_log_run(log, i), name);
        }
    }
    if (view.model_count == 0 && view.note_count == 0) {
        add_note(&view, TEXT("no_load"), TEXT("the log holds no line about a model that it knows"));
    }
    return view;
}

static void print_view(const struct command_call *call, const struct log_view *view)
{
    if (!options_flag(&call->options, OPTION_json)) {
        text_models(stdout, view->models, view->model_count, view->notes, view->note_count,
                    !command_may_use_utf8(call));
        return;
    }
    struct buffer buffer = {0};
    models_write(view->models, view->model_count, view->notes, view->note_count,
                 terminal_is_output(), &buffer);
    fwrite(buffer.bytes, 1, buffer.size, stdout);
    fputc('\n', stdout);
    buffer_free(&buffer);
}

int command_inspect_log(struct command_call *call)
{
    struct problem problem = {""}, limits = {""};
    const char *path = call->options.values[OPTION_log].text;
    struct load_log *log = read_log(path, &limits, &problem);
    if (!log) {
        return command_fail(EXIT_FAILED, "%s", problem.text);
    }
    struct arena *arena = arena_new();
    int status;
    struct log_view view = view_log(arena, log, path);
    if (limits.text[0] && view.model_count == 0) {
        status = command_fail(EXIT_FAILED, "%.200s holds no line about a model that is known (%s)",
                              path, limits.text);
    } else {
        if (limits.text[0]) {
            add_note(&view, TEXT("log_cut"), text_from_raw(arena, raw_from_string(limits.text)));
        }
        print_view(call, &view);
        status = command_finish_output(EXIT_DONE);
    }
    arena_free(&arena);
    load_log_free(&log);
    return status;
}
