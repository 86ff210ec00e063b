/* The field table: every member of every struct of snapshot.h, described once (fields.def). Writer,
 * reader, comparison and the JSON Schema walk it, so a new field is one line there. */
#ifndef SNAPSHOT_FIELDS_H
#define SNAPSHOT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "reading/measured.h"
#include "snapshot/words.h"

enum field_kind {
    FIELD_SCHEMA,     /* the constant SNAPSHOT_SCHEMA; no member */
    FIELD_TEXT,       /* struct text */
    FIELD_INTEGER,    /* int64_t */
    FIELD_BOOLEAN,    /* bool */
    FIELD_TIME,       /* int64_t, wall-clock nanoseconds, TIME_UNKNOWN */
    FIELD_MEASURED,   /* struct measured */
    FIELD_FIGURE,     /* struct figure */
    FIELD_ESTIMATE,   /* struct figure that is estimated, or left out */
    FIELD_WORD,       /* an enum; `how`, where it has one, at `second` */
    FIELD_REASON,     /* enum reason; whether there is one: bool at `second` */
    FIELD_REASON_SET, /* struct reason_set */
    FIELD_TEXT_LIST, /* struct text_list; with FIELD_HAS_HOW `how` at `second`, reason at `third` */
    FIELD_NAMED_BYTES, /* struct named_bytes_list: an object of integers */
    FIELD_OBJECT, /* members of a nested table; with FIELD_NULLABLE, presence: bool at `second` */
    FIELD_LIST,   /* pointer to items, their number (size_t) at `second` */
    FIELD_LIST_STATE,   /* struct list_state: stands only in `unavailable` */
    FIELD_UNAVAILABLE,  /* derived: path of each unavailable figure -> reason code */
    FIELD_NOT_MEASURED, /* derived: path of each figure that is not measured -> how */
    FIELD_SOURCE,       /* derived: how each FIELD_IN_SOURCE figure came to be */
};

enum field_flag {
    FIELD_NULLABLE = 1,   /* JSON may hold null (figures and measured always may) */
    FIELD_QUIET = 2,      /* null with the reason not_reported needs no entry in `unavailable` */
    FIELD_OMIT_EMPTY = 4, /* left out where it would be {} */
    FIELD_IN_SOURCE = 8,  /* how it came to be stands in `source`, not in `not_measured` */
    FIELD_REQUIRED = 16,  /* a reader refuses an object without it */
    FIELD_HAS_HOW = 32,
    FIELD_OPTIONAL = 64, /* a writer may leave it out */
};

struct field {
    const char *key;
    enum field_kind kind;
    unsigned flags;
    size_t offset, second, third; /* bytes from the start of the struct */
    size_t limit;                 /* items of a list */
    const struct field_table *table;
    const struct words *words;
    const char *unit; /* "bytes"; NULL: none */
    const char *description;
};

struct field_table {
    const char *name; /* "adapter": its name in the schema */
    const struct field *fields;
    size_t field_count;
    size_t item_size; /* of one struct in a list */
    const char *description;
};

#define SNAPSHOT_SCHEMA "gputaskman/1"

extern const struct field_table snapshot_table; /* of struct snapshot */
extern const struct field_table process_table;  /* of struct process */
extern const struct field_table model_table;    /* of struct model */
extern const struct field_table note_table;     /* of struct note */

/* A member of the struct at `base`. */
const void *field_at(const struct field *field, const void *base);
bool field_flag_is(const struct field *field, enum field_flag flag);
/* An amount cannot be negative; temperatures and counts of errors are left alone. */
bool field_is_amount(const struct field *field);
/* Value of an enum member, whatever its type. */
int field_word(const struct field *field, const void *base);
/* False: an optional object that is null. */
bool field_is_present(const struct field *field, const void *base);
size_t field_list_count(const struct field *field, const void *base);
const void *field_list_item(const struct field *field, const void *base, size_t index);
/* How a member came to be. False: it is of a kind that needs no provenance. */
bool field_provenance(const struct field *field, const void *base, enum how *how,
                      enum reason *why_not);
/* False: an estimate that is left out. */
bool field_estimate_is_known(const struct field *field, const void *base);
/* Bytes of a FIELD_IN_SOURCE key that name it in `source`: all but "_bytes". */
size_t field_source_key_size(const struct field *field);
/* True when the table has its own `unavailable`: paths inside it start anew there. */
bool field_table_has_provenance(const struct field_table *table);

#endif
