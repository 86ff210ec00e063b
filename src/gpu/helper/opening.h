/* The first line of a request or an answer: the helper's name, the version of the language, and a
 * record. Both sides are the same program; another version means that it was replaced while we run.
 */
#ifndef GPU_HELPER_OPENING_H
#define GPU_HELPER_OPENING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "gpu/helper/record.h"

enum { OPENING_VERSION = 1 };

/* Without the line's end. */
void opening_write(struct record_lines *lines, const char *name, const struct record_field *fields,
                   size_t count, const void *record);
/* Into a zeroed record. False when it is another's, malformed or of another version. */
bool opening_read(struct arena *arena, struct raw_text line, const char *name,
                  const struct record_field *fields, size_t count, void *record);

/* The same for a request, which is nothing but this line; cut to "" when it does not fit. */
void request_write(const char *name, const struct record_field *fields, size_t count,
                   const void *record, char *line, size_t size);
bool request_read(struct raw_text line, const char *name, const struct record_field *fields,
                  size_t count, void *record);

/* Takes the first word of a line; the pairs are what follows. */
struct raw_text opening_word(struct raw_text *line);

#endif
