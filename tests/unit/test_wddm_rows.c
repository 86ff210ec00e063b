/* Expected values: SPEC section 5 (Windows) and reference windows.md sections 1.5 to 1.7. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "rules/wddm_rows.h"

enum { LUID = 7, OTHER_LUID = 8, LIST_MAX = 4 };

static const int64_t gib = 1 << 30;

#define KNOWN(bytes)                                                                               \
    {                                                                                              \
        .value = (bytes), .known = true                                                            \
    }
#define UNKNOWN(reason)                                                                            \
    {                                                                                              \
        .why_not = REASON_##reason                                                                 \
    }

struct lists {
    bool read[WDDM_PROCESS_LIST_COUNT];
    size_t count[WDDM_PROCESS_LIST_COUNT];
    struct measured values[WDDM_PROCESS_LIST_COUNT][LIST_MAX]; /* all of pid 1 on LUID */
};

/* A card of 8 GiB that may use 16 GiB of the system's memory. */
static const struct {
    const char *what;
    struct lists lists;
    struct measured local, non_local, committed, paged;
} tables[] = {
    {"resident and committed",
     {{true, true, true}, {1, 1, 1}, {{KNOWN(3LL << 30)}, {KNOWN(1LL << 30)}, {KNOWN(6LL << 30)}}},
     KNOWN(3LL << 30),
     KNOWN(1LL << 30),
     KNOWN(6LL << 30),
     KNOWN(2LL << 30)},
    {"less committed than resident: never below 0",
     {{true, true, true}, {1, 1, 1}, {{KNOWN(3LL << 30)}, {KNOWN(0)}, {KNOWN(2LL << 30)}}},
     KNOWN(3LL << 30),
     KNOWN(0),
     KNOWN(2LL << 30),
     KNOWN(0)},
    {"duplicate instances add up",
     {{true, true, true},
      {3, 1, 1},
      {{KNOWN(0), KNOWN(2LL << 30), KNOWN(1LL << 30)}, {KNOWN(0)}, {KNOWN(3LL << 30)}}},
     KNOWN(3LL << 30),
     KNOWN(0),
     KNOWN(3LL << 30),
     KNOWN(0)},
    {"one instance that cannot be read makes the sum unknown",
     {{true, true, true},
      {3, 1, 1},
      {{KNOWN(1), UNKNOWN(bad_status), KNOWN(1)}, {KNOWN(0)}, {KNOWN(9)}}},
     UNKNOWN(bad_status),
     KNOWN(0),
     KNOWN(9),
     UNKNOWN(bad_status)},
    {"a phantom is refused, the others stay",
     {{true, true, true}, {1, 1, 1}, {{KNOWN(10LL << 40)}, {KNOWN(1LL << 30)}, {KNOWN(2LL << 30)}}},
     UNKNOWN(larger_than_adapter),
     KNOWN(1LL << 30),
     KNOWN(2LL << 30),
     UNKNOWN(larger_than_adapter)},
    {"just the whole adapter is none",
     {{true, true, true},
      {1, 1, 1},
      {{KNOWN(8LL << 30)}, {KNOWN(16LL << 30)}, {KNOWN(24LL << 30)}}},
     KNOWN(8LL << 30),
     KNOWN(16LL << 30),
     KNOWN(24LL << 30),
     KNOWN(0)},
    {"more committed than the adapter can hold: only paged is refused",
     {{true, true, true},
      {1, 1, 1},
      {{KNOWN(3LL << 30)}, {KNOWN(1LL << 30)}, {KNOWN((24LL << 30) + 1)}}},
     KNOWN(3LL << 30),
     KNOWN(1LL << 30),
     UNKNOWN(larger_than_adapter),
     UNKNOWN(larger_than_adapter)},
    {"duplicates beyond the adapter together",
     {{true, true, true},
      {2, 1, 1},
      {{KNOWN(5LL << 30), KNOWN(5LL << 30)}, {KNOWN(0)}, {KNOWN(0)}}},
     UNKNOWN(larger_than_adapter),
     KNOWN(0),
     KNOWN(0),
     UNKNOWN(larger_than_adapter)},
    {"a sum beyond 63 bits",
     {{true, true, true},
      {2, 1, 1},
      {{KNOWN(INT64_MAX), KNOWN(INT64_MAX)}, {KNOWN(0)}, {KNOWN(0)}}},
     UNKNOWN(larger_than_adapter),
     KNOWN(0),
     KNOWN(0),
     UNKNOWN(larger_than_adapter)},
    {"a counter that could not be read is unknown, not 0",
     {{false, true, true}, {0, 1, 1}, {{{0}}, {KNOWN(0)}, {KNOWN(5)}}},
     UNKNOWN(bad_status),
     KNOWN(0),
     KNOWN(5),
     UNKNOWN(bad_status)},
    {"no instance of it",
     {{true, true, true}, {0, 0, 1}, {{{0}}, {{0}}, {KNOWN(5)}}},
     UNKNOWN(no_instance),
     UNKNOWN(no_instance),
     KNOWN(5),
     UNKNOWN(no_instance)},
    {"a Windows without Local Usage: committed by preference, never resident",
     {{false, false, false, true}, {0, 0, 0, 1}, {{{0}}, {{0}}, {{0}}, {KNOWN(5)}}},
     UNKNOWN(bad_status),
     UNKNOWN(bad_status),
     KNOWN(5),
     UNKNOWN(bad_status)},
};

static bool same(struct measured a, struct measured b)
{
    return a.known == b.known && (a.known ? a.value == b.value : a.why_not == b.why_not);
}

static void fill(struct wddm_sample *sample, const struct lists *lists,
                 struct wddm_bytes items[WDDM_PROCESS_LIST_COUNT][LIST_MAX])
{
    for (int which = 0; which < WDDM_PROCESS_LIST_COUNT; which++) {
        for (size_t i = 0; i < lists->count[which]; i++)
            items[which][i] = (struct wddm_bytes){1, LUID, lists->values[which][i]};
        sample->process[which] =
            (struct wddm_list){lists->read[which], items[which], lists->count[which]};
    }
}

static void test_memory(void **state)
{
    (void)state;
    const struct wddm_limits limits = {LUID, measured_known(8 * gib), measured_known(16 * gib)};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct arena *arena = arena_new();
        struct wddm_bytes items[WDDM_PROCESS_LIST_COUNT][LIST_MAX];
        struct wddm_sample sample = {.engines_read = true};
        struct wddm_rows rows;
        fill(&sample, &tables[i].lists, items);
        wddm_rows(arena, &sample, &limits, 1, &rows);
        const struct wddm_row *row = &rows.items[0];
        if (rows.count != 1 || !same(row->local_bytes, tables[i].local) ||
            !same(row->non_local_bytes, tables[i].non_local) ||
            !same(row->committed_bytes, tables[i].committed) ||
            !same(row->paged_bytes, tables[i].paged))
            fail_msg("%s", tables[i].what);
        arena_free(&arena);
    }
}

/* What one source does not know of the adapter another does; of one that nobody knows there is no
 * bound. */
static void test_limits(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct wddm_bytes items[] = {{1, LUID, KNOWN(9LL << 30)},
                                       {1, OTHER_LUID, KNOWN(9LL << 30)}};
    struct wddm_sample sample = {.process[WDDM_LOCAL] = {true, items, 2}};
    const struct wddm_limits limits[] = {
        {LUID, UNKNOWN(not_reported), measured_known(16 * gib)},
        {LUID, measured_known(8 * gib), UNKNOWN(not_reported)},
    };
    struct wddm_rows rows;
    wddm_rows(arena, &sample, limits, 2, &rows);
    assert_int_equal(rows.count, 2);
    assert_false(rows.items[0].local_bytes.known);
    assert_int_equal(rows.items[0].local_bytes.why_not, REASON_larger_than_adapter);
    assert_true(rows.items[1].local_bytes.known);
    arena_free(&arena);
}

static struct wddm_engine engine(int64_t pid, uint32_t number, enum engine column,
                                 struct measured load)
{
    return (struct wddm_engine){
        .pid = pid, .luid = LUID, .number = number, .column = column, .millipercent = load};
}

/* The busiest engine, never a sum; more than 100 % is jitter. */
static void test_loads(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct measured unknown = UNKNOWN(bad_status);
    const struct wddm_engine engines[] = {
        engine(1, 0, ENGINE_gfx, measured_known(40000)),
        engine(1, 1, ENGINE_gfx, measured_known(50000)),
        engine(1, 2, ENGINE_copy, measured_known(30000)),
        engine(2, 0, ENGINE_gfx, measured_known(104000)),
        engine(2, 1, ENGINE_copy, unknown),
        engine(3, 0, ENGINE_compute, measured_known(0)),
        engine(4, 0, ENGINE_decode, unknown),
    };
    struct wddm_sample sample = {
        .engines_read = true, .engines = engines, .engine_count = sizeof engines / sizeof *engines};
    struct wddm_rows rows;
    wddm_rows(arena, &sample, NULL, 0, &rows);
    assert_int_equal(rows.count, 4);
    assert_int_equal(rows.items[0].load_millipercent.value, 50000);
    assert_int_equal(rows.items[0].engine_millipercent[ENGINE_gfx].value, 50000);
    assert_int_equal(rows.items[0].engine_millipercent[ENGINE_copy].value, 30000);
    assert_false(rows.items[0].engine_millipercent[ENGINE_decode].known);
    assert_int_equal(rows.items[1].load_millipercent.value, 100000);
    assert_false(rows.items[1].engine_millipercent[ENGINE_copy].known);
    assert_true(rows.items[2].load_millipercent.known); /* a measured 0 */
    assert_int_equal(rows.items[2].load_millipercent.value, 0);
    assert_int_equal(rows.items[3].load_millipercent.why_not, REASON_bad_status);
    assert_false(rows.items[0].local_bytes.known);
    sample.engines_read = false;
    sample.engine_count = 0;
    const struct wddm_bytes bytes = {1, LUID, KNOWN(5)};
    sample.process[WDDM_LOCAL] = (struct wddm_list){true, &bytes, 1};
    wddm_rows(arena, &sample, NULL, 0, &rows);
    assert_int_equal(rows.items[0].load_millipercent.why_not, REASON_bad_status);
    arena_free(&arena);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is;
    } names[] = {{"vmwp", true},   {"vmwp.exe", true}, {"VMWP.EXE", true},   {"vmwp.com", false},
                 {"vmwp2", false}, {"xvmwp", false},   {"vmwp.exe.", false}, {"", false}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct wddm_process process = {.name = raw_from_string(names[i].name)};
        assert_int_equal(wddm_is_named(&process, "vmwp"), names[i].is);
    }
    assert_false(wddm_is_named(&(struct wddm_process){.pid = 1}, "vmwp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("wddm_rows", tests, NULL, NULL);
}
