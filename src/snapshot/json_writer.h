/* Puts JSON together byte by byte: no tree, no allocation but the growth of the buffer. What is
 * opened must be closed and every key must get its value: that is the caller's business. */
#ifndef SNAPSHOT_JSON_WRITER_H
#define SNAPSHOT_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "snapshot/json.h"

struct json_writer {
    struct buffer *out;
    bool pretty; /* two spaces a level; else one line */
    bool first;  /* nothing stands yet in the innermost object or list */
    unsigned depth;
};

/* '{' or '[', and the bracket that ends it. */
void json_open(struct json_writer *writer, char bracket);
void json_close(struct json_writer *writer, char bracket);
/* Before each item of a list; json_put_key() does it for members of objects. */
void json_separate(struct json_writer *writer);
/* A key of our own, for which nothing needs escaping, and its colon. */
void json_put_key(struct json_writer *writer, const char *key);
void json_put_colon(struct json_writer *writer);

void json_put_null(struct json_writer *writer);
/* Control and bidi characters are escaped: nothing is lost, and the result is safe on a terminal.
 */
void json_put_text(struct json_writer *writer, struct text text);
/* In quotes; nothing is escaped: for words of our own. */
void json_put_word(struct json_writer *writer, const char *word);
void json_put_integer(struct json_writer *writer, int64_t value);
/* At most six decimals, no exponent, no zeros at the end. The value must be finite. */
void json_put_real(struct json_writer *writer, double value);

/* Bytes as they are. */
void json_put_bytes(struct json_writer *writer, const char *bytes, size_t size);
void json_put_string(struct json_writer *writer, const char *string);
void json_put_char(struct json_writer *writer, char c);

#endif
