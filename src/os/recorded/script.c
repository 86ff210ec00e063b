#include "os/recorded/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"

enum { SAMPLES_MAX = 1000000, FRACTION_DIGITS = 9 };

#define SECOND_NS INT64_C(1000000000)
/* The year 2096: sums of such times and intervals never overflow. */
#define TIME_MAX_NS (INT64_C(4000000000) * SECOND_NS)

/* Seconds with a fraction, exact to the nanosecond: no floating point is involved. */
static bool parse_seconds(struct raw_text raw, int64_t *ns)
{
    struct raw_text whole = raw, fraction = {NULL, 0};
    int64_t seconds, rest = 0;
    bool has_fraction = raw_split(raw, '.', &whole, &fraction);
    if (!number_parse_i64(whole, &seconds, NULL) || seconds < 0)
        return false;
    if (has_fraction) {
        int64_t unit = SECOND_NS;
        for (size_t i = 0; i < fraction.length; i++) {
            if (fraction.bytes[i] < '0' || fraction.bytes[i] > '9')
                return false;
            if (i < FRACTION_DIGITS) {
                unit /= 10;
                rest += (fraction.bytes[i] - '0') * unit;
            }
        }
        if (fraction.length == 0)
            return false;
    }
    return number_multiply_i64(seconds, SECOND_NS, ns) && number_add_i64(*ns, rest, ns) &&
           *ns <= TIME_MAX_NS;
}

static bool parse_times(const char *name, const char *value, int64_t **times, size_t *count,
                        struct problem *problem)
{
    struct {
        int64_t *items;
        size_t count, capacity;
    } found = {0};
    struct raw_text rest = raw_from_string(value), field;
    while (fields_next(&rest, ',', &field)) {
        int64_t ns;
        if (found.count == SAMPLES_MAX || !parse_seconds(raw_trim(field), &ns)) {
            VECTOR_FREE(&found);
            return problem_set(problem, "%s: sample %u is no time in seconds: \"%.*s\"", name,
                               (unsigned)found.count, (int)(field.length < 40 ? field.length : 40),
                               field.bytes);
        }
        VECTOR_PUSH(&found, ns);
    }
    if (found.count == 0)
        return problem_set(problem, "%s is empty: give seconds, separated by commas", name);
    *times = found.items;
    *count = found.count;
    return true;
}

static char *copy_string(const char *bytes, size_t length)
{
    char *copy = memory_new(length + 1);
    memcpy(copy, bytes, length);
    return copy;
}

static bool parse_trees(const char *value, struct sample_script *script, struct problem *problem)
{
    struct {
        char **items;
        size_t count, capacity;
    } found = {0};
    struct raw_text rest = raw_from_string(value), field;
    bool good = *value != '\0';
    while (good && fields_next(&rest, ':', &field)) {
        good = field.length > 0 && found.count < SAMPLES_MAX;
        if (good)
            VECTOR_PUSH(&found, copy_string(field.bytes, field.length));
    }
    script->trees = found.items;
    script->tree_count = found.count;
    return good ||
           problem_set(problem, "GPUTASKMAN_SYSROOT names an empty folder: give one folder a "
                                "sample, separated by colons");
}

static bool holds(const char *folder, const char *name)
{
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = memory_new(length);
    snprintf(path, length, "%s/%s", folder, name);
    bool there = file_size(path) >= 0;
    free(path);
    return there;
}

/* Which system the folder is of is told by its files. */
static bool parse_recorded(const char *folder, struct sample_script *script,
                           struct problem *problem)
{
    script->kind = holds(folder, "counters.jsonl") ? RECORDED_WINDOWS
                   : holds(folder, "input.json")   ? RECORDED_MACOS
                                                   : RECORDED_NONE;
    if (script->kind == RECORDED_NONE)
        return problem_set(problem,
                           "GPUTASKMAN_RECORDED: %.200s has neither the counters.jsonl of a "
                           "Windows machine nor the input.json of a macOS machine",
                           folder);
    script->recorded = copy_string(folder, strlen(folder));
    return true;
}

static bool parse_into(const struct script_variables *variables, struct sample_script *script,
                       struct problem *problem)
{
    if (variables->sysroot && !parse_trees(variables->sysroot, script, problem))
        return false;
    if (variables->recorded && variables->sysroot)
        return problem_set(problem, "GPUTASKMAN_RECORDED and GPUTASKMAN_SYSROOT are two machines: "
                                    "set one of them");
    if (variables->recorded && !parse_recorded(variables->recorded, script, problem))
        return false;
    if (variables->sample_times &&
        !parse_times("GPUTASKMAN_SAMPLE_TIMES", variables->sample_times, &script->running_ns,
                     &script->running_count, problem))
        return false;
    if (variables->wall_times && !parse_times("GPUTASKMAN_WALL_TIMES", variables->wall_times,
                                              &script->wall_ns, &script->wall_count, problem))
        return false;
    for (size_t i = 1; i < script->running_count; i++)
        if (script->running_ns[i] < script->running_ns[i - 1])
            return problem_set(problem,
                               "GPUTASKMAN_SAMPLE_TIMES: sample %u is earlier than the one "
                               "before it; the running clock never goes back",
                               (unsigned)i);
    if (variables->self_pid &&
        (!number_parse_i64(raw_from_string(variables->self_pid), &script->self_pid, NULL) ||
         script->self_pid <= 0 || script->self_pid > INT32_MAX))
        return problem_set(problem, "GPUTASKMAN_SELF_PID is no process number: \"%.40s\"",
                           variables->self_pid);
    if (variables->sample_file && variables->sample_file[0])
        script->sample_file = copy_string(variables->sample_file, strlen(variables->sample_file));
    return true;
}

bool sample_script_parse(const struct script_variables *variables, struct sample_script **script,
                         struct problem *problem)
{
    *script = NULL;
    if (!variables->sysroot && !variables->recorded && !variables->sample_times &&
        !variables->wall_times && !variables->sample_file && !variables->self_pid &&
        !variables->nvml && !variables->rocdxg && !variables->adl && !variables->powershell)
        return true;
    struct sample_script *made = memory_new(sizeof *made);
    if (!parse_into(variables, made, problem)) {
        sample_script_free(&made);
        return false;
    }
    *script = made;
    return true;
}

bool sample_script_read(struct sample_script **script, struct problem *problem)
{
    struct script_variables variables = {
        .sysroot = getenv("GPUTASKMAN_SYSROOT"),
        .recorded = getenv("GPUTASKMAN_RECORDED"),
        .sample_times = getenv("GPUTASKMAN_SAMPLE_TIMES"),
        .wall_times = getenv("GPUTASKMAN_WALL_TIMES"),
        .sample_file = getenv("GPUTASKMAN_SAMPLE_FILE"),
        .self_pid = getenv("GPUTASKMAN_SELF_PID"),
        .nvml = getenv("GPUTASKMAN_NVML"),
        .rocdxg = getenv("GPUTASKMAN_ROCDXG"),
        .adl = getenv("GPUTASKMAN_ADL"),
        .powershell = getenv("GPUTASKMAN_POWERSHELL"),
    };
    return sample_script_parse(&variables, script, problem);
}

void sample_script_free(struct sample_script **script)
{
    if (!*script)
        return;
    for (size_t i = 0; i < (*script)->tree_count; i++)
        free((*script)->trees[i]);
    free((*script)->trees);
    free((*script)->recorded);
    free((*script)->running_ns);
    free((*script)->wall_ns);
    free((*script)->sample_file);
    free(*script);
    *script = NULL;
}

uint64_t sample_script_count(const struct sample_script *script)
{
    size_t times =
        script->running_count > script->wall_count ? script->running_count : script->wall_count;
    return script->tree_count > times ? script->tree_count : times;
}

static bool time_of(const int64_t *times, size_t count, uint64_t number, int64_t *ns)
{
    if (count == 0)
        return false;
    if (number < count) {
        *ns = times[number];
        return true;
    }
    int64_t step = count > 1 ? times[count - 1] - times[count - 2] : SECOND_NS, beyond;
    uint64_t steps = number - count + 1;
    if (steps > INT64_MAX || !number_multiply_i64((int64_t)steps, step, &beyond) ||
        !number_add_i64(times[count - 1], beyond, ns) || *ns > TIME_MAX_NS)
        *ns = TIME_MAX_NS;
    return true;
}

bool sample_script_running_ns(const struct sample_script *script, uint64_t number, int64_t *ns)
{
    return time_of(script->running_ns, script->running_count, number, ns);
}

bool sample_script_wall_ns(const struct sample_script *script, uint64_t number, int64_t *ns)
{
    return time_of(script->wall_ns, script->wall_count, number, ns);
}

static int64_t *copy_times(const int64_t *times, size_t count)
{
    int64_t *copy = memory_new(count * sizeof *copy);
    memcpy(copy, times, count * sizeof *copy);
    return copy;
}

void sample_script_set_times(struct sample_script *script, const int64_t *running_ns,
                             const int64_t *wall_ns, size_t count)
{
    if (count == 0)
        return;
    if (script->running_count == 0) {
        script->running_ns = copy_times(running_ns, count);
        script->running_count = count;
    }
    if (script->wall_count == 0) {
        script->wall_ns = copy_times(wall_ns, count);
        script->wall_count = count;
    }
}

void sample_script_write_number(const struct sample_script *script, uint64_t number)
{
    if (!script->sample_file)
        return;
    FILE *file = fopen(script->sample_file, "wb");
    if (!file)
        return;
    fprintf(file, "%" PRIu64 "\n", number);
    fclose(file);
}
