#include "present/tui/ui.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "snapshot/selector.h"

enum { MESSAGE_SECONDS = 5 };

int64_t ui_now_ns(void)
{
    return thread_clock_ns();
}

void ui_say(struct ui *ui, enum style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(ui->message, sizeof ui->message, format, arguments);
    va_end(arguments);
    ui->message_style = style;
    ui->message_until_ns = ui_now_ns() + MESSAGE_SECONDS * 1000000000LL;
    ui->dirty = true;
}

size_t ui_focused(const struct ui *ui)
{
    for (size_t i = 0; ui->snapshot != NULL && i < ui->snapshot->adapter_count; i++)
        if (text_equal_string(ui->snapshot->adapters[i].id, ui->focused))
            return i;
    return 0;
}

void ui_focus(struct ui *ui, size_t adapter)
{
    if (ui->snapshot == NULL || adapter >= ui->snapshot->adapter_count)
        return;
    struct text id = ui->snapshot->adapters[adapter].id;
    size_t size = id.size < sizeof ui->focused ? id.size : sizeof ui->focused - 1;
    memcpy(ui->focused, id.utf8, size);
    ui->focused[size] = '\0';
}

static bool is_chosen(const struct tui_options *options, const struct adapter *adapter)
{
    for (size_t i = 0; i < options->selector_count; i++)
        if (selector_matches(options->selectors[i], adapter))
            return true;
    return options->selector_count == 0;
}

/* The adapters whose processes are listed; none: all. */
static size_t choose_adapters(struct ui *ui)
{
    const struct snapshot *snapshot = ui->snapshot;
    size_t count = 0;
    if (ui->one_adapter && snapshot->adapter_count > 0) {
        ui->chosen[count++] = snapshot->adapters[ui_focused(ui)].id;
        return count;
    }
    if (ui->options->selector_count == 0)
        return 0;
    for (size_t i = 0; i < snapshot->adapter_count && count < CHOSEN_MAX; i++)
        if (is_chosen(ui->options, &snapshot->adapters[i]))
            ui->chosen[count++] = snapshot->adapters[i].id;
    /* A selector that fits nothing lists nothing: the empty id is no adapter's. */
    if (count == 0)
        ui->chosen[count++] = TEXT("");
    return count;
}

/* The first selection is the largest process, whatever the order. */
static size_t largest_row(const struct rows *rows)
{
    size_t best = 0;
    for (size_t i = 1; i < rows->count; i++)
        if (rows->items[i].memory.value > rows->items[best].memory.value)
            best = i;
    return best;
}

void ui_select_row(struct ui *ui, size_t row)
{
    if (row >= ui->rows.count)
        return;
    ui->selected_row = row;
    ui->selected = ui->rows.items[row].process->identity;
    ui->has_selection = true;
    ui->selection_waits = false;
    ui->inspector_line = 0;
}

static void follow_selection(struct ui *ui)
{
    if (ui->rows.count == 0) {
        ui->selected_row = 0;
        return;
    }
    size_t largest = largest_row(&ui->rows);
    bool known = amount_is_known(&ui->rows.items[largest].memory);
    if (!ui->has_selection || (ui->selection_waits && known)) {
        ui_select_row(ui, largest);
        ui->selection_waits = !known;
        return;
    }
    size_t row = rows_find(&ui->rows, ui->selected);
    if (row < ui->rows.count)
        ui->selected_row = row;
    else
        ui_select_row(ui,
                      ui->selected_row < ui->rows.count ? ui->selected_row : ui->rows.count - 1);
}

void ui_rebuild(struct ui *ui)
{
    ui->dirty = true;
    if (ui->snapshot == NULL)
        return;
    struct rows_options options = {
        .adapters = ui->chosen,
        .adapter_count = choose_adapters(ui),
        .pids = ui->options->pids,
        .pid_count = ui->options->pid_count,
        .user = ui->user[0] != '\0' ? (struct text){ui->user, strlen(ui->user)} : TEXT_NONE,
        .filter = &ui->filter,
        .all = ui->all,
        .tree = ui->tree,
        .sort = ui->sort,
        .reverse = ui->reverse,
    };
    rows_build(&ui->rows, ui->snapshot, &options);
    follow_selection(ui);
}

const struct row *ui_selected(const struct ui *ui)
{
    if (ui->snapshot == NULL || !ui->has_selection || ui->selected_row >= ui->rows.count)
        return NULL;
    return &ui->rows.items[ui->selected_row];
}
