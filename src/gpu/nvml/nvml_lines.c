#include "gpu/nvml/nvml_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/helper/opening.h"

#define FIELD(kind, key, member) RECORD_FIELD(struct RECORD, kind, key, member),

static const struct record_field request_fields[] = {
#define RECORD nvml_request
#define REQUEST_FIELDS
#include "gpu/nvml/fields.def"
#undef REQUEST_FIELDS
#undef RECORD
};
static const struct record_field opening_fields[] = {
#define RECORD nvml_opening
#define OPENING_FIELDS
#include "gpu/nvml/fields.def"
#undef OPENING_FIELDS
#undef RECORD
};
static const struct record_field process_fields[] = {
#define RECORD nvml_listed_process
#define PROCESS_FIELDS
#include "gpu/nvml/fields.def"
#undef PROCESS_FIELDS
#undef RECORD
};
static const struct record_field sample_fields[] = {
#define RECORD nvml_process_sample
#define SAMPLE_FIELDS
#include "gpu/nvml/fields.def"
#undef SAMPLE_FIELDS
#undef RECORD
};
#undef FIELD

static const char name[] = "nvml";

void nvml_request_write(const struct nvml_request *request, char *line, size_t size)
{
    request_write(name, request_fields, RECORD_COUNT(request_fields), request, line, size);
}

bool nvml_request_read(struct raw_text line, struct nvml_request *request)
{
    memset(request, 0, sizeof *request);
    return request_read(line, name, request_fields, RECORD_COUNT(request_fields), request);
}

static bool limit(size_t *count, size_t largest)
{
    bool cut = *count > largest;
    *count = cut ? largest : *count;
    return cut;
}

static void write_note(struct raw_text note, struct record_lines *lines)
{
    record_write_format(lines, "note");
    record_write_pair(lines, "text", note);
    VECTOR_PUSH(lines, '\n');
}

void nvml_answer_write(const struct nvml_answer *answer, struct record_lines *lines)
{
    size_t adapters = answer->adapters.count, listed = answer->listed.count;
    size_t samples = answer->samples.count, notes = answer->notes.count;
    bool cut = limit(&adapters, NVML_ADAPTERS_MAX);
    cut = limit(&listed, NVML_PROCESSES_MAX) || cut;
    cut = limit(&samples, NVML_PROCESSES_MAX) || cut;
    limit(&notes, NVML_NOTES_MAX - 1);
    opening_write(lines, name, opening_fields, RECORD_COUNT(opening_fields), &answer->opening);
    VECTOR_PUSH(lines, '\n');
    for (size_t i = 0; i < adapters; i++)
        adapter_line_write(&answer->adapters.items[i], lines);
    for (size_t i = 0; i < listed; i++) {
        record_write(lines, "process", process_fields, RECORD_COUNT(process_fields),
                     &answer->listed.items[i]);
        VECTOR_PUSH(lines, '\n');
    }
    for (size_t i = 0; i < samples; i++) {
        record_write(lines, "sample", sample_fields, RECORD_COUNT(sample_fields),
                     &answer->samples.items[i]);
        VECTOR_PUSH(lines, '\n');
    }
    for (size_t i = 0; i < notes; i++)
        write_note(answer->notes.items[i], lines);
    if (cut)
        write_note(raw_from_string("NVML named more than is shown"), lines);
}

static bool read_note(struct arena *arena, struct raw_text pairs, struct raw_text *note)
{
    struct raw_text key, value;
    bool ok = true;
    while (record_next_pair(&pairs, &key, &value, &ok))
        if (raw_equal_string(key, "text"))
            *note = record_unescape(arena, value);
    return ok;
}

/* How many lines of each word there are; false beyond a limit. */
static bool count_lines(struct raw_text lines, struct nvml_answer *answer)
{
    struct raw_text line;
    while (lines_next(&lines, &line)) {
        struct raw_text word = opening_word(&line);
        answer->adapters.capacity += raw_equal_string(word, "adapter");
        answer->listed.capacity += raw_equal_string(word, "process");
        answer->samples.capacity += raw_equal_string(word, "sample");
        answer->notes.capacity += raw_equal_string(word, "note");
    }
    return answer->adapters.capacity <= NVML_ADAPTERS_MAX &&
           answer->listed.capacity <= NVML_PROCESSES_MAX &&
           answer->samples.capacity <= NVML_PROCESSES_MAX &&
           answer->notes.capacity <= NVML_NOTES_MAX;
}

static bool read_line(struct arena *arena, struct raw_text line, struct nvml_answer *answer)
{
    struct raw_text word = opening_word(&line);
    if (raw_equal_string(word, "adapter"))
        return adapter_line_read(arena, line, &answer->adapters.items[answer->adapters.count++]);
    if (raw_equal_string(word, "process"))
        return record_read(arena, line, process_fields, RECORD_COUNT(process_fields),
                           &answer->listed.items[answer->listed.count++]);
    if (raw_equal_string(word, "sample"))
        return record_read(arena, line, sample_fields, RECORD_COUNT(sample_fields),
                           &answer->samples.items[answer->samples.count++]);
    if (raw_equal_string(word, "note"))
        return read_note(arena, line, &answer->notes.items[answer->notes.count++]);
    return true;
}

bool nvml_answer_read(struct raw_text lines, struct arena *arena, struct nvml_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    struct raw_text line = {"", 0};
    if (!lines_next(&lines, &line))
        return false;
    if (!opening_read(arena, line, name, opening_fields, RECORD_COUNT(opening_fields),
                      &answer->opening) ||
        !count_lines(lines, answer))
        return false;
    answer->adapters.items = ARENA_ARRAY(arena, struct adapter_reading, answer->adapters.capacity);
    answer->listed.items = ARENA_ARRAY(arena, struct nvml_listed_process, answer->listed.capacity);
    answer->samples.items =
        ARENA_ARRAY(arena, struct nvml_process_sample, answer->samples.capacity);
    answer->notes.items = ARENA_ARRAY(arena, struct raw_text, answer->notes.capacity);
    while (lines_next(&lines, &line))
        if (!read_line(arena, line, answer))
            return false;
    return true;
}
