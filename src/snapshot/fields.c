#include "snapshot/fields.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "snapshot/snapshot.h"

/* 0, or an error at compile time when the member is not of that type. */
#define IS_TYPE(owner, member, type)                                                               \
    (0 *                                                                                           \
     sizeof(                                                                                       \
         char[__builtin_types_compatible_p(__typeof__(((struct owner *)0)->member), type) ? 1      \
                                                                                          : -1]))
#define MEMBER(owner, member, type) (offsetof(struct owner, member) + IS_TYPE(owner, member, type))
#define IS_ENUM(owner, member)                                                                     \
    (0 * sizeof(char[sizeof(((struct owner *)0)->member) == sizeof(int) ? 1 : -1]))

/* clang-format off */
#define BEGIN(owner) static const struct field owner##_fields[] = {
#define TABLE(table, size, description)                                                            \
    const struct field_table table##_table = {                                                     \
        #table, table##_fields, sizeof table##_fields / sizeof table##_fields[0], size, description};
#define END(table, owner, description) }; static TABLE(table, sizeof(struct owner), description)
#define END_SIZED(table, size, description) }; static TABLE(table, size, description)
/* A table that other files start from; the others are reached through it. */
#define END_SHARED(table, owner, description) }; TABLE(table, sizeof(struct owner), description)
/* clang-format on */

#define SIMPLE(key_, kind_, flags_, offset_, unit_, words_of_it)                                   \
    {.key = key_,                                                                                  \
     .kind = kind_,                                                                                \
     .flags = flags_,                                                                              \
     .offset = offset_,                                                                            \
     .unit = unit_,                                                                                \
     .description = words_of_it},

#define TEXT_FLAGS(owner, key, member, flags, d)                                                   \
    SIMPLE(#key, FIELD_TEXT, flags, MEMBER(owner, member, struct text), NULL, d)
#undef TEXT /* the literal of base/text.h has no use here */
#define TEXT(owner, key, member, d) TEXT_FLAGS(owner, key, member, FIELD_NULLABLE, d)
#define TEXT_NEVER_NULL(owner, key, member, d) TEXT_FLAGS(owner, key, member, 0, d)
#define TEXT_REQUIRED(owner, key, member, d) TEXT_FLAGS(owner, key, member, FIELD_REQUIRED, d)
#define INTEGER(owner, key, member, d)                                                             \
    SIMPLE(#key, FIELD_INTEGER, 0, MEMBER(owner, member, int64_t), NULL, d)
#define BOOLEAN(owner, key, member, d)                                                             \
    SIMPLE(#key, FIELD_BOOLEAN, 0, MEMBER(owner, member, bool), NULL, d)
#define TIME(owner, key, member, d)                                                                \
    SIMPLE(#key, FIELD_TIME, FIELD_NULLABLE, MEMBER(owner, member, int64_t), NULL, d)
#define TIME_NEVER_NULL(owner, key, member, d)                                                     \
    SIMPLE(#key, FIELD_TIME, FIELD_REQUIRED, MEMBER(owner, member, int64_t), NULL, d)
#define MEASURED_FLAGS(owner, key, member, unit, flags, d)                                         \
    SIMPLE(#key, FIELD_MEASURED, flags, MEMBER(owner, member, struct measured), unit, d)
#define MEASURED(owner, key, member, unit, d) MEASURED_FLAGS(owner, key, member, unit, 0, d)
#define MEASURED_QUIET(owner, key, member, unit, d)                                                \
    MEASURED_FLAGS(owner, key, member, unit, FIELD_QUIET, d)
#define FIGURE_FLAGS(owner, key, member, unit, flags, d)                                           \
    SIMPLE(#key, FIELD_FIGURE, flags, MEMBER(owner, member, struct figure), unit, d)
#define FIGURE(owner, key, member, unit, d) FIGURE_FLAGS(owner, key, member, unit, 0, d)
#define FIGURE_QUIET(owner, key, member, unit, d)                                                  \
    FIGURE_FLAGS(owner, key, member, unit, FIELD_QUIET, d)
#define FIGURE_IN_SOURCE(owner, member, d)                                                         \
    FIGURE_FLAGS(owner, member, member, "bytes", FIELD_QUIET | FIELD_IN_SOURCE, d)
#define ENGINE_FIGURE(name, d)                                                                     \
    SIMPLE(#name, FIELD_FIGURE, 0, ENGINE_##name * sizeof(struct figure), "percent",               \
           "Load of " d ".")
#define ESTIMATE(owner, key, member, d)                                                            \
    SIMPLE(#key, FIELD_ESTIMATE, FIELD_OPTIONAL, MEMBER(owner, member, struct figure), "bytes", d)
#define REASON_SET(owner, key, member, d)                                                          \
    SIMPLE(#key, FIELD_REASON_SET, 0, MEMBER(owner, member, struct reason_set), NULL, d)
#define TEXT_LIST(owner, key, member, d)                                                           \
    SIMPLE(#key, FIELD_TEXT_LIST, FIELD_NULLABLE, MEMBER(owner, member, struct text_list), NULL, d)
#define TEXT_LIST_NEVER_NULL(owner, key, member, d)                                                \
    SIMPLE(#key, FIELD_TEXT_LIST, 0, MEMBER(owner, member, struct text_list), NULL, d)
#define NAMED_BYTES(owner, key, member, d)                                                         \
    SIMPLE(#key, FIELD_NAMED_BYTES, 0, MEMBER(owner, member, struct named_bytes_list), "bytes", d)
#define LIST_STATE(owner, key, member)                                                             \
    SIMPLE(#key, FIELD_LIST_STATE, 0, MEMBER(owner, member, struct list_state), NULL, "")

#define WORD_FLAGS(owner, key_, member, noun, flags_, d)                                           \
    {.key = #key_,                                                                                 \
     .kind = FIELD_WORD,                                                                           \
     .flags = flags_,                                                                              \
     .offset = offsetof(struct owner, member) + IS_ENUM(owner, member),                            \
     .words = &words_##noun,                                                                       \
     .description = d},
#define WORD(owner, key, member, words, d) WORD_FLAGS(owner, key, member, words, 0, d)
#define WORD_OR_NULL(owner, key, member, words, d)                                                 \
    WORD_FLAGS(owner, key, member, words, FIELD_NULLABLE, d)
#define WORD_WITH_HOW(owner, key_, member, noun, how_member, d)                                    \
    {.key = #key_,                                                                                 \
     .kind = FIELD_WORD,                                                                           \
     .flags = FIELD_HAS_HOW,                                                                       \
     .offset = offsetof(struct owner, member) + IS_ENUM(owner, member),                            \
     .second = MEMBER(owner, how_member, enum how),                                                \
     .words = &words_##noun,                                                                       \
     .description = d},
#define TEXT_LIST_WITH_HOW(owner, key_, member, how_member, reason_member, d)                      \
    {.key = #key_,                                                                                 \
     .kind = FIELD_TEXT_LIST,                                                                      \
     .flags = FIELD_NULLABLE | FIELD_HAS_HOW,                                                      \
     .offset = MEMBER(owner, member, struct text_list),                                            \
     .second = MEMBER(owner, how_member, enum how),                                                \
     .third = MEMBER(owner, reason_member, enum reason),                                           \
     .description = d},
#define REASON_OF(owner, key_, member, presence, d)                                                \
    {.key = #key_,                                                                                 \
     .kind = FIELD_REASON,                                                                         \
     .flags = FIELD_NULLABLE,                                                                      \
     .offset = MEMBER(owner, member, enum reason),                                                 \
     .second = MEMBER(owner, presence, bool),                                                      \
     .words = &words_reason,                                                                       \
     .description = d},

#define OBJECT_FLAGS(key_, flags_, offset_, second_, table_, d)                                    \
    {.key = #key_,                                                                                 \
     .kind = FIELD_OBJECT,                                                                         \
     .flags = flags_,                                                                              \
     .offset = offset_,                                                                            \
     .second = second_,                                                                            \
     .table = &table_##_table,                                                                     \
     .description = d},
#define OBJECT(owner, key, member, table, d)                                                       \
    OBJECT_FLAGS(key, 0, offsetof(struct owner, member), 0, table, d)
/* Members that lie in the owner itself. */
#define OBJECT_HERE(owner, key, table, d) OBJECT_FLAGS(key, 0, 0, 0, table, d)
#define OBJECT_OR_NULL(owner, key, table, presence, d)                                             \
    OBJECT_FLAGS(key, FIELD_NULLABLE, 0, MEMBER(owner, presence, bool), table, d)
/* A struct that knows itself whether it is there. */
#define OBJECT_OR_NULL_AT(owner, key, member, table, d)                                            \
    OBJECT_FLAGS(key, FIELD_NULLABLE, offsetof(struct owner, member),                              \
                 MEMBER(owner, member.present, bool), table, d)

#define LIST(owner, key_, member, count, table_, limit_, d)                                        \
    {.key = #key_,                                                                                 \
     .kind = FIELD_LIST,                                                                           \
     .offset = offsetof(struct owner, member),                                                     \
     .second = MEMBER(owner, count, size_t),                                                       \
     .limit = limit_,                                                                              \
     .table = &table_##_table,                                                                     \
     .description = d},
/* A struct of items and count. */
#define LIST_OF(owner, key, member, table, limit, d)                                               \
    LIST(owner, key, member.items, member.count, table, limit, d)

#define UNAVAILABLE_FLAGS(flags)                                                                   \
    SIMPLE(                                                                                        \
        "unavailable", FIELD_UNAVAILABLE, flags, 0, NULL,                                          \
        "Path of each figure here that is null for want of a value, and the code of the reason.")
#define NOT_MEASURED_FLAGS(flags)                                                                  \
    SIMPLE("not_measured", FIELD_NOT_MEASURED, flags, 0, NULL,                                     \
           "Path of each figure here that is not a measured counter, and how it came to be.")
#define UNAVAILABLE UNAVAILABLE_FLAGS(0)
#define NOT_MEASURED NOT_MEASURED_FLAGS(0)
#define UNAVAILABLE_IF_ANY UNAVAILABLE_FLAGS(FIELD_OMIT_EMPTY | FIELD_OPTIONAL)
#define NOT_MEASURED_IF_ANY NOT_MEASURED_FLAGS(FIELD_OMIT_EMPTY | FIELD_OPTIONAL)
#define SOURCE_OF_FIGURES(d) SIMPLE("source", FIELD_SOURCE, 0, 0, NULL, d)
#define SCHEMA_NAME(d) SIMPLE("schema", FIELD_SCHEMA, FIELD_REQUIRED, 0, NULL, d)

#include "snapshot/fields.def"

/* Not isfinite(): where long double is narrow, its expansion warns. */
static bool is_finite(double value)
{
    return fabs(value) <= DBL_MAX;
}

const void *field_at(const struct field *field, const void *base)
{
    return (const char *)base + field->offset;
}

bool field_flag_is(const struct field *field, enum field_flag flag)
{
    return (field->flags & (unsigned)flag) != 0;
}

static int int_at(const void *base, size_t offset)
{
    int value;
    memcpy(&value, (const char *)base + offset, sizeof value);
    return value;
}

/* What has a value is measured unless something else is said. */
static enum how how_of_known(const void *base, size_t offset)
{
    enum how how = (enum how)int_at(base, offset);
    return how == HOW_UNAVAILABLE ? HOW_MEASURED : how;
}

int field_word(const struct field *field, const void *base)
{
    return int_at(base, field->offset);
}

bool field_is_present(const struct field *field, const void *base)
{
    return !field_flag_is(field, FIELD_NULLABLE) ||
           *(const bool *)((const char *)base + field->second);
}

size_t field_list_count(const struct field *field, const void *base)
{
    return *(const size_t *)(const void *)((const char *)base + field->second);
}

const void *field_list_item(const struct field *field, const void *base, size_t index)
{
    const char *items;
    memcpy(&items, field_at(field, base), sizeof items);
    return items + index * field->table->item_size;
}

bool field_provenance(const struct field *field, const void *base, enum how *how,
                      enum reason *why_not)
{
    const void *member = field_at(field, base);
    switch (field->kind) {
    case FIELD_MEASURED: {
        const struct measured *measured = member;
        *how = measured->known ? HOW_MEASURED : HOW_UNAVAILABLE;
        *why_not = measured->why_not;
        return true;
    }
    case FIELD_FIGURE: {
        const struct figure *figure = member;
        bool credible = is_finite(figure->value);
        *how = credible ? figure->how : HOW_UNAVAILABLE;
        *why_not = credible ? figure->why_not : REASON_incredible_value;
        return true;
    }
    case FIELD_LIST_STATE: {
        const struct list_state *list = member;
        *how = list->unknown ? HOW_UNAVAILABLE : HOW_MEASURED;
        *why_not = list->why_not;
        return true;
    }
    case FIELD_TEXT_LIST: {
        const struct text_list *list = member;
        if (!field_flag_is(field, FIELD_HAS_HOW)) {
            return false;
        }
        *how = list->known ? how_of_known(base, field->second) : HOW_UNAVAILABLE;
        *why_not = (enum reason)int_at(base, field->third);
        return true;
    }
    case FIELD_WORD:
        if (!field_flag_is(field, FIELD_HAS_HOW)) {
            return false;
        }
        *how = how_of_known(base, field->second);
        *why_not = REASON_not_reported;
        return true;
    default:
        return false;
    }
}

bool field_estimate_is_known(const struct field *field, const void *base)
{
    const struct figure *figure = field_at(field, base);
    return figure_is_known(*figure) && is_finite(figure->value);
}

bool field_is_amount(const struct field *field)
{
    static const char *const units[] = {"bytes", "percent", "seconds", "bytes per second"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (field->unit && strcmp(field->unit, units[i]) == 0) {
            return true;
        }
    }
    return false;
}

size_t field_source_key_size(const struct field *field)
{
    static const char suffix[] = "_bytes";
    size_t size = strlen(field->key), cut = sizeof suffix - 1;
    return size > cut && strcmp(field->key + size - cut, suffix) == 0 ? size - cut : size;
}

bool field_table_has_provenance(const struct field_table *table)
{
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].kind == FIELD_UNAVAILABLE) {
            return true;
        }
    }
    return false;
}
