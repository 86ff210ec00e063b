#include "present/tui/inspector.h"

#include <stdio.h>
#include <string.h>

#include "view/reasons_text.h"
#include "view/text_width.h"
#include "view/units.h"

enum { FOOT_LINES = 2 };

void inspector_text(struct page *page, const char *before, struct text text, enum style style)
{
    if (text_is_none(text) || text.size == 0)
        return;
    page_words(page, STYLE_DIM, before);
    page_text(page, style, text);
}

void inspector_label(struct page *page, const char *words)
{
    page_line(page, INSPECTOR_LABEL_X);
    page_words(page, STYLE_DIM, words);
    page_column(page, INSPECTOR_VALUE_X);
}

/* A part of the title behind a dot; on a page that `wraps`, on a line of its own where the last one
 * is full. */
static void title_part(struct page *page, bool wraps, const char *before, struct text text,
                       enum style style)
{
    if (text_is_none(text) || text.size == 0)
        return;
    struct text dot = {before, strlen(before)};
    size_t width = text_width(dot, page->ascii) + text_width(text, page->ascii);
    if (wraps && page->x + (int)width > page->width) {
        page_line(page, INSPECTOR_LABEL_X);
        before = strchr(before, ' ') != NULL ? strrchr(before, ' ') + 1 : before;
    }
    inspector_text(page, before, text, style);
}

static void write_title(struct page *page, const struct row *row, const struct snapshot *snapshot,
                        bool wraps)
{
    const struct process *process = row->process;
    page_line(page, 0);
    if (process->name.size > 0)
        page_text(page, STYLE_TITLE, process->name);
    else
        page_words(page, STYLE_TITLE, "process");
    page_words(page, STYLE_NORMAL, " ");
    page_text(page, STYLE_NORMAL, process->label);
    const char *words = class_words(process->class);
    title_part(page, wraps, " \u00B7 ", (struct text){words, strlen(words)}, style_of_process(row));
    title_part(page, wraps, " \u00B7 ", process->user, STYLE_NORMAL);
    if (process->start_time_ns != TIME_UNKNOWN && snapshot->taken_at_ns > process->start_time_ns) {
        char since[UNITS_SIZE], running[UNITS_SIZE + 16];
        units_duration((double)(snapshot->taken_at_ns - process->start_time_ns) / 1e9, since);
        (void)snprintf(running, sizeof running, "running %s", since);
        title_part(page, wraps, " \u00B7 ", (struct text){running, strlen(running)}, STYLE_NORMAL);
    }
    for (size_t i = 0; i < process->runtime_count; i++) {
        title_part(page, wraps, " \u00B7 ", process->runtimes[i].name, STYLE_NORMAL);
        inspector_text(page, " ", process->runtimes[i].version, STYLE_NORMAL);
    }
    if (process->container.present) {
        title_part(page, wraps, " \u00B7 in ", process->container.runtime, STYLE_NORMAL);
        inspector_text(page, " ",
                       text_is_none(process->container.name) ? process->container.id
                                                             : process->container.name,
                       STYLE_NORMAL);
    }
}

static void write_command(struct page *page, const struct process *process, bool full)
{
    if (!process->command.known || process->command.count == 0)
        return;
    char joined[4096];
    size_t size = 0;
    for (size_t i = 0; i < process->command.count; i++) {
        struct text word = process->command.items[i];
        if (word.size + size + 2 > sizeof joined)
            break;
        if (i > 0)
            joined[size++] = ' ';
        memcpy(joined + size, word.utf8, word.size);
        size += word.size;
    }
    inspector_label(page, "command");
    page_wrap(page, STYLE_NORMAL, INSPECTOR_VALUE_X, full ? 0 : 1, (struct text){joined, size});
}

static const char *strength_words(enum strength strength)
{
    switch (strength) {
    case STRENGTH_PROOF:
        return "proof";
    case STRENGTH_STRONG:
        return "strong";
    case STRENGTH_HINT:
    case STRENGTH_COUNT:
        break;
    }
    return "hint";
}

/* "mapped" and the like, as a person says it. */
static void write_evidence_kind(struct page *page, struct text kind)
{
    static const char *const words[][2] = {
        {"api", "its use of the GPU"}, {"mapped", "a mapped file"}, {"open_file", "an open file"},
        {"cmdline", "its command"},    {"log", "its load log"},     {"store", "a model store"},
        {"name", "its name"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_equal_string(kind, words[i][0])) {
            page_words(page, STYLE_NORMAL, words[i][1]);
            return;
        }
    page_text(page, STYLE_NORMAL, kind);
}

static void write_evidence(struct page *page, const struct evidence_list *list, bool full)
{
    if (list->count == 0)
        return;
    inspector_label(page, "known by");
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0 && full) {
            page_line(page, INSPECTOR_VALUE_X);
        } else if (i > 0) {
            page_words(page, STYLE_DIM, ", ");
        }
        write_evidence_kind(page, list->items[i].kind);
        page_format(page, STYLE_DIM, " (%s)", strength_words(list->items[i].strength));
        if (full && !text_is_none(list->items[i].detail)) {
            page_words(page, STYLE_DIM, "  ");
            page_text(page, STYLE_NORMAL, list->items[i].detail);
        }
    }
}

static void write_host(struct page *page, const struct row *row)
{
    const struct process *process = row->process;
    char amount[UNITS_SIZE];
    inspector_label(page, "system");
    if (process->ram_bytes.known) {
        units_bytes_long((double)process->ram_bytes.value, amount);
        page_format(page, STYLE_NORMAL, "RAM %s", amount);
    } else {
        page_format(page, STYLE_NORMAL, "RAM n/a: %s",
                    reason_words_on(row->mode, process->ram_bytes.why_not));
    }
    if (figure_is_known(process->cpu_percent))
        page_format(page, STYLE_NORMAL, "   CPU %.0f %% of one", process->cpu_percent.value);
    if (process->parent_pid.known)
        page_format(page, STYLE_NORMAL, "   parent %lld", (long long)process->parent_pid.value);
}

/* What could not be read or does not add up, without the label that all of them begin with. */
static void write_notes(struct page *page, const struct snapshot *snapshot,
                        const struct process *process)
{
    for (size_t i = 0; snapshot && i < snapshot->note_count; i++) {
        const struct note *note = &snapshot->notes[i];
        if (!note_is_about(note, process))
            continue;
        size_t skipped = process->label.size + 1;
        while (skipped < note->text.size && note->text.utf8[skipped] == ' ')
            skipped++;
        inspector_label(page, "note");
        page_text(page, STYLE_MARK,
                  (struct text){note->text.utf8 + skipped, note->text.size - skipped});
    }
}

void inspector_write(struct ui *ui, struct page *page, const struct row *row, bool full)
{
    const struct process *process = row->process;
    write_title(page, row, ui->snapshot, true);
    for (size_t i = 0; i < process->gpu_count; i++)
        inspector_use(ui, page, row, &process->gpus[i], full);
    inspector_models_elsewhere(page, process);
    write_notes(page, ui->snapshot, process);
    if (full)
        page_line(page, 0);
    write_command(page, process, full);
    write_evidence(page, &process->evidence, full);
    write_host(page, row);
}

bool inspector_tells(const struct ui *ui, const struct row *row, enum column column)
{
    bool of_memory = column == COLUMN_vram || column == COLUMN_shared || column == COLUMN_spill;
    if (ui->layout.inspector.height == 0 || row->main_use == NULL)
        return false;
    if (ui->layout.inspector.height <= FOOT_LINES)
        return of_memory && !inspector_has_parts(row->process, row->main_use);
    return of_memory || column == COLUMN_gpu || column == COLUMN_ram || column_is_engine(column);
}

/* The foot of a low screen. */
static void draw_foot(struct ui *ui, struct rectangle area, const struct row *row)
{
    struct page *page = &ui->page;
    page_start(page, area.width - 2, ui->ascii);
    write_title(page, row, ui->snapshot, false);
    const struct gpu_use *use = row->main_use;
    page_line(page, 0);
    size_t parts = 0;
    for (size_t i = 0; use != NULL && i < row->process->model_count; i++)
        for (size_t k = 0; k < row->process->models[i].device_count; k++) {
            const struct model_device *device = &row->process->models[i].devices[k];
            if (!text_equal(device->adapter_id, use->adapter_id))
                continue;
            const struct figure *figures[] = {&device->weights_bytes, &device->kv_cache_bytes,
                                              &device->compute_bytes};
            static const char *const names[] = {"weights ", "KV ", "compute "};
            for (size_t part = 0; part < 3; part++)
                if (figure_is_known(*figures[part])) {
                    char amount[UNITS_SIZE];
                    units_bytes(figures[part]->value, amount);
                    page_format(page, STYLE_DIM, "%s%s", parts++ > 0 ? "   " : "", names[part]);
                    page_format(page, STYLE_NORMAL, "%s", amount);
                }
        }
    if (parts == 0) {
        char words[REASON_TEXT_SIZE];
        struct cell cell;
        column_mark(row, COLUMN_vram, &cell);
        bool brief =
            cell.mark == CELL_UNAVAILABLE && reason_of_memory_brief(row->vram_reasons, words);
        if (!brief)
            reason_of_cell(row, COLUMN_vram, words);
        if (words[0] != '\0') {
            page_words(page, STYLE_DIM, brief ? "VRAM n/a: " : "n/a  ");
            page_words(page, STYLE_NORMAL, words);
        } else if (row->process->command.known) {
            for (size_t i = 0; i < row->process->command.count && page->x < page->width; i++)
                inspector_text(page, i > 0 ? " " : "", row->process->command.items[i], STYLE_DIM);
        }
    }
    page_draw(page, ui->screen, (struct rectangle){area.x + 1, area.y, area.width - 2, area.height},
              0);
}

static void inspector_draw(struct ui *ui, struct rectangle area)
{
    const struct row *row = ui_selected(ui);
    if (row == NULL || area.height == 0)
        return;
    if (area.height <= FOOT_LINES) {
        draw_foot(ui, area, row);
        return;
    }
    screen_repeat(ui->screen, area.x + 1, area.y, area.width - 2, SYMBOL_DASHED,
                  ui->inspector_focused ? STYLE_KEY : STYLE_DIM);
    page_start(&ui->page, area.width - 2, ui->ascii);
    inspector_write(ui, &ui->page, row, false);
    struct rectangle inside = {area.x + 1, area.y + 1, area.width - 2, area.height - 1};
    ui->inspector_last_line = page_draw(&ui->page, ui->screen, inside, ui->inspector_line);
    if (ui->inspector_last_line > 0)
        draw_right(ui->screen, area.x + area.width - 2, area.y,
                   ui->inspector_focused ? " Up/Down scroll, Tab back " : " Enter: all of it ",
                   STYLE_DIM);
}

static void inspector_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    (void)area;
    if (event->action == MOUSE_WHEEL_UP && ui->inspector_line > 0)
        ui->inspector_line--;
    else if (event->action == MOUSE_WHEEL_DOWN && ui->inspector_line < ui->inspector_last_line)
        ui->inspector_line++;
}

const struct panel inspector_panel = {.draw = inspector_draw, .mouse = inspector_mouse};

static void full_draw(struct ui *ui, struct rectangle area)
{
    const struct row *row = ui_selected(ui);
    struct rectangle inside =
        draw_box(ui->screen, area, "Inspector", "Up/Down PgUp/PgDn scroll, Esc closes");
    page_start(&ui->page, inside.width, ui->ascii);
    if (row != NULL)
        inspector_write(ui, &ui->page, row, true);
    ui->overlay_last_line = page_draw(&ui->page, ui->screen, inside, ui->overlay_line);
}

const struct panel full_inspector_panel = {
    .draw = full_draw, .key = scroll_key, .mouse = scroll_mouse};
