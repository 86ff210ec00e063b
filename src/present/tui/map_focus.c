/* Walking the memory map: one segment of the focused adapter's bar is selected, and named in the
 * line above the keys. */
#include <stdio.h>
#include <string.h>

#include "present/tui/map_bar.h"
#include "present/tui/ui.h"
#include "view/units.h"

enum { WIDTH_UNDRAWN = 40 };

static struct identity identity_of(const struct segment *segment)
{
    return segment->process != NULL ? segment->process->identity : (struct identity){0};
}

static bool is_same(const struct map_focus *focus, const struct segment *segment)
{
    return segment->class == focus->class && segment->part == focus->part &&
           identity_equal(identity_of(segment), focus->process);
}

static void remember(struct map_focus *focus, const struct memory_bar *bar, size_t at)
{
    const struct segment *segment = &bar->segments[at];
    focus->at = at;
    focus->class = segment->class;
    focus->part = segment->part;
    focus->process = identity_of(segment);
}

size_t map_focus_place(struct ui *ui, const struct adapter *adapter, const struct memory_bar *bar)
{
    struct map_focus *focus = &ui->map_focus;
    if (!focus->on || bar->segment_count == 0 || !text_equal_string(adapter->id, ui->focused))
        return SIZE_MAX;
    /* The segment that was selected, wherever it is now; one that is gone gives way to the one in
     * its place. */
    size_t found = bar->segment_count;
    for (size_t i = 0; i < bar->segment_count; i++)
        if (is_same(focus, &bar->segments[i]) && (found == bar->segment_count || i == focus->at))
            found = i;
    if (found == bar->segment_count)
        found = focus->at < bar->segment_count ? focus->at : bar->segment_count - 1;
    remember(focus, bar, found);
    return found;
}

/* Builds the focused adapter's bar as it is drawn; false when it has none. */
static bool build(struct ui *ui, const struct adapter **adapter)
{
    if (ui->snapshot == NULL || ui->snapshot->adapter_count == 0)
        return false;
    *adapter = &ui->snapshot->adapters[ui_focused(ui)];
    memory_map_build(&ui->map, ui->snapshot, *adapter);
    if (!ui->map.known)
        return false;
    /* On a narrow screen there is no bar, but its segments are still walked. */
    size_t width = ui->map_focus.width > 0 ? (size_t)ui->map_focus.width : WIDTH_UNDRAWN;
    memory_bar_build(&ui->bar, &ui->map.bar, width, map_bar_steps(ui->screen));
    return ui->bar.segment_count > 0;
}

/* The process of a segment becomes the selected one, when the table lists it. */
static void select_process(struct ui *ui, const struct segment *segment)
{
    if (segment->process == NULL)
        return;
    size_t row = rows_find(&ui->rows, segment->process->identity);
    if (row < ui->rows.count)
        ui_select_row(ui, row);
}

static void go_to(struct ui *ui, size_t at)
{
    remember(&ui->map_focus, &ui->bar, at);
    select_process(ui, &ui->bar.segments[at]);
}

static void other_adapter(struct ui *ui, int by)
{
    size_t count = ui->snapshot->adapter_count, at = ui_focused(ui);
    if ((by < 0 && at == 0) || (by > 0 && at + 1 >= count))
        return;
    ui_focus(ui, by < 0 ? at - 1 : at + 1);
    ui_rebuild(ui);
}

bool map_focus_key(struct ui *ui, uint32_t key)
{
    const struct adapter *adapter;
    if (!ui->map_focus.on || !build(ui, &adapter))
        return false;
    size_t at = map_focus_place(ui, adapter, &ui->bar), last = ui->bar.segment_count - 1;
    switch (key) {
    case SCREEN_KEY_LEFT:
        go_to(ui, at > 0 ? at - 1 : 0);
        return true;
    case SCREEN_KEY_RIGHT:
        go_to(ui, at < last ? at + 1 : last);
        return true;
    case SCREEN_KEY_HOME:
        go_to(ui, 0);
        return true;
    case SCREEN_KEY_END:
        go_to(ui, last);
        return true;
    case SCREEN_KEY_UP:
    case SCREEN_KEY_DOWN:
        other_adapter(ui, key == SCREEN_KEY_UP ? -1 : 1);
        return true;
    case SCREEN_KEY_ENTER:
        select_process(ui, &ui->bar.segments[at]);
        ui->map_focus.on = false;
        return true;
    case SCREEN_KEY_ESCAPE:
    case SCREEN_KEY_TAB:
    case SCREEN_KEY_BACK_TAB:
    case 'm':
        ui->map_focus.on = false;
        return true;
    default:
        return false;
    }
}

/* Begins at the selected process. */
void action_map(struct ui *ui, uint32_t key)
{
    const struct adapter *adapter;
    (void)key;
    if (!build(ui, &adapter)) {
        ui_say(ui, STYLE_NORMAL, "this GPU has no memory map: %s",
               ui->snapshot != NULL ? reason_words(ui->map.why_not) : "nothing is known yet");
        return;
    }
    ui->inspector_focused = false;
    ui->map_focus.on = true;
    const struct row *row = ui_selected(ui);
    size_t at = 0;
    for (size_t i = ui->bar.segment_count; row != NULL && i-- > 0;)
        if (ui->bar.segments[i].process == row->process)
            at = i;
    go_to(ui, at);
}

void map_focus_click(struct ui *ui, int cell)
{
    const struct adapter *adapter;
    if (!build(ui, &adapter) || cell < 0 || (size_t)cell >= ui->bar.width)
        return;
    ui->map_focus.on = true;
    go_to(ui, ui->bar.cells[cell].left);
}

static const char *how_words(const struct segment *segment)
{
    if (segment->part == PART_UNEXPLAINED && segment->how == HOW_MEASURED)
        return "measured, minus the model's parts";
    if (segment->how == HOW_UNAVAILABLE)
        return "the device and its processes are counted differently: nobody can tell this rest";
    switch (segment->pattern) {
    case PATTERN_MATCHED:
        return "inferred: matched to it";
    case PATTERN_GUESS:
        return "inferred: a guess";
    case PATTERN_UNKNOWN:
        return "the driver does not say whether it is in use";
    default:
        return segment->how == HOW_REPORTED ? "reported by its runtime" : how_name(segment->how);
    }
}

/* "Qwen3-32B weights · 12.9 GiB, 54 % of the GPU's · estimated · llama-server 4242". */
bool map_focus_draw(struct ui *ui, struct rectangle area)
{
    const struct adapter *adapter;
    if (!ui->map_focus.on || !build(ui, &adapter))
        return false;
    const struct segment *segment = &ui->bar.segments[map_focus_place(ui, adapter, &ui->bar)];
    char label[SEGMENT_LABEL_SIZE], amount[UNITS_SIZE];
    struct screen *screen = ui->screen;
    int x = area.x + 1;
    screen_clear(screen, area.x, area.y, area.width);
    segment_label(segment, label);
    if (segment->how == HOW_UNAVAILABLE)
        segment_bytes_words(segment, amount);
    else
        units_bytes_long((double)segment->bytes, amount);
    enum style style = style_of_segment(segment->class);
    if (segment->joined > 0)
        x += screen_format(screen, x, area.y, style, "%s: ", segment_class_words(segment->class));
    x += screen_print(screen, x, area.y, label, style);
    x += screen_format(screen, x, area.y, STYLE_TITLE, "  %s", amount);
    if (segment->how != HOW_UNAVAILABLE)
        x += screen_format(screen, x, area.y, STYLE_NORMAL, "  %.0f %%",
                           100.0 * (double)segment->bytes / (double)ui->map.bar.total_bytes);
    x += screen_format(screen, x, area.y, STYLE_DIM, "  %s", how_words(segment));
    if (segment->process != NULL) {
        x += screen_print(screen, x, area.y, "  ", STYLE_DIM);
        if (segment->model != NULL) {
            x += screen_put(screen, x, area.y, segment->process->name, STYLE_NORMAL);
            x += screen_print(screen, x, area.y, " ", STYLE_DIM);
        }
        x += screen_put(screen, x, area.y, segment->process->label, STYLE_NORMAL);
    }
    static const char keys[] = "Left/Right walk  Enter selects  Esc leaves ";
    if (x + (int)sizeof keys < area.x + area.width)
        draw_right(screen, area.x + area.width, area.y, keys, STYLE_DIM);
    return true;
}
