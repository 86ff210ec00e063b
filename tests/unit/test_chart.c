/* Charts: points to columns, columns to cells. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/chart_cells.h"

#define SECOND 1000000000LL

static struct chart_columns columns;

static void add(double seconds, bool gap, float value)
{
    chart_columns_add(&columns, (int64_t)(seconds * 1e9), gap, &value);
}

/* "1 2.5 - 4": the columns, "-" where nothing is known. */
static const char *described(void)
{
    static char out[1024];
    size_t length = 0;
    out[0] = '\0';
    chart_columns_finish(&columns);
    for (size_t i = 0; i < columns.count; i++) {
        float value = chart_columns_sum(&columns, i);
        length +=
            (size_t)(isnan(value) ? snprintf(out + length, sizeof out - length, "%s-", i ? " " : "")
                                  : snprintf(out + length, sizeof out - length, "%s%g",
                                             i ? " " : "", (double)value));
    }
    return out;
}

static void test_points_to_columns(void **state)
{
    (void)state;
    /* One point a column: each stands for the second that ends with it. */
    chart_columns_start(&columns, 105 * SECOND, 5 * SECOND, 5, 1);
    for (int i = 100; i <= 105; i++)
        add(i, false, (float)i - 100);
    assert_string_equal(described(), "1 2 3 4 5");
    /* Two columns a point, and a time between two columns. */
    chart_columns_start(&columns, 102 * SECOND + 1, 3 * SECOND, 6, 1);
    for (int i = 99; i <= 102; i++)
        add(i, false, (float)i);
    assert_string_equal(described(), "100 101 101 102 102 -");
    /* Several points a column: their mean, weighted by time. */
    chart_columns_start(&columns, 108 * SECOND, 8 * SECOND, 2, 1);
    add(100, false, 50);
    add(103, false, 10);
    add(104, false, 30);
    add(108, false, 7);
    assert_string_equal(described(), "15 7");
}

static void test_gaps_stay_gaps(void **state)
{
    (void)state;
    chart_columns_start(&columns, 108 * SECOND, 8 * SECOND, 8, 1);
    add(101, false, 1);
    add(102, false, 2);
    add(106, true, 6); /* after a pause */
    add(107, false, NAN);
    add(108, false, 0);
    assert_string_equal(described(), "1 2 - - - 6 - 0");
    chart_columns_start(&columns, 108 * SECOND, 8 * SECOND, 4, 1);
    assert_string_equal(described(), "- - - -");
    assert_true(chart_columns_largest(&columns) == 0);
    /* What lies before the window or after it is not in it. */
    chart_columns_start(&columns, 104 * SECOND, 2 * SECOND, 2, 1);
    add(50, false, 9);
    add(103.5, false, 1);
    add(200, false, 9);
    assert_string_equal(described(), "1 1");
}

static void test_absurd_numbers(void **state)
{
    (void)state;
    chart_columns_start(&columns, 5, 3, 10, 1); /* shorter than a column each */
    add(5e-9, false, 1);
    assert_int_equal(columns.count, 10);
    chart_columns_start(&columns, 100 * SECOND, 60 * SECOND, 1000000, 100);
    assert_int_equal(columns.count, CHART_COLUMNS_MAX);
    assert_int_equal(columns.layer_count, CHART_LAYERS_MAX);
    chart_columns_start(&columns, 100 * SECOND, 60 * SECOND, 0, 1);
    add(100, false, 1);
    add(50, false, 1); /* a clock that went back */
    assert_int_equal(columns.count, 0);
    assert_int_equal(chart_cell(&columns, CHART_BRAILLE, 100, 0, 0, 1).code_point, ' ');
}

static void check_cells(enum chart_glyphs glyphs, double top, size_t rows, const char *expected)
{
    char out[1024];
    size_t length = 0, width = columns.count / (glyphs == CHART_BRAILLE ? 2 : 1);
    for (size_t row = rows; row-- > 0;) {
        for (size_t x = 0; x < width; x++) {
            struct chart_cell cell = chart_cell(&columns, glyphs, top, x, row, rows);
            length += text_encode(cell.code_point, out + length);
        }
        out[length++] = row > 0 ? '|' : '\0';
    }
    assert_string_equal(out, expected);
}

static void test_columns_to_cells(void **state)
{
    (void)state;
    static const float values[] = {0, 25, 50, 75, 100, 250, NAN, 1};
    chart_columns_start(&columns, 108 * SECOND, 8 * SECOND, 8, 1);
    for (int i = 0; i < 8; i++)
        add(101 + i, false, values[i]);
    chart_columns_finish(&columns);
    assert_true(chart_columns_largest(&columns) == 250);
    /* A measured 0 is the lowest line, what is not known is blank, what is too much is clipped. */
    check_cells(CHART_BRAILLE, 100, 1, "\u28c0\u28f4\u28ff\u2880");
    check_cells(CHART_BRAILLE, 100, 2, " \u28a0\u28ff |\u28e0\u28ff\u28ff\u2880");
    check_cells(CHART_BLOCKS, 100, 1, "\u2581\u2582\u2584\u2586\u2588\u2588 \u2581");
    check_cells(CHART_BLOCKS, 100, 2,
                "   \u2584\u2588\u2588  |\u2581\u2584\u2588\u2588\u2588\u2588 \u2581");
    check_cells(CHART_ASCII, 100, 1, "..::## .");
    check_cells(CHART_ASCII, 0, 1, "...... .");
}

static void test_layers(void **state)
{
    (void)state;
    static const float stacked[][2] = {{25, 75}, {75, 25}, {NAN, 50}, {NAN, NAN}};
    chart_columns_start(&columns, 104 * SECOND, 4 * SECOND, 4, 2);
    for (int i = 0; i < 4; i++)
        chart_columns_add(&columns, (101 + i) * SECOND, false, stacked[i]);
    chart_columns_finish(&columns);
    assert_true(chart_columns_sum(&columns, 0) == 100 && chart_columns_sum(&columns, 2) == 50);
    assert_true(isnan(chart_columns_sum(&columns, 3)));
    static const size_t layers[] = {1, 0, 1};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(chart_cell(&columns, CHART_BLOCKS, 100, i, 0, 1).layer, layers[i]);
    assert_true(chart_cell(&columns, CHART_BLOCKS, 100, 0, 0, 1).full);
    assert_false(chart_cell(&columns, CHART_BLOCKS, 100, 2, 0, 1).full);
    assert_int_equal(chart_cell(&columns, CHART_BLOCKS, 100, 0, 0, 4).layer, 0);
    assert_int_equal(chart_cell(&columns, CHART_BLOCKS, 100, 0, 1, 4).layer, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_to_columns),
        cmocka_unit_test(test_gaps_stay_gaps),
        cmocka_unit_test(test_absurd_numbers),
        cmocka_unit_test(test_columns_to_cells),
        cmocka_unit_test(test_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
