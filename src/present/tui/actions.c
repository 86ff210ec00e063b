#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "base/vector.h"
#include "present/tui/ui.h"
#include "view/units.h"

void action_help(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->overlay = &help_panel;
    ui->overlay_line = 0;
}

void action_quit(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->leave = true;
}

void action_setup(struct ui *ui, uint32_t key)
{
    (void)key;
    setup_open(ui);
}

void action_pause(struct ui *ui, uint32_t key)
{
    (void)key;
    struct source_request request = {.kind = SOURCE_SET_PAUSED, .flag = !ui->state.paused};
    if (!source_request(ui->source, &request))
        ui_say(ui, STYLE_NORMAL, "this cannot be paused");
}

/* The steps of + and -, in milliseconds. */
static const int64_t intervals_ms[] = {100,  200,   500,   1000,  2000,   3000,
                                       5000, 10000, 30000, 60000, 600000, 3600000};
enum { INTERVAL_COUNT = sizeof intervals_ms / sizeof *intervals_ms };

static void change_interval(struct ui *ui, bool slower)
{
    int64_t now = ui->state.interval_ns / 1000000, wanted = now;
    if (slower) {
        for (size_t i = INTERVAL_COUNT; i-- > 0;)
            wanted = intervals_ms[i] > now ? intervals_ms[i] : wanted;
    } else {
        for (size_t i = 0; i < INTERVAL_COUNT; i++)
            wanted = intervals_ms[i] < now ? intervals_ms[i] : wanted;
    }
    ui->interval_asked_ns = wanted * 1000000;
    struct source_request request = {.kind = SOURCE_SET_INTERVAL, .interval_ns = wanted * 1000000};
    if (!source_request(ui->source, &request))
        ui_say(ui, STYLE_NORMAL, "the interval of this source cannot be changed");
    else
        ui_say(ui, STYLE_NORMAL, "a sample every %.1f s", (double)wanted / 1000);
}

/* A recording has its own interval: it is played faster or slower. */
void action_faster(struct ui *ui, uint32_t key)
{
    (void)key;
    if (ui->state.can_seek)
        transport_change_speed(ui, true);
    else
        change_interval(ui, false);
}

void action_slower(struct ui *ui, uint32_t key)
{
    (void)key;
    if (ui->state.can_seek)
        transport_change_speed(ui, false);
    else
        change_interval(ui, true);
}

void action_redraw(struct ui *ui, uint32_t key)
{
    (void)key;
    screen_forget(ui->screen);
    struct source_request request = {.kind = SOURCE_REFRESH};
    (void)source_request(ui->source, &request);
}

void action_write(struct ui *ui, uint32_t key)
{
    (void)key;
    saving_start(ui);
}

void action_stop(struct ui *ui, uint32_t key)
{
    (void)key;
    screen_stop(ui->screen);
}

static void move_selection(struct ui *ui, long long by)
{
    if (ui->inspector_focused) {
        long long line = (long long)ui->inspector_line + by;
        long long last = (long long)ui->inspector_last_line;
        ui->inspector_line = (size_t)(line < 0 ? 0 : line > last ? last : line);
        return;
    }
    if (ui->rows.count == 0)
        return;
    long long row = (long long)ui->selected_row + by, last = (long long)ui->rows.count - 1;
    ui_select_row(ui, (size_t)(row < 0 ? 0 : row > last ? last : row));
}

static int page_size(const struct ui *ui)
{
    int height = ui->inspector_focused ? ui->layout.inspector.height : ui->layout.table.height;
    return height > 2 ? height - 1 : 1;
}

void action_up(struct ui *ui, uint32_t key)
{
    (void)key;
    move_selection(ui, -1);
}

void action_down(struct ui *ui, uint32_t key)
{
    (void)key;
    move_selection(ui, 1);
}

void action_page_up(struct ui *ui, uint32_t key)
{
    (void)key;
    move_selection(ui, -page_size(ui));
}

void action_page_down(struct ui *ui, uint32_t key)
{
    (void)key;
    move_selection(ui, page_size(ui));
}

void action_home(struct ui *ui, uint32_t key)
{
    (void)key;
    move_selection(ui, -(1LL << 32));
}

void action_end(struct ui *ui, uint32_t key)
{
    (void)key;
    move_selection(ui, 1LL << 32);
}

void action_inspect(struct ui *ui, uint32_t key)
{
    (void)key;
    if (ui_selected(ui) == NULL)
        return;
    ui->overlay = &full_inspector_panel;
    ui->overlay_line = 0;
}

void action_next_pane(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->inspector_focused = !ui->inspector_focused && ui->layout.inspector.height > 2;
}

void action_events(struct ui *ui, uint32_t key)
{
    (void)key;
    events_open(ui);
}

void action_close(struct ui *ui, uint32_t key)
{
    (void)key;
    if (ui->message[0] != '\0') {
        ui->message[0] = '\0';
    } else if (ui->inspector_focused) {
        ui->inspector_focused = false;
    } else {
        ui->filter = (struct filter){0};
        ui->filter_text[0] = ui->search_text[0] = ui->user[0] = '\0';
        ui_rebuild(ui);
    }
}

static void sort_by(struct ui *ui, enum column column)
{
    ui->sort = column;
    ui->reverse = false;
    ui_rebuild(ui);
    ui_say(ui, STYLE_NORMAL, "sorted by %s", column_traits(column)->heading);
}

void action_sort(struct ui *ui, uint32_t key)
{
    (void)key;
    static const enum column cycle[] = {COLUMN_vram, COLUMN_gpu, COLUMN_spill, COLUMN_paged,
                                        COLUMN_name};
    enum { CYCLE = sizeof cycle / sizeof *cycle };
    size_t at = CYCLE - 1;
    for (size_t i = 0; i < CYCLE; i++)
        at = cycle[i] == ui->sort ? i : at;
    /* A column without any value orders nothing: it is passed over. */
    for (size_t step = 1; step <= CYCLE; step++) {
        enum column next = cycle[(at + step) % CYCLE];
        if (ui->column_seen[next] || next == COLUMN_vram) {
            sort_by(ui, next);
            return;
        }
    }
}

void action_sort_menu(struct ui *ui, uint32_t key)
{
    (void)key;
    menu_open(ui, MENU_SORT);
}

void action_reverse(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->reverse = !ui->reverse;
    ui_rebuild(ui);
}

void action_sort_memory(struct ui *ui, uint32_t key)
{
    (void)key;
    sort_by(ui, COLUMN_vram);
}

void action_sort_load(struct ui *ui, uint32_t key)
{
    (void)key;
    sort_by(ui, COLUMN_gpu);
}

void action_sort_time(struct ui *ui, uint32_t key)
{
    (void)key;
    sort_by(ui, COLUMN_time);
}

void action_sort_pid(struct ui *ui, uint32_t key)
{
    (void)key;
    sort_by(ui, COLUMN_pid);
}

void action_all(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->all = !ui->all;
    ui_rebuild(ui);
    ui_say(ui, STYLE_NORMAL, "%s",
           ui->all ? "all GPU processes" : "only processes with GPU memory or load");
}

/* One adapter alone, and shown in full. */
static void choose_adapter(struct ui *ui, size_t adapter)
{
    ui->one_adapter = true;
    ui_focus(ui, adapter);
    ui_rebuild(ui);
}

void action_next_gpu(struct ui *ui, uint32_t key)
{
    (void)key;
    size_t count = ui->snapshot != NULL ? ui->snapshot->adapter_count : 0;
    if (count < 2)
        return;
    if (!ui->one_adapter)
        choose_adapter(ui, ui_focused(ui));
    else if (ui_focused(ui) + 1 < count)
        choose_adapter(ui, ui_focused(ui) + 1);
    else
        action_all_gpus(ui, '0');
}

void action_that_gpu(struct ui *ui, uint32_t key)
{
    size_t count = ui->snapshot != NULL ? ui->snapshot->adapter_count : 0;
    for (size_t i = 0; i < count; i++) {
        if (ui->snapshot->adapters[i].index == (int64_t)key - '0') {
            choose_adapter(ui, i);
            return;
        }
    }
    ui_say(ui, STYLE_NORMAL, "there is no GPU %c; 0 is all of them, g goes through them",
           (char)key);
}

void action_all_gpus(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->one_adapter = false;
    ui_focus(ui, 0);
    ui_rebuild(ui);
}

void action_search(struct ui *ui, uint32_t key)
{
    (void)key;
    prompt_open(ui, PROMPT_SEARCH);
}

void action_search_next(struct ui *ui, uint32_t key)
{
    (void)key;
    if (ui->search_text[0] == '\0')
        prompt_open(ui, PROMPT_SEARCH);
    else if (!search_next(ui, ui->selected_row + 1))
        ui_say(ui, STYLE_NORMAL, "no process has \"%s\"", ui->search_text);
}

void action_filter(struct ui *ui, uint32_t key)
{
    (void)key;
    prompt_open(ui, PROMPT_FILTER);
}

void action_user(struct ui *ui, uint32_t key)
{
    (void)key;
    menu_open(ui, MENU_USER);
}

void action_tree(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->tree = !ui->tree;
    ui_rebuild(ui);
}

void action_tag(struct ui *ui, uint32_t key)
{
    const struct row *row = ui_selected(ui);
    if (row == NULL)
        return;
    struct identity identity = row->process->identity;
    size_t i = 0;
    while (i < ui->tags.count && !identity_equal(ui->tags.items[i], identity))
        i++;
    if (i < ui->tags.count)
        ui->tags.items[i] = ui->tags.items[--ui->tags.count];
    else
        VECTOR_PUSH(&ui->tags, identity);
    action_down(ui, key);
}

void action_untag(struct ui *ui, uint32_t key)
{
    (void)key;
    ui->tags.count = 0;
}

void action_signal(struct ui *ui, uint32_t key)
{
    (void)key;
    confirm_open(ui);
}
