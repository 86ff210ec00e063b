/* The words below a GPU's bar: what its segments are, what lies beside them, and what to mind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "present/tui/adapter_block.h"
#include "view/text_width.h"
#include "view/truncate.h"
#include "view/units.h"

enum { LABEL_SIZE = SEGMENT_LABEL_SIZE + UNITS_SIZE, SPILL_WORDS = 28 };

/* A part of the legend: the segments of one process, or of one class. Once one does not fit, x is
 * `right`, so that a smaller one never stands in for a larger. */
static int put_entry(const struct block *block, int x, int y, int right, enum style style,
                     const char *label, const char *amount)
{
    struct screen *screen = block->ui->screen;
    char short_label[LABEL_SIZE];
    truncate_text((struct text){label, strlen(label)}, 28, block->ui->ascii, short_label,
                  sizeof short_label);
    struct text text = {short_label, strlen(short_label)};
    int width = (int)text_width(text, block->ui->ascii) + 1 + (int)strlen(amount);
    if (x + width > right)
        return right;
    x += screen_put(screen, x, y, text, style);
    x += screen_format(screen, x, y, STYLE_NORMAL, " %s", amount);
    return x + LEGEND_GAP;
}

static int put_bytes(const struct block *block, int x, int y, int right, enum style style,
                     const char *label, double bytes)
{
    char amount[UNITS_SIZE];
    units_bytes(bytes, amount);
    return put_entry(block, x, y, right, style, label, amount);
}

static bool same_owner(const struct segment *a, const struct segment *b)
{
    return a->class == b->class && a->process == b->process && a->joined == 0 && b->joined == 0;
}

int legend_processes(const struct block *block, int x, int y, int right)
{
    const struct segment_list *list = &block->ui->map.bar;
    for (size_t i = 0; i < list->count; i++) {
        const struct segment *segment = &list->items[i];
        if (segment->process == NULL || (i > 0 && same_owner(segment, segment - 1)))
            continue;
        if (segment->part != PART_WHOLE) {
            for (size_t k = i; k < list->count && same_owner(segment, &list->items[k]); k++) {
                char label[SEGMENT_LABEL_SIZE];
                segment_label(&list->items[k], label);
                x = put_bytes(block, x, y, right, style_of_segment(segment->class),
                              k == i ? label : segment_part_words(list->items[k].part),
                              (double)list->items[k].bytes);
            }
            continue;
        }
        char label[SEGMENT_LABEL_SIZE];
        segment_label(segment, label);
        x = put_bytes(block, x, y, right, style_of_segment(segment->class), label,
                      (double)segment->bytes);
    }
    return x;
}

void legend_classes(const struct block *block, int x, int y, int right)
{
    const struct segment_list *list = &block->ui->map.bar;
    for (int class = SEGMENT_COMPUTE; class < SEGMENT_CLASS_COUNT; class ++) {
        struct segment whole = {.how = HOW_MEASURED};
        for (size_t i = 0; i < list->count; i++)
            if ((int)list->items[i].class == class) {
                whole.bytes += list->items[i].bytes;
                whole.how = list->items[i].how;
            }
        char amount[UNITS_SIZE];
        segment_bytes_words(&whole, amount);
        if (whole.bytes > 0)
            x = put_entry(block, x, y, right, style_of_segment((enum segment_class) class),
                          segment_class_words((enum segment_class) class), amount);
    }
}

int legend_spill(const struct block *block, int x, int y, int right, int scale_width)
{
    struct ui *ui = block->ui;
    const struct segment_list *spill = &ui->map.spill;
    if (spill->total_bytes <= 0)
        return x;
    if (ui->map.bar.total_bytes > 0 && scale_width > 0) {
        double share = (double)spill->total_bytes / (double)ui->map.bar.total_bytes;
        int width = (int)ceil((share < 1 ? share : 1) * scale_width);
        width = width < right - x - SPILL_WORDS ? width : right - x - SPILL_WORDS;
        if (width > 0) {
            memory_bar_build(&ui->bar, spill, (size_t)width, 1);
            map_bar_draw_thin(ui->screen, x, y, &ui->bar);
            x += width + 1;
        }
    }
    return put_bytes(block, x, y, right, STYLE_MARK, "spill in system RAM",
                     (double)spill->total_bytes);
}

int legend_pools(const struct block *block, int x, int y, int right)
{
    const struct adapter_memory *memory = &block->adapter->memory;
    if (!memory->unified)
        return x;
    if (memory->vram_used_bytes.known && memory->shared_total_bytes.known)
        x = put_bytes(block, x, y, right, STYLE_DIM, "carve-out",
                      (double)memory->vram_used_bytes.value);
    if (memory->shared_used_bytes.known)
        x = put_bytes(block, x, y, right, STYLE_DIM, "shared with the system",
                      (double)memory->shared_used_bytes.value);
    return x;
}

int legend_unplaced(const struct block *block, int x, int y, int right)
{
    const struct segment_list *list = &block->ui->map.unplaced;
    for (size_t i = 0; i < list->count; i++) {
        char label[SEGMENT_LABEL_SIZE], words[SEGMENT_LABEL_SIZE + 16];
        segment_label(&list->items[i], label);
        snprintf(words, sizeof words, "%s %s", how_name(list->items[i].how),
                 i > 0 && list->items[i].model == list->items[i - 1].model
                     ? segment_part_words(list->items[i].part)
                     : label);
        if (i == 0 && x < right)
            x += screen_print(block->ui->screen, x, y, "not on the bar: ", STYLE_DIM);
        x = put_bytes(block, x, y, right, style_of_segment(list->items[i].class), words,
                      (double)list->items[i].bytes);
    }
    return x;
}

void legend_notes(const struct block *block, int x, int y, int right)
{
    static const struct {
        enum map_note note;
        const char *words;
    } notes[] = {{MAP_NOTE_PARTS_CUT, "parts cut at the process's edge"},
                 {MAP_NOTE_ABOVE_USED, "processes above the use: two moments"},
                 {MAP_NOTE_ABOVE_TOTAL, "processes above the memory: cut"},
                 {MAP_NOTE_INFERRED_CUT, "matched sizes above the use: cut"}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        int width = (int)strlen(notes[i].words);
        if ((block->ui->map.notes & (unsigned int)notes[i].note) != 0 && x + width <= right)
            x += screen_print(block->ui->screen, x, y, notes[i].words, STYLE_DIM) + LEGEND_GAP;
    }
}
