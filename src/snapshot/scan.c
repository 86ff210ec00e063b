#include "snapshot/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "snapshot/json.h"
#include "snapshot/limits.h"
#include "snapshot/scan_plan.h"
#include "snapshot/scan_value.h"

enum { FIRST_ITEMS = 8, UNKNOWN_MAX = 16 };

struct snapshot_scanner {
    struct scan_plan *root;
    struct scan_words reasons, hows;
    struct arena *arena; /* of lists and of texts with escapes, until the next line */
    struct snapshot snapshot;
};

struct scan {
    struct snapshot_scanner *scanner;
    struct scan_cursor cursor;
    size_t list_bytes, list_bytes_limit; /* as the reader counts them */
};

struct snapshot_scanner *scanner_new(const char *const *wanted)
{
    struct snapshot_scanner *scanner = memory_new(sizeof *scanner);
    scanner->root = scan_plan_new(&snapshot_table, wanted);
    scanner->arena = arena_new();
    scan_words_start(&scanner->reasons, &words_reason);
    scan_words_start(&scanner->hows, &words_how);
    return scanner;
}

void scanner_free(struct snapshot_scanner **freeing)
{
    struct snapshot_scanner *scanner = *freeing;
    *freeing = NULL;
    if (scanner) {
        scan_plan_free(scanner->root);
        arena_free(&scanner->arena);
        free(scanner);
    }
}

static bool scan_object(struct scan *scan, struct scan_plan *plan, void *base);

/* The figure that a path like "memory.vram_used_bytes" leads to; NULL: none. */
static struct figure *find_figure(const struct scan_plan *plan, void *base, struct text path)
{
    const char *dot = path.size ? memchr(path.utf8, '.', path.size) : NULL;
    size_t length = dot ? (size_t)(dot - path.utf8) : path.size;
    for (size_t i = 0; i < plan->table->field_count; i++) {
        const struct scan_field *at = &plan->fields[i];
        if (at->key_size != length || memcmp(at->field->key, path.utf8, length) != 0) {
            continue;
        }
        void *member = (char *)base + at->field->offset;
        if (dot && at->field->kind == FIELD_OBJECT) {
            struct text rest = {dot + 1, path.size - length - 1};
            return find_figure(at->inner, member, rest);
        }
        if (!dot && at->field->kind == FIELD_FIGURE) {
            return member;
        }
    }
    return NULL;
}

/* An object of words. `base` NULL: passed over; else the figures of the paths came to be so. */
static bool scan_words_object(struct scan *scan, const struct scan_words *words,
                              const struct scan_plan *plan, void *base)
{
    struct scan_series series;
    struct scan_names names;
    bool good = scan_open(&scan->cursor, '{', &series);
    scan_names_start(&names);
    while (good && scan_more(&scan->cursor, &series, &good)) {
        struct text path, text;
        int word = 0;
        good = scan_key(&scan->cursor, &path) && scan_names_add(&names, path) &&
               scan_text(&scan->cursor, &text) && scan_words_find(words, text, &word);
        struct figure *figure = good && base ? find_figure(plan, base, path) : NULL;
        if (figure && figure_is_known(*figure)) {
            figure->how = word == HOW_UNAVAILABLE ? HOW_MEASURED : (enum how)word;
        }
    }
    return good;
}

/* Room for one more item; NULL: the reader would refuse so many. */
static void *next_item(struct scan *scan, const struct field *field, struct scan_plan *plan,
                       char **items, size_t count)
{
    size_t size = plan->table->item_size;
    bool is_power = (count & (count - 1)) == 0;
    if (count >= field->limit || size > scan->list_bytes_limit - scan->list_bytes) {
        return NULL;
    }
    scan->list_bytes += size;
    if (!plan->any_wanted) {
        return plan->scratch;
    }
    if (count == 0 || (is_power && count >= FIRST_ITEMS)) {
        char *larger =
            arena_alloc_array(scan->scanner->arena, count ? 2 * count : FIRST_ITEMS, size);
        if (count > 0) {
            memcpy(larger, *items, count * size);
        }
        *items = larger;
    }
    return *items + count * size;
}

static bool scan_list(struct scan *scan, const struct field *field, struct scan_plan *plan,
                      void *base)
{
    struct scan_series series;
    size_t count = 0;
    char *items = NULL;
    bool good = scan_open(&scan->cursor, '[', &series);
    while (good && scan_more(&scan->cursor, &series, &good)) {
        void *item = next_item(scan, field, plan, &items, count);
        good = item && scan_object(scan, plan, item);
        count++;
    }
    if (plan->any_wanted) {
        memcpy((char *)base + field->offset, &items, sizeof items);
        memcpy((char *)base + field->second, &count, sizeof count);
    }
    return good;
}

static bool scan_text_list(struct scan *scan, size_t limit)
{
    struct scan_series series;
    struct text text;
    size_t count = 0;
    bool escaped, good = scan_open(&scan->cursor, '[', &series);
    while (good && scan_more(&scan->cursor, &series, &good)) {
        good = count++ < limit && scan_raw_text(&scan->cursor, &text, &escaped);
    }
    size_t bytes = count * sizeof text;
    good = good && bytes <= scan->list_bytes_limit - scan->list_bytes;
    scan->list_bytes += good ? bytes : 0;
    return good;
}

static bool scan_reason_set(struct scan *scan)
{
    struct scan_series series;
    struct text text;
    int word;
    bool good = scan_open(&scan->cursor, '[', &series);
    while (good && scan_more(&scan->cursor, &series, &good)) {
        good = scan_text(&scan->cursor, &text) &&
               scan_words_find(&scan->scanner->reasons, text, &word);
    }
    return good;
}

static bool scan_named_bytes(struct scan *scan)
{
    struct scan_series series;
    struct scan_names names;
    int64_t bytes;
    bool good = scan_open(&scan->cursor, '{', &series);
    scan_names_start(&names);
    while (good && scan_more(&scan->cursor, &series, &good)) {
        struct text key;
        good = scan_key(&scan->cursor, &key) && scan_names_add(&names, key) &&
               scan_integer(&scan->cursor, &bytes) && bytes >= 0;
    }
    size_t taken = names.count * sizeof(struct named_bytes);
    good = good && taken <= scan->list_bytes_limit - scan->list_bytes;
    scan->list_bytes += good ? taken : 0;
    return good;
}

/* "gputaskman/1", or a minor version of it. */
static bool is_our_schema(struct text text)
{
    size_t length = strlen(SNAPSHOT_SCHEMA);
    return text.size >= length && memcmp(text.utf8, SNAPSHOT_SCHEMA, length) == 0 &&
           (text.size == length || text.utf8[length] == '.');
}

/* A text, or what is written as one. */
static bool scan_text_field(struct scan *scan, const struct scan_field *at, void *member)
{
    const struct field *field = at->field;
    bool escaped;
    struct text text;
    int word = 0;
    if (!scan_raw_text(&scan->cursor, &text, &escaped)) {
        return false;
    }
    if (field->kind == FIELD_TEXT) {
        if (at->wanted) {
            text = scan_unescape(scan->scanner->arena, text, escaped);
            memcpy(member, &text, sizeof text);
        }
        return true;
    }
    if (escaped) {
        return false;
    }
    if (field->kind == FIELD_SCHEMA) {
        return is_our_schema(text);
    }
    if (field->kind == FIELD_TIME) {
        return time_parse(text, member);
    }
    if (field->kind == FIELD_REASON) {
        return scan_words_find(&scan->scanner->reasons, text, &word);
    }
    bool found = words_find(field->words, text, &word);
    memcpy(member, &word, sizeof word);
    return found;
}

static bool scan_figure(struct scan *scan, const struct scan_field *at, struct figure *figure)
{
    double value;
    if (!at->wanted) {
        return scan_number(&scan->cursor);
    }
    if (!scan_real(&scan->cursor, &value)) {
        return false;
    }
    *figure = figure_known(value, HOW_MEASURED);
    return true;
}

static bool scan_null_field(const struct field *field, void *base)
{
    static const bool absent;
    switch (field->kind) {
    case FIELD_OBJECT:
        if (field_flag_is(field, FIELD_NULLABLE)) {
            memcpy((char *)base + field->second, &absent, sizeof absent);
        }
        return field_flag_is(field, FIELD_NULLABLE);
    case FIELD_TEXT:
    case FIELD_TIME:
    case FIELD_WORD:
        return field_flag_is(field, FIELD_NULLABLE);
    case FIELD_SCHEMA:
    case FIELD_INTEGER:
    case FIELD_BOOLEAN:
        return false;
    default:
        return true;
    }
}

static bool scan_field(struct scan *scan, struct scan_plan *plan, const struct scan_field *at,
                       void *base)
{
    static const bool present = true;
    const struct field *field = at->field;
    void *member = (char *)base + field->offset;
    if (scan_null(&scan->cursor)) {
        return scan_null_field(field, base);
    }
    if (scan_peek(&scan->cursor) == '-' && field_is_amount(field)) {
        return false;
    }
    switch (field->kind) {
    case FIELD_INTEGER:
        return scan_integer(&scan->cursor, member);
    case FIELD_BOOLEAN:
        return scan_boolean(&scan->cursor, member);
    case FIELD_MEASURED:
        ((struct measured *)member)->known = true;
        return scan_integer(&scan->cursor, &((struct measured *)member)->value);
    case FIELD_FIGURE:
        return scan_figure(scan, at, member);
    case FIELD_ESTIMATE:
        return scan_number(&scan->cursor);
    case FIELD_OBJECT:
        if (field_flag_is(field, FIELD_NULLABLE)) {
            memcpy((char *)base + field->second, &present, sizeof present);
        }
        return scan_object(scan, at->inner, member);
    case FIELD_LIST:
        return scan_list(scan, field, at->inner, base);
    case FIELD_TEXT_LIST:
        return scan_text_list(scan, SNAPSHOT_TEXTS_MAX);
    case FIELD_REASON_SET:
        return scan_reason_set(scan);
    case FIELD_NAMED_BYTES:
        return scan_named_bytes(scan);
    case FIELD_UNAVAILABLE:
        return scan_words_object(scan, &scan->scanner->reasons, plan, NULL);
    case FIELD_SOURCE:
        return scan_words_object(scan, &scan->scanner->hows, plan, NULL);
    case FIELD_NOT_MEASURED:
        return scan_words_object(scan, &scan->scanner->hows, plan, base);
    default:
        return scan_text_field(scan, at, member);
    }
}

/* What a reader makes of fields that are left out, also in objects that are. */
static void set_defaults(const struct scan_plan *plan, void *base)
{
    for (size_t i = 0; i < plan->table->field_count; i++) {
        const struct field *field = plan->fields[i].field;
        void *member = (char *)base + field->offset;
        if (!plan->fields[i].wanted) {
            continue;
        }
        if (field->kind == FIELD_TIME) {
            *(int64_t *)member = TIME_UNKNOWN;
        } else if (field->kind == FIELD_TEXT && !field_flag_is(field, FIELD_NULLABLE)) {
            *(struct text *)member = (struct text){"", 0};
        } else if (field->kind == FIELD_OBJECT && !field_flag_is(field, FIELD_NULLABLE)) {
            set_defaults(plan->fields[i].inner, member);
        }
    }
}

static bool was_seen(uint64_t seen, size_t index)
{
    return (seen >> index & 1) != 0;
}

/* The parts of an identity that JSON shows one by one come from the id where they are left out. */
static bool finish_process(const struct scan_plan *plan, uint64_t seen, struct process *process)
{
    char id[IDENTITY_ID_SIZE];
    if (process->id.size >= sizeof id) {
        return false;
    }
    memcpy(id, process->id.utf8, process->id.size);
    id[process->id.size] = '\0';
    if (!identity_parse(id, &process->identity)) {
        return false;
    }
    if (!was_seen(seen, plan->pid)) {
        process->pid = process->identity.pid;
    }
    if (!was_seen(seen, plan->name_space)) {
        process->space = (enum pid_namespace)process->identity.space;
    }
    return true;
}

/* Where `not_measured` stood before some of what it speaks of. */
static bool scan_again(struct scan *scan, struct scan_plan *plan, const char *at, void *base)
{
    struct scan again = {.scanner = scan->scanner, .cursor = {at, scan->cursor.end}};
    return scan_null(&again.cursor) || scan_words_object(&again, &scan->scanner->hows, plan, base);
}

static bool scan_object(struct scan *scan, struct scan_plan *plan, void *base)
{
    struct scan_series series;
    struct text unknown[UNKNOWN_MAX], key;
    size_t unknown_count = 0, last = SCAN_NO_FIELD;
    const char *not_measured = NULL;
    uint64_t seen = 0;
    bool good = scan_open(&scan->cursor, '{', &series);
    set_defaults(plan, base);
    while (good && scan_more(&scan->cursor, &series, &good)) {
        good = scan_key(&scan->cursor, &key);
        size_t index = good ? scan_plan_find(plan, last, key) : SCAN_NO_FIELD;
        if (index == SCAN_NO_FIELD) {
            for (size_t i = 0; good && i < unknown_count; i++) {
                good = !text_equal(unknown[i], key);
            }
            good = good && unknown_count < UNKNOWN_MAX && scan_skip(&scan->cursor);
            unknown[good ? unknown_count++ : 0] = key;
            continue;
        }
        not_measured = index == plan->not_measured ? scan->cursor.at : not_measured;
        good = !was_seen(seen, index) && scan_field(scan, plan, &plan->fields[index], base);
        seen |= UINT64_C(1) << index;
        last = index;
    }
    if (good && not_measured && last != plan->not_measured) {
        good = scan_again(scan, plan, not_measured, base);
    }
    return good && (seen & plan->required) == plan->required &&
           (plan->identity == SCAN_NO_FIELD || finish_process(plan, seen, base));
}

const struct snapshot *scanner_read(struct snapshot_scanner *scanner, const char *bytes,
                                    size_t size)
{
    struct scan scan = {.scanner = scanner,
                        .cursor = {bytes, bytes + size},
                        .list_bytes_limit = snapshot_list_bytes_limit(size)};
    arena_reset(scanner->arena);
    memset(&scanner->snapshot, 0, sizeof scanner->snapshot);
    bool good = scan_object(&scan, scanner->root, &scanner->snapshot) &&
                scan_peek(&scan.cursor) == '\0' && scan.cursor.at == scan.cursor.end;
    return good ? &scanner->snapshot : NULL;
}
