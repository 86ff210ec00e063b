/* Pieces of a log line: sizes, counts, quoted words, and the prefixes that carry facts. Pure;
 * private to the load log parser. */
#ifndef INSPECT_LOG_TEXT_H
#define INSPECT_LOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "reading/measured.h"

/* What "MB" means to whoever wrote the line: llama.cpp prints MB for 2^20, whisper.cpp for 10^6.
 * "MiB" is 2^20 always. */
enum size_unit { SIZE_BINARY, SIZE_DECIMAL };

/* "= 5434.38 MiB", ":  75,00 MiB", "98.0 MiB": blanks, '=', ':' and a quote before the number are
 * passed over; the decimal sign is a dot or a comma; the unit must be there (a torn line has none).
 * *used (may be NULL): bytes up to the end of the unit. */
bool log_size(struct raw_text raw, enum size_unit unit, int64_t *bytes, size_t *used);
/* A count: "= 4096", "\"4096\"". */
struct measured log_count(struct raw_text raw);
/* "8.03 B", "130.35 K": a number of parameters. */
struct measured log_parameters(struct raw_text raw);

/* First occurrence; false: none. *after is what follows it. */
bool log_find(struct raw_text raw, const char *needle, struct raw_text *after);
/* Up to the first `end`; the whole where there is none. */
struct raw_text log_until(struct raw_text raw, char end);
/* Up to the last `end`; empty where there is none. */
struct raw_text log_until_last(struct raw_text raw, char end);
/* The last word (separated by blanks), taken off `raw`; false: nothing but blanks. */
bool log_last_word(struct raw_text *raw, struct raw_text *word);
/* Value of `key` in key=value or "key":value text, quoted or bare; false: not there. */
bool log_value(struct raw_text raw, const char *key, struct raw_text *value);

/* Facts in what stands before a message. */
struct log_prefix {
    struct raw_text lane; /* "48429" of a router's child, "llama-1" of docker compose; else empty */
    bool lane_is_port;
    struct measured pid;         /* "host ollama[30907]: " of a journal */
    struct measured relative_us; /* "0.00.141.220 I ": since the start of the run */
    struct raw_text time;        /* RFC 3339 text with its zone; empty: none */
    struct raw_text rest;
};

struct log_prefix log_prefix_read(struct raw_text line);

/* Removes ESC [ ... letter in place and carriage returns' overwritten beginnings; returns the new
 * length. */
size_t log_remove_colours(char *bytes, size_t length);

/* Replaces a JSON object with a "msg" (llama-server's --log-jsonl) by that text, its escapes undone
 * and its line ends left off, in place; returns the new length. Other text stays as it is. */
size_t log_unwrap_json(char *bytes, size_t length);

#endif
