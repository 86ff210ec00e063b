/* What a scanner looks for: the field tables with what is wanted of them, and the order in which
 * keys and words came last, which is most often the order in which they come again. */
#ifndef SNAPSHOT_SCAN_PLAN_H
#define SNAPSHOT_SCAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/fields.h"

enum { SCAN_FIELDS_MAX = 64 };
#define SCAN_NO_FIELD SIZE_MAX

struct scan_plan;

struct scan_field {
    const struct field *field;
    size_t key_size;
    struct scan_plan *inner; /* of an object or a list */
    bool wanted;             /* it, or something in it */
    uint8_t next;            /* the field that came behind it last */
};

struct scan_plan {
    const struct field_table *table;
    struct scan_field fields[SCAN_FIELDS_MAX];
    uint64_t required; /* a bit for each that may not be left out */
    bool any_wanted;
    uint8_t first;                    /* the field that came first last */
    size_t not_measured;              /* of FIELD_NOT_MEASURED; SCAN_NO_FIELD: none */
    size_t identity, pid, name_space; /* of a process, as above */
    void *scratch;                    /* for one item of a list of which nothing is wanted */
};

/* `wanted` as scanner_new() takes it. */
struct scan_plan *scan_plan_new(const struct field_table *table, const char *const *wanted);
void scan_plan_free(struct scan_plan *plan);

/* The field of a key that came behind field `before` (SCAN_NO_FIELD: nothing), or SCAN_NO_FIELD. */
size_t scan_plan_find(struct scan_plan *plan, size_t before, struct text key);

/* Words by their first, middle and last character and their size. */
struct scan_words {
    const struct words *words;
    uint8_t slots[256]; /* 1 + a word that stands there; 0: none */
};
void scan_words_start(struct scan_words *index, const struct words *words);
bool scan_words_find(const struct scan_words *index, struct text text, int *word);

#endif
