#include "gpu/rocdxg/rocdxg_lines.h"

#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/helper/opening.h"

static const char name[] = "rocdxg";

static const struct record_field request_fields[] = {
    RECORD_FIELD(struct rocdxg_request, I64, "running_ns", running_ns),
    RECORD_FIELD(struct rocdxg_request, BOOL, "everything", everything)};

static const struct record_field opening_fields[] = {
    RECORD_FIELD(struct rocdxg_opening, INT, "code", code),
    RECORD_FIELD(struct rocdxg_opening, BOOL, "loaded", loaded),
    RECORD_FIELD(struct rocdxg_opening, BOOL, "has_monitoring", has_monitoring),
    RECORD_FIELD(struct rocdxg_opening, CHARS, "path", path),
    RECORD_FIELD(struct rocdxg_opening, CHARS, "words", words)};

void rocdxg_request_write(const struct rocdxg_request *request, char *line, size_t size)
{
    request_write(name, request_fields, RECORD_COUNT(request_fields), request, line, size);
}

bool rocdxg_request_read(struct raw_text line, struct rocdxg_request *request)
{
    memset(request, 0, sizeof *request);
    return request_read(line, name, request_fields, RECORD_COUNT(request_fields), request);
}

void rocdxg_answer_write(const struct rocdxg_answer *answer, struct record_lines *lines)
{
    opening_write(lines, name, opening_fields, RECORD_COUNT(opening_fields), &answer->opening);
    VECTOR_PUSH(lines, '\n');
    for (size_t i = 0; i < answer->adapter_count; i++)
        adapter_line_write(answer->adapters[i], lines);
}

bool rocdxg_answer_read(struct raw_text lines, struct arena *arena, struct rocdxg_opening *opening,
                        struct adapter_reading **adapters, size_t *count)
{
    struct raw_text line = {"", 0};
    memset(opening, 0, sizeof *opening);
    *adapters = ARENA_ARRAY(arena, struct adapter_reading, ROCDXG_DEVICES_MAX);
    *count = 0;
    if (!lines_next(&lines, &line) ||
        !opening_read(arena, line, name, opening_fields, RECORD_COUNT(opening_fields), opening))
        return false;
    while (lines_next(&lines, &line)) {
        struct raw_text word = opening_word(&line);
        if (!raw_equal_string(word, "adapter"))
            continue;
        if (*count == ROCDXG_DEVICES_MAX || !adapter_line_read(arena, line, &(*adapters)[*count]))
            return false;
        (*count)++;
    }
    return true;
}
