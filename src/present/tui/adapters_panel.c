/* A block for each adapter: what fills its memory, and its figures. */
#include <stdio.h>
#include <string.h>

#include "present/tui/adapter_block.h"
#include "present/tui/ui.h"
#include "view/adapter_line.h"
#include "view/adapter_name.h"
#include "view/text_width.h"

/* What adapter_facts() says behind the memory of a GPU that shares the system's. */
#define UNIFIED " unified"
#define ALLOCATED " allocated"

enum { NAME_X = 4, LABEL_SIZE = 48 };

enum style style_of_process(const struct row *row)
{
    if (row->main_use == NULL)
        return STYLE_OTHER;
    return style_of_segment(segment_class_of(row->process, row->main_use));
}

static const struct adapter_fact *fact_of(const struct block *block, enum fact_kind kind)
{
    for (size_t i = 0; i < block->fact_count; i++)
        if (block->facts[i].kind == kind)
            return &block->facts[i];
    return NULL;
}

static enum style style_of_fact(const struct adapter_fact *fact)
{
    if (fact->alarming)
        return STYLE_TROUBLE;
    return fact->how == HOW_UNAVAILABLE ? STYLE_DIM : STYLE_NORMAL;
}

/* Puts the first `size` bytes of a fact at x, and how it is known where it was not measured, when
 * all of it fits before `right`; returns where the next may begin. */
static int put_fact_part(const struct block *block, int x, int y, int right,
                         const struct adapter_fact *fact, size_t size)
{
    struct text text = {fact->text, size};
    const char *source = fact_source_words(fact->how);
    int width = (int)text_width(text, block->ui->ascii) + (int)strlen(source);
    if (x + width > right)
        return x;
    x += screen_put(block->ui->screen, x, y, text, style_of_fact(fact));
    return x + screen_print(block->ui->screen, x, y, source, STYLE_DIM) + 2;
}

static int put_fact(const struct block *block, int x, int y, int right, enum fact_kind kind)
{
    const struct adapter_fact *fact = fact_of(block, kind);
    return fact != NULL ? put_fact_part(block, x, y, right, fact, strlen(fact->text)) : x;
}

/* The same without what stands behind a comma: "58 °C, hotspot 71" becomes "58 °C". */
static int put_fact_short(const struct block *block, int x, int y, int right, enum fact_kind kind)
{
    const struct adapter_fact *fact = fact_of(block, kind);
    return fact != NULL ? put_fact_part(block, x, y, right, fact, strcspn(fact->text, ",")) : x;
}

static void cut_out(char *words, const char *word)
{
    char *at = strstr(words, word);
    if (at != NULL)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* What is counted as used is allocated: the columns have room for the word. */
static int allocated_width(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++)
        if (memory_counts_differ(&snapshot->adapters[i].memory))
            return (int)strlen(ALLOCATED);
    return 0;
}

/* How much is used of how much. That it is unified stands elsewhere, so that these line up. */
static void put_memory(const struct block *block, int right, int y, bool brief)
{
    const struct adapter_fact *fact = fact_of(block, FACT_MEMORY);
    if (fact == NULL)
        return;
    char words[FACT_TEXT_SIZE];
    snprintf(words, sizeof words, "%s", fact->text);
    cut_out(words, UNIFIED);
    if (brief)
        cut_out(words, ALLOCATED);
    draw_right(block->ui->screen, right, y, words, style_of_fact(fact));
}

static int put_unified(const struct block *block, int x, int y)
{
    if (!block->adapter->memory.unified)
        return x;
    return x + screen_print(block->ui->screen, x, y, &UNIFIED[1], STYLE_NORMAL) + LEGEND_GAP;
}

/* Nothing on the screen wakes a GPU: how it is done. */
static bool wake_hint(const struct block *block, char out[LABEL_SIZE])
{
    bool sleeps = block->adapter->power_state == POWER_SUSPENDED && !block->ui->state.can_seek;
    (void)snprintf(out, LABEL_SIZE, "-g %lld wakes it", (long long)block->adapter->index);
    return sleeps;
}

/* Where its figures would stand; without a bar it stands there. */
static int put_wake_hint(const struct block *block, int x, int y)
{
    char words[LABEL_SIZE];
    if (!wake_hint(block, words) || !block->ui->map.known)
        return x;
    return x + screen_print(block->ui->screen, x, y, words, STYLE_DIM) + LEGEND_GAP;
}

/* The load; of a GPU that is not awake its state. */
static const struct adapter_fact *load_fact(const struct block *block)
{
    const struct adapter_fact *fact = fact_of(block, FACT_LOAD);
    return fact != NULL ? fact : fact_of(block, FACT_STATE);
}

static void put_load(const struct block *block, int right, int y)
{
    const struct adapter_fact *fact = load_fact(block);
    if (fact != NULL)
        draw_right(block->ui->screen, right, y, fact->text, style_of_fact(fact));
}

/* How the load is known, where it was not measured, under it; returns its left edge. */
static int put_load_source(const struct block *block, int right, int y)
{
    const struct adapter_fact *fact = load_fact(block);
    const char *source = fact != NULL ? fact_source_words(fact->how) : "";
    draw_right(block->ui->screen, right, y, source, STYLE_DIM);
    return right - (int)strlen(source);
}

static void put_name(const struct block *block, int width)
{
    struct screen *screen = block->ui->screen;
    const struct adapter *adapter = block->adapter;
    bool focused = block->ui->one_adapter && text_equal_string(adapter->id, block->ui->focused);
    char name[256];
    adapter_short_name(adapter->name, (size_t)(width > 1 ? width : 1), block->ui->ascii, name,
                       sizeof name);
    if (focused)
        screen_repeat(screen, block->area.x, block->area.y, 1, SYMBOL_POINTER, STYLE_KEY);
    screen_format(screen, block->area.x + 1, block->area.y, STYLE_KEY, "%lld",
                  (long long)adapter->index);
    screen_print(screen, block->area.x + NAME_X, block->area.y, name, STYLE_TITLE);
}

/* The bar, or why there is none. The map stays built for the legend. */
static void put_bar(const struct block *block, int x, int y, int width)
{
    struct ui *ui = block->ui;
    const struct adapter_fact *state = fact_of(block, FACT_STATE);
    if (width < 6)
        return;
    if (!ui->map.known) {
        char hint[LABEL_SIZE];
        const char *words = wake_hint(block, hint) ? hint
                            : state != NULL        ? state->text
                                                   : reason_words(ui->map.why_not);
        draw_cut(ui->screen, x + 1, y, width - 2, words,
                 state != NULL ? style_of_fact(state) : STYLE_DIM);
        return;
    }
    memory_bar_build(&ui->bar, &ui->map.bar, (size_t)width - 2, map_bar_steps(ui->screen));
    if (text_equal_string(block->adapter->id, ui->focused))
        ui->map_focus.width = width - 2;
    map_bar_draw(ui->screen, x, y, &ui->bar, map_focus_place(ui, block->adapter, &ui->bar));
    ui->bar_areas[block->slot] = (struct rectangle){x + 1, y, width - 2, 1};
}

/* The load of the last samples, one a column, from history. */
static void put_sparkline(const struct block *block, int x, int y, int width)
{
    struct ui *ui = block->ui;
    if (width < 8 || !figure_is_known(ui->snapshot->monotonic_seconds))
        return;
    int64_t now = (int64_t)(ui->snapshot->monotonic_seconds.value * 1e9) + 1000000;
    struct history_request request = {.adapter_id = block->adapter->id,
                                      .from_ns = 0,
                                      .to_ns = now,
                                      .points = ui->points,
                                      .limit = SPARK_POINTS};
    if (!source_history(ui->source, &request))
        return;
    float values[SPARK_POINTS];
    size_t count = request.count < SPARK_POINTS ? request.count : SPARK_POINTS;
    for (size_t i = 0; i < count; i++)
        values[i] = ui->points[i].values[SERIES_LOAD];
    draw_sparkline(ui->screen, (struct rectangle){x, y, width, 1}, values, count, 100.0F,
                   STYLE_LOAD);
}

/* What is not measured says so on every adapter's line, so that the columns stay in line. */
static bool any_load_is_reported(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++)
        if (fact_source_words(snapshot->adapters[i].load_percent.how)[0] != '\0')
            return true;
    return false;
}

/* Where the columns of a one-line adapter stand. */
struct line_columns {
    int name, bar, memory, load, source, figures;
};

static struct line_columns line_columns(int width, bool reported, int allocated)
{
    struct line_columns columns = {
        .memory = 17 + allocated, .load = 11, .source = reported ? 9 : 0};
    if (width < 70)
        columns = (struct line_columns){.memory = 15, .load = 6, .source = reported ? 5 : 0};
    columns.figures = width >= 100 ? 22 : 0; /* temperature and power */
    int rest =
        width - NAME_X - columns.memory - columns.load - columns.source - columns.figures - 2;
    columns.name = width >= 100 ? 22 : width >= 70 ? 18 : rest > 18 ? rest - 12 : rest;
    columns.bar = rest - columns.name;
    columns.bar = columns.bar > 42 ? 42 : columns.bar;
    return columns;
}

static void put_line_load(const struct block *block, int x, const struct line_columns *columns)
{
    const struct adapter_fact *fact = load_fact(block);
    if (fact == NULL)
        return;
    bool bare = columns->load < 8 && strncmp(fact->text, "load ", 5) == 0;
    draw_right(block->ui->screen, x + columns->load, block->area.y, fact->text + (bare ? 5 : 0),
               style_of_fact(fact));
    const char *source = fact_source_words(fact->how);
    screen_format(block->ui->screen, x + columns->load, block->area.y, STYLE_DIM,
                  columns->source < 9 && source[0] != '\0' ? "%.4s." : "%s", source);
}

static void draw_line(struct block *block)
{
    struct rectangle area = block->area;
    int right = area.x + area.width - 1, x = area.x + NAME_X;
    struct line_columns columns =
        line_columns(area.width, any_load_is_reported(block->ui->snapshot),
                     allocated_width(block->ui->snapshot));
    put_name(block, columns.name);
    x += columns.name + 1;
    put_bar(block, x, area.y, columns.bar);
    x += columns.bar > 0 ? columns.bar : 0;
    put_memory(block, x + columns.memory, area.y, area.width < 70);
    x += columns.memory;
    put_line_load(block, x, &columns);
    x += columns.load + columns.source + 2;
    x = put_fact_short(block, x, area.y, right, FACT_TEMPERATURE);
    put_fact(block, x, area.y, right, FACT_POWER);
}

static void draw_short(struct block *block)
{
    struct rectangle area = block->area;
    int right = area.x + area.width - 1, name = area.width >= 100 ? 24 : 18;
    put_name(block, name);
    int x = area.x + NAME_X + name + 1;
    put_bar(block, x, area.y, right - 28 - allocated_width(block->ui->snapshot) - x);
    put_memory(block, right - 11, area.y, false);
    put_load(block, right, area.y);
    int y = area.y + 1, spark = area.width >= 100 ? 24 : area.width >= 76 ? 12 : 0;
    spark += right - put_load_source(block, right, y);
    x = put_unified(block, area.x + NAME_X, y);
    x = put_wake_hint(block, x, y);
    for (size_t i = 0; i < block->fact_count; i++)
        if (block->facts[i].alarming && block->facts[i].kind != FACT_STATE)
            x = put_fact(block, x, y, right - spark - 2, block->facts[i].kind);
    x = put_fact_short(block, x, y, right - spark - 2, FACT_TEMPERATURE);
    x = put_fact(block, x, y, right - spark - 2, FACT_POWER);
    if (block->ui->map.known) {
        x = legend_processes(block, x, y, right - spark - 2);
        x = legend_spill(block, x, y, right - spark - 2, 0);
        legend_unplaced(block, x, y, right - spark - 2);
    }
    put_sparkline(block, right - spark, y, put_load_source(block, right, y) - (right - spark));
}

static void draw_full(struct block *block)
{
    struct rectangle area = block->area;
    int right = area.x + area.width - 1, y = area.y;
    int left = area.width >= 200 ? 40 : area.width >= 140 ? 30 : 28;
    int side = area.width >= 200 ? 60 : 30; /* the right column */
    int middle = area.x + NAME_X + left, middle_end = right - side - 1;
    put_name(block, left - 2);
    int allocated = side < 40 ? allocated_width(block->ui->snapshot) : 0;
    put_bar(block, middle - 1, y, middle_end - middle + 2 - allocated);
    put_memory(block, right - 12, y, false);
    put_load(block, right, y);

    int x = put_unified(block, area.x + NAME_X, y + 1);
    x = put_wake_hint(block, x, y + 1);
    x = put_fact(block, x, y + 1, middle - 1, FACT_TEMPERATURE);
    put_fact(block, x, y + 1, middle - 1, FACT_POWER);
    x = put_fact(block, area.x + NAME_X, y + 2, middle - 1, FACT_CLOCK);
    put_fact(block, x, y + 2, middle - 1, FACT_FAN);
    put_fact(block, area.x + NAME_X, y + 3, middle - 1, FACT_MEMORY_ACTIVITY);
    if (block->ui->map.known) {
        legend_processes(block, middle, y + 1, middle_end);
        legend_classes(block, middle, y + 2, middle_end);
    }
    x = middle;
    if (block->ui->map.known) {
        x = legend_spill(block, x, y + 3, middle_end, middle_end - middle);
        x = legend_pools(block, x, y + 3, middle_end);
    }
    x = legend_unplaced(block, x, y + 3, middle_end);
    for (size_t i = 0; i < block->fact_count; i++)
        if (block->facts[i].alarming && block->facts[i].kind != FACT_STATE)
            x = put_fact(block, x, y + 3, middle_end, block->facts[i].kind);
    legend_notes(block, x, y + 3, middle_end);
    put_sparkline(block, right - side + 2, y + 1,
                  put_load_source(block, right, y + 1) - (right - side + 2));
    put_fact(block, right - side + 2, y + 2, right, FACT_VIDEO);
    x = put_fact(block, right - side + 2, y + 3, right, FACT_PCIE);
    put_fact(block, x, y + 3, right, FACT_TRAFFIC);
}

static void draw_adapter(struct ui *ui, size_t at)
{
    const struct adapter_slot *slot = &ui->layout.slots[at];
    struct block block = {.ui = ui,
                          .adapter = &ui->snapshot->adapters[slot->adapter],
                          .area = slot->area,
                          .slot = at};
    ui->bar_areas[at] = (struct rectangle){0};
    block.fact_count = adapter_facts(block.adapter, ui->ascii, block.facts);
    memory_map_build(&ui->map, ui->snapshot, block.adapter);
    if (slot->form == ADAPTER_FULL)
        draw_full(&block);
    else if (slot->form == ADAPTER_SHORT)
        draw_short(&block);
    else
        draw_line(&block);
}

static void adapters_draw(struct ui *ui, struct rectangle area)
{
    if (ui->snapshot == NULL)
        return;
    if (ui->snapshot->adapter_count == 0) {
        screen_print(ui->screen, area.x + 1, area.y, "no GPU is known yet", STYLE_DIM);
        return;
    }
    for (size_t i = 0; i < ui->layout.slot_count; i++)
        if (ui->layout.slots[i].adapter < ui->snapshot->adapter_count)
            draw_adapter(ui, i);
    if (ui->layout.more.height > 0)
        screen_format(ui->screen, area.x + NAME_X, ui->layout.more.y, STYLE_DIM,
                      "%zu more: g goes through them", ui->layout.hidden_adapters);
}

static void click_bar(struct ui *ui, const struct rectangle *bar, const struct screen_event *event)
{
    if (event->y != bar->y || event->x < bar->x || event->x >= bar->x + bar->width)
        return;
    ui->map_focus.width = bar->width;
    map_focus_click(ui, event->x - bar->x);
}

static void adapters_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    (void)area;
    for (size_t i = 0; i < ui->layout.slot_count; i++) {
        struct rectangle slot = ui->layout.slots[i].area;
        if (event->action == MOUSE_PRESS && event->y >= slot.y && event->y < slot.y + slot.height &&
            event->x >= slot.x && event->x < slot.x + slot.width) {
            ui_focus(ui, ui->layout.slots[i].adapter);
            ui_rebuild(ui);
            click_bar(ui, &ui->bar_areas[i], event);
        }
    }
}

const struct panel adapters_panel = {.draw = adapters_draw, .mouse = adapters_mouse};
