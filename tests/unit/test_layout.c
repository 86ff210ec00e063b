#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "present/tui/layout.h"

/* What the screen must offer at each size (SPEC section 7): process rows are the table's lines
 * without its heading. */
struct wanted {
    int width, height;
    size_t adapters;
    int least_rows;
    enum adapter_form focused_form;
    bool all_shown;
};

static const struct wanted table[] = {
    {120, 40, 1, 13, ADAPTER_FULL, true},   {120, 40, 2, 9, ADAPTER_FULL, true},
    {120, 40, 3, 11, ADAPTER_FULL, true},   {120, 40, 8, 8, ADAPTER_FULL, true},
    {120, 40, 16, 8, ADAPTER_FULL, true},   {80, 24, 1, 14, ADAPTER_SHORT, true},
    {80, 24, 2, 12, ADAPTER_SHORT, true},   {80, 24, 3, 8, ADAPTER_SHORT, true},
    {80, 24, 8, 8, ADAPTER_SHORT, true},    {80, 24, 16, 8, ADAPTER_SHORT, true},
    {40, 10, 1, 5, ADAPTER_LINE, true},     {40, 10, 2, 4, ADAPTER_LINE, true},
    {40, 10, 8, 3, ADAPTER_LINE, false},    {40, 10, 16, 3, ADAPTER_LINE, false},
    {39, 9, 1, 3, ADAPTER_LINE, true},      {300, 100, 1, 40, ADAPTER_FULL, true},
    {300, 100, 16, 35, ADAPTER_FULL, true}, {300, 100, 2, 40, ADAPTER_FULL, true},
};

static void everything_has_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct wanted *wanted = &table[i];
        struct layout layout;
        for (size_t focused = 0; focused < wanted->adapters; focused++) {
            layout_make(&(struct layout_wish){.width = wanted->width,
                                              .height = wanted->height,
                                              .adapter_count = wanted->adapters,
                                              .focused = focused},
                        &layout);
            print_message("# %dx%d, %zu adapters, %zu focused: %d rows\n", wanted->width,
                          wanted->height, wanted->adapters, focused, layout.table.height - 1);
            assert_false(layout.too_small);
            assert_true(layout.table.height - 1 >= wanted->least_rows);
            assert_int_equal(layout.hidden_adapters == 0, wanted->all_shown);
            assert_int_equal(layout.hidden_adapters + layout.slot_count, wanted->adapters);
            bool found = false;
            for (size_t slot = 0; slot < layout.slot_count; slot++)
                if (layout.slots[slot].adapter == focused) {
                    found = true;
                    if (focused == 0)
                        assert_int_equal(layout.slots[slot].form, wanted->focused_form);
                }
            assert_true(found);
        }
    }
}

static void cover(int *grid, int width, int height, struct rectangle area)
{
    assert_true(area.x >= 0 && area.y >= 0);
    assert_true(area.height == 0 || area.x + area.width <= width);
    assert_true(area.y + area.height <= height);
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++) {
            assert_int_equal(grid[y * width + x], 0);
            grid[y * width + x] = 1;
        }
}

/* No two parts overlap and none leaves the screen, at any size and number of adapters. */
static void nothing_overlaps(void **state)
{
    (void)state;
    static int grid[310 * 110];
    static const size_t adapters[] = {0, 1, 2, 3, 5, 8, 16, 40, 100};
    for (int height = LAYOUT_LEAST_HEIGHT; height <= 104; height += height < 44 ? 1 : 20)
        for (int width = LAYOUT_LEAST_WIDTH; width <= 300; width += 29)
            for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
                for (size_t focused = 0; focused <= adapters[i]; focused += 3) {
                    struct layout layout;
                    static const int wished[] = {0, 1, 9, 1000};
                    layout_make(
                        &(struct layout_wish){.width = width,
                                              .height = height,
                                              .adapter_count = adapters[i],
                                              .focused = focused,
                                              .inspector_lines = wished[(focused / 3 + i) % 4],
                                              .charts = (enum layout_charts)(width % 3)},
                        &layout);
                    for (int cell = 0; cell < width * height; cell++)
                        grid[cell] = 0;
                    cover(grid, width, height, layout.header);
                    for (size_t slot = 0; slot < layout.slot_count; slot++)
                        cover(grid, width, height, layout.slots[slot].area);
                    cover(grid, width, height, layout.more);
                    cover(grid, width, height, layout.charts);
                    cover(grid, width, height, layout.table);
                    cover(grid, width, height, layout.inspector);
                    cover(grid, width, height, layout.keys);
                    if (layout.status.y != layout.keys.y)
                        cover(grid, width, height, layout.status);
                    assert_true(layout.table.height >= 4);
                }
}

/* Charts stand where they leave room, everywhere when they are asked for, nowhere when not. */
static void charts_have_their_place(void **state)
{
    static const struct {
        int width, height;
        size_t adapters;
        enum layout_charts charts;
        int least, most; /* lines */
    } cases[] = {
        {120, 40, 1, LAYOUT_CHARTS_SPARE, 6, 6},    {120, 40, 2, LAYOUT_CHARTS_SPARE, 6, 6},
        {120, 40, 8, LAYOUT_CHARTS_SPARE, 5, 6},    {120, 40, 1, LAYOUT_CHARTS_NONE, 0, 0},
        {80, 24, 1, LAYOUT_CHARTS_SPARE, 0, 0},     {80, 24, 1, LAYOUT_CHARTS_WANTED, 5, 6},
        {80, 24, 8, LAYOUT_CHARTS_WANTED, 0, 6},    {40, 10, 1, LAYOUT_CHARTS_WANTED, 0, 0},
        {300, 100, 8, LAYOUT_CHARTS_SPARE, 12, 16}, {39, 9, 1, LAYOUT_CHARTS_WANTED, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct layout layout;
        layout_make(&(struct layout_wish){.width = cases[i].width,
                                          .height = cases[i].height,
                                          .adapter_count = cases[i].adapters,
                                          .charts = cases[i].charts},
                    &layout);
        print_message("# %dx%d: %d lines of charts\n", cases[i].width, cases[i].height,
                      layout.charts.height);
        assert_in_range(layout.charts.height, cases[i].least, cases[i].most);
    }
}

static void too_small_says_so(void **state)
{
    (void)state;
    static const int sizes[][2] = {{38, 40}, {120, 8}, {1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct layout layout;
        layout_make(
            &(struct layout_wish){.width = sizes[i][0], .height = sizes[i][1], .adapter_count = 1},
            &layout);
        assert_true(layout.too_small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_has_its_place),
        cmocka_unit_test(nothing_overlaps),
        cmocka_unit_test(charts_have_their_place),
        cmocka_unit_test(too_small_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
