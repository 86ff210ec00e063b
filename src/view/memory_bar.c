#include "view/memory_bar.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* Scratch of one segment while steps are given out. */
struct share {
    double bytes, rest; /* rest: what the floor cut off */
    size_t minimum, steps;
    bool fixed; /* at its minimum */
};

static bool is_used(const struct segment *segment)
{
    return segment->class < SEGMENT_UNATTRIBUTED;
}

static size_t count_of(const struct segment *segment)
{
    return segment->joined > 0 ? segment->joined : 1;
}

/* `into` takes `other` in. The pattern is that of the less certain of the two. */
static void segment_join(struct segment *into, const struct segment *other)
{
    into->joined = count_of(into) + count_of(other);
    into->bytes += other->bytes;
    into->part = PART_WHOLE;
    into->process = NULL;
    into->model = NULL;
    if (is_used(other) && other->pattern > into->pattern) {
        into->pattern = other->pattern;
        into->how = other->how;
    }
}

static void bar_remove(struct memory_bar *bar, size_t place)
{
    memmove(bar->segments + place, bar->segments + place + 1,
            (bar->segment_count - place - 1) * sizeof *bar->segments);
    bar->segment_count--;
}

/* Joins those below one step of each class into "n more" at the class's end. */
static void join_small(struct memory_bar *bar, const struct segment_list *list)
{
    double step = (double)list->total_bytes / (double)(bar->width * bar->steps);
    size_t i = 0;
    while (i < list->count) {
        enum segment_class class = list->items[i].class;
        struct segment more = {.class = class};
        size_t small = 0;
        for (; i < list->count && list->items[i].class == class; i++) {
            const struct segment *segment = &list->items[i];
            if (!is_used(segment) || (double)segment->bytes >= step)
                bar->segments[bar->segment_count++] = *segment;
            else if (small++ == 0)
                more = *segment;
            else
                segment_join(&more, segment);
        }
        if (small > 0)
            bar->segments[bar->segment_count++] = more;
    }
}

/* While there are more segments than cells: joins the two neighbours that are smallest together, of
 * one class where there are such. */
static void join_neighbours(struct memory_bar *bar)
{
    while (bar->segment_count > bar->width) {
        size_t best = 0;
        bool best_same = false;
        double best_bytes = 0;
        for (size_t i = 0; i + 1 < bar->segment_count; i++) {
            const struct segment *a = &bar->segments[i], *b = &bar->segments[i + 1];
            bool same = a->class == b->class;
            double bytes = (double)a->bytes + (double)b->bytes;
            if (i == 0 || (same && !best_same) || (same == best_same && bytes < best_bytes)) {
                best = i;
                best_same = same;
                best_bytes = bytes;
            }
        }
        struct segment *a = &bar->segments[best], *b = &bar->segments[best + 1];
        enum segment_class class = a->bytes >= b->bytes ? a->class : b->class;
        segment_join(a, b);
        a->class = class;
        bar_remove(bar, best + 1);
    }
}

/* Those whose fair share is below their minimum get it; the others share the rest. Returns the
 * steps left for the others and sets the bytes they have. */
static size_t fix_minimums(struct share *shares, size_t count, size_t steps, double *bytes)
{
    bool changed = true;
    size_t left = steps;
    while (changed) {
        changed = false;
        left = steps;
        *bytes = 0;
        for (size_t i = 0; i < count; i++) {
            if (shares[i].fixed)
                left -= shares[i].minimum;
            else
                *bytes += shares[i].bytes;
        }
        for (size_t i = 0; i < count; i++)
            if (!shares[i].fixed &&
                shares[i].bytes * (double)left < (double)shares[i].minimum * *bytes) {
                shares[i].fixed = changed = true;
                break;
            }
    }
    return left;
}

/* Largest remainder, nobody below its minimum. The sum of all minimums is at most `steps`. */
static void apportion(struct share *shares, size_t count, size_t steps)
{
    for (size_t i = 0; i < count; i++)
        shares[i].fixed = false;
    double bytes = 0;
    size_t left = fix_minimums(shares, count, steps, &bytes);
    for (size_t i = 0; i < count; i++) {
        double fair =
            shares[i].fixed ? (double)shares[i].minimum : shares[i].bytes * (double)left / bytes;
        shares[i].steps = (size_t)floor(fair);
        if (shares[i].steps < shares[i].minimum)
            shares[i].steps = shares[i].minimum;
        shares[i].rest = shares[i].fixed ? -1 : fair - floor(fair);
    }
    size_t given = 0;
    for (size_t i = 0; i < count; i++)
        given += shares[i].steps;
    while (given < steps) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (shares[i].rest > shares[best].rest)
                best = i;
        shares[best].steps++;
        shares[best].rest -= 1;
        given++;
    }
    while (given > steps) { /* rounding of very large numbers: the widest gives it back */
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (shares[i].steps - shares[i].minimum > shares[best].steps - shares[best].minimum)
                best = i;
        shares[best].steps--;
        given--;
    }
}

/* A segment strictly inside one cell would not be seen, since a cell shows two: it gets a whole
 * one. */
static bool widen_hidden(const struct memory_bar *bar, struct share *shares)
{
    bool widened = false;
    size_t start = 0;
    for (size_t i = 0; i < bar->segment_count; i++) {
        size_t end = start + shares[i].steps;
        if (start % bar->steps != 0 && end % bar->steps != 0 &&
            start / bar->steps == (end - 1) / bar->steps && shares[i].minimum < bar->steps) {
            shares[i].minimum = bar->steps;
            widened = true;
        }
        start = end;
    }
    return widened;
}

static void give_steps(struct memory_bar *bar)
{
    struct share *shares = memory_new(bar->segment_count * sizeof *shares);
    for (size_t i = 0; i < bar->segment_count; i++) {
        shares[i].bytes = (double)bar->segments[i].bytes;
        shares[i].minimum = 1;
    }
    do {
        apportion(shares, bar->segment_count, bar->width * bar->steps);
    } while (widen_hidden(bar, shares));
    for (size_t i = 0; i < bar->segment_count; i++)
        bar->segment_steps[i] = shares[i].steps;
    free(shares);
}

static void fill_cells(struct memory_bar *bar)
{
    size_t segment = 0, end = bar->segment_steps[0];
    for (size_t i = 0; i < bar->width; i++) {
        size_t from = i * bar->steps, to = from + bar->steps;
        while (end <= from)
            end += bar->segment_steps[++segment];
        struct bar_cell *cell = &bar->cells[i];
        cell->left = (uint16_t)segment;
        cell->left_steps = (uint8_t)(end < to ? end - from : bar->steps);
        while (end < to)
            end += bar->segment_steps[++segment];
        cell->right = (uint16_t)segment;
    }
}

void memory_bar_build(struct memory_bar *bar, const struct segment_list *list, size_t width,
                      size_t steps)
{
    bar->segment_count = 0;
    bar->steps = steps < 1 ? 1 : steps > 8 ? 8 : steps;
    bar->width = width < MEMORY_BAR_WIDTH_MAX ? width : MEMORY_BAR_WIDTH_MAX;
    if (list->count == 0 || list->total_bytes <= 0)
        bar->width = 0;
    if (bar->width == 0)
        return;
    bar->segments =
        vector_reserve(bar->segments, &bar->segment_capacity, list->count, sizeof *bar->segments);
    bar->segment_steps = vector_reserve(bar->segment_steps, &bar->steps_capacity, list->count,
                                        sizeof *bar->segment_steps);
    bar->cells = vector_reserve(bar->cells, &bar->cell_capacity, bar->width, sizeof *bar->cells);
    join_small(bar, list);
    join_neighbours(bar);
    give_steps(bar);
    fill_cells(bar);
}

void memory_bar_free(struct memory_bar *bar)
{
    free(bar->segments);
    free(bar->segment_steps);
    free(bar->cells);
    *bar = (struct memory_bar){.width = 0};
}
