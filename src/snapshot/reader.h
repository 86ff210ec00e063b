/* What reading a snapshot takes on the way: where in the tree it is, what went wrong there, and the
 * values of JSON that are no figures. Every function that returns bool sets the problem before it
 * returns false; the reader is of no use afterwards. */
#ifndef SNAPSHOT_READER_H
#define SNAPSHOT_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/problem.h"
#include "base/text.h"
#include "snapshot/locate.h"
#include "snapshot/words.h"

enum { READER_STEPS_MAX = 16 }; /* the field table is not that deep */

struct reader {
    const char *bytes; /* the whole text, for positions in messages */
    size_t size;
    const char *name; /* of the file */
    size_t first_line;
    struct arena *arena; /* of the snapshot */
    struct problem *problem;
    bool newer;        /* written by a newer program: words that are not known yet are no mistake */
    size_t list_bytes; /* taken by lists so far */
    struct locate_step steps[READER_STEPS_MAX];
    size_t step_count;
};

/* Into a member (key) or an item (key NULL) and out again. */
void reader_step_in(struct reader *reader, const char *key, size_t index);
void reader_step_out(struct reader *reader);

/* "FILE:LINE:COLUMN: REASON"; the line counts from the first of this snapshot. */
bool reader_fail_at(struct reader *reader, size_t line, size_t column, const char *reason);
/* The same at the place where the reader is, with its path before the reason. */
bool reader_fail(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "must be WANTED, not a list" */
bool reader_fail_type(struct reader *reader, const char *wanted, const json_t *got);
const char *reader_type_words(const json_t *value);

/* Memory for a list, within what one list and one snapshot may take; NULL is a failure. */
void *reader_new_list(struct reader *reader, size_t count, size_t item_size, size_t limit);
/* True for a list, and for NULL. */
bool reader_check_list(struct reader *reader, const json_t *value);

bool reader_text(struct reader *reader, const json_t *value, struct text *text);
bool reader_integer(struct reader *reader, const json_t *value, int64_t *integer);
/* A word that is not known is 0 (unknown, other) in what a newer program wrote, else a mistake. */
bool reader_word(struct reader *reader, const json_t *value, const struct words *words, int *word);
/* NULL gives TIME_UNKNOWN, and false. */
bool reader_time(struct reader *reader, const json_t *value, int64_t *wall_ns);
bool reader_boolean(struct reader *reader, const json_t *value, bool *boolean);

#endif
