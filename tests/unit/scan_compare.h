/* What a scanner read (snapshot/scan.h, of summary_fields) against what the reader read: aborts
 * where they differ. */
#ifndef TESTS_UNIT_SCAN_COMPARE_H
#define TESTS_UNIT_SCAN_COMPARE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/fields.h"
#include "snapshot/snapshot.h"
#include "timeline/summary.h"

static inline bool scan_is_wanted(const char *table, const char *key)
{
    size_t length = strlen(table);
    for (const char *const *wanted = summary_fields; *wanted; wanted++) {
        if (strncmp(*wanted, table, length) == 0 && (*wanted)[length] == '.' &&
            strcmp(*wanted + length + 1, key) == 0) {
            return true;
        }
    }
    return false;
}

static inline bool scan_holds_wanted(const struct field_table *table)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        bool nested = field->kind == FIELD_OBJECT || field->kind == FIELD_LIST;
        if (scan_is_wanted(table->name, field->key) ||
            (nested && scan_holds_wanted(field->table))) {
            return true;
        }
    }
    return false;
}

static inline void scan_expect(bool holds, const struct field_table *table,
                               const struct field *field)
{
    if (!holds) {
        fprintf(stderr, "%s.%s differs\n", table->name, field->key);
        abort();
    }
}

static inline bool scan_same_value(const struct field *field, const void *a, const void *b)
{
    const void *left = field_at(field, a), *right = field_at(field, b);
    const struct measured *m = left, *n = right;
    const struct figure *f = left, *g = right;
    switch (field->kind) {
    case FIELD_TEXT:
        return text_equal(*(const struct text *)left, *(const struct text *)right);
    case FIELD_INTEGER:
    case FIELD_TIME:
        return *(const int64_t *)left == *(const int64_t *)right;
    case FIELD_BOOLEAN:
        return *(const bool *)left == *(const bool *)right;
    case FIELD_MEASURED:
        return m->known == n->known && (!m->known || m->value == n->value);
    case FIELD_FIGURE:
        return f->how == g->how && (f->how == HOW_UNAVAILABLE || f->value == g->value);
    case FIELD_WORD:
        return field_word(field, a) == field_word(field, b);
    default:
        return true;
    }
}

static inline void scan_compare(const struct field_table *table, const void *a, const void *b)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        if (field->kind == FIELD_OBJECT && scan_holds_wanted(field->table)) {
            scan_expect(field_is_present(field, a) == field_is_present(field, b), table, field);
            scan_compare(field->table, field_at(field, a), field_at(field, b));
        } else if (field->kind == FIELD_LIST && scan_holds_wanted(field->table)) {
            size_t count = field_list_count(field, a);
            scan_expect(count == field_list_count(field, b), table, field);
            for (size_t j = 0; j < count; j++) {
                scan_compare(field->table, field_list_item(field, a, j),
                             field_list_item(field, b, j));
            }
        } else if (scan_is_wanted(table->name, field->key)) {
            scan_expect(scan_same_value(field, a, b), table, field);
        }
    }
}

#endif
