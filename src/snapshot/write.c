#include "snapshot/json.h"

#include <stdio.h>
#include <string.h>

#include "snapshot/fields.h"
#include "snapshot/json_writer.h"

enum { PATH_SIZE = 128 };

static void write_time(struct json_writer *writer, int64_t wall_ns)
{
    char text[TIME_TEXT_SIZE];
    if (wall_ns == TIME_UNKNOWN) {
        json_put_null(writer);
        return;
    }
    time_format(wall_ns, text);
    json_put_word(writer, text);
}

static void write_text_list(struct json_writer *writer, const struct text_list *list)
{
    json_open(writer, '[');
    for (size_t i = 0; i < list->count; i++) {
        json_separate(writer);
        json_put_text(writer, list->items[i]);
    }
    json_close(writer, ']');
}

static void write_reason_set(struct json_writer *writer, struct reason_set set)
{
    json_open(writer, '[');
    for (int reason = 0; reason < REASON_COUNT; reason++) {
        if (reason_set_has(set, (enum reason)reason)) {
            json_separate(writer);
            json_put_word(writer, reason_code((enum reason)reason));
        }
    }
    json_close(writer, ']');
}

static void write_named_bytes(struct json_writer *writer, const struct named_bytes_list *list)
{
    json_open(writer, '{');
    for (size_t i = 0; i < list->count; i++) {
        json_separate(writer);
        json_put_text(writer, list->items[i].name);
        json_put_colon(writer);
        json_put_integer(writer, list->items[i].bytes);
    }
    json_close(writer, '}');
}

/* `unavailable` or `not_measured` of one object while it is written. */
struct provenance_writer {
    struct json_writer *writer;
    enum field_kind kind;
    char path[PATH_SIZE]; /* keys of the nested objects so far, each followed by '.' */
};

static void write_provenance_entry(struct provenance_writer *provenance, const struct field *field,
                                   const char *word)
{
    struct json_writer *writer = provenance->writer;
    json_separate(writer);
    json_put_char(writer, '"');
    json_put_string(writer, provenance->path);
    json_put_string(writer, field->key);
    json_put_char(writer, '"');
    json_put_colon(writer);
    json_put_word(writer, word);
}

static void write_provenance_of(struct provenance_writer *provenance, const struct field *field,
                                const void *base)
{
    enum how how;
    enum reason why_not;
    if (!field_provenance(field, base, &how, &why_not)) {
        return;
    }
    if (provenance->kind == FIELD_UNAVAILABLE) {
        bool silent = field_flag_is(field, FIELD_QUIET) && why_not == REASON_not_reported;
        if (how == HOW_UNAVAILABLE && !silent) {
            write_provenance_entry(provenance, field, reason_code(why_not));
        }
    } else if (how != HOW_UNAVAILABLE && how != HOW_MEASURED &&
               !field_flag_is(field, FIELD_IN_SOURCE)) {
        write_provenance_entry(provenance, field, how_name(how));
    }
}

static void write_provenance(struct provenance_writer *provenance, const struct field_table *table,
                             const void *base)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        if (field->kind != FIELD_OBJECT) {
            write_provenance_of(provenance, field, base);
        } else if (field_is_present(field, base) && !field_table_has_provenance(field->table)) {
            size_t length = strlen(provenance->path);
            snprintf(provenance->path + length, PATH_SIZE - length, "%s.", field->key);
            write_provenance(provenance, field->table, field_at(field, base));
            provenance->path[length] = '\0';
        }
    }
}

/* The whole member, key included; with FIELD_OMIT_EMPTY nothing when it would be empty. */
static void write_provenance_field(struct json_writer *writer, const struct field_table *table,
                                   const struct field *field, const void *base)
{
    struct provenance_writer provenance = {.writer = writer, .kind = field->kind};
    struct json_writer before = *writer;
    size_t size = writer->out->size;
    json_put_key(writer, field->key);
    json_open(writer, '{');
    write_provenance(&provenance, table, base);
    if (writer->first && field_flag_is(field, FIELD_OMIT_EMPTY)) {
        *writer = before;
        writer->out->size = size;
        return;
    }
    json_close(writer, '}');
}

/* {"weights": "estimated"}: how each figure of the table came to be, its key without "_bytes". */
static void write_source(struct json_writer *writer, const struct field_table *table,
                         const void *base)
{
    json_open(writer, '{');
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        enum how how;
        enum reason why_not;
        if (field_flag_is(field, FIELD_IN_SOURCE) &&
            field_provenance(field, base, &how, &why_not) && how != HOW_UNAVAILABLE) {
            json_separate(writer);
            json_put_char(writer, '"');
            json_put_bytes(writer, field->key, field_source_key_size(field));
            json_put_char(writer, '"');
            json_put_colon(writer);
            json_put_word(writer, how_name(how));
        }
    }
    json_close(writer, '}');
}

static void write_fields(struct json_writer *writer, const struct field_table *table,
                         const void *base);

static void write_list(struct json_writer *writer, const struct field *field, const void *base)
{
    size_t count = field_list_count(field, base);
    json_open(writer, '[');
    for (size_t i = 0; i < count; i++) {
        json_separate(writer);
        write_fields(writer, field->table, field_list_item(field, base, i));
    }
    json_close(writer, ']');
}

static void write_number(struct json_writer *writer, const struct field *field, const void *base)
{
    enum how how;
    enum reason why_not;
    const void *member = field_at(field, base);
    if (!field_provenance(field, base, &how, &why_not) || how == HOW_UNAVAILABLE) {
        json_put_null(writer);
    } else if (field->kind == FIELD_MEASURED) {
        json_put_integer(writer, ((const struct measured *)member)->value);
    } else {
        json_put_real(writer, ((const struct figure *)member)->value);
    }
}

static void write_word_field(struct json_writer *writer, const struct field *field,
                             const void *base)
{
    const char *word = field->words->name(field_word(field, base));
    if (word[0] == '\0' && field_flag_is(field, FIELD_NULLABLE)) {
        json_put_null(writer);
    } else {
        json_put_word(writer, word);
    }
}

static void write_value(struct json_writer *writer, const struct field_table *table,
                        const struct field *field, const void *base)
{
    const void *member = field_at(field, base);
    bool nullable = field_flag_is(field, FIELD_NULLABLE);
    switch (field->kind) {
    case FIELD_SCHEMA:
        json_put_word(writer, SNAPSHOT_SCHEMA);
        break;
    case FIELD_TEXT:
        if (nullable && text_is_none(*(const struct text *)member)) {
            json_put_null(writer);
        } else {
            json_put_text(writer, *(const struct text *)member);
        }
        break;
    case FIELD_INTEGER:
        json_put_integer(writer, *(const int64_t *)member);
        break;
    case FIELD_BOOLEAN:
        json_put_string(writer, *(const bool *)member ? "true" : "false");
        break;
    case FIELD_TIME:
        write_time(writer, *(const int64_t *)member);
        break;
    case FIELD_MEASURED:
    case FIELD_FIGURE:
        write_number(writer, field, base);
        break;
    case FIELD_ESTIMATE:
        json_put_real(writer, ((const struct figure *)member)->value);
        break;
    case FIELD_WORD:
        write_word_field(writer, field, base);
        break;
    case FIELD_REASON:
        if (field_is_present(field, base)) {
            write_word_field(writer, field, base);
        } else {
            json_put_null(writer);
        }
        break;
    case FIELD_REASON_SET:
        write_reason_set(writer, *(const struct reason_set *)member);
        break;
    case FIELD_TEXT_LIST:
        if (nullable && !((const struct text_list *)member)->known) {
            json_put_null(writer);
        } else {
            write_text_list(writer, member);
        }
        break;
    case FIELD_NAMED_BYTES:
        write_named_bytes(writer, member);
        break;
    case FIELD_OBJECT:
        if (field_is_present(field, base)) {
            write_fields(writer, field->table, member);
        } else {
            json_put_null(writer);
        }
        break;
    case FIELD_LIST:
        write_list(writer, field, base);
        break;
    case FIELD_SOURCE:
        write_source(writer, table, base);
        break;
    case FIELD_LIST_STATE:
    case FIELD_UNAVAILABLE:
    case FIELD_NOT_MEASURED:
        break; /* write_field() */
    }
}

static void write_field(struct json_writer *writer, const struct field_table *table,
                        const struct field *field, const void *base)
{
    if (field->kind == FIELD_UNAVAILABLE || field->kind == FIELD_NOT_MEASURED) {
        write_provenance_field(writer, table, field, base);
    } else if (field->kind == FIELD_LIST_STATE) {
        return;
    } else if (field->kind != FIELD_ESTIMATE || field_estimate_is_known(field, base)) {
        json_put_key(writer, field->key);
        write_value(writer, table, field, base);
    }
}

static void write_fields(struct json_writer *writer, const struct field_table *table,
                         const void *base)
{
    json_open(writer, '{');
    for (size_t i = 0; i < table->field_count; i++) {
        write_field(writer, table, &table->fields[i], base);
    }
    json_close(writer, '}');
}

void snapshot_write(const struct snapshot *snapshot, bool pretty, struct buffer *out)
{
    struct json_writer writer = {.out = out, .pretty = pretty, .first = true};
    write_fields(&writer, &snapshot_table, snapshot);
}

static void write_items(struct json_writer *writer, const char *key,
                        const struct field_table *table, const void *items, size_t count)
{
    json_put_key(writer, key);
    json_open(writer, '[');
    for (size_t i = 0; i < count; i++) {
        json_separate(writer);
        write_fields(writer, table, (const char *)items + i * table->item_size);
    }
    json_close(writer, ']');
}

void models_write(const struct model *models, size_t model_count, const struct note *notes,
                  size_t note_count, bool pretty, struct buffer *out)
{
    struct json_writer writer = {.out = out, .pretty = pretty, .first = true};
    json_open(&writer, '{');
    json_put_key(&writer, "schema");
    json_put_word(&writer, SNAPSHOT_SCHEMA);
    write_items(&writer, "models", &model_table, models, model_count);
    write_items(&writer, "notes", &note_table, notes, note_count);
    json_close(&writer, '}');
}

void processes_write(const struct process *processes, size_t process_count,
                     const struct note *notes, size_t note_count, bool pretty, struct buffer *out)
{
    struct json_writer writer = {.out = out, .pretty = pretty, .first = true};
    json_open(&writer, '{');
    json_put_key(&writer, "schema");
    json_put_word(&writer, SNAPSHOT_SCHEMA);
    write_items(&writer, "processes", &process_table, processes, process_count);
    write_items(&writer, "notes", &note_table, notes, note_count);
    json_close(&writer, '}');
}
