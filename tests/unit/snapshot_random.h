/* Random snapshots, made through the field table: every kind of member, known and unknown, odd
 * texts and extreme numbers. The same seed gives the same snapshot. */
#ifndef TESTS_SNAPSHOT_RANDOM_H
#define TESTS_SNAPSHOT_RANDOM_H

#include <math.h>
#include <string.h>

#include "snapshot/fields.h"
#include "snapshot/snapshot.h"

struct dice {
    uint64_t state;
    struct arena *arena;
    bool plausible; /* no negative amounts, nothing that only a wrong program makes */
};

static uint64_t dice_roll(struct dice *dice)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return dice->state;
}

static size_t dice_below(struct dice *dice, size_t limit)
{
    return (size_t)(dice_roll(dice) >> 11) % limit;
}

static struct text random_text(struct dice *dice, bool nullable)
{
    static const char *const texts[] = {
        "",
        "llama-server",
        "a \"quoted\" \\path\\ /usr/bin",
        "tab\tline\nbell\a escape\x1b[31m delete\x7f",
        "controls \xc2\x80\xc2\x9b\xc2\x9f and \xe2\x80\xae bidi \xe2\x81\xa6",
        "tags \xf3\xa0\x80\x81\xf3\xa0\x81\xbf separators \xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf",
        "\xe6\xa8\xa1\xe5\x9e\x8b \xf0\x9f\xa6\x99 \xc3\xa9 \xef\xbf\xbd \xf4\x8f\xbf\xbf",
        "\\u0000 stays as it is",
    };
    size_t count = sizeof texts / sizeof *texts;
    size_t choice = dice_below(dice, count + 2);
    if (choice == count && nullable) {
        return TEXT_NONE;
    }
    if (choice == count + 1 && dice_below(dice, 20) == 0) {
        char *huge = arena_alloc(dice->arena, 60000);
        memset(huge, 'x', 60000);
        return (struct text){huge, 60000};
    }
    const char *text = texts[choice % count];
    return (struct text){text, strlen(text)};
}

static int64_t not_negative(int64_t integer)
{
    return integer < 0 ? -(integer + 1) : integer;
}

static int64_t random_integer(struct dice *dice)
{
    static const int64_t integers[] = {0,          1,         -1,        4242,
                                       9663688704, INT64_MAX, INT64_MIN, (1LL << 53) + 1};
    size_t choice = dice_below(dice, sizeof integers / sizeof *integers + 1);
    int64_t integer =
        choice < sizeof integers / sizeof *integers ? integers[choice] : (int64_t)dice_roll(dice);
    return dice->plausible ? not_negative(integer) : integer;
}

static double random_real(struct dice *dice)
{
    static const double reals[] = {0,
                                   1,
                                   96,
                                   50.2,
                                   0.1,
                                   -0.000001,
                                   1.0 / 3,
                                   1e300,
                                   -1e300,
                                   2147483.647,
                                   1e19,
                                   0.0000004,
                                   9007199254740993.0,
                                   4294967296.123457,
                                   8589934591.999999,
                                   8999999999.999999};
    size_t choice = dice_below(dice, sizeof reals / sizeof *reals + 2);
    if (choice < sizeof reals / sizeof *reals) {
        return dice->plausible ? fabs(reals[choice]) : reals[choice];
    }
    double real = (double)(int64_t)dice_roll(dice) / 9.2e18 * (choice % 2 ? 1e4 : 1e11);
    return dice->plausible ? fabs(real) : real;
}

static enum reason random_reason(struct dice *dice)
{
    return (enum reason)dice_below(dice, REASON_COUNT);
}

static enum how random_how(struct dice *dice)
{
    return (enum how)(HOW_MEASURED + dice_below(dice, HOW_COUNT - HOW_MEASURED));
}

static struct measured random_measured(struct dice *dice, const struct field *field)
{
    int64_t value = random_integer(dice);
    return dice_below(dice, 3)
               ? measured_known(field_is_amount(field) ? not_negative(value) : value)
               : measured_unknown(random_reason(dice));
}

static struct figure random_figure(struct dice *dice, const struct field *field)
{
    double value = random_real(dice);
    return dice_below(dice, 3)
               ? figure_known(field_is_amount(field) ? fabs(value) : value, random_how(dice))
               : figure_unknown(random_reason(dice));
}

static void random_word(struct dice *dice, const struct field *field, char *base)
{
    int word = (int)dice_below(dice, (size_t)field->words->count);
    int how = (int)random_how(dice);
    memcpy(base + field->offset, &word, sizeof word);
    if (field_flag_is(field, FIELD_HAS_HOW)) {
        memcpy(base + field->second, &how, sizeof how);
    }
    if (field->kind == FIELD_REASON) {
        *(bool *)(base + field->second) = dice_below(dice, 2) == 0;
    }
}

static void random_text_list(struct dice *dice, const struct field *field, char *base)
{
    struct text_list *list = (struct text_list *)(void *)(base + field->offset);
    list->known = !field_flag_is(field, FIELD_NULLABLE) || dice_below(dice, 3) > 0;
    list->count = list->known ? dice_below(dice, 4) : 0;
    struct text *items = ARENA_ARRAY(dice->arena, struct text, list->count);
    for (size_t i = 0; i < list->count; i++) {
        items[i] = random_text(dice, false);
    }
    list->items = items;
    if (field_flag_is(field, FIELD_HAS_HOW)) {
        int how = (int)(list->known ? random_how(dice) : HOW_UNAVAILABLE);
        int reason = (int)random_reason(dice);
        memcpy(base + field->second, &how, sizeof how);
        memcpy(base + field->third, &reason, sizeof reason);
    }
}

static void random_named_bytes(struct dice *dice, struct named_bytes_list *list)
{
    static const char *const names[] = {"vram", "gtt", "local0", "odd \"name\"\n"};
    struct named_bytes *items = ARENA_ARRAY(dice->arena, struct named_bytes, 4);
    list->items = items;
    list->count = dice_below(dice, 5);
    for (size_t i = 0; i < list->count; i++) {
        items[i].name = (struct text){names[i], strlen(names[i])};
        items[i].bytes = not_negative(random_integer(dice));
    }
}

static void random_fields(struct dice *dice, const struct field_table *table, char *base);

static void random_list(struct dice *dice, const struct field *field, char *base)
{
    size_t count = dice_below(dice, 4), size = field->table->item_size;
    char *items = arena_alloc_array(dice->arena, count, size);
    memcpy(base + field->offset, &items, sizeof items);
    memcpy(base + field->second, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        random_fields(dice, field->table, items + i * size);
    }
}

static void random_field(struct dice *dice, const struct field *field, char *base)
{
    void *member = base + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        *(struct text *)member = random_text(dice, field_flag_is(field, FIELD_NULLABLE));
        break;
    case FIELD_INTEGER:
        *(int64_t *)member = random_integer(dice);
        break;
    case FIELD_BOOLEAN:
        *(bool *)member = dice_below(dice, 2) == 0;
        break;
    case FIELD_TIME:
        *(int64_t *)member = dice_below(dice, 4) || !field_flag_is(field, FIELD_NULLABLE)
                                 ? (int64_t)dice_roll(dice) / 2000 * 1000
                                 : TIME_UNKNOWN;
        break;
    case FIELD_MEASURED:
        *(struct measured *)member = random_measured(dice, field);
        break;
    case FIELD_FIGURE:
        *(struct figure *)member = random_figure(dice, field);
        if (dice->plausible && field_flag_is(field, FIELD_IN_SOURCE) &&
            ((struct figure *)member)->how != HOW_UNAVAILABLE) {
            ((struct figure *)member)->how = HOW_REPORTED;
        }
        break;
    case FIELD_ESTIMATE:
        *(struct figure *)member = dice_below(dice, 2)
                                       ? figure_known(fabs(random_real(dice)), HOW_ESTIMATED)
                                       : figure_unknown(REASON_not_reported);
        break;
    case FIELD_WORD:
    case FIELD_REASON:
        random_word(dice, field, base);
        break;
    case FIELD_REASON_SET:
        ((struct reason_set *)member)->bits =
            dice_below(dice, 2) ? dice_roll(dice) & ((1ULL << REASON_COUNT) - 1) : 0;
        break;
    case FIELD_TEXT_LIST:
        random_text_list(dice, field, base);
        break;
    case FIELD_NAMED_BYTES:
        random_named_bytes(dice, member);
        break;
    case FIELD_OBJECT:
        if (field_flag_is(field, FIELD_NULLABLE)) {
            *(bool *)(base + field->second) = dice_below(dice, 3) > 0;
        }
        random_fields(dice, field->table, member);
        break;
    case FIELD_LIST:
        random_list(dice, field, base);
        break;
    case FIELD_LIST_STATE:
        if (dice_below(dice, 2)) {
            *(struct list_state *)member = (struct list_state){true, random_reason(dice)};
        }
        break;
    case FIELD_SCHEMA:
    case FIELD_UNAVAILABLE:
    case FIELD_NOT_MEASURED:
    case FIELD_SOURCE:
        break;
    }
}

static void random_fields(struct dice *dice, const struct field_table *table, char *base)
{
    for (size_t i = 0; i < table->field_count; i++) {
        random_field(dice, &table->fields[i], base);
    }
    if (table == &process_table) {
        struct process *process = (struct process *)(void *)base;
        char id[IDENTITY_ID_SIZE];
        uint64_t stamp = dice_below(dice, 4) ? dice_roll(dice) : IDENTITY_NO_STAMP;
        process->identity = identity_make((enum pid_namespace)dice_below(dice, 3),
                                          (int64_t)(dice_roll(dice) >> 1), stamp);
        identity_format(process->identity, id);
        process->id = text_from_raw(dice->arena, raw_from_string(id));
    }
}

static struct snapshot *random_snapshot_by(struct snapshot_pool *pool, uint64_t seed,
                                           bool plausible)
{
    struct snapshot *snapshot = snapshot_new(pool);
    struct dice dice = {.state = seed * 0x9e3779b97f4a7c15ULL + 1,
                        .arena = snapshot->arena,
                        .plausible = plausible};
    random_fields(&dice, &snapshot_table, (char *)snapshot);
    snapshot->version = TEXT("0.1.0");
    return snapshot;
}

/* One reference. */
static inline struct snapshot *random_snapshot(struct snapshot_pool *pool, uint64_t seed)
{
    return random_snapshot_by(pool, seed, false);
}

static inline struct snapshot *random_snapshot_plausible(struct snapshot_pool *pool, uint64_t seed)
{
    return random_snapshot_by(pool, seed, true);
}

#endif
