/* Command lines without their secrets. The only way from a raw command line to a text. */
#ifndef INSPECT_COMMAND_H
#define INSPECT_COMMAND_H

#include "base/arena.h"
#include "base/text.h"
#include "snapshot/snapshot.h"

/* `command` holds arguments, each followed by a NUL (/proc/PID/cmdline); a process may have
 * overwritten it with one line. Values of secrets (--api-key X, --api-key=X, token=, HF_TOKEN=,
 * passwords in URLs, bearer tokens, well-known key shapes such as sk-..., hf_...) become
 * "[redacted]". At most 256 arguments of 4096 bytes are kept. bytes NULL gives an unknown list. */
struct text_list command_redact(struct arena *arena, struct raw_text command);
/* The same rules on one free text (a log line, a title). */
struct text text_redact(struct arena *arena, struct raw_text raw);

#endif
