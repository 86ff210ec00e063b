/* The process table: rows of the view, the selected one marked, columns that never jump. */
#include <stdio.h>
#include <string.h>

#include "present/tui/ui.h"
#include "snapshot/selection.h"
#include "view/reasons_text.h"
#include "view/text_width.h"
#include "view/truncate.h"

enum { CELL_BYTES = 512, POINTER_WIDTH = 1, SCROLL_BAR_WIDTH = 1, WHEEL_ROWS = 3 };

static bool is_tagged(const struct ui *ui, struct identity identity)
{
    for (size_t i = 0; i < ui->tags.count; i++)
        if (identity_equal(ui->tags.items[i], identity))
            return true;
    return false;
}

static bool all_are_unified(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++)
        if (!snapshot->adapters[i].memory.unified)
            return false;
    return snapshot->adapter_count > 0;
}

/* A column that had a value once stays: else a momentary idle would move all others. */
static void choose_columns(struct ui *ui, int width)
{
    struct column_layout useful = ui->shown;
    for (size_t i = 0; i < ui->rows.count; i++)
        if (ui->rows.items[i].process->identity.space != NAMESPACE_LOCAL)
            ui->namespace_seen = true;
    columns_useful(&useful, &ui->rows);
    for (size_t i = 0; i < useful.count; i++)
        ui->column_seen[useful.columns[i]] = true;
    struct column_layout *columns = &ui->columns;
    *columns = ui->shown;
    size_t kept = 0;
    for (size_t i = 0; i < columns->count; i++)
        if (ui->column_seen[columns->columns[i]])
            columns->columns[kept++] = columns->columns[i];
    columns->count = kept;
    columns->local = !ui->namespace_seen;
    columns->unified = all_are_unified(ui->snapshot);
    columns_fit(columns, (size_t)(width > 1 ? width : 1));
}

/* Over the last digit; a number keeps its last place for the mark. */
static int heading_begin(const struct column_traits *traits, int x, int width, int length)
{
    switch (traits->align) {
    case CELL_RIGHT:
        return x + width - length;
    case CELL_NUMBER:
        return x + width - 1 - length;
    case CELL_LEFT:
        break;
    }
    return x;
}

static void draw_heading(struct ui *ui, struct rectangle area)
{
    int x = area.x + POINTER_WIDTH;
    for (size_t i = 0; i < ui->columns.count; i++) {
        enum column column = ui->columns.columns[i];
        const struct column_traits *traits = column_traits(column);
        int width = (int)ui->columns.widths[i], length = (int)strlen(traits->heading);
        bool sorted = column == ui->sort;
        enum style style = sorted ? STYLE_HEADING_SORTED : STYLE_HEADING;
        int begin = heading_begin(traits, x, width, length);
        screen_put_in(ui->screen, begin, area.y, width,
                      (struct text){traits->heading, (size_t)length}, style);
        if (sorted)
            screen_repeat(ui->screen, begin + length, area.y, 1,
                          ui->reverse != (traits->align == CELL_LEFT) ? SYMBOL_ASCENDING
                                                                      : SYMBOL_DESCENDING,
                          style);
        x += width + COLUMN_GAP;
    }
}

static enum style style_of_cell(const struct row *row, enum column column, const struct cell *cell)
{
    if (cell->mark == CELL_UNAVAILABLE)
        return STYLE_DIM;
    if (column == COLUMN_class || column == COLUMN_vram)
        return column == COLUMN_class ? style_of_process(row) : STYLE_TITLE;
    return STYLE_NORMAL;
}

/* Over the blanks that the name of a child begins with. */
static void draw_branch(struct ui *ui, const struct row *row, int x, int y, int blanks)
{
    if (blanks < 2)
        return;
    screen_repeat(ui->screen, x + blanks - 2, y, 1,
                  row->last_child ? SYMBOL_CORNER_BOTTOM_LEFT : SYMBOL_TEE_RIGHT, STYLE_DIM);
    screen_repeat(ui->screen, x + blanks - 1, y, 1, SYMBOL_HORIZONTAL, STYLE_DIM);
}

static bool is_shown(const struct ui *ui, enum column column)
{
    for (size_t i = 0; i < ui->columns.count; i++)
        if (ui->columns.columns[i] == column)
            return true;
    return false;
}

/* Where there is no room for the column of models, what is left behind the name. */
static void draw_model_behind_name(struct ui *ui, const struct row *row, int x, int y, int width)
{
    enum { MODEL_LEAST = 6 };
    struct cell cell;
    char out[CELL_BYTES];
    if (width < MODEL_LEAST || is_shown(ui, COLUMN_model))
        return;
    column_cell(row, COLUMN_model, &cell);
    if (cell.mark != CELL_NONE || row->main_model == NULL)
        return;
    bool whole = text_width(cell_text(&cell), ui->ascii) <= (size_t)width;
    truncate_text(whole ? cell_text(&cell) : row->main_model->name, (size_t)width, ui->ascii, out,
                  sizeof out);
    screen_put_in(ui->screen, x, y, width, (struct text){out, strlen(out)}, STYLE_DIM);
}

static void draw_cell(struct ui *ui, const struct row *row, enum column column, int x, int y,
                      int width)
{
    struct cell cell;
    char out[CELL_BYTES];
    column_cell(row, column, &cell);
    const struct column_traits *traits = column_traits(column);
    cell_print(&cell, traits->align, (size_t)width, ui->ascii, out, sizeof out);
    size_t length = strlen(out);
    while (length > 0 && out[length - 1] == ' ' && column == COLUMN_name)
        length--;
    int taken = screen_put_in(ui->screen, x, y, width, (struct text){out, length},
                              style_of_cell(row, column, &cell));
    if (column == COLUMN_name)
        draw_model_behind_name(ui, row, x + taken + 1, y, width - taken - 1);
    if (column == COLUMN_name && ui->tree && row->depth > 0)
        draw_branch(ui, row, x, y, (int)strspn(out, " "));
    char mark = cell_mark_character(cell.mark);
    if (traits->align == CELL_NUMBER && mark != ' ')
        screen_put_character(ui->screen, x + width - 1, y, (unsigned char)mark, STYLE_MARK);
}

static void draw_row(struct ui *ui, struct rectangle area, int y, size_t index)
{
    const struct row *row = &ui->rows.items[index];
    bool selected = ui->has_selection && index == ui->selected_row;
    int x = area.x + POINTER_WIDTH;
    for (size_t i = 0; i < ui->columns.count; i++) {
        int width = (int)ui->columns.widths[i];
        draw_cell(ui, row, ui->columns.columns[i], x, y, width);
        x += width + COLUMN_GAP;
    }
    if (is_tagged(ui, row->process->identity))
        screen_put_character(ui->screen, area.x, y, '+', STYLE_MARK);
    else if (selected)
        screen_repeat(ui->screen, area.x, y, 1, SYMBOL_POINTER, STYLE_KEY);
    if (selected)
        screen_select(ui->screen, area.x, y, area.width - SCROLL_BAR_WIDTH);
}

static bool selectors_match_nothing(const struct ui *ui)
{
    const struct selection chosen = {.selectors = ui->options->selectors,
                                     .selector_count = ui->options->selector_count};
    return !ui->one_adapter && selection_unmatched(&chosen, ui->snapshot) != NULL;
}

/* A list that could not be read is unknown, not empty: the reason, or NULL. */
static const char *why_unknown(const struct ui *ui)
{
    for (size_t i = 0; i < ui->snapshot->adapter_count; i++)
        if (ui->snapshot->adapters[i].processes_state.unknown)
            return reason_words(ui->snapshot->adapters[i].processes_state.why_not);
    return NULL;
}

static const char *why_empty(const struct ui *ui)
{
    if (ui->snapshot == NULL)
        return "";
    if (selectors_match_nothing(ui))
        return "no GPU matches a -g; `gputaskman --list-gpus` lists them";
    if (ui->options->pid_count > 0)
        return "no process chosen with -p uses a GPU";
    if (ui->filter_text[0] != '\0' || ui->user[0] != '\0')
        return "no process passes the filter; Esc clears it";
    if (ui->rows.left_out > 0)
        return "no process holds GPU memory or has load; a shows all GPU processes";
    return ui->one_adapter ? "no process uses this GPU; 0 shows all GPUs" : "no process uses a GPU";
}

static void draw_empty(struct ui *ui, struct rectangle line)
{
    char words[REASON_TEXT_SIZE];
    const char *unknown = why_unknown(ui);
    if (unknown != NULL && !selectors_match_nothing(ui) && ui->options->pid_count == 0)
        (void)snprintf(words, sizeof words, "which processes use a GPU is unknown: %s", unknown);
    else
        (void)snprintf(words, sizeof words, "%s", why_empty(ui));
    draw_cut(ui->screen, line.x, line.y, line.width, words, STYLE_DIM);
}

/* The selected row is always in sight, and no room is left blank below the last one. */
static void scroll(struct ui *ui, size_t lines)
{
    if (ui->selected_row < ui->top_row)
        ui->top_row = ui->selected_row;
    if (ui->selected_row >= ui->top_row + lines)
        ui->top_row = ui->selected_row - lines + 1;
    if (ui->top_row + lines > ui->rows.count)
        ui->top_row = ui->rows.count > lines ? ui->rows.count - lines : 0;
}

/* Where the rows in sight are among all, in the last column. */
static void draw_scroll_bar(struct ui *ui, struct rectangle area, size_t lines)
{
    size_t count = ui->rows.count;
    if (count <= lines)
        return;
    size_t size = lines * lines / count > 0 ? lines * lines / count : 1;
    size_t first = (lines - size) * ui->top_row / (count - lines);
    int x = area.x + area.width - 1;
    for (size_t i = 0; i < lines; i++)
        screen_repeat(ui->screen, x, area.y + 1 + (int)i, 1,
                      i >= first && i < first + size ? SYMBOL_FULL_BLOCK : SYMBOL_VERTICAL,
                      STYLE_DIM);
}

static void table_draw(struct ui *ui, struct rectangle area)
{
    if (ui->snapshot == NULL || area.height < 2)
        return;
    choose_columns(ui, area.width - POINTER_WIDTH - SCROLL_BAR_WIDTH);
    draw_heading(ui, area);
    size_t lines = (size_t)area.height - 1;
    scroll(ui, lines);
    if (ui->rows.count == 0)
        draw_empty(ui, (struct rectangle){area.x + 2, area.y + 1, area.width - 3, 1});
    for (size_t i = 0; i < lines && ui->top_row + i < ui->rows.count; i++)
        draw_row(ui, area, area.y + 1 + (int)i, ui->top_row + i);
    draw_scroll_bar(ui, area, lines);
}

static void click_heading(struct ui *ui, struct rectangle area, int at)
{
    int x = area.x + POINTER_WIDTH;
    for (size_t i = 0; i < ui->columns.count; i++) {
        int width = (int)ui->columns.widths[i] + COLUMN_GAP;
        if (at >= x && at < x + width) {
            enum column column = ui->columns.columns[i];
            ui->reverse = column == ui->sort && !ui->reverse;
            ui->sort = column;
            ui_rebuild(ui);
            return;
        }
        x += width;
    }
}

static void table_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    ui->inspector_focused = false;
    if (event->action == MOUSE_WHEEL_UP || event->action == MOUSE_WHEEL_DOWN)
        for (int i = 0; i < WHEEL_ROWS; i++)
            (event->action == MOUSE_WHEEL_UP ? action_up : action_down)(ui, 0);
    else if (event->y == area.y)
        click_heading(ui, area, event->x);
    else if (ui->top_row + (size_t)(event->y - area.y - 1) < ui->rows.count)
        ui_select_row(ui, ui->top_row + (size_t)(event->y - area.y - 1));
}

const struct panel table_panel = {.draw = table_draw, .mouse = table_mouse};
