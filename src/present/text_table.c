#include "present/text_part.h"

#include "view/text_width.h"

enum {
    CELL_WIDTH_MAX = 200,
    CELL_BUFFER = 4 * CELL_WIDTH_MAX + 64,
    GAP = 2, /* a snapshot stands still: room to breathe where there is any */
};

/* A column as wide as what is in it. */
struct shape {
    size_t natural, least;
    bool marked; /* some cell has a mark, so all keep a place for it */
};

static struct shape shape_of(const struct rows *rows, enum column column, bool ascii)
{
    const struct column_traits *traits = column_traits(column);
    struct text heading = {traits->heading, 0};
    while (traits->heading[heading.size] != '\0')
        heading.size++;
    struct shape shape = {.natural = heading.size};
    for (size_t i = 0; i < rows->count; i++) {
        struct cell cell;
        column_cell(&rows->items[i], column, &cell);
        size_t width = text_width(cell_text(&cell), ascii);
        if (width > shape.natural)
            shape.natural = width;
        shape.marked |= cell_mark_character(cell.mark) != ' ';
    }
    if (shape.natural > CELL_WIDTH_MAX - 1)
        shape.natural = CELL_WIDTH_MAX - 1;
    shape.natural += shape.marked;
    bool cuts = traits->align == CELL_LEFT && shape.natural > traits->least;
    shape.least = cuts ? traits->least : shape.natural;
    return shape;
}

static size_t total_least(const struct column_layout *layout, const struct shape *shapes,
                          size_t gap)
{
    size_t total = layout->count > 0 ? (layout->count - 1) * gap : 0;
    for (size_t i = 0; i < layout->count; i++)
        total += shapes[layout->columns[i]].least;
    return total;
}

static size_t total_natural(const struct column_layout *layout, const struct shape *shapes,
                            size_t gap)
{
    size_t total = layout->count > 0 ? (layout->count - 1) * gap : 0;
    for (size_t i = 0; i < layout->count; i++)
        total += shapes[layout->columns[i]].natural;
    return total;
}

static void drop_last_ranked(struct column_layout *layout)
{
    size_t worst = 0;
    for (size_t i = 1; i < layout->count; i++)
        if (column_traits(layout->columns[i])->rank >= column_traits(layout->columns[worst])->rank)
            worst = i;
    for (size_t i = worst; i + 1 < layout->count; i++)
        layout->columns[i] = layout->columns[i + 1];
    layout->count--;
}

/* Drops by rank what does not fit even at its least, then lets columns grow to what is in them. */
static void fit(struct column_layout *layout, const struct shape *shapes, size_t width, size_t gap)
{
    while (layout->count > 1 && total_least(layout, shapes, gap) > width)
        drop_last_ranked(layout);
    size_t total = total_least(layout, shapes, gap);
    for (size_t i = 0; i < layout->count; i++)
        layout->widths[i] = shapes[layout->columns[i]].least;
    bool grew = true;
    while (total < width && grew) {
        grew = false;
        for (size_t i = 0; i < layout->count && total < width; i++)
            if (layout->widths[i] < shapes[layout->columns[i]].natural) {
                layout->widths[i]++;
                total++;
                grew = true;
            }
    }
    layout->width = total;
}

static void print_cell(struct printer *printer, const struct cell *cell, enum column column,
                       const struct shape *shape, size_t width)
{
    char text[CELL_BUFFER];
    enum cell_align align = column_traits(column)->align;
    if (align == CELL_NUMBER && !shape->marked)
        align = CELL_RIGHT;
    cell_print(cell, align, width, printer->ascii, text, sizeof text);
    printer_string(printer, text);
}

static void print_heading(struct printer *printer, const struct column_layout *layout,
                          const struct shape *shapes, size_t gap)
{
    for (size_t i = 0; i < layout->count; i++) {
        const struct column_traits *traits = column_traits(layout->columns[i]);
        struct cell cell = {.mark = CELL_NONE};
        size_t length = 0;
        for (; traits->heading[length] != '\0' && length + 1 < sizeof cell.own; length++)
            cell.own[length] = traits->heading[length];
        if (i > 0)
            printer_to(printer, printer->column + gap);
        print_cell(printer, &cell, layout->columns[i], &shapes[layout->columns[i]],
                   layout->widths[i]);
    }
    printer_line(printer);
}

void text_table(struct printer *printer, const struct rows *rows, struct column_layout *layout)
{
    struct shape shapes[COLUMN_COUNT];
    columns_default(layout);
    columns_useful(layout, rows);
    for (size_t i = 0; i < layout->count; i++)
        shapes[layout->columns[i]] = shape_of(rows, layout->columns[i], printer->ascii);
    size_t width = printer->width > 0 ? printer->width : SIZE_MAX;
    size_t gap = total_natural(layout, shapes, GAP) <= width ? GAP : COLUMN_GAP;
    fit(layout, shapes, width, gap);
    print_heading(printer, layout, shapes, gap);
    for (size_t row = 0; row < rows->count; row++) {
        for (size_t i = 0; i < layout->count; i++) {
            struct cell cell;
            column_cell(&rows->items[row], layout->columns[i], &cell);
            if (i > 0)
                printer_to(printer, printer->column + gap);
            print_cell(printer, &cell, layout->columns[i], &shapes[layout->columns[i]],
                       layout->widths[i]);
        }
        printer_line(printer);
    }
}
