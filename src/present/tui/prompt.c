/* A line to type in: search and filter. What is typed acts at once; Esc takes it back. */
#include <stdio.h>
#include <string.h>

#include "present/tui/ui.h"
#include "view/text_width.h"

static char *target(struct ui *ui)
{
    return ui->prompt.kind == PROMPT_FILTER ? ui->filter_text : ui->search_text;
}

void prompt_open(struct ui *ui, enum prompt_kind kind)
{
    ui->prompt = (struct prompt){.kind = kind};
    ui->message[0] = '\0';
    memcpy(ui->prompt.before, target(ui), PROMPT_SIZE);
    if (kind == PROMPT_FILTER)
        memcpy(ui->prompt.text, ui->filter_text, PROMPT_SIZE);
    ui->prompt.size = strlen(ui->prompt.text);
}

static bool row_has(const struct row *row, struct text needle)
{
    const struct process *process = row->process;
    if (text_contains_folded(process->name, needle) ||
        text_contains_folded(process->label, needle) || text_contains_folded(process->user, needle))
        return true;
    for (size_t i = 0; i < process->model_count; i++)
        if (text_contains_folded(process->models[i].name, needle))
            return true;
    for (size_t i = 0; process->command.known && i < process->command.count; i++)
        if (text_contains_folded(process->command.items[i], needle))
            return true;
    return false;
}

bool search_next(struct ui *ui, size_t from)
{
    struct text needle = {ui->search_text, strlen(ui->search_text)};
    for (size_t step = 0; needle.size > 0 && step < ui->rows.count; step++) {
        size_t row = (from + step) % ui->rows.count;
        if (row_has(&ui->rows.items[row], needle)) {
            ui_select_row(ui, row);
            return true;
        }
    }
    return false;
}

/* Acts on what is typed so far. A word that is not finished yet is no mistake while typing. */
static void apply(struct ui *ui, bool finished)
{
    if (ui->prompt.kind == PROMPT_TIME) {
        if (finished)
            transport_go_to(ui, ui->prompt.text);
        return;
    }
    memcpy(target(ui), ui->prompt.text, PROMPT_SIZE);
    if (ui->prompt.kind == PROMPT_SEARCH) {
        if (!search_next(ui, ui->selected_row) && finished && ui->search_text[0] != '\0')
            ui_say(ui, STYLE_NORMAL, "no process has \"%s\"", ui->search_text);
        return;
    }
    struct problem problem = {.text = ""};
    if (!filter_parse(ui->filter_text, &ui->filter, &problem) && finished)
        ui_say(ui, STYLE_TROUBLE, "%s", problem.text);
    ui_rebuild(ui);
    if (ui->rows.count > 0 || ui->filter.count == 0 || !filter_is_half_typed(ui->filter_text))
        return;
    if (finished) {
        ui_say(ui, STYLE_NORMAL, "no process has this text; a field wants more: vram>2g class:llm");
    } else {
        /* "vr" empties no list on its way to "vram>2g". */
        ui->filter.count--;
        ui_rebuild(ui);
    }
}

static void type(struct prompt *prompt, uint32_t key)
{
    char utf8[4];
    if (key > 0x10FFFF || text_is_unsafe(key))
        return;
    size_t size = text_encode(key, utf8);
    if (prompt->size + size + 1 > PROMPT_SIZE)
        return;
    memcpy(prompt->text + prompt->size, utf8, size);
    prompt->size += size;
    prompt->text[prompt->size] = '\0';
}

static void erase(struct prompt *prompt)
{
    while (prompt->size > 0) {
        prompt->size--;
        bool begins = ((unsigned char)prompt->text[prompt->size] & 0xC0) != 0x80;
        if (begins)
            break;
    }
    prompt->text[prompt->size] = '\0';
}

void prompt_key(struct ui *ui, uint32_t key)
{
    struct prompt *prompt = &ui->prompt;
    switch (key) {
    case SCREEN_KEY_ENTER:
        apply(ui, true);
        prompt->kind = PROMPT_NONE;
        return;
    case SCREEN_KEY_ESCAPE:
    case SCREEN_KEY_CONTROL('c'):
        memcpy(prompt->text, prompt->before, PROMPT_SIZE);
        apply(ui, false);
        prompt->kind = PROMPT_NONE;
        return;
    case SCREEN_KEY_BACKSPACE:
        erase(prompt);
        break;
    case SCREEN_KEY_CONTROL('u'):
        prompt->size = 0;
        prompt->text[0] = '\0';
        break;
    case SCREEN_KEY_F1 + 2: /* F3, as it opened: on to the next */
        if (prompt->kind == PROMPT_SEARCH && !search_next(ui, ui->selected_row + 1))
            ui_say(ui, STYLE_NORMAL, "no process has \"%s\"", ui->search_text);
        return;
    case SCREEN_KEY_UP:
        action_up(ui, key);
        return;
    case SCREEN_KEY_DOWN:
        action_down(ui, key);
        return;
    default:
        type(prompt, key);
        break;
    }
    apply(ui, false);
}

/* Of a text longer than its line the end, where it is typed. */
static struct text end_that_fits(const struct ui *ui, int columns)
{
    struct text text = {ui->prompt.text, ui->prompt.size};
    while (text.size > 0 && (int)text_width(text, ui->ascii) > columns) {
        size_t at = 0;
        (void)text_next(text.utf8, text.size, &at);
        text = (struct text){text.utf8 + at, text.size - at};
    }
    return text;
}

void prompt_draw(struct ui *ui, struct rectangle area)
{
    static const struct {
        const char *label, *example;
    } kinds[] = {
        [PROMPT_SEARCH] = {"Search: ", ""},
        [PROMPT_FILTER] = {"Filter: ", "vram>2g user:ann class:llm gpu>10 firefox"},
        [PROMPT_TIME] = {"Go to: ", "14:02   14:02:11   2026-11-29 14:02   +90   -5m   50%"},
    };
    screen_clear(ui->screen, area.x, area.y, area.width);
    int x = area.x + 1;
    x += screen_print(ui->screen, x, area.y, kinds[ui->prompt.kind].label, STYLE_KEY);
    x += screen_put(ui->screen, x, area.y, end_that_fits(ui, area.x + area.width - 1 - x),
                    STYLE_NORMAL);
    screen_cursor(ui->screen, x < area.width ? x : area.width - 1, area.y);
    if (ui->prompt.size == 0)
        screen_print(ui->screen, x + 2, area.y, kinds[ui->prompt.kind].example, STYLE_DIM);
}
