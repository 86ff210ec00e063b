#include "cli/snapshot_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/number.h"
#include "snapshot/json.h"
#include "snapshot/scan.h"
#include "timeline/recording.h"

enum which { WHICH_ONLY, WHICH_LINE, WHICH_LAST, WHICH_TIME };

struct wanted_snapshot {
    char *path;
    enum which which;
    uint64_t line;
    int64_t wall_ns;
};

static bool parse_which(const char *text, struct wanted_snapshot *wanted)
{
    if (strcmp(text, "last") == 0) {
        wanted->which = WHICH_LAST;
        return true;
    }
    wanted->which = WHICH_LINE;
    size_t used = 0;
    if (number_parse_u64(raw_from_string(text), &wanted->line, &used) && text[used] == '\0') {
        return wanted->line > 0;
    }
    wanted->which = WHICH_TIME;
    return time_parse((struct text){text, strlen(text)}, &wanted->wall_ns);
}

/* A file may have an @ in its name: it goes before what stands behind one. */
static struct recording *open_named(const char *name, struct wanted_snapshot *wanted,
                                    struct problem *problem)
{
    struct recording *recording = recording_open(name, problem);
    const char *at = strrchr(name, '@');
    if (recording || !at || at == name) {
        return recording;
    }
    if (!parse_which(at + 1, wanted)) {
        problem_set(problem,
                    "'%.40s' behind the @ is no line (1, 2 ... or last) and no time like "
                    "2026-11-29T12:00:00Z",
                    at + 1);
        return NULL;
    }
    wanted->path = memory_new((size_t)(at - name) + 1);
    memcpy(wanted->path, name, (size_t)(at - name));
    return recording_open(wanted->path, problem);
}

/* A line that may be the one, kept while the file is read on. */
struct candidate {
    struct buffer text;
    uint64_t line; /* of its file */
    char *file;    /* a part of the recording */
    bool found, unended;
};

static void keep(struct candidate *candidate, const struct recording *recording,
                 const struct recording_line *line)
{
    const char *name = recording_name(recording);
    if (!candidate->file || strcmp(candidate->file, name) != 0) {
        free(candidate->file);
        candidate->file = memory_new(strlen(name) + 1);
        memcpy(candidate->file, name, strlen(name) + 1);
    }
    candidate->text.size = 0;
    buffer_add(&candidate->text, line->text.bytes, line->text.length);
    candidate->line = line->place.line;
    candidate->unended = line->unended;
    candidate->found = true;
}

static bool taken_at(struct snapshot_scanner *scanner, const struct recording *recording,
                     const struct recording_line *line, int64_t *wall_ns, struct problem *problem)
{
    const struct snapshot *scanned = scanner_read(scanner, line->text.bytes, line->text.length);
    if (scanned) {
        *wall_ns = scanned->taken_at_ns;
        return true;
    }
    struct snapshot *snapshot =
        snapshot_read(line->text.bytes, line->text.length, recording_name(recording),
                      (size_t)line->place.line, NULL, problem);
    if (snapshot) {
        *wall_ns = snapshot->taken_at_ns;
    }
    bool read = snapshot != NULL;
    snapshot_drop(&snapshot);
    return read;
}

/* Reads the file up to the line that is wanted. */
static bool find_line(struct recording *recording, const struct wanted_snapshot *wanted,
                      struct candidate *candidate, struct problem *problem)
{
    static const char *const fields[] = {"snapshot.taken_at", NULL};
    struct snapshot_scanner *scanner = scanner_new(fields);
    struct recording_line line;
    enum recording_result result;
    int64_t best_ns = INT64_MIN, wall_ns;
    uint64_t before = 0, number = 0; /* lines of the parts before, and of this one with them */
    uint32_t part = 0;
    bool good = true;
    while (good && (result = recording_next(recording, &line, problem)) != RECORDING_END) {
        before = line.place.part != part ? number : before;
        part = line.place.part;
        number = before + line.place.line;
        if (result != RECORDING_LINE) {
            good = false;
        } else if (wanted->which == WHICH_LINE && number >= wanted->line) {
            if (number == wanted->line) {
                keep(candidate, recording, &line);
            }
            break;
        } else if (wanted->which == WHICH_LAST) {
            /* A torn one is no snapshot: the last whole one stays. */
            if (!line.unended || taken_at(scanner, recording, &line, &wall_ns, problem)) {
                keep(candidate, recording, &line);
            }
        } else if (wanted->which == WHICH_TIME) {
            bool known = taken_at(scanner, recording, &line, &wall_ns, problem);
            good = known || line.unended;
            if (known && wall_ns <= wanted->wall_ns && wall_ns >= best_ns) {
                best_ns = wall_ns;
                keep(candidate, recording, &line);
            }
        }
    }
    scanner_free(&scanner);
    return good;
}

static bool nothing_found(const struct recording *recording, const struct wanted_snapshot *wanted,
                          struct problem *problem)
{
    const char *name = recording_name(recording);
    switch (wanted->which) {
    case WHICH_LINE:
        return problem_set(problem, "%.300s has no snapshot on line %llu", name,
                           (unsigned long long)wanted->line);
    case WHICH_TIME:
        return problem_set(problem, "%.300s has no snapshot as early as that", name);
    default:
        return problem_set(problem, "%.300s holds no snapshot", name);
    }
}

static struct snapshot *read_chosen(struct recording *recording,
                                    const struct wanted_snapshot *wanted, struct problem *problem)
{
    struct candidate candidate = {0};
    struct snapshot *snapshot = NULL;
    recording_follow(recording);
    if (find_line(recording, wanted, &candidate, problem)) {
        if (candidate.found) {
            snapshot = snapshot_read(candidate.text.bytes, candidate.text.size, candidate.file,
                                     (size_t)candidate.line, NULL, problem);
        } else {
            nothing_found(recording, wanted, problem);
        }
    }
    buffer_free(&candidate.text);
    free(candidate.file);
    return snapshot;
}

/* The whole text as one object; blank lines are put back for the message's line numbers. */
static bool read_all_lines(struct recording *recording, struct buffer *text,
                           struct problem *problem)
{
    struct recording_line line;
    enum recording_result result;
    uint64_t lines = 1;
    for (size_t i = 0; i < text->size; i++) {
        lines += text->bytes[i] == '\n';
    }
    while ((result = recording_next(recording, &line, problem)) == RECORDING_LINE) {
        for (; lines < line.place.line; lines++) {
            buffer_add(text, "\n", 1);
        }
        buffer_add(text, line.text.bytes, line.text.length);
        if (text->size > RECORDING_LINE_MAX) {
            return problem_set(problem, "%.300s is larger than 64 MiB", recording_name(recording));
        }
    }
    return result == RECORDING_END;
}

static struct snapshot *read_only(struct recording *recording, struct problem *problem)
{
    struct recording_line line;
    struct buffer text = {0};
    struct snapshot *snapshot = NULL;
    enum recording_result result = recording_next(recording, &line, problem);
    const char *name = recording_name(recording);
    if (result == RECORDING_END) {
        problem_set(problem, "%.300s holds no snapshot", name);
    }
    if (result != RECORDING_LINE) {
        return NULL;
    }
    for (uint64_t i = 1; i < line.place.line; i++) {
        buffer_add(&text, "\n", 1);
    }
    size_t first = text.size;
    buffer_add(&text, line.text.bytes, line.text.length);
    snapshot = snapshot_read(text.bytes + first, text.size - first, name, (size_t)line.place.line,
                             NULL, problem);
    if (snapshot && recording_next(recording, &line, problem) == RECORDING_LINE) {
        snapshot_drop(&snapshot);
        problem_set(problem,
                    "%.200s holds several snapshots; name one: FILE@1, FILE@last or "
                    "FILE@2026-11-29T12:00:00Z",
                    name);
    } else if (!snapshot && text.bytes[text.size - 1] != '}' &&
               read_all_lines(recording, &text, problem)) {
        snapshot = snapshot_read(text.bytes, text.size, name, 1, NULL, problem);
    }
    buffer_free(&text);
    return snapshot;
}

struct snapshot *snapshot_file_read(const char *name, struct problem *problem)
{
    struct wanted_snapshot wanted = {.which = WHICH_ONLY};
    struct recording *recording = open_named(name, &wanted, problem);
    struct snapshot *snapshot = NULL;
    if (recording) {
        snapshot = wanted.which == WHICH_ONLY ? read_only(recording, problem)
                                              : read_chosen(recording, &wanted, problem);
        recording_close(&recording);
    }
    free(wanted.path);
    return snapshot;
}
