/* The line above the keys: a message, trouble with a source, why the selected row's figures are
 * n/a, what the marks in sight mean. The most important one that holds. */
#include <stdio.h>
#include <string.h>

#include "present/tui/ui.h"
#include "view/reasons_text.h"

static bool is_trouble(const struct source_status *source)
{
    return source->state == SOURCE_STALE || source->state == SOURCE_FAILED ||
           source->state == SOURCE_STARTING;
}

static bool draw_sources(struct ui *ui, struct rectangle area)
{
    int x = area.x + 1;
    bool any = false;
    for (size_t i = 0; i < ui->snapshot->source_count; i++) {
        const struct source_status *source = &ui->snapshot->sources[i];
        if (!is_trouble(source))
            continue;
        enum style style = source->state == SOURCE_STARTING ? STYLE_DIM : STYLE_TROUBLE;
        x += any ? screen_print(ui->screen, x, area.y, "   ", style) : 0;
        any = true;
        x += screen_put(ui->screen, x, area.y, source->name, style);
        x += screen_format(ui->screen, x, area.y, style, " %s", source_state_name(source->state));
        if (figure_is_known(source->age_seconds) && source->state == SOURCE_STALE) {
            x += screen_format(ui->screen, x, area.y, style, ", last answer %.0f s ago",
                               source->age_seconds.value);
            continue;
        }
        if (!text_is_none(source->detail) && source->detail.size > 0) {
            x += screen_print(ui->screen, x, area.y, ": ", style);
            x += screen_put(ui->screen, x, area.y, source->detail, STYLE_NORMAL);
        }
    }
    return any;
}

/* What the marks of the selected row mean, once each: "* VRAM matched, not measured". */
static int draw_marks(struct ui *ui, struct rectangle area, const struct row *row)
{
    static const char *const words[CELL_BLANK + 1] = {[CELL_MATCHED] = "matched, not measured",
                                                      [CELL_GUESS] = "a guess",
                                                      [CELL_ESTIMATED] = "estimated"};
    bool told[CELL_BLANK + 1] = {false}, told_least = false;
    int x = area.x + 1;
    for (size_t i = 0; i < ui->columns.count; i++) {
        struct cell cell;
        column_mark(row, ui->columns.columns[i], &cell);
        const char *heading = column_traits(ui->columns.columns[i])->heading;
        if (words[cell.mark] != NULL && !told[cell.mark]) {
            told[cell.mark] = true;
            x += screen_format(ui->screen, x, area.y, STYLE_MARK, "%c ",
                               cell_mark_character(cell.mark));
            x += screen_format(ui->screen, x, area.y, STYLE_NORMAL, "%s %s   ", heading,
                               words[cell.mark]);
        }
        if (cell.at_least && !told_least) {
            told_least = true;
            x += screen_print(ui->screen, x, area.y, "> ", STYLE_MARK);
            x += screen_format(ui->screen, x, area.y, STYLE_NORMAL,
                               "%s at least: a part is not known   ", heading);
        }
    }
    return x;
}

/* The marks and the first n/a of the selected row that nothing else explains, in words. */
static bool draw_reason(struct ui *ui, struct rectangle area)
{
    const struct row *row = ui_selected(ui);
    if (row == NULL)
        return false;
    int x = draw_marks(ui, area, row);
    bool any = x > area.x + 1;
    for (size_t i = 0; i < ui->columns.count; i++) {
        enum column column = ui->columns.columns[i];
        char words[REASON_TEXT_SIZE];
        reason_of_cell(row, column, words);
        if (words[0] == '\0' || inspector_tells(ui, row, column))
            continue;
        x += screen_print(ui->screen, x, area.y, "n/a  ", STYLE_DIM);
        int room = area.x + area.width - 1 - x;
        if (column == COLUMN_vram && (int)strlen(words) > room)
            (void)reason_of_memory_brief(row->vram_reasons, words);
        draw_cut(ui->screen, x, area.y, room, words, STYLE_NORMAL);
        return true;
    }
    return any;
}

static bool draw_legend(struct ui *ui, struct rectangle area)
{
    bool seen[CELL_BLANK + 1] = {false}, at_least = false;
    for (size_t i = 0; i < ui->rows.count; i++)
        for (size_t k = 0; k < ui->columns.count; k++) {
            struct cell cell;
            column_mark(&ui->rows.items[i], ui->columns.columns[k], &cell);
            seen[cell.mark] = true;
            at_least = at_least || cell.at_least;
        }
    static const struct {
        enum cell_mark mark;
        const char *sign, *words;
    } marks[] = {{CELL_MATCHED, "*", " matched, not measured   "},
                 {CELL_GUESS, "?", " a guess   "},
                 {CELL_ESTIMATED, "~", " estimated   "}};
    int x = area.x + 1;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!seen[marks[i].mark])
            continue;
        x += screen_print(ui->screen, x, area.y, marks[i].sign, STYLE_MARK);
        x += screen_print(ui->screen, x, area.y, marks[i].words, STYLE_DIM);
    }
    if (at_least) {
        x += screen_print(ui->screen, x, area.y, ">", STYLE_MARK);
        x += screen_print(ui->screen, x, area.y, " at least", STYLE_DIM);
    }
    return x > area.x + 1;
}

static bool draw_choice(struct ui *ui, struct rectangle area)
{
    int x = area.x + 1, begin = x;
    if (ui->filter_text[0] != '\0')
        x += screen_format(ui->screen, x, area.y, STYLE_DIM, "filter: %s   ", ui->filter_text);
    if (ui->user[0] != '\0')
        x += screen_format(ui->screen, x, area.y, STYLE_DIM, "user: %s   ", ui->user);
    if (ui->tags.count > 0)
        x += screen_format(ui->screen, x, area.y, STYLE_DIM, "%zu tagged   ", ui->tags.count);
    if (x > begin)
        screen_print(ui->screen, x, area.y, "(Esc clears, U untags)", STYLE_DIM);
    return x > begin;
}

static void status_draw(struct ui *ui, struct rectangle area)
{
    if (ui->prompt.kind != PROMPT_NONE) {
        prompt_draw(ui, area);
        return;
    }
    if (ui->message[0] != '\0') {
        screen_clear(ui->screen, area.x, area.y, area.width);
        screen_print(ui->screen, area.x + 1, area.y, ui->message, ui->message_style);
        return;
    }
    if (map_focus_draw(ui, area))
        return;
    if (ui->snapshot == NULL || area.y == ui->layout.keys.y)
        return;
    if (draw_sources(ui, area) || draw_choice(ui, area) || events_draw_notice(ui, area) ||
        draw_reason(ui, area) || draw_legend(ui, area))
        return;
    char unreadable[REASON_TEXT_SIZE];
    reason_of_unreadable(&ui->snapshot->process_status, unreadable);
    if (ui->rows.left_out == 0)
        screen_print(ui->screen, area.x + 1, area.y, unreadable, STYLE_DIM);
    else
        screen_format(ui->screen, area.x + 1, area.y, STYLE_DIM,
                      "%zu more without GPU memory or load: a shows them", ui->rows.left_out);
}

const struct panel status_panel = {.draw = status_draw};
