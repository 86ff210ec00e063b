#include "inspect/load_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "inspect/load_lines.h"
#include "inspect/load_log_lanes.h"
#include "snapshot/json.h"

struct load_log *load_log_new(void)
{
    struct load_log *log = calloc(1, sizeof *log);
    if (!log) {
        fatal_out_of_memory(sizeof *log);
    }
    log->lane_count = 1;
    return log;
}

void load_log_free(struct load_log **log)
{
    if (*log) {
        for (size_t i = 0; i < (*log)->run_count; i++) {
            run_free(&(*log)->runs[i]);
        }
        log_words_free(&(*log)->words);
        free((*log)->line);
        free(*log);
        *log = NULL;
    }
}

static bool is_current(const struct load_log *log, const struct load_run_reading *run)
{
    for (size_t i = 0; i < log->lane_count; i++) {
        if (log->lanes[i].run == run || log->lanes[i].held == run) {
            return true;
        }
    }
    return false;
}

/* Room for one more run: the oldest that is over goes. */
static void forget_run(struct load_log *log)
{
    size_t at = 0;
    while (at + 1 < log->run_count && is_current(log, log->runs[at])) {
        at++;
    }
    for (size_t i = 0; i < log->lane_count; i++) {
        if (log->lanes[i].held == log->runs[at]) {
            log->lanes[i].held = NULL;
        }
    }
    run_free(&log->runs[at]);
    memmove(&log->runs[at], &log->runs[at + 1],
            (log->run_count - at - 1) * sizeof(struct load_run_reading *));
    log->run_count--;
}

void load_log_begin_run(struct load_log *log, struct lane *lane, struct load_run_reading *held,
                        bool has_start)
{
    lane->run = NULL;
    lane->held = held;
    lane->last_us = -1;
    if (log->run_count == LOAD_RUNS_MAX) {
        forget_run(log);
    }
    struct load_run_reading *run = run_new(log->line_offset);
    run->seen.has_start = has_start;
    log->runs[log->run_count++] = run;
    lane->run = run;
}

void load_log_end_lanes(struct load_log *log)
{
    log->lane_count = 1;
}

static struct lane *find_lane(struct load_log *log, const struct log_prefix *prefix)
{
    struct lane *oldest = &log->lanes[1], *lane = NULL;
    if (prefix->lane.length == 0 || prefix->lane.length > LANE_NAME_MAX) {
        return &log->lanes[0];
    }
    for (size_t i = 1; i < log->lane_count; i++) {
        struct lane *other = &log->lanes[i];
        if (other->name_length == prefix->lane.length &&
            memcmp(other->name, prefix->lane.bytes, other->name_length) == 0) {
            return other;
        }
        oldest = other->used < oldest->used ? other : oldest;
    }
    lane = log->lane_count < LANES_MAX ? &log->lanes[log->lane_count++] : oldest;
    *lane = (struct lane){.name_length = prefix->lane.length, .last_us = -1};
    memcpy(lane->name, prefix->lane.bytes, lane->name_length);
    return lane;
}

static struct load_run_reading *lane_run(struct load_log *log, struct lane *lane,
                                         const struct log_prefix *prefix)
{
    if (!lane->run) {
        load_log_begin_run(log, lane, NULL, false);
    }
    struct load_run *seen = &lane->run->seen;
    if (prefix->lane_is_port && !seen->is_child) {
        seen->port = log_count(prefix->lane);
        seen->is_child = true;
        if (log->lanes[0].run) {
            log->lanes[0].run->seen.is_router = true;
        }
    }
    if (prefix->pid.known) {
        seen->log_pid = prefix->pid;
    }
    if (prefix->time.length && seen->start_ns == TIME_UNKNOWN) {
        struct arena *arena = arena_new();
        if (!time_parse(text_from_raw(arena, prefix->time), &seen->start_ns)) {
            seen->start_ns = TIME_UNKNOWN;
        }
        arena_free(&arena);
    }
    return lane->run;
}

/* False: the line is of a process that a newer one in the same journal has replaced. */
static bool follow_pid(struct load_log *log, struct measured pid)
{
    if (!pid.known || (log->pid_count && log->pids[log->pid_count - 1] == pid.value)) {
        return true;
    }
    for (size_t i = 0; i < log->pid_count; i++) {
        if (log->pids[i] == pid.value) {
            return false;
        }
    }
    if (log->pid_count == PIDS_MAX) {
        memmove(log->pids, log->pids + 1, (PIDS_MAX - 1) * sizeof *log->pids);
        log->pid_count--;
    }
    log->pids[log->pid_count++] = pid.value;
    if (log->pid_count > 1) {
        load_log_end_lanes(log);
        load_log_begin_run(log, &log->lanes[0], NULL, false);
    }
    return true;
}

static void take_line(struct load_log *log)
{
    size_t length = log_remove_colours(log->line, log->line_length);
    struct log_line line = {.text = {log->line, log_unwrap_json(log->line, length)}};
    bool any = log_words_find(log->words, &line);
    struct log_prefix prefix = log_prefix_read(line.text);
    log->line_count++;
    if (!any && !prefix.relative_us.known) {
        return;
    }
    if (any && !follow_pid(log, prefix.pid)) {
        return;
    }
    struct lane *lane = find_lane(log, &prefix);
    lane->used = log->line_count;
    load_log_watch_clock(log, lane, prefix.relative_us);
    if (!any) {
        return;
    }
    bool section = load_log_begin_section(log, lane, &line);
    if (!section) {
        load_log_mark_start(log, lane, &line);
    }
    struct load_run_reading *run = lane_run(log, lane, &prefix);
    if (!section && !load_lines_whisper(run, &line) && !load_lines_diffusion(run, &line) &&
        !load_lines_vllm(run, &line) && !load_lines_sglang(run, &line)) {
        load_lines_llama(run, &line);
        load_lines_ollama(run, &line);
    }
    if (lane->held && run_has_sizes(run)) {
        lane->held = NULL;
    }
}

static void end_line(struct load_log *log)
{
    if (log->line_length) {
        take_line(log);
    }
    log->line_length = 0;
    log->line_offset = log->offset;
}

static void feed_plain(struct load_log *log, struct raw_text bytes)
{
    while (bytes.length) {
        const char *end = memchr(bytes.bytes, '\n', bytes.length);
        size_t length = end ? (size_t)(end - bytes.bytes) : bytes.length;
        size_t room = LINE_BYTES_MAX - log->line_length;
        size_t kept = length < room ? length : room;
        memcpy(log->line + log->line_length, bytes.bytes, kept);
        log->line_length += kept;
        log->offset += length + (end ? 1 : 0);
        bytes.bytes += length + (end ? 1 : 0);
        bytes.length -= length + (end ? 1 : 0);
        if (end) {
            end_line(log);
        }
    }
}

/* UTF-16 with its mark at the start: what Windows PowerShell writes for ">". Lines of a load log
 * are ASCII but for names; what is not becomes '?'. */
static void feed_wide(struct load_log *log, struct raw_text bytes)
{
    char narrow[4096];
    size_t count = 0;
    for (size_t i = 0; i < bytes.length; i++) {
        unsigned char byte = (unsigned char)bytes.bytes[i];
        if (!log->has_low) {
            log->low = byte;
            log->has_low = true;
            continue;
        }
        log->has_low = false;
        narrow[count++] = byte == 0 && log->low < 0x80 ? (char)log->low : '?';
        if (count == sizeof narrow) {
            feed_plain(log, (struct raw_text){narrow, count});
            count = 0;
        }
    }
    feed_plain(log, (struct raw_text){narrow, count});
}

void load_log_feed(struct load_log *log, struct raw_text bytes)
{
    if (!log->words) {
        log->words = log_words_new();
        log->line = memory_new(LINE_BYTES_MAX);
    }
    if (log->offset == 0 && raw_starts_with(bytes, "\xff\xfe")) {
        log->wide = true;
        bytes = (struct raw_text){bytes.bytes + 2, bytes.length - 2};
    }
    if (log->wide) {
        feed_wide(log, bytes);
    } else {
        feed_plain(log, bytes);
    }
}

void load_log_end(struct load_log *log)
{
    end_line(log);
    log_words_free(&log->words);
    free(log->line);
    log->line = NULL;
}

size_t load_log_run_count(const struct load_log *log)
{
    return log->run_count;
}

const struct load_run *load_log_run(const struct load_log *log, size_t index)
{
    return run_show(log->runs[index]);
}

bool load_log_run_is_last(const struct load_log *log, size_t index)
{
    return is_current(log, log->runs[index]);
}

bool load_buffer_is_host(struct raw_text name)
{
    static const char host[] = "_Host";
    size_t length = sizeof host - 1;
    return raw_equal_string(name, "CPU") || raw_equal_string(name, "BLAS") ||
           raw_equal_string(name, "AMX") || raw_starts_with(name, "CPU_") ||
           (name.length > length && memcmp(name.bytes + name.length - length, host, length) == 0);
}

struct raw_text load_buffer_device(struct raw_text name)
{
    static const char *const endings[] = {"_Mapped", "_REPACK", "_Private"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (name.length > length &&
            memcmp(name.bytes + name.length - length, endings[i], length) == 0) {
            name.length -= length;
        }
    }
    return name;
}
