/* Where a value stands in a JSON text, for messages: the parser's tree does not remember. */
#ifndef SNAPSHOT_LOCATE_H
#define SNAPSHOT_LOCATE_H

#include <stddef.h>

/* One step into a value: a member of an object, or an item of a list where key is NULL. */
struct locate_step {
    const char *key;
    size_t index;
};

struct locate_position {
    size_t line, column; /* from 1; columns are characters */
};

/* Of the value that the steps lead to, or of the innermost one on the way that is there. The text
 * is one that a parser accepted; on any other the answer is some position inside it. */
struct locate_position locate(const char *bytes, size_t size, const struct locate_step *steps,
                              size_t step_count);

#endif
