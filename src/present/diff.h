/* The difference of two snapshots (timeline/diff.h), as text for people and as JSON (its names are
 * described in docs/recordings.md). Writing errors stay in the FILE for the caller. */
#ifndef PRESENT_DIFF_H
#define PRESENT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "snapshot/json.h"
#include "timeline/diff.h"

struct diff_options {
    const char *before_name, *after_name; /* NULL: the heading is left out */
    size_t width;                         /* of a terminal; 0: no limit */
    bool ascii;
};

void diff_text(FILE *file, const struct diff *diff, const struct diff_options *options);
/* One object without a line end. */
void diff_json(const struct diff *diff, const struct diff_options *options, bool pretty,
               struct buffer *out);

#endif
