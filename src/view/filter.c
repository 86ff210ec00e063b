#include "view/filter.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "view/rows.h"

enum comparison {
    COMPARE_HAS,
    COMPARE_ABOVE,
    COMPARE_AT_LEAST,
    COMPARE_BELOW,
    COMPARE_AT_MOST,
    COMPARE_EQUAL
};
enum unit { UNIT_BYTES, UNIT_PERCENT, UNIT_SECONDS, UNIT_COUNT, UNIT_TEXT };

/* A command line has no column of its own. */
enum { FIELD_COMMAND = COLUMN_COUNT, FIELD_ANY = -1 };

static const struct field {
    const char *name;
    int column; /* enum column or FIELD_COMMAND */
    enum unit unit;
} fields[] = {
    {"vram", COLUMN_vram, UNIT_BYTES},
    {"shared", COLUMN_shared, UNIT_BYTES},
    {"spill", COLUMN_spill, UNIT_BYTES},
    {"paged", COLUMN_paged, UNIT_BYTES},
    {"ram", COLUMN_ram, UNIT_BYTES},
    {"gpu", COLUMN_gpu, UNIT_PERCENT},
    {"load", COLUMN_gpu, UNIT_PERCENT},
    {"cpu", COLUMN_cpu, UNIT_PERCENT},
    {"3d", COLUMN_engine_3d, UNIT_PERCENT},
    {"comp", COLUMN_engine_compute, UNIT_PERCENT},
    {"copy", COLUMN_engine_copy, UNIT_PERCENT},
    {"video", COLUMN_video, UNIT_PERCENT},
    {"time", COLUMN_time, UNIT_SECONDS},
    {"pid", COLUMN_pid, UNIT_COUNT},
    {"user", COLUMN_user, UNIT_TEXT},
    {"class", COLUMN_class, UNIT_TEXT},
    {"name", COLUMN_name, UNIT_TEXT},
    {"model", COLUMN_model, UNIT_TEXT},
    {"runtime", COLUMN_runtime, UNIT_TEXT},
    {"container", COLUMN_container, UNIT_TEXT},
    {"command", FIELD_COMMAND, UNIT_TEXT},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static int field_find(struct raw_text name)
{
    for (int i = 0; i < FIELD_COUNT; i++)
        if (text_contains_folded((struct text){fields[i].name, strlen(fields[i].name)},
                                 (struct text){name.bytes, name.length}) &&
            strlen(fields[i].name) == name.length)
            return i;
    return FIELD_ANY;
}

/* What one unit letter stands for; 0: it is none. */
static double unit_factor(enum unit unit, char letter)
{
    static const struct {
        enum unit unit;
        char letter;
        double factor;
    } factors[] = {
        {UNIT_BYTES, 'b', 1},
        {UNIT_BYTES, 'k', 1024.0},
        {UNIT_BYTES, 'm', 1048576.0},
        {UNIT_BYTES, 'g', 1073741824.0},
        {UNIT_BYTES, 't', 1099511627776.0},
        {UNIT_PERCENT, '%', 1},
        {UNIT_SECONDS, 's', 1},
        {UNIT_SECONDS, 'm', 60},
        {UNIT_SECONDS, 'h', 3600},
        {UNIT_SECONDS, 'd', 86400},
    };
    char lower = letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (factors[i].unit == unit && factors[i].letter == lower)
            return factors[i].factor;
    return 0;
}

/* "2", "1.5g", "10GiB". No locale, no exponent. */
static bool parse_number(struct raw_text raw, enum unit unit, double *number)
{
    size_t at = 0, digits = 0;
    double value = 0, scale = 1;
    bool point = false;
    for (; at < raw.length; at++) {
        char c = raw.bytes[at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        value = value * 10 + (c - '0');
        scale *= point ? 10 : 1;
        digits++;
    }
    if (digits == 0 || digits > 18)
        return false;
    double factor = 1;
    if (at < raw.length) {
        factor = unit_factor(unit, raw.bytes[at++]);
        bool bytes = unit == UNIT_BYTES && factor > 1;
        if (bytes && at < raw.length && (raw.bytes[at] == 'i' || raw.bytes[at] == 'I'))
            at++;
        if (bytes && at < raw.length && (raw.bytes[at] == 'b' || raw.bytes[at] == 'B'))
            at++;
    }
    *number = value / scale * factor;
    return factor > 0 && at == raw.length;
}

static const char *unit_example(enum unit unit)
{
    switch (unit) {
    case UNIT_BYTES:
        return "such as 2g or 512m";
    case UNIT_PERCENT:
        return "such as 10";
    case UNIT_SECONDS:
        return "such as 90s, 10m or 2h";
    case UNIT_COUNT:
    case UNIT_TEXT:
        break;
    }
    return "a whole number";
}

static bool bad_field(struct raw_text word, size_t name_length, struct problem *problem)
{
    return problem_set(
        problem,
        "'%.*s' is no filter: there is no field '%.*s' (vram shared spill paged ram gpu "
        "cpu 3d comp copy video time pid user class name model runtime container "
        "command)",
        (int)word.length, word.bytes, (int)name_length, word.bytes);
}

/* The operator at raw[at]; its length, 0: none. */
static size_t parse_operator(struct raw_text raw, size_t at, enum comparison *comparison)
{
    char c = raw.bytes[at];
    bool equal = at + 1 < raw.length && raw.bytes[at + 1] == '=';
    if (c == ':' || c == '=') {
        *comparison = c == ':' ? COMPARE_HAS : COMPARE_EQUAL;
        return 1;
    }
    if (c == '>' || c == '<') {
        *comparison = c == '>' ? (equal ? COMPARE_AT_LEAST : COMPARE_ABOVE)
                               : (equal ? COMPARE_AT_MOST : COMPARE_BELOW);
        return equal ? 2 : 1;
    }
    return 0;
}

static bool keep_text(struct filter_word *word, struct raw_text raw, struct raw_text value,
                      struct problem *problem)
{
    if (value.length == 0)
        return problem_set(problem, "'%.*s' looks for nothing: write what to look for behind it",
                           (int)raw.length, raw.bytes);
    if (value.length >= sizeof word->text)
        return problem_set(problem, "a filter word has at most %d bytes", FILTER_TEXT_MAX - 1);
    memcpy(word->text, value.bytes, value.length);
    word->text[value.length] = '\0';
    return true;
}

static bool parse_word(struct raw_text raw, struct filter_word *word, struct problem *problem)
{
    *word = (struct filter_word){.field = FIELD_ANY, .comparison = COMPARE_HAS};
    struct raw_text rest = raw;
    if (rest.length > 0 && rest.bytes[0] == '!') {
        word->negated = true;
        rest = (struct raw_text){rest.bytes + 1, rest.length - 1};
    }
    enum comparison comparison = COMPARE_HAS;
    size_t at = 0, length = 0;
    while (at < rest.length && (length = parse_operator(rest, at, &comparison)) == 0)
        at++;
    if (length == 0)
        return keep_text(word, raw, rest, problem);
    word->field = field_find((struct raw_text){rest.bytes, at});
    if (word->field < 0)
        return bad_field(rest, at, problem);
    const struct field *field = &fields[word->field];
    struct raw_text value = {rest.bytes + at + length, rest.length - at - length};
    word->comparison = (int)comparison;
    if (field->unit == UNIT_TEXT || (field->unit == UNIT_COUNT && comparison == COMPARE_HAS)) {
        if (comparison != COMPARE_HAS && comparison != COMPARE_EQUAL)
            return problem_set(problem, "'%.*s': %s is a text, write %s:WORD", (int)raw.length,
                               raw.bytes, field->name, field->name);
        return keep_text(word, raw, value, problem);
    }
    if (comparison == COMPARE_HAS)
        word->comparison = COMPARE_EQUAL;
    if (!parse_number(value, field->unit, &word->number))
        return problem_set(problem, "'%.*s': %s wants a number, %s", (int)raw.length, raw.bytes,
                           field->name, unit_example(field->unit));
    return true;
}

bool filter_parse(const char *words, struct filter *filter, struct problem *problem)
{
    *filter = (struct filter){.count = 0};
    const char *at = words;
    for (;;) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, " \t");
        if (length == 0)
            return true;
        if (filter->count == FILTER_WORDS_MAX)
            return problem_set(problem, "a filter has at most %d words", FILTER_WORDS_MAX);
        if (!parse_word((struct raw_text){at, length}, &filter->words[filter->count], problem))
            return false;
        filter->count++;
        at += length;
    }
}

bool filter_is_half_typed(const char *words)
{
    const char *blank = strrchr(words, ' ');
    const char *last = blank != NULL ? blank + 1 : words;
    last += *last == '!';
    size_t length = strlen(last);
    for (int i = 0; i < FIELD_COUNT && length > 0; i++) {
        size_t whole = strlen(fields[i].name);
        struct text beginning = {fields[i].name, length < whole ? length : whole};
        if (length <= whole && text_contains_folded(beginning, (struct text){last, length}))
            return true;
    }
    return false;
}

static bool has(struct text text, const struct filter_word *word)
{
    struct text wanted = {word->text, strlen(word->text)};
    if (text_is_none(text))
        return false;
    if (word->comparison == COMPARE_EQUAL)
        return text.size == wanted.size && text_contains_folded(text, wanted);
    return text_contains_folded(text, wanted);
}

/* On screen a class reads "desktop", in JSON "compositor": both find it. */
static bool text_accepts(const struct row *row, int column, const struct filter_word *word)
{
    const struct process *process = row->process;
    if (column == FIELD_COMMAND) {
        for (size_t i = 0; i < process->command.count; i++)
            if (has(process->command.items[i], word))
                return true;
        return false;
    }
    if (column == COLUMN_class) {
        const char *name = process_class_name(process->class);
        if (has((struct text){name, strlen(name)}, word))
            return true;
    }
    if (column == COLUMN_model)
        for (size_t i = 0; i < process->model_count; i++)
            if (has(process->models[i].name, word))
                return true;
    struct cell cell;
    column_cell(row, (enum column)column, &cell);
    return cell.mark != CELL_UNAVAILABLE && cell.mark != CELL_BLANK && has(cell_text(&cell), word);
}

static bool compare(double value, const struct filter_word *word)
{
    switch ((enum comparison)word->comparison) {
    case COMPARE_ABOVE:
        return value > word->number;
    case COMPARE_AT_LEAST:
        return value >= word->number;
    case COMPARE_BELOW:
        return value < word->number;
    case COMPARE_AT_MOST:
        return value <= word->number;
    case COMPARE_HAS:
    case COMPARE_EQUAL:
        break;
    }
    return fabs(value - word->number) < 0.5;
}

static bool number_accepts(const struct row *row, int column, const struct filter_word *word)
{
    static const enum engine video[] = {ENGINE_decode, ENGINE_encode, ENGINE_video};
    if (column == COLUMN_pid)
        return compare((double)row->process->pid, word);
    if (column == COLUMN_video) {
        for (size_t i = 0; i < sizeof video / sizeof *video; i++)
            if (amount_is_known(&row->engines[video[i]]) &&
                compare(row->engines[video[i]].value, word))
                return true;
        return false;
    }
    const struct amount *amount =
        column == COLUMN_vram ? &row->vram : row_amount(row, (enum column)column);
    if (amount == NULL || !amount_is_known(amount))
        return false;
    /* A lower bound can only be known to be above something. */
    bool above = word->comparison == COMPARE_ABOVE || word->comparison == COMPARE_AT_LEAST;
    return (above || !amount->at_least) && compare(amount->value, word);
}

static bool word_accepts(const struct filter_word *word, const struct row *row)
{
    if (word->field < 0) {
        for (int i = 0; i < FIELD_COUNT; i++)
            if ((fields[i].unit == UNIT_TEXT || fields[i].unit == UNIT_COUNT) &&
                text_accepts(row, fields[i].column, word))
                return true;
        return false;
    }
    const struct field *field = &fields[word->field];
    bool as_text =
        field->unit == UNIT_TEXT || (field->unit == UNIT_COUNT && word->comparison == COMPARE_HAS);
    return as_text ? text_accepts(row, field->column, word)
                   : number_accepts(row, field->column, word);
}

bool filter_accepts(const struct filter *filter, const struct row *row)
{
    for (size_t i = 0; i < filter->count; i++)
        if (word_accepts(&filter->words[i], row) == filter->words[i].negated)
            return false;
    return true;
}
