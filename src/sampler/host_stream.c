#include "sampler/host_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/thread.h"
#include "gpu/wddm/host_command.h"
#include "gpu/wddm/host_line.h"
#include "os/linux/interop.h"

#define SOCKET_VARIABLE "WSL_INTEROP"

enum {
    LINES_AT_ONCE = 64, /* of a helper that floods, the rest waits in its pipe */
    ARGUMENTS_MAX = 12,
    DETAIL_SIZE = 256,
};

/* PowerShell takes seconds to start, and minutes on a busy machine (microsoft/WSL#10629). */
static const int64_t first_line_ns = 120LL * 1000000000;
static const int64_t silence_ns = 30LL * 1000000000;
static const int64_t first_sample_patience_ns = 15LL * 1000000000;
static const int64_t scripted_line_ns = 5LL * 1000000000;
static const int64_t gap_ns = 3LL * 1000000000;

/* What may be done here at all. */
enum permission { PERMITTED, WORTH_A_TRY, SWITCHED_OFF, NO_INTEROP, NO_STAND_IN };

struct host_stream {
    struct machine *machine;
    struct helper *helper;
    enum permission permission;
    char path[INTEROP_PATH_SIZE];
    char socket[sizeof SOCKET_VARIABLE + INTEROP_PATH_SIZE]; /* "WSL_INTEROP=..." */
    char *command;
    const char *argv[ARGUMENTS_MAX];

    struct reading *newest; /* the newest sample, or what stands in its place */
    struct reading *next;   /* scripted: the one beyond the sample's time */
    struct reading *spare;
    struct reading *state; /* without figures */
    struct arena *hello;   /* of the adapters that Windows described */
    const struct wddm_adapter *adapters;
    size_t adapter_count;
    bool has_sample, has_next;
    bool gap;                   /* before the newest sample, or one since the last pass */
    int64_t newest_ns, next_ns; /* on the helper's clock */
    uint64_t number;
    size_t skipped;
    char said[DETAIL_SIZE]; /* the last word of an event, for people */
    bool said_bye;          /* it was the helper's last one */

    struct pass pass;
    bool scripted;
    int64_t wait_until_ns; /* thread clock */
    int64_t arrived_ns;    /* running clock of the newest sample */
};

static enum permission permission_of(struct machine *machine, bool switched_off)
{
    const char *named = getenv("GPUTASKMAN_POWERSHELL");
    if (switched_off)
        return SWITCHED_OFF;
    enum interop interop = interop_of(machine->root);
    /* WSL says where it listens, though no entry shows it: a try tells. */
    if (interop == INTEROP_MISSING && !machine->recorded && getenv(SOCKET_VARIABLE))
        return WORTH_A_TRY;
    if (interop != INTEROP_ON)
        return NO_INTEROP;
    return machine->recorded && !(named && named[0]) ? NO_STAND_IN : PERMITTED;
}

/* A variable of ours is as every thread sees it: the helper alone gets another one. */
static size_t set_socket(struct host_stream *stream)
{
    char path[INTEROP_PATH_SIZE];
    const char *named = getenv(SOCKET_VARIABLE);
    interop_socket(stream->machine->root, named, path);
    if (!path[0] || (named && strcmp(path, named) == 0))
        return 0;
    snprintf(stream->socket, sizeof stream->socket, SOCKET_VARIABLE "=%s", path);
    stream->argv[0] = "/usr/bin/env";
    stream->argv[1] = stream->socket;
    return 2;
}

static void set_arguments(struct host_stream *stream)
{
    static const char *const arguments[] = {"-NoLogo",          "-NoProfile", "-NonInteractive",
                                            "-ExecutionPolicy", "Bypass",     "-EncodedCommand"};
    const char *named = getenv("GPUTASKMAN_POWERSHELL");
    size_t count = 0;
    if (!named || !named[0]) {
        interop_powershell(stream->machine->root, stream->path);
        named = stream->path;
        count = set_socket(stream);
    }
    stream->command = host_command();
    stream->argv[count++] = named;
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        stream->argv[count++] = arguments[i];
    stream->argv[count++] = stream->command;
}

struct host_stream *host_stream_new(struct machine *machine, struct wake *wake, bool switched_off)
{
    if (machine_mode(machine) != MODE_WSL)
        return NULL;
    struct host_stream *stream = memory_new(sizeof *stream);
    stream->machine = machine;
    stream->permission = permission_of(machine, switched_off);
    stream->scripted = !machine_waits_between_samples(machine);
    stream->newest = reading_new("windows");
    stream->next = reading_new("windows");
    stream->spare = reading_new("windows");
    stream->state = reading_new("windows");
    stream->hello = arena_new();
    if (stream->permission != PERMITTED && stream->permission != WORTH_A_TRY)
        return stream;
    set_arguments(stream);
    const struct helper_spec spec = {
        .name = "windows",
        .argv = stream->argv,
        .first_answer_ns = first_line_ns,
        .answer_ns = silence_ns,
        .line_limit = HOST_LINE_LIMIT,
        .answer_limit = HOST_LINE_LIMIT,
        .streams = true,
    };
    stream->helper = helper_new(&spec, wake);
    return stream;
}

void host_stream_free(struct host_stream **freeing, int64_t patience_ns)
{
    struct host_stream *stream = *freeing;
    *freeing = NULL;
    if (!stream)
        return;
    if (stream->helper)
        helper_stop(stream->helper, patience_ns);
    helper_free(&stream->helper);
    reading_free(&stream->newest);
    reading_free(&stream->next);
    reading_free(&stream->spare);
    reading_free(&stream->state);
    arena_free(&stream->hello);
    free(stream->command);
    free(stream);
}

static void swap(struct reading **a, struct reading **b)
{
    struct reading *held = *a;
    *a = *b;
    *b = held;
}

static void keep_words(struct host_stream *stream, struct raw_text text)
{
    size_t length = text.length < DETAIL_SIZE - 1 ? text.length : DETAIL_SIZE - 1;
    if (!text.bytes)
        return;
    memcpy(stream->said, text.bytes, length);
    stream->said[length] = '\0';
}

/* The adapters outlive the line. */
static void take_hello(struct host_stream *stream, struct raw_text line)
{
    struct host_line parsed;
    arena_reset(stream->hello);
    host_line_parse(line, stream->hello, &parsed);
    stream->adapters = parsed.sample.adapters;
    stream->adapter_count = parsed.sample.adapter_count;
}

/* A sample becomes the newest one. */
static void take_newest(struct host_stream *stream, int64_t helper_ns)
{
    bool was_there = stream->has_sample;
    int64_t since_ns = helper_ns - stream->newest_ns;
    stream->newest_ns = helper_ns;
    stream->has_sample = true;
    stream->arrived_ns = stream->scripted ? helper_ns : machine_running_ns(stream->machine);
    /* A helper that was started anew has missed what happened meanwhile. */
    bool missed = !was_there || since_ns > gap_ns || since_ns < 0;
    stream->gap |= !stream->scripted && stream->number > 0 && missed;
    stream->newest->wddm_number = ++stream->number;
    if (!was_there && stream->said_bye)
        stream->said[0] = '\0';
    stream->said_bye = false;
}

/* True when the line is a sample, which is then in `spare`. */
static bool parse_line(struct host_stream *stream, struct raw_text line, int64_t *helper_ns)
{
    struct reading *reading = stream->spare;
    struct host_line *parsed;
    reading_reset(reading, "windows");
    parsed = ARENA_NEW(reading->arena, struct host_line);
    host_line_parse(line, reading->arena, parsed);
    switch (parsed->kind) {
    case HOST_LINE_SAMPLE:
        reading->wddm = &parsed->sample;
        *helper_ns = llround(parsed->seconds * 1e9);
        return true;
    case HOST_LINE_HELLO:
        take_hello(stream, line);
        return false;
    case HOST_LINE_NONE:
        stream->skipped++;
        return false;
    case HOST_LINE_ERROR:
    case HOST_LINE_BYE:
        keep_words(stream, parsed->text);
        stream->said_bye = parsed->kind == HOST_LINE_BYE;
        return false;
    case HOST_LINE_OTHER:
        break;
    }
    return false;
}

static void take_line(struct host_stream *stream, struct raw_text line)
{
    int64_t helper_ns;
    if (!parse_line(stream, line, &helper_ns))
        return;
    if (stream->scripted && helper_ns > stream->pass.running_ns) {
        swap(&stream->next, &stream->spare);
        stream->next_ns = helper_ns;
        stream->has_next = true;
        return;
    }
    swap(&stream->newest, &stream->spare);
    take_newest(stream, helper_ns);
}

/* The one that was kept for later, when its time has come. */
static void take_kept(struct host_stream *stream)
{
    if (!stream->has_next || stream->next_ns > stream->pass.running_ns)
        return;
    swap(&stream->newest, &stream->next);
    stream->has_next = false;
    take_newest(stream, stream->next_ns);
}

/* Scripted: whether the lines so far reach the sample's time. */
static bool is_reached(const struct host_stream *stream)
{
    return stream->has_next || (stream->has_sample && stream->newest_ns >= stream->pass.running_ns);
}

static void take_lines(struct host_stream *stream)
{
    struct raw_text line;
    for (int i = 0; stream->helper && i < LINES_AT_ONCE; i++) {
        if (stream->scripted && is_reached(stream))
            return;
        if (!helper_poll(stream->helper, &line))
            return;
        stream->wait_until_ns =
            stream->scripted ? thread_clock_ns() + scripted_line_ns : stream->wait_until_ns;
        take_line(stream, line);
    }
}

void host_stream_begin(struct host_stream *stream, const struct pass *pass)
{
    if (!stream)
        return;
    stream->pass = *pass;
    if (!stream->helper)
        return;
    stream->wait_until_ns =
        thread_clock_ns() + (stream->scripted ? scripted_line_ns : first_sample_patience_ns);
    helper_ask(stream->helper, "");
    take_kept(stream);
    take_lines(stream);
}

bool host_stream_poll(struct host_stream *stream)
{
    if (!stream || !stream->helper)
        return false;
    bool wants =
        stream->scripted ? !is_reached(stream) : stream->pass.one_shot && !stream->has_sample;
    if (!wants)
        return false;
    take_lines(stream);
    wants = stream->scripted ? !is_reached(stream) : !stream->has_sample;
    return wants && helper_is_busy(stream->helper) && thread_clock_ns() < stream->wait_until_ns;
}

void host_stream_drain(struct host_stream *stream)
{
    if (stream && stream->helper && !stream->scripted)
        take_lines(stream);
}

bool host_stream_is_running(const struct host_stream *stream)
{
    return stream && stream->helper && !stream->scripted && helper_is_busy(stream->helper);
}

struct helper *host_stream_helper(const struct host_stream *stream)
{
    return stream ? stream->helper : NULL;
}

static const struct reading *state_only(struct host_stream *stream, enum source_state state,
                                        enum reason code, const char *words)
{
    struct reading *reading = stream->state;
    reading_reset(reading, "windows");
    reading->state = state;
    reading->has_code = true;
    reading->code = code;
    reading->skipped_lines = stream->skipped;
    if (words && words[0])
        problem_set(&reading->problem, "%s", words);
    return reading;
}

static const struct reading *failed(struct host_stream *stream, const struct helper_status *status)
{
    const struct reading *reading =
        state_only(stream, SOURCE_FAILED, REASON_call_failed, status->why.text);
    if (stream->said[0])
        problem_set(&stream->state->problem, "PowerShell said \"%s\"; %s", stream->said,
                    status->why.text);
    return reading;
}

const struct reading *host_stream_newest(struct host_stream *stream)
{
    switch (stream->permission) {
    case SWITCHED_OFF:
        return state_only(stream, SOURCE_OFF, REASON_host_off, "not asked (--no-host)");
    case NO_INTEROP:
        return state_only(stream, SOURCE_OFF, REASON_no_interop,
                          "Windows programs cannot be started from here: interop is off");
    case NO_STAND_IN:
        return state_only(stream, SOURCE_OFF, REASON_no_interop,
                          "this is a recorded machine, and GPUTASKMAN_POWERSHELL names no program "
                          "that plays its Windows side");
    case PERMITTED:
    case WORTH_A_TRY:
        break;
    }
    struct helper_status status = helper_status(stream->helper);
    /* The kernel does not know Windows' programs after all (microsoft/WSL#8843). */
    if (stream->permission == WORTH_A_TRY && status.state == HELPER_FAILED && stream->number == 0)
        return state_only(stream, SOURCE_OFF, REASON_no_interop, status.why.text);
    /* A recording may end with its last line. */
    bool ended = status.state == HELPER_FAILED && !(stream->scripted && stream->has_sample);
    if (ended) {
        stream->has_sample = stream->scripted && stream->has_sample;
        return failed(stream, &status);
    }
    if (!stream->has_sample)
        return state_only(stream, SOURCE_STARTING, REASON_starting,
                          stream->skipped ? "it has sent no sample yet, only lines that make no "
                                            "sense"
                                          : "PowerShell takes some seconds to start");
    struct reading *reading = stream->newest;
    struct wddm_sample *sample = (struct wddm_sample *)(uintptr_t)(const void *)reading->wddm;
    sample->adapters = stream->adapters;
    sample->adapter_count = stream->adapter_count;
    reading->state = SOURCE_OK;
    reading->running_ns = stream->arrived_ns;
    reading->pass_number = stream->pass.number;
    reading->skipped_lines = stream->skipped;
    reading->wddm_after_gap = stream->gap;
    stream->gap = false;
    if (stream->said[0])
        reading->detail = (struct raw_text){stream->said, strlen(stream->said)};
    return reading;
}
