#include "snapshot/equal.h"

#include <stdio.h>
#include <string.h>

#include "snapshot/fields.h"
#include "snapshot/json.h"

enum { PATH_SIZE = 256 };

static bool fields_equal(const struct field_table *table, const void *a, const void *b, char *path);

static bool texts_equal(const struct field *field, struct text a, struct text b)
{
    bool nullable = field_flag_is(field, FIELD_NULLABLE);
    return (!nullable || text_is_none(a) == text_is_none(b)) && a.size == b.size &&
           (a.size == 0 || memcmp(a.utf8, b.utf8, a.size) == 0);
}

static bool text_lists_equal(const struct field *field, const struct text_list *a,
                             const struct text_list *b)
{
    static const struct field item = {.kind = FIELD_TEXT};
    bool known_a = a->known || !field_flag_is(field, FIELD_NULLABLE);
    bool known_b = b->known || !field_flag_is(field, FIELD_NULLABLE);
    if (known_a != known_b) {
        return false;
    }
    if (!known_a) {
        return true;
    }
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++) {
        equal = texts_equal(&item, a->items[i], b->items[i]);
    }
    return equal;
}

static bool named_bytes_equal(const struct named_bytes_list *a, const struct named_bytes_list *b)
{
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++) {
        equal = text_equal(a->items[i].name, b->items[i].name) &&
                a->items[i].bytes == b->items[i].bytes;
    }
    return equal;
}

static bool provenances_equal(const struct field *field, const void *a, const void *b)
{
    enum how how_a = HOW_UNAVAILABLE, how_b = HOW_UNAVAILABLE;
    enum reason why_a = REASON_not_reported, why_b = REASON_not_reported;
    field_provenance(field, a, &how_a, &why_a);
    field_provenance(field, b, &how_b, &why_b);
    return how_a == how_b && (how_a != HOW_UNAVAILABLE || why_a == why_b);
}

static bool numbers_equal(const struct field *field, const void *a, const void *b)
{
    enum how how;
    enum reason why_not;
    if (!provenances_equal(field, a, b)) {
        return false;
    }
    field_provenance(field, a, &how, &why_not);
    if (how == HOW_UNAVAILABLE) {
        return true;
    }
    const void *left = field_at(field, a), *right = field_at(field, b);
    if (field->kind == FIELD_MEASURED) {
        return ((const struct measured *)left)->value == ((const struct measured *)right)->value;
    }
    return figure_round(((const struct figure *)left)->value) ==
           figure_round(((const struct figure *)right)->value);
}

static bool estimates_equal(const struct field *field, const void *a, const void *b)
{
    const struct figure *left = field_at(field, a), *right = field_at(field, b);
    bool known = field_estimate_is_known(field, a);
    return known == field_estimate_is_known(field, b) &&
           (!known || figure_round(left->value) == figure_round(right->value));
}

/* As far as JSON keeps them. */
static bool times_equal(int64_t a, int64_t b)
{
    char text_a[TIME_TEXT_SIZE], text_b[TIME_TEXT_SIZE];
    time_format(a, text_a);
    time_format(b, text_b);
    return (a == TIME_UNKNOWN) == (b == TIME_UNKNOWN) && strcmp(text_a, text_b) == 0;
}

static bool lists_equal(const struct field *field, const void *a, const void *b, char *path)
{
    size_t length = strlen(path), count = field_list_count(field, a);
    bool equal = count == field_list_count(field, b);
    for (size_t i = 0; equal && i < count; i++) {
        snprintf(path + length, PATH_SIZE - length, "[%llu]", (unsigned long long)i);
        equal = fields_equal(field->table, field_list_item(field, a, i),
                             field_list_item(field, b, i), path);
        if (equal) {
            path[length] = '\0';
        }
    }
    return equal;
}

static bool objects_equal(const struct field *field, const void *a, const void *b, char *path)
{
    bool present = field_is_present(field, a);
    return present == field_is_present(field, b) &&
           (!present || fields_equal(field->table, field_at(field, a), field_at(field, b), path));
}

static bool members_equal(const struct field *field, const void *a, const void *b, char *path)
{
    const void *left = field_at(field, a), *right = field_at(field, b);
    switch (field->kind) {
    case FIELD_TEXT:
        return texts_equal(field, *(const struct text *)left, *(const struct text *)right);
    case FIELD_TIME:
        return times_equal(*(const int64_t *)left, *(const int64_t *)right);
    case FIELD_INTEGER:
        return *(const int64_t *)left == *(const int64_t *)right;
    case FIELD_BOOLEAN:
        return *(const bool *)left == *(const bool *)right;
    case FIELD_MEASURED:
    case FIELD_FIGURE:
        return numbers_equal(field, a, b);
    case FIELD_ESTIMATE:
        return estimates_equal(field, a, b);
    case FIELD_WORD:
        return field_word(field, a) == field_word(field, b) && provenances_equal(field, a, b);
    case FIELD_REASON:
        return field_is_present(field, a) == field_is_present(field, b) &&
               (!field_is_present(field, a) || field_word(field, a) == field_word(field, b));
    case FIELD_REASON_SET:
        return ((const struct reason_set *)left)->bits == ((const struct reason_set *)right)->bits;
    case FIELD_TEXT_LIST:
        return text_lists_equal(field, left, right) && provenances_equal(field, a, b);
    case FIELD_NAMED_BYTES:
        return named_bytes_equal(left, right);
    case FIELD_OBJECT:
        return objects_equal(field, a, b, path);
    case FIELD_LIST:
        return lists_equal(field, a, b, path);
    case FIELD_LIST_STATE:
        return provenances_equal(field, a, b);
    case FIELD_SCHEMA:
    case FIELD_UNAVAILABLE:
    case FIELD_NOT_MEASURED:
    case FIELD_SOURCE:
        return true; /* derived from the others */
    }
    return true;
}

/* `path` holds the path of the struct, and on return false that of the member that differs. */
static bool fields_equal(const struct field_table *table, const void *a, const void *b, char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        snprintf(path + length, PATH_SIZE - length, "%s%s", length ? "." : "", field->key);
        if (!members_equal(field, a, b, path)) {
            return false;
        }
    }
    path[length] = '\0';
    return true;
}

bool snapshot_equal(const struct snapshot *a, const struct snapshot *b, struct problem *difference)
{
    char path[PATH_SIZE] = "";
    if (!fields_equal(&snapshot_table, a, b, path)) {
        return problem_set(difference, "%s differs", path);
    }
    /* The identity itself is not in the table: JSON shows it as `id`. */
    for (size_t i = 0; i < a->process_count; i++) {
        if (!identity_equal(a->processes[i].identity, b->processes[i].identity)) {
            return problem_set(difference, "processes[%llu].identity differs",
                               (unsigned long long)i);
        }
    }
    return true;
}
