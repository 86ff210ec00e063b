/* A recording in parts (`record --max-size`): x.jsonl.zst, x.2.jsonl.zst, x.3.jsonl.zst ... A name
 * alone proves nothing: a part goes on with the one before it when its first snapshot says that it
 * was taken so long after the sample before it as that was the last one there. */
#ifndef TIMELINE_RECORDING_PARTS_H
#define TIMELINE_RECORDING_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { RECORDING_PARTS_MAX = 99999 };

/* The path of a part, from 1, of the recording whose first part is that; free() it. */
char *recording_part_path(const char *first_path, unsigned part);
/* The file `behind` places behind this part of a recording, by its name; NULL: there is none.
 * free() it. */
char *recording_part_find(const char *path, unsigned behind);

/* What a snapshot says of its time. */
struct recording_clock {
    bool known;
    uint64_t boot;            /* a hash of its boot id */
    double running, interval; /* seconds; interval 0: there was no sample before it */
};
struct recording_clock recording_clock_read(struct raw_text line);
bool recording_clock_goes_on(const struct recording_clock *last,
                             const struct recording_clock *first);

#endif
