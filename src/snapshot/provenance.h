/* How the figures of an object came to be, as its `unavailable`, `not_measured` and `source` say:
 * the reverse of what the writer derives from them. */
#ifndef SNAPSHOT_PROVENANCE_H
#define SNAPSHOT_PROVENANCE_H

#include <jansson.h>
#include <stdbool.h>

#include "snapshot/fields.h"
#include "snapshot/reader.h"

enum { PROVENANCE_PATH_SIZE = 128 };

struct provenance {
    const json_t *unavailable, *not_measured, *source; /* any may be NULL */
    char path[PROVENANCE_PATH_SIZE]; /* keys of the nested objects so far, each followed by '.' */
};

/* Checks and remembers the derived objects of `object` (NULL: it has none). */
bool provenance_read(struct reader *reader, const struct field_table *table, const json_t *object,
                     struct provenance *provenance);
/* Why a figure has no value: the word for its path, or for an object that holds it. */
enum reason provenance_reason(const struct provenance *provenance, const struct field *field);
/* How a figure that has a value came to be. A word of a newer program counts as inferred. */
enum how provenance_how(const struct provenance *provenance, const struct field *field);
/* True when the list that the field names is said to be unknown. */
bool provenance_list_is_unknown(const struct provenance *provenance, const struct field *field,
                                enum reason *why_not);

#endif
