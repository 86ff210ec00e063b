/* One line of the helper that reads the Windows host's counters for WSL (docs/wsl.md): an object
 * without "event" is a sample. Keys and events that are not known are ignored. */
#ifndef GPU_WDDM_HOST_LINE_H
#define GPU_WDDM_HOST_LINE_H

#include "base/arena.h"
#include "base/text.h"
#include "reading/wddm.h"

enum { HOST_LINE_LIMIT = 4 << 20 }; /* bytes */

enum host_line_kind {
    HOST_LINE_NONE, /* no JSON object, or a sample without its time: skipped and counted */
    HOST_LINE_SAMPLE,
    HOST_LINE_HELLO, /* what Windows this is, and perhaps its adapters */
    HOST_LINE_ERROR, /* something failed; samples may go on */
    HOST_LINE_BYE,   /* the helper ends, and says why */
    HOST_LINE_OTHER, /* an event that is not known */
};

struct host_line {
    enum host_line_kind kind;
    double seconds;            /* of a sample, on the helper's own clock */
    struct wddm_sample sample; /* of a sample; its adapters: of a hello */
    struct raw_text text;      /* of an event: for people; bytes NULL: none */
};

/* Everything in *parsed lives in `arena`. */
void host_line_parse(struct raw_text line, struct arena *arena, struct host_line *parsed);

#endif
