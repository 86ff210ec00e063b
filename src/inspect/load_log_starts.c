#include "inspect/load_log_lanes.h"

#include <string.h>

#include "base/lines.h"
#include "inspect/log_text.h"

/* Clocks of threads may disagree by a little; a run's clock begins near zero. */
#define CLOCK_SLACK_US INT64_C(100000)
#define CLOCK_START_US INT64_C(1000000)

static bool has_begun(const struct load_run_reading *run)
{
    return run && (run_has_content(run) || run->seen.ready || run->seen.main_path.length ||
                   run->seen.error.bytes);
}

/* "9999 (de3ff81)" out of "build: 9999 (de3ff81) with GNU 12.2.0 ..."; empty: it is something else.
 */
static struct raw_text version_in(const struct log_line *line)
{
    static const enum log_word words[] = {LOG_WORD_build, LOG_WORD_main_build,
                                          LOG_WORD_print_build};
    struct raw_text version = {0}, rest;
    for (size_t i = 0; i < sizeof words / sizeof *words && !version.length; i++) {
        if (log_line_has(line, words[i])) {
            version = log_line_after(line, words[i]);
            if (!version.length || version.bytes[0] < '0' || version.bytes[0] > '9') {
                version.length = 0;
            } else if (log_find(version, ")", &rest)) {
                version.length = (size_t)(rest.bytes - version.bytes);
            }
        }
    }
    if (!version.length && log_line_has(line, LOG_WORD_build_info) &&
        (!log_value(line->text, "build", &version) || !log_count(version).known)) {
        version.length = 0;
    }
    return version;
}

/* The text of a quoted value, in which backslashes and quotes are escaped. */
static struct raw_text unescaped(struct load_run_reading *run, struct raw_text raw)
{
    char text[LINE_BYTES_MAX];
    size_t length = 0;
    for (size_t i = 0; i < raw.length && length < sizeof text; i++) {
        i += raw.bytes[i] == '\\' && i + 1 < raw.length ? 1 : 0;
        text[length++] = raw.bytes[i];
    }
    return run_text(run, (struct raw_text){text, length});
}

bool load_log_begin_section(struct load_log *log, struct lane *lane, const struct log_line *line)
{
    struct raw_text command, value;
    if (!log_line_has(line, LOG_WORD_ollama_starting) ||
        !log_value(log_line_after(line, LOG_WORD_ollama_starting), "cmd", &command)) {
        return false;
    }
    struct load_run_reading *before = lane->run;
    if (before && !run_has_sizes(before)) {
        before = lane->held;
    }
    load_log_begin_run(log, lane, before, true);
    struct load_run_reading *run = lane->run;
    run->seen.is_child = true;
    run->seen.runtime = raw_from_string("ollama");
    if (log_find(command, "--port ", &value)) {
        run->seen.port = log_count(value);
    }
    if (log_find(command, "--model ", &value)) {
        struct raw_text rest;
        if (log_find(value, " --", &rest)) {
            value.length = (size_t)(rest.bytes - value.bytes) - 3;
        }
        run->seen.main_path = unescaped(run, raw_trim(value));
    }
    return true;
}

void load_log_mark_start(struct load_log *log, struct lane *lane, const struct log_line *line)
{
    bool initializing = log_line_has(line, LOG_WORD_server_initializing);
    bool server =
        log_line_has(line, LOG_WORD_ollama_server) || log_line_has(line, LOG_WORD_ollama_listening);
    bool devices =
        log_line_has(line, LOG_WORD_cuda_devices) || log_line_has(line, LOG_WORD_cublas_devices);
    struct raw_text version = version_in(line);
    bool marked = initializing || server || version.length || log_line_has(line, LOG_WORD_kobold) ||
                  log_line_has(line, LOG_WORD_vllm_version) ||
                  log_line_has(line, LOG_WORD_sglang_arguments);
    bool started = lane->run && lane->run->seen.has_start &&
                   lane->run->seen.offset != log->line_offset; /* not by its clock just now */
    bool begun = has_begun(lane->run) || (started && initializing);
    /* A program that embeds llama.cpp may print no other start; Ollama's probes print it as well.
     */
    devices |=
        log_line_has(line, LOG_WORD_backend_loaded) && lane->run && !lane->run->seen.is_child;
    if (devices && lane->run && lane->run->contexts.count) {
        load_log_begin_run(log, lane, NULL, true); /* once a process, before anything else of it */
    }
    if (!marked) {
        return;
    }
    if (!lane->run || begun) {
        load_log_begin_run(log, lane, NULL, true);
    }
    if (lane == &log->lanes[0]) {
        load_log_end_lanes(log);
    }
    lane->run->seen.has_start = true;
    if (log_line_has(line, LOG_WORD_vllm_version)) {
        version = raw_trim(log_line_after(line, LOG_WORD_vllm_version));
    }
    run_text_once(lane->run, &lane->run->seen.version, version);
    if (log_line_has(line, LOG_WORD_kobold)) {
        lane->run->seen.runtime = raw_from_string("koboldcpp");
    }
}

void load_log_watch_clock(struct load_log *log, struct lane *lane, struct measured relative_us)
{
    if (!relative_us.known) {
        return;
    }
    if (relative_us.value < CLOCK_START_US && relative_us.value + CLOCK_SLACK_US < lane->last_us) {
        load_log_begin_run(log, lane, NULL, true);
        if (lane == &log->lanes[0]) {
            load_log_end_lanes(log);
        }
    }
    lane->last_us = relative_us.value > lane->last_us ? relative_us.value : lane->last_us;
}
