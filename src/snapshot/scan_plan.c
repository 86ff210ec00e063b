#include "snapshot/scan_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "snapshot/snapshot.h"

static bool is_wanted(const char *const *wanted, const char *table, const char *key)
{
    size_t length = strlen(table);
    for (; *wanted; wanted++) {
        if (strncmp(*wanted, table, length) == 0 && (*wanted)[length] == '.' &&
            strcmp(*wanted + length + 1, key) == 0) {
            return true;
        }
    }
    return false;
}

/* An object that may not be null is read as if it were there: what it requires must be. */
static bool is_required(const struct scan_field *at)
{
    const struct field *field = at->field;
    bool always_there = field->kind == FIELD_OBJECT && !field_flag_is(field, FIELD_NULLABLE);
    return field_flag_is(field, FIELD_REQUIRED) || (always_there && at->inner->required);
}

static void plan_field(struct scan_plan *plan, size_t index, const char *const *wanted)
{
    const struct field *field = &plan->table->fields[index];
    struct scan_field *at = &plan->fields[index];
    *at = (struct scan_field){.field = field, .key_size = strlen(field->key)};
    at->next = (uint8_t)(index + 1 < plan->table->field_count ? index + 1 : 0);
    if (field->kind == FIELD_OBJECT || field->kind == FIELD_LIST) {
        at->inner = scan_plan_new(field->table, wanted);
    }
    at->wanted =
        is_wanted(wanted, plan->table->name, field->key) || (at->inner && at->inner->any_wanted);
    plan->any_wanted |= at->wanted;
    plan->required |= is_required(at) ? UINT64_C(1) << index : 0;
    if (field->kind == FIELD_NOT_MEASURED) {
        plan->not_measured = index;
    }
}

static size_t index_of(const struct field_table *table, const char *key)
{
    for (size_t i = 0; i < table->field_count; i++) {
        if (strcmp(table->fields[i].key, key) == 0) {
            return i;
        }
    }
    return SCAN_NO_FIELD;
}

struct scan_plan *scan_plan_new(const struct field_table *table, const char *const *wanted)
{
    struct scan_plan *plan = memory_new(sizeof *plan);
    plan->table = table;
    plan->not_measured = plan->identity = plan->pid = plan->name_space = SCAN_NO_FIELD;
    for (size_t i = 0; i < table->field_count && i < SCAN_FIELDS_MAX; i++) {
        plan_field(plan, i, wanted);
    }
    if (table == &process_table) {
        plan->identity = index_of(table, "id");
        plan->pid = index_of(table, "pid");
        plan->name_space = index_of(table, "namespace");
        plan->fields[plan->identity].wanted = true;
    }
    plan->scratch = plan->any_wanted ? NULL : memory_new(table->item_size);
    return plan;
}

void scan_plan_free(struct scan_plan *plan)
{
    if (!plan) {
        return;
    }
    for (size_t i = 0; i < SCAN_FIELDS_MAX; i++) {
        scan_plan_free(plan->fields[i].inner);
    }
    free(plan->scratch);
    free(plan);
}

static bool is_key(const struct scan_field *at, struct text key)
{
    return at->key_size == key.size && memcmp(at->field->key, key.utf8, key.size) == 0 &&
           at->field->kind != FIELD_LIST_STATE;
}

size_t scan_plan_find(struct scan_plan *plan, size_t before, struct text key)
{
    uint8_t *hint = before == SCAN_NO_FIELD ? &plan->first : &plan->fields[before].next;
    if (is_key(&plan->fields[*hint], key)) {
        return *hint;
    }
    for (size_t i = 0; i < plan->table->field_count; i++) {
        if (is_key(&plan->fields[i], key)) {
            *hint = (uint8_t)i;
            return i;
        }
    }
    return SCAN_NO_FIELD;
}

static size_t slot_of(const char *word, size_t size)
{
    unsigned first = (unsigned char)word[0], middle = (unsigned char)word[size / 2];
    unsigned last = (unsigned char)word[size - 1];
    return (unsigned char)(size * 29 + first * 3 + middle * 7 + last * 13);
}

void scan_words_start(struct scan_words *index, const struct words *words)
{
    *index = (struct scan_words){.words = words};
    for (int i = 0; i < words->count; i++) {
        const char *word = words->name(i);
        size_t slot = word[0] != '\0' ? slot_of(word, strlen(word)) : 0;
        while (word[0] != '\0' && index->slots[slot] != 0) {
            slot = (slot + 1) % sizeof index->slots;
        }
        if (word[0] != '\0') {
            index->slots[slot] = (uint8_t)(i + 1);
        }
    }
}

bool scan_words_find(const struct scan_words *index, struct text text, int *word)
{
    size_t slot = text.size ? slot_of(text.utf8, text.size) : 0;
    for (; text.size && index->slots[slot]; slot = (slot + 1) % sizeof index->slots) {
        const char *name = index->words->name(index->slots[slot] - 1);
        if (strncmp(name, text.utf8, text.size) == 0 && name[text.size] == '\0') {
            *word = index->slots[slot] - 1;
            return true;
        }
    }
    return false;
}
