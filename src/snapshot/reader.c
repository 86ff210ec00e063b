#include "snapshot/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "snapshot/json.h"
#include "snapshot/limits.h"

enum { STRING_LIMIT = 1 << 20 };

void reader_step_in(struct reader *reader, const char *key, size_t index)
{
    reader->steps[reader->step_count++] = (struct locate_step){key, index};
}

void reader_step_out(struct reader *reader)
{
    reader->step_count--;
}

/* "processes[3].gpus[0].vram_bytes" */
static void format_steps(const struct reader *reader, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < reader->step_count && used < size; i++) {
        const struct locate_step *step = &reader->steps[i];
        int length =
            step->key
                ? snprintf(out + used, size - used, "%s%.64s", i > 0 ? "." : "", step->key)
                : snprintf(out + used, size - used, "[%llu]", (unsigned long long)step->index);
        used += length > 0 ? (size_t)length : 0;
    }
}

bool reader_fail_at(struct reader *reader, size_t line, size_t column, const char *reason)
{
    return problem_set(reader->problem, "%.200s:%llu:%llu: %s", reader->name,
                       (unsigned long long)(reader->first_line + line - 1),
                       (unsigned long long)column, reason);
}

__attribute__((format(printf, 2, 3))) bool reader_fail(struct reader *reader, const char *format,
                                                       ...)
{
    char reason[PROBLEM_SIZE], path[PROBLEM_SIZE / 2], text[PROBLEM_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    format_steps(reader, path, sizeof path);
    snprintf(text, sizeof text, "%.150s%s%.300s", path, path[0] ? " " : "", reason);
    struct locate_position position =
        locate(reader->bytes, reader->size, reader->steps, reader->step_count);
    return reader_fail_at(reader, position.line, position.column, text);
}

const char *reader_type_words(const json_t *value)
{
    static const char *const words[] = {
        [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
        [JSON_INTEGER] = "an integer", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",        [JSON_NULL] = "null",
    };
    return words[json_typeof(value)];
}

bool reader_fail_type(struct reader *reader, const char *wanted, const json_t *got)
{
    return reader_fail(reader, "must be %s, not %s", wanted, reader_type_words(got));
}

void *reader_new_list(struct reader *reader, size_t count, size_t item_size, size_t limit)
{
    if (count > limit) {
        reader_fail(reader, "has %llu items; at most %llu are read", (unsigned long long)count,
                    (unsigned long long)limit);
        return NULL;
    }
    if (count * item_size > snapshot_list_bytes_limit(reader->size) - reader->list_bytes) {
        reader_fail(reader, "makes the snapshot too large");
        return NULL;
    }
    reader->list_bytes += count * item_size;
    return arena_alloc_array(reader->arena, count, item_size);
}

bool reader_text(struct reader *reader, const json_t *value, struct text *text)
{
    if (!json_is_string(value)) {
        return reader_fail_type(reader, "a text", value);
    }
    if (json_string_length(value) > STRING_LIMIT) {
        return reader_fail(reader, "is longer than 1 MiB");
    }
    *text = text_from_raw(reader->arena,
                          (struct raw_text){json_string_value(value), json_string_length(value)});
    return true;
}

bool reader_integer(struct reader *reader, const json_t *value, int64_t *integer)
{
    if (json_is_integer(value)) {
        *integer = json_integer_value(value);
        return true;
    }
    /* Other tools may have written 5.0; beyond 2^53 such a number is no longer exact. */
    double real = json_is_real(value) ? json_real_value(value) : 0.5;
    if (real != floor(real) || fabs(real) > 9007199254740992.0) {
        return json_is_real(value) ? reader_fail(reader, "must be an integer")
                                   : reader_fail_type(reader, "an integer", value);
    }
    *integer = (int64_t)real;
    return true;
}

/* "live, demo": for messages. */
static void list_words(const struct words *words, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < words->count && used < size; i++) {
        const char *word = words->name(i);
        if (word[0] != '\0') {
            int length = snprintf(out + used, size - used, "%s%s", used ? ", " : "", word);
            used += length > 0 ? (size_t)length : 0;
        }
    }
}

bool reader_word(struct reader *reader, const json_t *value, const struct words *words, int *word)
{
    if (!json_is_string(value)) {
        return reader_fail_type(reader, "a text", value);
    }
    struct text text = {json_string_value(value), json_string_length(value)};
    if (words_find(words, text, word)) {
        return true;
    }
    if (reader->newer) {
        *word = 0;
        return true;
    }
    if (words == &words_reason) {
        return reader_fail(reader, "'%.40s' is no reason code", text.utf8);
    }
    char known[PROBLEM_SIZE / 2];
    list_words(words, known, sizeof known);
    return reader_fail(reader, "'%.40s' is not one of %s", text.utf8, known);
}

bool reader_time(struct reader *reader, const json_t *value, int64_t *wall_ns)
{
    *wall_ns = TIME_UNKNOWN;
    if (!value) {
        return true;
    }
    if (!json_is_string(value)) {
        return reader_fail_type(reader, "a time", value);
    }
    struct text text = {json_string_value(value), json_string_length(value)};
    return time_parse(text, wall_ns) ||
           reader_fail(reader, "'%.40s' is no time like 2026-11-29T12:00:00.25Z", text.utf8);
}

bool reader_check_list(struct reader *reader, const json_t *value)
{
    return !value || json_is_array(value) || reader_fail_type(reader, "a list", value);
}

bool reader_boolean(struct reader *reader, const json_t *value, bool *boolean)
{
    *boolean = json_is_true(value);
    return !value || json_is_boolean(value) || reader_fail_type(reader, "true or false", value);
}
