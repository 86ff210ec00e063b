/* A summary of a recording (timeline/summary.h), as text for people and as JSON (its names are
 * described in docs/recordings.md). The summary must have been sorted. Writing errors stay in the
 * FILE for the caller. */
#ifndef PRESENT_SUMMARY_H
#define PRESENT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "snapshot/json.h"
#include "timeline/summary.h"

struct summary_options {
    const char *file; /* name of the recording */
    size_t width;     /* of a terminal; 0: no limit */
    bool ascii;
    bool all;          /* also processes without GPU memory or load */
    bool tracked_only; /* processes of the recorded command alone */
};

void summary_text(FILE *file, const struct summary *summary, const struct summary_options *options);
/* One object without a line end. */
void summary_json(const struct summary *summary, const char *name, bool pretty, struct buffer *out);

#endif
