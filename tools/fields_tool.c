/* Prints docs/snapshot-fields.md from the field table: every field of the snapshot in words. Built
 * for the build machine and run by the build; a test compares the committed copy with it. */
#include <stdio.h>
#include <string.h>

#include "reading/reasons.h"
#include "snapshot/fields.h"

static const char *type_words(const struct field *field)
{
    switch (field->kind) {
    case FIELD_INTEGER:
    case FIELD_MEASURED:
        return "integer";
    case FIELD_FIGURE:
    case FIELD_ESTIMATE:
        return "number";
    case FIELD_BOOLEAN:
        return "true, false";
    case FIELD_TIME:
        return "time";
    case FIELD_REASON:
        return "reason code";
    case FIELD_REASON_SET:
        return "list of reason codes";
    case FIELD_TEXT_LIST:
        return "list of texts";
    case FIELD_NAMED_BYTES:
        return "name → integer";
    case FIELD_UNAVAILABLE:
        return "path → reason code";
    case FIELD_NOT_MEASURED:
        return "path → how";
    case FIELD_SOURCE:
        return "name → how";
    default:
        return "text";
    }
}

static bool may_be_null(const struct field *field)
{
    return field->kind == FIELD_MEASURED || field->kind == FIELD_FIGURE ||
           field_flag_is(field, FIELD_NULLABLE);
}

static void print_type(const struct field *field)
{
    if (field->kind == FIELD_WORD) {
        bool first = true;
        for (int i = 0; i < field->words->count; i++) {
            if (field->words->name(i)[0] != '\0') {
                printf("%s`%s`", first ? "" : ", ", field->words->name(i));
                first = false;
            }
        }
    } else if (field->table) {
        const char *name = field->table->name;
        printf("%s[%s](#%s)", field->kind == FIELD_LIST ? "list of " : "", name, name);
    } else {
        fputs(type_words(field), stdout);
    }
    if (may_be_null(field)) {
        fputs(", null", stdout);
    }
    if (field_flag_is(field, FIELD_OPTIONAL)) {
        fputs("; may be missing", stdout);
    }
}

static void print_table(const struct field_table *table)
{
    printf("\n## %s\n\n%s\n\n| field | value | meaning |\n|---|---|---|\n", table->name,
           table->description);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct field *field = &table->fields[i];
        if (field->kind != FIELD_LIST_STATE) {
            printf("| `%s` | ", field->key);
            print_type(field);
            printf(" | %s |\n", field->description);
        }
    }
}

enum { TABLES_MAX = 64 };

/* Outer tables first, each once. */
static size_t collect(const struct field_table **tables)
{
    size_t count = 1;
    tables[0] = &snapshot_table;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < tables[i]->field_count; j++) {
            const struct field_table *inner = tables[i]->fields[j].table;
            bool known = !inner;
            for (size_t k = 0; k < count && !known; k++) {
                known = tables[k] == inner;
            }
            if (!known && count < TABLES_MAX) {
                tables[count++] = inner;
            }
        }
    }
    return count;
}

int main(void)
{
    const struct field_table *tables[TABLES_MAX];
    size_t count = collect(tables);
    fputs("# Every field of a snapshot\n\n"
          "Printed from `src/snapshot/fields.def` by `tools/fields_tool.c`; do not edit. What the "
          "fields have in common is in [snapshot.md](snapshot.md).\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        print_table(tables[i]);
    }
    fputs("\n## Reason codes\n\n| code | meaning |\n|---|---|\n", stdout);
    for (int i = 0; i < REASON_COUNT; i++) {
        printf("| `%s` | %s |\n", reason_code((enum reason)i), reason_words((enum reason)i));
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
