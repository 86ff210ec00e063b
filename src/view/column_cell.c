#include "view/columns.h"

#include <stdio.h>
#include <string.h>

#include "view/rows.h"
#include "view/units.h"
#include "view/phrase.h"

static void cell_blank(struct cell *cell, enum reason why)
{
    cell->mark = CELL_BLANK;
    cell->why = why;
}

static void cell_unavailable(struct cell *cell, enum reason why)
{
    memcpy(cell->own, "n/a", sizeof "n/a");
    cell->mark = CELL_UNAVAILABLE;
    cell->why = why;
}

static void cell_foreign(struct cell *cell, struct text text)
{
    if (text.size == 0)
        cell_blank(cell, REASON_not_reported);
    else
        cell->foreign = text;
}

static enum cell_mark mark_of(const struct amount *amount)
{
    if (amount->how == HOW_ESTIMATED)
        return CELL_ESTIMATED;
    if (amount->how != HOW_INFERRED)
        return CELL_NONE;
    return amount->by == INFERRED_MATCHED ? CELL_MATCHED : CELL_GUESS;
}

/* False when there is no number to write. */
static bool mark_amount(struct cell *cell, const struct amount *amount)
{
    if (!amount_is_known(amount)) {
        if (amount->blank)
            cell_blank(cell, amount->why_not);
        else
            cell_unavailable(cell, amount->why_not);
        return false;
    }
    cell->at_least = amount->at_least;
    cell->mark = mark_of(amount);
    return true;
}

static void write_amount(struct cell *cell, const struct amount *amount,
                         void (*print)(double value, char out[UNITS_SIZE]))
{
    char number[UNITS_SIZE];
    print(amount->value, number);
    bool small = number[0] == '<'; /* ">" and "<0.1 M" together would say nothing */
    size_t length = strlen(number), at = amount->at_least && !small ? 1 : 0;
    cell->own[0] = '>';
    memcpy(cell->own + at, number, length + 1);
}

/* Decode and encode where both are known, else the figure of the shared engines. */
static const struct amount *video_amount(const struct row *row, bool *split)
{
    const struct amount *decode = &row->engines[ENGINE_decode];
    const struct amount *encode = &row->engines[ENGINE_encode];
    const struct amount *video = &row->engines[ENGINE_video];
    *split = amount_is_known(decode) && amount_is_known(encode);
    if (*split || (!amount_is_known(video) && amount_is_known(decode)))
        return decode;
    if (amount_is_known(video))
        return video;
    if (amount_is_known(encode))
        return encode;
    return video->blank && !decode->blank ? decode : video;
}

/* "12/0" where they are split. */
static void write_video(struct cell *cell, const struct row *row)
{
    char first[UNITS_SIZE], second[UNITS_SIZE];
    units_percent(row->engines[ENGINE_decode].value, first);
    units_percent(row->engines[ENGINE_encode].value, second);
    snprintf(cell->own, sizeof cell->own, "%s/%s", first, second);
}

static void cell_name(struct cell *cell, const struct row *row)
{
    enum { INDENT_MAX = 8 };
    const struct process *process = row->process;
    if (text_is_none(process->name) && process->space == NAMESPACE_HOST) {
        snprintf(cell->own, sizeof cell->own, "outside this container");
    } else if (process->name.size == 0) {
        cell_unavailable(cell, REASON_not_permitted);
    } else if (row->depth == 0) {
        cell->foreign = process->name;
    } else {
        struct phrase phrase = phrase_start(cell->own, sizeof cell->own);
        for (size_t i = 0; i < row->depth && i < INDENT_MAX; i++)
            phrase_string(&phrase, "  ");
        phrase_text(&phrase, process->name);
    }
}

static void cell_model(struct cell *cell, const struct row *row)
{
    const struct model *model = row->main_model;
    if (model == NULL || model->name.size == 0) {
        cell_blank(cell, REASON_not_reported);
        return;
    }
    struct phrase phrase = phrase_start(cell->own, sizeof cell->own);
    phrase_text(&phrase, model->name);
    if (model->quantization.size > 0 && !text_contains_folded(model->name, model->quantization)) {
        phrase_string(&phrase, " ");
        phrase_text(&phrase, model->quantization);
    }
    if (row->process->model_count > 1) {
        char more[32];
        snprintf(more, sizeof more, " +%zu", row->process->model_count - 1);
        phrase_string(&phrase, more);
    }
}

static void cell_runtime(struct cell *cell, const struct process *process)
{
    struct phrase phrase = phrase_start(cell->own, sizeof cell->own);
    for (size_t i = 0; i < process->runtime_count; i++) {
        if (phrase.length > 0)
            phrase_string(&phrase, " ");
        phrase_text(&phrase, process->runtimes[i].name);
    }
    if (phrase.length == 0)
        cell_blank(cell, REASON_not_reported);
}

static void cell_container(struct cell *cell, const struct container *container)
{
    enum { SHORT_ID = 12 };
    if (!container->present) {
        cell_blank(cell, REASON_not_reported);
        return;
    }
    struct text id = container->id;
    if (id.size > SHORT_ID)
        id.size = SHORT_ID;
    struct phrase phrase = phrase_start(cell->own, sizeof cell->own);
    phrase_text(&phrase, container->runtime);
    struct text name = container->name.size > 0  ? container->name
                       : container->pod.size > 0 ? container->pod
                                                 : id;
    if (phrase.length > 0 && name.size > 0)
        phrase_string(&phrase, ":");
    phrase_text(&phrase, name);
}

static void cell_user(struct cell *cell, const struct process *process)
{
    if (process->user.size > 0)
        cell->foreign = process->user;
    else if (process->space == NAMESPACE_LOCAL)
        cell_unavailable(cell, REASON_not_permitted);
    else
        cell_blank(cell, REASON_outside_container);
}

static void text_cell(const struct row *row, enum column column, struct cell *cell)
{
    const char *class = class_words(row->process->class);
    switch (column) {
    case COLUMN_pid:
        cell_foreign(cell, row->process->label);
        break;
    case COLUMN_user:
        cell_user(cell, row->process);
        break;
    case COLUMN_class:
        cell_foreign(cell, (struct text){class, strlen(class)});
        break;
    case COLUMN_name:
        cell_name(cell, row);
        break;
    case COLUMN_model:
        cell_model(cell, row);
        break;
    case COLUMN_runtime:
        cell_runtime(cell, row->process);
        break;
    case COLUMN_container:
        cell_container(cell, &row->process->container);
        break;
    default:
        cell_blank(cell, REASON_not_reported);
        break;
    }
}

/* The figure of a column of numbers, or NULL. */
static const struct amount *number_of(const struct row *row, enum column column, bool *split)
{
    *split = false;
    if (column == COLUMN_vram)
        return &row->vram;
    if (column == COLUMN_video)
        return video_amount(row, split);
    if (column == COLUMN_time)
        return &row->running;
    return row_amount(row, column);
}

static void cell_clear(struct cell *cell)
{
    cell->foreign = TEXT_NONE;
    cell->own[0] = '\0';
    cell->mark = CELL_NONE;
    cell->at_least = false;
    cell->why = REASON_not_reported;
}

void column_mark(const struct row *row, enum column column, struct cell *cell)
{
    bool split;
    const struct amount *amount = number_of(row, column, &split);
    cell_clear(cell);
    if (amount == NULL)
        text_cell(row, column, cell);
    else if (mark_amount(cell, amount))
        cell->at_least = cell->at_least && !split;
}

void column_cell(const struct row *row, enum column column, struct cell *cell)
{
    bool split;
    const struct amount *amount = number_of(row, column, &split);
    column_mark(row, column, cell);
    if (amount == NULL || !amount_is_known(amount))
        return;
    if (split)
        write_video(cell, row);
    else if (column == COLUMN_time)
        write_amount(cell, amount, units_duration);
    else
        write_amount(cell, amount, column_is_bytes(column) ? units_bytes : units_percent);
}
