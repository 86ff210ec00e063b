#include "present/text_part.h"

#include <stdio.h>
#include <string.h>

#include "view/phrase.h"
#include "view/reasons_text.h"

enum { NAMES_MAX = 4, NAMES_SIZE = 240, LINE_SIZE = NAMES_SIZE + REASON_TEXT_SIZE };

static struct text of(const char *string)
{
    return (struct text){string, strlen(string)};
}

/* Names gathered for one sentence: "kwin_wayland, Xwayland and 3 others". */
struct names {
    struct text items[NAMES_MAX];
    size_t count; /* of all */
};

static void names_add(struct names *names, const struct process *process)
{
    struct text name = process->name.size > 0 ? process->name : process->label;
    for (size_t i = 0; i < names->count && i < NAMES_MAX; i++)
        if (text_equal(names->items[i], name))
            return;
    if (names->count < NAMES_MAX)
        names->items[names->count] = name;
    names->count++;
}

static void names_write(const struct names *names, char out[NAMES_SIZE])
{
    struct phrase phrase = phrase_start(out, NAMES_SIZE);
    size_t shown = names->count > NAMES_MAX ? NAMES_MAX - 1 : names->count;
    for (size_t i = 0; i < shown; i++) {
        bool last = i + 1 == names->count;
        phrase_string(&phrase, i == 0 ? "" : last ? " and " : ", ");
        phrase_text(&phrase, names->items[i]);
    }
    if (shown < names->count) {
        char others[48];
        snprintf(others, sizeof others, " and %zu others", names->count - shown);
        phrase_string(&phrase, others);
    }
}

static bool memory_is_unavailable(const struct row *row)
{
    return !amount_is_known(&row->vram) && !row->vram.blank &&
           !reason_set_is_empty(row->vram_reasons);
}

static void print(struct printer *printer, const char *line)
{
    printer_sentence(printer, of(line), 2);
}

static enum reason first_reason(struct reason_set reasons)
{
    for (int reason = 0; reason < REASON_COUNT; reason++)
        if (reason_set_has(reasons, (enum reason)reason))
            return (enum reason)reason;
    return REASON_not_reported;
}

/* Processes whose bytes can't be told apart, one sentence a set of reasons. */
static void print_memory_reasons(struct printer *printer, const struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *first = &rows->items[i];
        struct names names = {.count = 0};
        bool seen = !memory_is_unavailable(first);
        for (size_t j = 0; j < rows->count && !seen; j++) {
            const struct row *row = &rows->items[j];
            if (!memory_is_unavailable(row) || row->vram_reasons.bits != first->vram_reasons.bits)
                continue;
            seen = j < i;
            names_add(&names, row->process);
        }
        if (seen)
            continue;
        char subject[NAMES_SIZE], reason[REASON_TEXT_SIZE], line[LINE_SIZE];
        names_write(&names, subject);
        reason_of_memory(first->vram_reasons, subject, names.count > 1, reason);
        if (reason[0] != '\0')
            snprintf(line, sizeof line, "VRAM n/a: %s", reason);
        else
            snprintf(line, sizeof line, "VRAM n/a for %s: %s", subject,
                     reason_words_on(first->mode, first_reason(first->vram_reasons)));
        print(printer, line);
    }
}

static bool is_memory(enum column column)
{
    return column == COLUMN_vram || column == COLUMN_shared || column == COLUMN_spill;
}

/* Which columns of a row are n/a for this reason, as bits, less those that the sentence on its
 * memory says already. */
static unsigned int columns_without(const struct row *row, const struct column_layout *layout,
                                    enum reason reason)
{
    unsigned int columns = 0;
    for (size_t i = 0; i < layout->count; i++) {
        struct cell cell;
        if (is_memory(layout->columns[i]) && memory_is_unavailable(row))
            continue;
        column_mark(row, layout->columns[i], &cell);
        if (cell.mark == CELL_UNAVAILABLE && cell.why == reason)
            columns |= 1U << layout->columns[i];
    }
    return columns;
}

/* All other n/a, one sentence a reason: "GPU%, 3D n/a for ollama: its compute queues ...". */
static void print_other_reasons(struct printer *printer, const struct rows *rows,
                                const struct column_layout *layout)
{
    for (int reason = 0; reason < REASON_COUNT; reason++) {
        struct names names = {.count = 0};
        unsigned int columns = 0;
        for (size_t i = 0; i < rows->count; i++) {
            unsigned int without = columns_without(&rows->items[i], layout, (enum reason)reason);
            columns |= without;
            if (without != 0)
                names_add(&names, rows->items[i].process);
        }
        if (columns == 0)
            continue;
        char subject[NAMES_SIZE], line[LINE_SIZE];
        struct phrase phrase = phrase_start(line, sizeof line);
        enum column last = COLUMN_pid;
        for (int column = 0; column < COLUMN_COUNT; column++)
            if ((columns >> column & 1U) != 0) {
                last = (enum column)column;
                phrase_string(&phrase, phrase.length > 0 ? ", " : "");
                phrase_string(&phrase, column_traits((enum column)column)->heading);
            }
        names_write(&names, subject);
        phrase_string(&phrase, " n/a for ");
        phrase_string(&phrase, subject);
        phrase_string(&phrase, ": ");
        phrase_string(&phrase, reason_words_in(rows->items[0].mode, last, (enum reason)reason));
        print(printer, line);
    }
}

/* What the marks mean, only those that are there. */
static void print_marks(struct printer *printer, const struct rows *rows,
                        const struct column_layout *layout)
{
    bool matched = false, guess = false, estimated = false, at_least = false;
    for (size_t row = 0; row < rows->count; row++)
        for (size_t i = 0; i < layout->count; i++) {
            struct cell cell;
            column_mark(&rows->items[row], layout->columns[i], &cell);
            matched |= cell.mark == CELL_MATCHED;
            guess |= cell.mark == CELL_GUESS;
            estimated |= cell.mark == CELL_ESTIMATED;
            at_least |= cell.at_least;
        }
    const struct {
        bool shown;
        const char *words;
    } marks[] = {
        {matched, "* measured, and matched to this process"},
        {guess, "? measured, and this process is a guess"},
        {estimated, "~ estimated"},
        {at_least, "> at least: a part of it is not known"},
    };
    struct printer_flow flow = {.printer = printer, .separator = "   "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i].shown)
            printer_piece(&flow, of(marks[i].words));
    printer_flow_end(&flow);
}

void text_reasons(struct printer *printer, const struct rows *rows,
                  const struct column_layout *layout)
{
    print_marks(printer, rows, layout);
    print_memory_reasons(printer, rows);
    print_other_reasons(printer, rows, layout);
}
