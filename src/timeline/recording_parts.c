#include "timeline/recording_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/number.h"
#include "snapshot/json.h"
#include "snapshot/scan.h"

enum { PART_DIGITS = 24 };
#define SAME_SECONDS 0.01 /* what rounding may make of a time */

/* Bytes of the path before ".jsonl.zst" or the like. */
static size_t stem_of(const char *path)
{
    static const char *const endings[] = {".jsonl.zst", ".jsonl", ".json", ".zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length >= ending && strcmp(path + length - ending, endings[i]) == 0) {
            return length - ending;
        }
    }
    return length;
}

static char *join(const char *path, size_t base, unsigned part, size_t stem)
{
    size_t size = strlen(path) + PART_DIGITS;
    char *joined = memory_new(size);
    if (part == 1) {
        snprintf(joined, size, "%.*s%s", (int)base, path, path + stem);
    } else {
        snprintf(joined, size, "%.*s.%u%s", (int)base, path, part, path + stem);
    }
    return joined;
}

char *recording_part_path(const char *first_path, unsigned part)
{
    size_t stem = stem_of(first_path);
    return join(first_path, stem, part, stem);
}

/* The number in "x.3.jsonl", and where the name of the first part ends before it; 1: none. */
static unsigned part_of(const char *path, size_t stem, size_t *base)
{
    size_t at = stem, used = 0;
    uint64_t part = 0;
    while (at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9') {
        at--;
    }
    bool numbered = at > 1 && at < stem && path[at - 1] == '.' && path[at] != '0' &&
                    path[at - 2] != '/' &&
                    number_parse_u64((struct raw_text){path + at, stem - at}, &part, &used) &&
                    part >= 2 && part <= RECORDING_PARTS_MAX;
    *base = numbered ? at - 1 : stem;
    return numbered ? (unsigned)part : 1;
}

char *recording_part_find(const char *path, unsigned behind)
{
    size_t stem = stem_of(path), base = stem;
    char *found = join(path, base, 1 + behind, stem);
    if (behind == 0) {
        memcpy(found, path, strlen(path) + 1);
        return found;
    }
    if (file_size(found) < 0) {
        unsigned part = part_of(path, stem, &base); /* a later part was named */
        free(found);
        found = join(path, base, part + behind, stem);
    }
    if (file_size(found) < 0) {
        free(found);
        found = NULL;
    }
    return found;
}

static uint64_t hash(struct text text)
{
    uint64_t sum = 0xcbf29ce484222325ULL; /* FNV-1a */
    for (size_t i = 0; i < text.size; i++) {
        sum = (sum ^ (unsigned char)text.utf8[i]) * 0x100000001b3ULL;
    }
    return sum;
}

static struct recording_clock clock_of(const struct snapshot *snapshot)
{
    struct figure interval = snapshot->interval_seconds;
    return (struct recording_clock){
        .known = figure_is_known(snapshot->monotonic_seconds),
        .boot = text_is_none(snapshot->host.boot_id) ? 0 : hash(snapshot->host.boot_id),
        .running = snapshot->monotonic_seconds.value,
        .interval = figure_is_known(interval) && interval.value > 0 ? interval.value : 0,
    };
}

struct recording_clock recording_clock_read(struct raw_text line)
{
    static const char *const wanted[] = {"snapshot.monotonic_seconds", "snapshot.interval_seconds",
                                         "host.boot_id", NULL};
    struct recording_clock clock = {.known = false};
    struct problem problem;
    struct snapshot_scanner *scanner = scanner_new(wanted);
    const struct snapshot *scanned = scanner_read(scanner, line.bytes, line.length);
    struct snapshot *read =
        scanned ? NULL : snapshot_read(line.bytes, line.length, "", 1, NULL, &problem);
    if (scanned || read) {
        clock = clock_of(scanned ? scanned : read);
    }
    snapshot_drop(&read);
    scanner_free(&scanner);
    return clock;
}

bool recording_clock_goes_on(const struct recording_clock *last,
                             const struct recording_clock *first)
{
    return last->known && first->known && first->boot == last->boot && first->interval > 0 &&
           fabs(first->running - first->interval - last->running) < SAME_SECONDS;
}
