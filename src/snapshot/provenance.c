#include "snapshot/provenance.h"

#include <stdio.h>
#include <string.h>

/* The object under `key`, every value of which is one of the words. */
static bool read_provenance_object(struct reader *reader, const json_t *object, const char *key,
                                   const struct words *words, const json_t **found)
{
    json_t *entries = json_object_get(object, key), *value;
    const char *path;
    int word;
    *found = NULL;
    if (!entries || json_is_null(entries)) {
        return true;
    }
    reader_step_in(reader, key, 0);
    if (!json_is_object(entries)) {
        return reader_fail_type(reader, "an object", entries);
    }
    json_object_foreach(entries, path, value)
    {
        reader_step_in(reader, path, 0);
        if (!reader_word(reader, value, words, &word)) {
            return false;
        }
        reader_step_out(reader);
    }
    reader_step_out(reader);
    *found = entries;
    return true;
}

bool provenance_read(struct reader *reader, const struct field_table *table, const json_t *object,
                     struct provenance *provenance)
{
    *provenance = (struct provenance){0};
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        bool good = true;
        if (field->kind == FIELD_UNAVAILABLE) {
            good = read_provenance_object(reader, object, field->key, &words_reason,
                                          &provenance->unavailable);
        } else if (field->kind == FIELD_NOT_MEASURED) {
            good = read_provenance_object(reader, object, field->key, &words_how,
                                          &provenance->not_measured);
        } else if (field->kind == FIELD_SOURCE) {
            good =
                read_provenance_object(reader, object, field->key, &words_how, &provenance->source);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

/* The word for a path, or for an object that holds it when `inherit`; false when there is none. A
 * word of a newer program is `strange`. */
static bool find_word(const json_t *entries, const struct provenance *provenance, const char *key,
                      bool inherit, const struct words *words, int strange, int *word)
{
    char path[2 * PROVENANCE_PATH_SIZE];
    if (!entries) {
        return false;
    }
    snprintf(path, sizeof path, "%s%s", provenance->path, key);
    const json_t *value = json_object_get(entries, path);
    for (char *dot = strrchr(path, '.'); !value && inherit && dot; dot = strrchr(path, '.')) {
        *dot = '\0';
        value = json_object_get(entries, path);
    }
    if (!value) {
        return false;
    }
    struct text text = {json_string_value(value), json_string_length(value)};
    if (!words_find(words, text, word)) {
        *word = strange;
    }
    return true;
}

enum reason provenance_reason(const struct provenance *provenance, const struct field *field)
{
    int reason = REASON_not_reported;
    find_word(provenance->unavailable, provenance, field->key, true, &words_reason,
              REASON_not_reported, &reason);
    return (enum reason)reason;
}

enum how provenance_how(const struct provenance *provenance, const struct field *field)
{
    int how = HOW_MEASURED;
    if (field_flag_is(field, FIELD_IN_SOURCE)) {
        char key[PROVENANCE_PATH_SIZE];
        snprintf(key, sizeof key, "%.*s", (int)field_source_key_size(field), field->key);
        find_word(provenance->source, provenance, key, false, &words_how, HOW_INFERRED, &how);
    } else {
        find_word(provenance->not_measured, provenance, field->key, false, &words_how, HOW_INFERRED,
                  &how);
    }
    return how == HOW_UNAVAILABLE ? HOW_MEASURED : (enum how)how;
}

bool provenance_list_is_unknown(const struct provenance *provenance, const struct field *field,
                                enum reason *why_not)
{
    int reason = REASON_not_reported;
    bool unknown = find_word(provenance->unavailable, provenance, field->key, false, &words_reason,
                             REASON_not_reported, &reason);
    *why_not = (enum reason)reason;
    return unknown;
}
