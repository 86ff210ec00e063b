#include "snapshot/json.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "snapshot/fields.h"
#include "snapshot/limits.h"
#include "snapshot/provenance.h"
#include "snapshot/reader.h"

static bool read_fields(struct reader *reader, const struct field_table *table,
                        const json_t *object, void *base, const struct provenance *outer);

static void put_int(void *base, size_t offset, int value)
{
    memcpy((char *)base + offset, &value, sizeof value);
}

static void put_bool(void *base, size_t offset, bool value)
{
    memcpy((char *)base + offset, &value, sizeof value);
}

static bool check_amount(struct reader *reader, const struct field *field, const json_t *value)
{
    return !(json_number_value(value) < 0 && field_is_amount(field)) ||
           reader_fail(reader, "must not be negative");
}

static bool read_measured(struct reader *reader, const struct field *field, const json_t *value,
                          struct measured *measured, const struct provenance *provenance)
{
    int64_t integer;
    if (!value) {
        *measured = measured_unknown(provenance_reason(provenance, field));
        return true;
    }
    if (!reader_integer(reader, value, &integer) || !check_amount(reader, field, value)) {
        return false;
    }
    *measured = measured_known(integer);
    return true;
}

static bool read_figure(struct reader *reader, const struct field *field, const json_t *value,
                        struct figure *figure, const struct provenance *provenance)
{
    if (value && !json_is_number(value)) {
        return reader_fail_type(reader, "a number", value);
    }
    if (!check_amount(reader, field, value)) {
        return false;
    }
    if (field->kind == FIELD_ESTIMATE) {
        *figure = value ? figure_known(json_number_value(value), HOW_ESTIMATED)
                        : figure_unknown(REASON_not_reported);
    } else {
        *figure = value ? figure_known(json_number_value(value), provenance_how(provenance, field))
                        : figure_unknown(provenance_reason(provenance, field));
    }
    return true;
}

static bool read_word_field(struct reader *reader, const struct field *field, const json_t *value,
                            void *base, const struct provenance *provenance)
{
    int word = 0;
    if (value && !reader_word(reader, value, field->words, &word)) {
        return false;
    }
    put_int(base, field->offset, word);
    if (field->kind == FIELD_REASON) {
        put_bool(base, field->second, value != NULL);
    } else if (field_flag_is(field, FIELD_HAS_HOW)) {
        put_int(base, field->second, (int)provenance_how(provenance, field));
    }
    return true;
}

static bool read_reason_set(struct reader *reader, const json_t *value, struct reason_set *set)
{
    if (!reader_check_list(reader, value)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        int reason;
        const json_t *item = json_array_get(value, i);
        reader_step_in(reader, NULL, i);
        if (!reader_word(reader, item, &words_reason, &reason)) {
            return false;
        }
        reader_step_out(reader);
        reason_set_add(set, (enum reason)reason);
    }
    return true;
}

static bool read_text_list(struct reader *reader, const struct field *field, const json_t *value,
                           void *base, const struct provenance *provenance)
{
    struct text_list list = {.known = value || !field_flag_is(field, FIELD_NULLABLE)};
    if (field_flag_is(field, FIELD_HAS_HOW)) {
        enum how how = value ? provenance_how(provenance, field) : HOW_UNAVAILABLE;
        put_int(base, field->second, (int)how);
        put_int(base, field->third,
                (int)(value ? REASON_not_reported : provenance_reason(provenance, field)));
    }
    if (!reader_check_list(reader, value)) {
        return false;
    }
    list.count = json_array_size(value);
    struct text *items = reader_new_list(reader, list.count, sizeof *items, SNAPSHOT_TEXTS_MAX);
    for (size_t i = 0; i < list.count; i++) {
        reader_step_in(reader, NULL, i);
        if (!items || !reader_text(reader, json_array_get(value, i), &items[i])) {
            return false;
        }
        reader_step_out(reader);
    }
    list.items = items;
    memcpy((char *)base + field->offset, &list, sizeof list);
    return items != NULL;
}

static bool read_named_bytes(struct reader *reader, const struct field *field, const json_t *value,
                             struct named_bytes_list *list)
{
    if (value && !json_is_object(value)) {
        return reader_fail_type(reader, "an object", value);
    }
    struct named_bytes *items =
        reader_new_list(reader, json_object_size(value), sizeof *items, SNAPSHOT_NAMES_MAX);
    if (!items) {
        return false;
    }
    const char *key;
    json_t *bytes;
    json_object_foreach((json_t *)(uintptr_t)value, key, bytes)
    {
        struct named_bytes *item = &items[list->count++];
        item->name = text_from_raw(reader->arena, raw_from_string(key));
        reader_step_in(reader, key, 0);
        if (!reader_integer(reader, bytes, &item->bytes) || !check_amount(reader, field, bytes)) {
            return false;
        }
        reader_step_out(reader);
    }
    list->items = items;
    return true;
}

static bool read_object(struct reader *reader, const struct field *field, const json_t *value,
                        void *base, const struct provenance *provenance)
{
    struct provenance inner = *provenance;
    if (value && !json_is_object(value)) {
        return reader_fail_type(reader, "an object", value);
    }
    if (field_flag_is(field, FIELD_NULLABLE)) {
        put_bool(base, field->second, value != NULL);
        if (!value) {
            return true;
        }
    }
    snprintf(inner.path, sizeof inner.path, "%.100s%.20s.", provenance->path, field->key);
    return read_fields(reader, field->table, value, (char *)base + field->offset, &inner);
}

static bool read_list(struct reader *reader, const struct field *field, const json_t *value,
                      void *base)
{
    static const struct provenance none;
    if (!reader_check_list(reader, value)) {
        return false;
    }
    size_t count = json_array_size(value);
    char *items = reader_new_list(reader, count, field->table->item_size, field->limit);
    if (!items) {
        return false;
    }
    memcpy((char *)base + field->offset, &items, sizeof items);
    memcpy((char *)base + field->second, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(value, i);
        reader_step_in(reader, NULL, i);
        if (!json_is_object(item)) {
            return reader_fail_type(reader, "an object", item);
        }
        if (!read_fields(reader, field->table, item, items + i * field->table->item_size, &none)) {
            return false;
        }
        reader_step_out(reader);
    }
    return true;
}

static bool read_value(struct reader *reader, const struct field *field, const json_t *value,
                       void *base, const struct provenance *provenance)
{
    void *member = (char *)base + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        if (!value) {
            *(struct text *)member =
                (struct text){field_flag_is(field, FIELD_NULLABLE) ? NULL : "", 0};
            return true;
        }
        return reader_text(reader, value, member);
    case FIELD_INTEGER:
        return !value || reader_integer(reader, value, member);
    case FIELD_BOOLEAN:
        return reader_boolean(reader, value, member);
    case FIELD_TIME:
        return reader_time(reader, value, member);
    case FIELD_MEASURED:
        return read_measured(reader, field, value, member, provenance);
    case FIELD_FIGURE:
    case FIELD_ESTIMATE:
        return read_figure(reader, field, value, member, provenance);
    case FIELD_WORD:
    case FIELD_REASON:
        return read_word_field(reader, field, value, base, provenance);
    case FIELD_REASON_SET:
        return read_reason_set(reader, value, member);
    case FIELD_TEXT_LIST:
        return read_text_list(reader, field, value, base, provenance);
    case FIELD_NAMED_BYTES:
        return read_named_bytes(reader, field, value, member);
    case FIELD_OBJECT:
        return read_object(reader, field, value, base, provenance);
    case FIELD_LIST:
        return read_list(reader, field, value, base);
    case FIELD_LIST_STATE:
        ((struct list_state *)member)->unknown =
            provenance_list_is_unknown(provenance, field, &((struct list_state *)member)->why_not);
        return true;
    case FIELD_SCHEMA: /* read_schema() */
    case FIELD_UNAVAILABLE:
    case FIELD_NOT_MEASURED:
    case FIELD_SOURCE: /* provenance_read() */
        return true;
    }
    return true;
}

/* True where null says the same as leaving the field out. */
static bool may_be_null(const struct field *field)
{
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_TIME:
    case FIELD_WORD:
    case FIELD_OBJECT:
        return field_flag_is(field, FIELD_NULLABLE);
    case FIELD_INTEGER:
    case FIELD_BOOLEAN:
        return false;
    default:
        return true;
    }
}

static bool read_field(struct reader *reader, const struct field *field, const json_t *object,
                       void *base, const struct provenance *provenance)
{
    const json_t *value = json_object_get(object, field->key);
    if (!value && field_flag_is(field, FIELD_REQUIRED)) {
        return reader_fail(reader, "has no \"%s\"", field->key);
    }
    reader_step_in(reader, field->key, 0);
    if (json_is_null(value)) {
        if (!may_be_null(field)) {
            return reader_fail(reader, "must not be null");
        }
        value = NULL;
    }
    if (!read_value(reader, field, value, base, provenance)) {
        return false;
    }
    reader_step_out(reader);
    return true;
}

/* The parts of an identity that JSON shows one by one come from the id where they are left out. */
static bool finish_process(struct reader *reader, const json_t *object, struct process *process)
{
    if (!identity_parse(process->id.utf8, &process->identity)) {
        reader_step_in(reader, "id", 0);
        return reader_fail(reader, "'%.60s' is no identity like local/4242/181237",
                           process->id.utf8);
    }
    if (!json_object_get(object, "pid")) {
        process->pid = process->identity.pid;
    }
    if (!json_object_get(object, "namespace")) {
        process->space = (enum pid_namespace)process->identity.space;
    }
    return true;
}

static bool read_fields(struct reader *reader, const struct field_table *table,
                        const json_t *object, void *base, const struct provenance *outer)
{
    struct provenance own;
    if (field_table_has_provenance(table)) {
        if (!provenance_read(reader, table, object, &own)) {
            return false;
        }
        outer = &own;
    }
    for (size_t i = 0; i < table->field_count; i++) {
        if (!read_field(reader, &table->fields[i], object, base, outer)) {
            return false;
        }
    }
    return table != &process_table || finish_process(reader, object, base);
}

/* "0.2.0" against "0.1.9": which is newer. What is no number counts as 0. */
static bool version_is_newer(const char *version, const char *than)
{
    for (;;) {
        struct raw_text left = raw_from_string(version), right = raw_from_string(than);
        uint64_t a = 0, b = 0;
        size_t used_left = 0, used_right = 0;
        number_parse_u64(left, &a, &used_left);
        number_parse_u64(right, &b, &used_right);
        if (a != b || (used_left == 0 && used_right == 0)) {
            return a > b;
        }
        version += used_left;
        than += used_right;
        version += *version == '.';
        than += *than == '.';
    }
}

/* "gputaskman/1", or "gputaskman/1.2" of a program that knows more fields. */
static bool read_schema(struct reader *reader, const json_t *root)
{
    static const char family[] = "gputaskman/";
    const json_t *value = json_object_get(root, "schema");
    const json_t *version = json_object_get(root, "version");
    if (!value) {
        return reader_fail(reader, "this is no gputaskman snapshot: it has no \"schema\"");
    }
    reader_step_in(reader, "schema", 0);
    if (!json_is_string(value)) {
        return reader_fail_type(reader, "a text", value);
    }
    const char *name = json_string_value(value);
    if (strncmp(name, family, sizeof family - 1) != 0) {
        return reader_fail(reader, "is '%.40s': this is no gputaskman snapshot (%s)", name,
                           SNAPSHOT_SCHEMA);
    }
    size_t length = strlen(SNAPSHOT_SCHEMA);
    bool same = strncmp(name, SNAPSHOT_SCHEMA, length) == 0;
    if (!same || (name[length] != '\0' && name[length] != '.')) {
        return reader_fail(reader,
                           "is '%.40s': this program reads %s; use the gputaskman that wrote it",
                           name, SNAPSHOT_SCHEMA);
    }
    reader_step_out(reader);
    reader->newer =
        name[length] == '.' || (json_is_string(version) &&
                                version_is_newer(json_string_value(version), GPUTASKMAN_VERSION));
    return true;
}

struct snapshot *snapshot_read(const char *bytes, size_t size, const char *name, size_t first_line,
                               struct snapshot_pool *pool, struct problem *problem)
{
    static const struct provenance none;
    struct snapshot *snapshot = NULL;
    json_error_t error;
    struct reader reader = {
        .bytes = bytes, .size = size, .name = name, .first_line = first_line, .problem = problem};
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!root) {
        reader_fail_at(&reader, error.line > 0 ? (size_t)error.line : 1,
                       error.column > 0 ? (size_t)error.column : 1, error.text);
        return NULL;
    }
    if (!json_is_object(root)) {
        reader_fail(&reader, "this is no snapshot: it must be an object, not %s",
                    reader_type_words(root));
    } else if (read_schema(&reader, root)) {
        snapshot = snapshot_new(pool);
        reader.arena = snapshot->arena;
        if (!read_fields(&reader, &snapshot_table, root, snapshot, &none)) {
            snapshot_drop(&snapshot);
        }
    }
    json_decref(root);
    return snapshot;
}
