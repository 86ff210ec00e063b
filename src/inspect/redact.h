/* Takes the secrets out of one piece of text. Private to inspect/: command.h is the door. */
#ifndef INSPECT_REDACT_H
#define INSPECT_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Bytes that grow; the owner frees them. */
struct redacted {
    char *bytes;
    size_t count, capacity;
};

/* Appends `raw` without its secrets. `is_argument`: raw is one whole argument, so that the value of
 * "--token=..." reaches to its end, blanks included. */
void redact_append(struct redacted *out, struct raw_text raw, bool is_argument);
/* Appends bytes as they are, and the mark that stands for a secret. */
void redact_copy(struct redacted *out, const char *bytes, size_t length);
void redact_mark(struct redacted *out);

#endif
