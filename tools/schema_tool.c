/* Prints docs/snapshot.schema.json (JSON Schema, draft 2020-12) from the field table. Built for the
 * build machine and run by the build; a test compares the committed copy with what it prints. */
#include <stdio.h>
#include <string.h>

#include "snapshot/fields.h"
#include "snapshot/json_writer.h"

enum { TABLES_MAX = 64, DESCRIPTION_SIZE = 1024 };

struct schema {
    struct json_writer out;
    const struct field_table *tables[TABLES_MAX]; /* each once, inner ones first */
    size_t table_count;
};

static void put_member(struct json_writer *out, const char *key, const char *value)
{
    json_put_key(out, key);
    json_put_text(out, (struct text){value, strlen(value)});
}

static void put_reference(struct json_writer *out, const char *name)
{
    char reference[128];
    snprintf(reference, sizeof reference, "#/$defs/%s", name);
    put_member(out, "$ref", reference);
}

static void put_object_of_reference(struct json_writer *out, const char *name)
{
    json_open(out, '{');
    put_reference(out, name);
    json_close(out, '}');
}

static void put_type(struct json_writer *out, const char *type, bool nullable)
{
    json_put_key(out, "type");
    if (!nullable) {
        json_put_word(out, type);
        return;
    }
    json_open(out, '[');
    json_separate(out);
    json_put_word(out, type);
    json_separate(out);
    json_put_word(out, "null");
    json_close(out, ']');
}

static void put_words(struct json_writer *out, const struct words *words, bool nullable)
{
    json_put_key(out, "enum");
    json_open(out, '[');
    for (int i = 0; i < words->count; i++) {
        if (words->name(i)[0] != '\0') {
            json_separate(out);
            json_put_word(out, words->name(i));
        }
    }
    if (nullable) {
        json_separate(out);
        json_put_null(out);
    }
    json_close(out, ']');
}

/* {"$ref": ...}, or that or null. */
static void put_reference_or_null(struct json_writer *out, const char *name, bool nullable)
{
    if (!nullable) {
        put_reference(out, name);
        return;
    }
    json_put_key(out, "anyOf");
    json_open(out, '[');
    json_separate(out);
    put_object_of_reference(out, name);
    json_separate(out);
    json_open(out, '{');
    put_member(out, "type", "null");
    json_close(out, '}');
    json_close(out, ']');
}

static void put_minimum(struct json_writer *out, const struct field *field)
{
    if (field_is_amount(field)) {
        json_put_key(out, "minimum");
        json_put_integer(out, 0);
    }
}

/* An object whose keys are free and whose values are the words, or what the definition says. */
static void put_entries(struct json_writer *out, const char *const *words, const char *definition)
{
    put_type(out, "object", false);
    json_put_key(out, "additionalProperties");
    if (definition) {
        put_object_of_reference(out, definition);
        return;
    }
    json_open(out, '{');
    json_put_key(out, "enum");
    json_open(out, '[');
    for (; *words; words++) {
        json_separate(out);
        json_put_word(out, *words);
    }
    json_close(out, ']');
    json_close(out, '}');
}

static void put_list(struct json_writer *out, const struct field *field)
{
    put_type(out, "array", field->kind == FIELD_TEXT_LIST && field_flag_is(field, FIELD_NULLABLE));
    json_put_key(out, "items");
    if (field->kind == FIELD_LIST) {
        put_object_of_reference(out, field->table->name);
        json_put_key(out, "maxItems");
        json_put_integer(out, (int64_t)field->limit);
    } else if (field->kind == FIELD_REASON_SET) {
        put_object_of_reference(out, "reason");
        json_put_key(out, "uniqueItems");
        json_put_string(out, "true");
    } else {
        json_open(out, '{');
        put_member(out, "type", "string");
        json_close(out, '}');
    }
}

static void put_time(struct json_writer *out, bool nullable)
{
    put_type(out, "string", nullable);
    put_member(out, "format", "date-time");
    put_member(out, "pattern",
               "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$");
}

static void put_named_bytes(struct json_writer *out)
{
    put_type(out, "object", false);
    json_put_key(out, "additionalProperties");
    json_open(out, '{');
    put_member(out, "type", "integer");
    json_put_key(out, "minimum");
    json_put_integer(out, 0);
    json_close(out, '}');
}

static void put_constraints(struct json_writer *out, const struct field *field)
{
    static const char *const not_measured[] = {"reported", "estimated", "inferred", NULL};
    static const char *const sources[] = {"reported", "estimated", NULL};
    bool nullable = field_flag_is(field, FIELD_NULLABLE);
    switch (field->kind) {
    case FIELD_SCHEMA:
        put_member(out, "const", SNAPSHOT_SCHEMA);
        break;
    case FIELD_TEXT:
        put_type(out, "string", nullable);
        break;
    case FIELD_INTEGER:
        put_type(out, "integer", false);
        break;
    case FIELD_BOOLEAN:
        put_type(out, "boolean", false);
        break;
    case FIELD_TIME:
        put_time(out, nullable);
        break;
    case FIELD_MEASURED:
        put_type(out, "integer", true);
        put_minimum(out, field);
        break;
    case FIELD_FIGURE:
    case FIELD_ESTIMATE:
        put_type(out, "number", field->kind == FIELD_FIGURE);
        put_minimum(out, field);
        break;
    case FIELD_WORD:
        put_type(out, "string", nullable);
        put_words(out, field->words, nullable);
        break;
    case FIELD_REASON:
        put_reference_or_null(out, "reason", true);
        break;
    case FIELD_REASON_SET:
    case FIELD_TEXT_LIST:
    case FIELD_LIST:
        put_list(out, field);
        break;
    case FIELD_NAMED_BYTES:
        put_named_bytes(out);
        break;
    case FIELD_OBJECT:
        put_reference_or_null(out, field->table->name, nullable);
        break;
    case FIELD_UNAVAILABLE:
        put_entries(out, NULL, "reason");
        break;
    case FIELD_NOT_MEASURED:
        put_entries(out, not_measured, NULL);
        break;
    case FIELD_SOURCE:
        put_entries(out, sources, NULL);
        break;
    case FIELD_LIST_STATE:
        break;
    }
}

static void put_field(struct json_writer *out, const struct field *field)
{
    char description[DESCRIPTION_SIZE];
    bool names_unit = field->unit && !strstr(field->description, field->unit);
    snprintf(description, sizeof description, "%s%s%s%s", field->description,
             names_unit ? " Unit: " : "", names_unit ? field->unit : "", names_unit ? "." : "");
    json_put_key(out, field->key);
    json_open(out, '{');
    put_member(out, "description", description);
    put_constraints(out, field);
    json_close(out, '}');
}

static void put_table(struct json_writer *out, const struct field_table *table)
{
    json_put_key(out, table->name);
    json_open(out, '{');
    put_member(out, "description", table->description);
    put_type(out, "object", false);
    json_put_key(out, "properties");
    json_open(out, '{');
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].kind != FIELD_LIST_STATE) {
            put_field(out, &table->fields[i]);
        }
    }
    json_close(out, '}');
    json_put_key(out, "required");
    json_open(out, '[');
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        if (field->kind != FIELD_LIST_STATE && !field_flag_is(field, FIELD_OPTIONAL)) {
            json_separate(out);
            json_put_word(out, field->key);
        }
    }
    json_close(out, ']');
    json_close(out, '}');
}

static bool collect_tables(struct schema *schema, const struct field_table *table)
{
    for (size_t i = 0; i < schema->table_count; i++) {
        if (schema->tables[i] == table) {
            return true;
        }
    }
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].table && !collect_tables(schema, table->fields[i].table)) {
            return false;
        }
    }
    if (schema->table_count == TABLES_MAX) {
        return false;
    }
    schema->tables[schema->table_count++] = table;
    return true;
}

static void put_schema(struct schema *schema)
{
    struct json_writer *out = &schema->out;
    json_open(out, '{');
    put_member(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put_member(out, "$id", "urn:gputaskman:snapshot:1");
    put_member(out, "title", "gputaskman snapshot");
    put_member(
        out, "description",
        "What gputaskman --json prints, record writes one a line, and serve returns. Unknown "
        "fields are allowed everywhere: fields are added, never renamed.");
    put_reference(out, "snapshot");
    json_put_key(out, "$defs");
    json_open(out, '{');
    json_put_key(out, "reason");
    json_open(out, '{');
    put_member(out, "description", "Why something is unavailable.");
    put_type(out, "string", false);
    put_words(out, &words_reason, false);
    json_close(out, '}');
    for (size_t i = 0; i < schema->table_count; i++) {
        put_table(out, schema->tables[i]);
    }
    json_close(out, '}');
    json_close(out, '}');
    json_put_char(out, '\n');
}

int main(void)
{
    struct buffer buffer = {0};
    struct schema schema = {.out = {.out = &buffer, .pretty = true, .first = true}};
    if (!collect_tables(&schema, &snapshot_table)) {
        fprintf(stderr, "schema_tool: more than %d tables\n", TABLES_MAX);
        return 1;
    }
    put_schema(&schema);
    bool written = fwrite(buffer.bytes, 1, buffer.size, stdout) == buffer.size;
    written = fflush(stdout) == 0 && written;
    buffer_free(&buffer);
    return written ? 0 : 1;
}
