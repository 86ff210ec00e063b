#include "view/columns.h"

#include <string.h>

#include "view/rows.h"

#define LEFT CELL_LEFT
#define RIGHT CELL_RIGHT
#define NUMBER CELL_NUMBER
static const struct column_traits traits[COLUMN_COUNT] = {
#define COLUMN(name, heading, least, most, align, rank, shown, help)                               \
    [COLUMN_##name] = {#name, heading, least, most, align, rank, shown, help},
#include "view/columns.def"
#undef COLUMN
};
#undef LEFT
#undef RIGHT
#undef NUMBER

const struct column_traits *column_traits(enum column column)
{
    return &traits[column];
}

bool column_is_bytes(enum column column)
{
    return column == COLUMN_vram || column == COLUMN_shared || column == COLUMN_spill ||
           column == COLUMN_paged || column == COLUMN_ram;
}

static bool equal_folded(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        char lower_a = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        char lower_b = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (lower_a != lower_b)
            return false;
    }
    return *a == *b;
}

bool column_from_name(const char *name, enum column *column)
{
    static const struct {
        const char *name;
        enum column column;
    } others[] = {
        {"load", COLUMN_gpu},
        {"cpu%", COLUMN_cpu},
        {"memory", COLUMN_vram},
        {"mem", COLUMN_vram},
        {"command", COLUMN_name},
        {"gfx", COLUMN_engine_3d},
        {"compute", COLUMN_engine_compute},
        {"copy", COLUMN_engine_copy},
    };
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (equal_folded(name, traits[i].name) || equal_folded(name, traits[i].heading)) {
            *column = (enum column)i;
            return true;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (equal_folded(name, others[i].name)) {
            *column = others[i].column;
            return true;
        }
    return false;
}

void columns_default(struct column_layout *layout)
{
    *layout = (struct column_layout){.count = 0};
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (traits[i].shown)
            layout->columns[layout->count++] = (enum column)i;
}

static void layout_drop(struct column_layout *layout, size_t place)
{
    for (size_t i = place; i + 1 < layout->count; i++) {
        layout->columns[i] = layout->columns[i + 1];
        layout->widths[i] = layout->widths[i + 1];
    }
    layout->count--;
}

bool columns_put(struct column_layout *layout, size_t place, enum column column)
{
    size_t at = 0;
    while (at < layout->count && layout->columns[at] != column)
        at++;
    if (at < place)
        return false;
    if (at == layout->count)
        layout->count++;
    for (; at > place; at--)
        layout->columns[at] = layout->columns[at - 1];
    layout->columns[place] = column;
    return true;
}

bool column_is_engine(enum column column)
{
    return column == COLUMN_engine_3d || column == COLUMN_engine_compute ||
           column == COLUMN_engine_copy || column == COLUMN_video;
}

/* A whole column of n/a says nothing about engines that GPU% does not say already. */
static bool column_is_useful(const struct rows *rows, enum column column)
{
    if (column == COLUMN_pid || column == COLUMN_name || column == COLUMN_vram)
        return true;
    for (size_t i = 0; i < rows->count; i++) {
        struct cell cell;
        column_mark(&rows->items[i], column, &cell);
        if (cell.mark != CELL_BLANK && !(column_is_engine(column) && cell.mark == CELL_UNAVAILABLE))
            return true;
    }
    return false;
}

void columns_useful(struct column_layout *layout, const struct rows *rows)
{
    for (size_t i = layout->count; i-- > 0;)
        if (!column_is_useful(rows, layout->columns[i]))
            layout_drop(layout, i);
}

/* Seven digits, and a namespace's letter with its colon. */
static size_t widest(const struct column_layout *layout, enum column column)
{
    enum { LOCAL_PID = 7 };
    return column == COLUMN_pid && layout->local ? LOCAL_PID : traits[column].most;
}

/* A model's name is little without its quantization: a text may cut it, a column that stays not. */
static size_t least_of(const struct column_layout *layout, enum column column)
{
    enum { MODEL_READABLE = 15 };
    size_t most = widest(layout, column);
    size_t least = column == COLUMN_model ? MODEL_READABLE : traits[column].least;
    return least < most ? least : most;
}

static size_t layout_measure(const struct column_layout *layout)
{
    size_t width = layout->count > 0 ? (layout->count - 1) * COLUMN_GAP : 0;
    for (size_t i = 0; i < layout->count; i++)
        width += layout->widths[i];
    return width;
}

static int rank_of(const struct column_layout *layout, size_t place)
{
    enum column column = layout->columns[place];
    if (layout->unified && (column == COLUMN_vram || column == COLUMN_shared))
        column = column == COLUMN_vram ? COLUMN_shared : COLUMN_vram;
    return traits[column].rank;
}

/* Makes the layout `excess` cells narrower: drops the column that is the first to go, unless it is
 * the name, or one of the few that answer most, and cutting the name is enough. */
static void layout_narrow(struct column_layout *layout, size_t excess)
{
    enum { NAME_LEAST = 4, NAME_READABLE = 10, ANSWERS_MOST = 5 /* rank */ };
    size_t worst = 0, name = layout->count;
    for (size_t i = 0; i < layout->count; i++) {
        name = layout->columns[i] == COLUMN_name ? i : name;
        worst = rank_of(layout, i) >= rank_of(layout, worst) ? i : worst;
    }
    size_t least = worst == name ? NAME_LEAST : NAME_READABLE;
    if (name < layout->count && rank_of(layout, worst) <= ANSWERS_MOST &&
        layout->widths[name] >= excess + least)
        layout->widths[name] -= excess;
    else
        layout_drop(layout, worst);
}

/* Gives `extra` cells out, one each in turn. */
static void layout_grow(struct column_layout *layout, size_t extra)
{
    bool grew = true;
    while (extra > 0 && grew) {
        grew = false;
        for (size_t i = 0; i < layout->count && extra > 0; i++)
            if (layout->widths[i] < widest(layout, layout->columns[i])) {
                layout->widths[i]++;
                extra--;
                grew = true;
            }
    }
}

void columns_fit(struct column_layout *layout, size_t width)
{
    for (size_t i = 0; i < layout->count; i++)
        layout->widths[i] = least_of(layout, layout->columns[i]);
    while (layout->count > 1 && layout_measure(layout) > width)
        layout_narrow(layout, layout_measure(layout) - width);
    size_t taken = layout_measure(layout);
    if (taken < width)
        layout_grow(layout, width - taken);
    else if (taken > width && layout->count == 1)
        layout->widths[0] = width;
    layout->width = layout_measure(layout);
}
