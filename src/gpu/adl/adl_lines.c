#include "gpu/adl/adl_lines.h"

#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/helper/opening.h"

static const char name[] = "adl";

static const struct record_field request_fields[] = {
    RECORD_FIELD(struct adl_request, I64, "running_ns", running_ns),
    RECORD_FIELD(struct adl_request, BOOL, "everything", everything)};

static const struct record_field opening_fields[] = {
    RECORD_FIELD(struct adl_opening, INT, "code", code),
    RECORD_FIELD(struct adl_opening, BOOL, "loaded", loaded),
    RECORD_FIELD(struct adl_opening, BOOL, "fits", fits),
    RECORD_FIELD(struct adl_opening, CHARS, "path", path),
    RECORD_FIELD(struct adl_opening, CHARS, "words", words)};

void adl_request_write(const struct adl_request *request, char *line, size_t size)
{
    request_write(name, request_fields, RECORD_COUNT(request_fields), request, line, size);
}

bool adl_request_read(struct raw_text line, struct adl_request *request)
{
    memset(request, 0, sizeof *request);
    return request_read(line, name, request_fields, RECORD_COUNT(request_fields), request);
}

void adl_answer_write(const struct adl_opening *opening, const struct adl_device *devices,
                      size_t count, struct record_lines *lines)
{
    opening_write(lines, name, opening_fields, RECORD_COUNT(opening_fields), opening);
    VECTOR_PUSH(lines, '\n');
    for (size_t i = 0; i < count; i++) {
        adapter_line_write(&devices[i].said, lines);
        if (!devices[i].note[0])
            continue;
        record_write_format(lines, "note");
        record_write_pair(lines, "text", raw_from_string(devices[i].note));
        VECTOR_PUSH(lines, '\n');
    }
}

static bool read_note(struct arena *arena, struct raw_text pairs, struct adl_answer *answer)
{
    struct raw_text key, value;
    bool ok = answer->note_count < ADL_CARDS_MAX;
    while (ok && record_next_pair(&pairs, &key, &value, &ok))
        if (raw_equal_string(key, "text"))
            answer->notes[answer->note_count] = record_unescape(arena, value);
    if (ok && answer->notes[answer->note_count].bytes)
        answer->note_count++;
    return ok;
}

static bool read_line(struct arena *arena, struct raw_text line, struct adl_answer *answer)
{
    struct raw_text word = opening_word(&line);
    if (raw_equal_string(word, "adapter"))
        return answer->adapter_count < ADL_CARDS_MAX &&
               adapter_line_read(arena, line, &answer->adapters[answer->adapter_count++]);
    return !raw_equal_string(word, "note") || read_note(arena, line, answer);
}

bool adl_answer_read(struct raw_text lines, struct arena *arena, struct adl_answer *answer)
{
    struct raw_text line = {"", 0};
    memset(answer, 0, sizeof *answer);
    answer->adapters = ARENA_ARRAY(arena, struct adapter_reading, ADL_CARDS_MAX);
    if (!lines_next(&lines, &line) || !opening_read(arena, line, name, opening_fields,
                                                    RECORD_COUNT(opening_fields), &answer->opening))
        return false;
    while (lines_next(&lines, &line))
        if (!read_line(arena, line, answer))
            return false;
    return true;
}
