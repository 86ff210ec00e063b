/* Every key and every column, from the tables that drive them. */
#include <string.h>

#include "present/tui/help_counters.h"
#include "present/tui/ui.h"

static void write_columns(struct page *page)
{
    page_line(page, 0);
    page_line(page, 0);
    page_words(page, STYLE_TITLE, "Columns");
    for (int column = 0; column < COLUMN_COUNT; column++) {
        const struct column_traits *traits = column_traits((enum column)column);
        page_line(page, 2);
        page_words(page, STYLE_HEADING_SORTED, traits->heading);
        page_column(page, 18);
        page_wrap(page, STYLE_NORMAL, 18, 0, (struct text){traits->help, strlen(traits->help)});
    }
}

static void write_charts(struct page *page)
{
    page_line(page, 0);
    page_line(page, 0);
    page_words(page, STYLE_TITLE, "Charts");
    for (int chart = 0; chart < CHART_COUNT; chart++) {
        const struct chart_traits *traits = chart_traits((enum chart)chart);
        page_line(page, 2);
        page_words(page, STYLE_HEADING_SORTED, traits->title);
        page_column(page, 18);
        page_wrap(page, STYLE_NORMAL, 18, 0, (struct text){traits->help, strlen(traits->help)});
    }
}

static void write_map(struct page *page)
{
    page_line(page, 0);
    page_line(page, 0);
    page_words(page, STYLE_TITLE, "The bar of a GPU: what fills its memory, from 0 to all of it");
    for (int class = 0; class < SEGMENT_CLASS_COUNT; class ++) {
        page_line(page, 2);
        page_words(page, style_of_segment((enum segment_class) class),
                   class == SEGMENT_UNATTRIBUTED ? "\u2591\u2591" : "\u2588\u2588");
        page_column(page, 6);
        page_words(page, STYLE_NORMAL, segment_class_words((enum segment_class) class));
    }
    page_line(page, 2);
    page_wrap(
        page, STYLE_DIM, 2, 0,
        TEXT("A process's outer edge is always what was measured (or matched: *, guessed: ?). "
             "Inside it, shades divide a model into weights, KV cache and compute buffers, "
             "which are estimated or reported by its runtime."));
}

static void write_numbers(struct page *page)
{
    static const struct {
        enum how how;
        const char *words;
    } kinds[] = {
        {HOW_MEASURED, "a counter of the driver or the system; only these are summed"},
        {HOW_REPORTED, "a runtime or firmware said so"},
        {HOW_ESTIMATED, "computed, from a model file and flags"},
        {HOW_INFERRED, "a measured number whose owner was deduced: * matched, ? a guess"},
        {HOW_UNAVAILABLE, "n/a: not known, and the line above the keys says why; never 0"},
    };
    page_line(page, 0);
    page_line(page, 0);
    page_words(page, STYLE_TITLE, "How a number is known");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        page_line(page, 2);
        page_words(page, STYLE_HEADING_SORTED, how_name(kinds[i].how));
        page_column(page, 18);
        page_wrap(page, STYLE_NORMAL, 18, 0, (struct text){kinds[i].words, strlen(kinds[i].words)});
    }
}

static void help_draw(struct ui *ui, struct rectangle area)
{
    struct rectangle inside =
        draw_box(ui->screen, area, "Help", "Up/Down PgUp/PgDn Home End scroll, Esc closes");
    page_start(&ui->page, inside.width, ui->ascii);
    page_line(&ui->page, 0);
    page_wrap(
        &ui->page, STYLE_NORMAL, 0, 0,
        TEXT("gputaskman shows what is inside a GPU: which process, which model, how much, and "
             "how each number is known."));
    keys_help(ui, &ui->page);
    write_numbers(&ui->page);
    write_columns(&ui->page);
    write_charts(&ui->page);
    write_map(&ui->page);
    const struct row *row = ui_selected(ui);
    if (ui->snapshot != NULL) {
        help_sources(&ui->page, ui->snapshot);
        help_counters(&ui->page,
                      ui->snapshot->adapter_count > 0 ? &ui->snapshot->adapters[ui_focused(ui)]
                                                      : NULL,
                      row != NULL ? row->process : NULL);
    }
    ui->overlay_last_line = page_draw(&ui->page, ui->screen, inside, ui->overlay_line);
}

static bool help_key(struct ui *ui, uint32_t key)
{
    bool leaves = key == SCREEN_KEY_CONTROL('c') || key == SCREEN_KEY_F1 + 9;
    if (key == 'h' || key == SCREEN_KEY_F1)
        ui->overlay = NULL;
    /* Other letters do nothing while the help covers what they would act on. */
    return scroll_key(ui, key) || !leaves;
}

const struct panel help_panel = {.draw = help_draw, .key = help_key, .mouse = scroll_mouse};
