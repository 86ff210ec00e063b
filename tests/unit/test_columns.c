#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_builder.h"
#include "view/columns.h"
#include "view/rows.h"

static void check_headings(const struct column_layout *layout, const char *expected)
{
    char headings[256] = "";
    for (size_t i = 0; i < layout->count; i++) {
        strcat(headings, i ? " " : "");
        strcat(headings, column_traits(layout->columns[i])->heading);
    }
    assert_string_equal(headings, expected);
}

static void test_fit(void **state)
{
    static const struct {
        size_t width;
        const char *headings;
    } cases[] = {
        {300,
         "PID USER CLASS NAME MODEL RUNTIME VRAM SHARED SPILL PAGED GPU% 3D COMP COPY VID CPU% "
         "RAM CONTAINER TIME"},
        {40, "PID NAME VRAM GPU%"},
        {37, "PID NAME VRAM GPU%"}, /* NAME is cut a little */
        {36, "PID NAME VRAM"},
        {20, "PID NAME"}, /* NAME is cut */
        {22, "PID NAME"},
        {13, "PID"},
        {5, "PID"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct column_layout layout;
        columns_default(&layout);
        columns_fit(&layout, cases[i].width);
        check_headings(&layout, cases[i].headings);
    }
    struct column_layout unified;
    columns_default(&unified);
    unified.unified = true;
    columns_fit(&unified, 38);
    check_headings(&unified, "PID NAME SHARED GPU%");
    struct column_layout local;
    columns_default(&local);
    local.local = true;
    columns_fit(&local, 37);
    check_headings(&local, "PID NAME VRAM GPU%");
    assert_int_equal(local.widths[0], 7); /* pid_max is 4194304 at most */
    assert_int_equal(local.widths[1], 12);
    columns_fit(&local, 400);
    assert_int_equal(local.widths[0], 7);
    for (size_t width = 0; width < 400; width++) {
        struct column_layout layout;
        size_t total = 0;
        columns_default(&layout);
        columns_fit(&layout, width);
        for (size_t i = 0; i < layout.count; i++)
            total += layout.widths[i] + (i ? COLUMN_GAP : 0);
        assert_int_equal(total, layout.width);
        assert_true(layout.width <= width);
    }
}

/* Widths may depend on the room, never on the values: columns do not jump. */
static void test_more_room_never_drops(void **state)
{
    size_t before = 0;
    (void)state;
    for (size_t width = 1; width < 400; width++) {
        struct column_layout layout;
        columns_default(&layout);
        columns_fit(&layout, width);
        assert_true(layout.count >= before);
        before = layout.count;
    }
}

static void test_useful(void **state)
{
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct process *process = build_process(s, 1, "p", CLASS_LLM);
    struct gpu_use *use = build_use(process, card, MIB, 5);
    struct rows_options options = {.all = true, .sort = COLUMN_vram};
    struct rows rows = {.count = 0};
    struct column_layout layout;
    (void)state;
    use->engines_percent[ENGINE_gfx] = figure_unknown(REASON_shared_client);
    rows_build(&rows, s, &options);
    columns_default(&layout);
    columns_useful(&layout, &rows);
    check_headings(&layout, "PID USER CLASS NAME VRAM GPU% CPU% RAM");
    use->spill_bytes = build_bytes(0);
    rows_build(&rows, s, &options);
    columns_default(&layout);
    columns_useful(&layout, &rows);
    check_headings(&layout, "PID USER CLASS NAME VRAM SPILL GPU% CPU% RAM");
    rows_free(&rows);
    snapshot_drop(&s);
}

static void test_names(void **state)
{
    static const struct {
        const char *name;
        enum column column;
    } cases[] = {{"vram", COLUMN_vram}, {"GPU%", COLUMN_gpu},     {"gpu", COLUMN_gpu},
                 {"load", COLUMN_gpu},  {"3d", COLUMN_engine_3d}, {"VID", COLUMN_video},
                 {"Name", COLUMN_name}, {"cpu", COLUMN_cpu}};
    enum column column;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(column_from_name(cases[i].name, &column));
        assert_int_equal(column, cases[i].column);
    }
    assert_false(column_from_name("", &column));
    assert_false(column_from_name("vra", &column));
    for (int i = 0; i < COLUMN_COUNT; i++) {
        assert_true(column_from_name(column_traits((enum column)i)->name, &column));
        assert_int_equal(column, i);
        assert_true(column_traits((enum column)i)->least <= column_traits((enum column)i)->most);
    }
}

/* Columns put before, behind and inside a layout. */
static void test_put(void **state)
{
    (void)state;
    struct column_layout layout = {.count = 0};
    assert_true(columns_put(&layout, 0, COLUMN_vram));
    assert_true(columns_put(&layout, 0, COLUMN_pid));
    assert_true(columns_put(&layout, 1, COLUMN_name));
    check_headings(&layout, "PID NAME VRAM");
    assert_false(columns_put(&layout, 2, COLUMN_pid));
    check_headings(&layout, "PID NAME VRAM");
    assert_true(columns_put(&layout, 0, COLUMN_vram));
    check_headings(&layout, "VRAM PID NAME");
    columns_default(&layout);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        (void)columns_put(&layout, i, (enum column)(COLUMN_COUNT - 1 - i));
    assert_int_equal(layout.count, COLUMN_COUNT);
    assert_int_equal(layout.columns[0], COLUMN_COUNT - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),    cmocka_unit_test(test_more_room_never_drops),
        cmocka_unit_test(test_useful), cmocka_unit_test(test_names),
        cmocka_unit_test(test_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
