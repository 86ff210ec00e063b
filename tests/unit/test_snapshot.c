#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot/json.h"
#include "snapshot/words.h"

static void test_pool_reuses_arenas(void **state)
{
    (void)state;
    struct snapshot_pool *pool = snapshot_pool_new();
    struct snapshot *first = snapshot_new(pool);
    const struct arena *arena = first->arena;
    arena_alloc(first->arena, 1 << 20);
    size_t capacity = arena_capacity(first->arena);
    snapshot_drop(&first);
    assert_null(first);
    struct snapshot *second = snapshot_new(pool);
    assert_ptr_equal(second->arena, arena);
    assert_true(arena_capacity(second->arena) >= capacity);
    assert_int_equal(second->adapter_count, 0);
    snapshot_drop(&second);
    snapshot_pool_free(&pool);
    assert_null(pool);
}

/* More may be out at once than the pool keeps; none is lost or freed twice (ASan looks on). */
static void test_pool_keeps_four(void **state)
{
    (void)state;
    struct snapshot_pool *pool = snapshot_pool_new();
    struct snapshot *out[6];
    const struct arena *arenas[6];
    for (size_t i = 0; i < 6; i++) {
        out[i] = snapshot_new(pool);
        arenas[i] = out[i]->arena;
    }
    for (size_t i = 0; i < 6; i++) {
        snapshot_drop(&out[i]);
    }
    for (size_t i = 0; i < 4; i++) {
        out[i] = snapshot_new(pool);
        assert_ptr_equal(out[i]->arena, arenas[3 - i]);
    }
    /* Snapshots outlive their pool. */
    snapshot_pool_free(&pool);
    for (size_t i = 0; i < 4; i++) {
        struct snapshot *shared = snapshot_take(out[i]);
        snapshot_drop(&out[i]);
        shared->version = TEXT("still there");
        snapshot_drop(&shared);
    }
}

static void test_without_pool(void **state)
{
    (void)state;
    struct snapshot *snapshot = snapshot_new(NULL), *none = NULL;
    struct snapshot *shared = snapshot_take(snapshot);
    snapshot_drop(&snapshot);
    snapshot_drop(&shared);
    snapshot_drop(&none);
}

static void test_look_ups(void **state)
{
    (void)state;
    struct snapshot *snapshot = snapshot_new(NULL);
    snapshot->adapters = ARENA_ARRAY(snapshot->arena, struct adapter, 2);
    snapshot->adapter_count = 2;
    snapshot->adapters[0].id = TEXT("pci:0000:03:00.0");
    snapshot->adapters[1].id = TEXT("pci:0000:04:00.0");
    snapshot->processes = ARENA_ARRAY(snapshot->arena, struct process, 2);
    snapshot->process_count = 2;
    snapshot->processes[0].identity = identity_make(NAMESPACE_LOCAL, 5, 100);
    snapshot->processes[1].identity = identity_make(NAMESPACE_LOCAL, 5, 200);
    assert_ptr_equal(snapshot_adapter(snapshot, TEXT("pci:0000:04:00.0")), &snapshot->adapters[1]);
    assert_null(snapshot_adapter(snapshot, TEXT("pci:0000:04:00")));
    assert_ptr_equal(snapshot_process(snapshot, identity_make(NAMESPACE_LOCAL, 5, 200)),
                     &snapshot->processes[1]);
    assert_null(snapshot_process(snapshot, identity_make(NAMESPACE_HOST, 5, 200)));
    assert_null(snapshot_process(snapshot, identity_make(NAMESPACE_LOCAL, 5, 300)));
    snapshot_drop(&snapshot);
}

static void test_words(void **state)
{
    (void)state;
    int value;
    assert_string_equal(process_class_name(CLASS_REMOTE_DESKTOP), "remote_desktop");
    assert_string_equal(adapter_kind_name(ADAPTER_MIG), "mig");
    assert_string_equal(power_state_name(POWER_SUSPENDED), "suspended");
    assert_string_equal(snapshot_mode_name(SNAPSHOT_WSL), "wsl");
    assert_string_equal(origin_name(ORIGIN_RECORDED_MACHINE), "recorded_machine");
    assert_string_equal(process_class_name((enum process_class)4242), "");
    assert_true(words_find(&words_class, TEXT("gpu_tool"), &value));
    assert_int_equal(value, CLASS_GPU_TOOL);
    assert_false(words_find(&words_class, TEXT("gpu_too"), &value));
    assert_false(words_find(&words_gpu_use, TEXT(""), &value));
    assert_true(words_find(&words_gpu_use, TEXT("both"), &value));
}

static void test_times(void **state)
{
    /* Seconds since the epoch by `date -u -d TIME +%s`. */
    static const struct {
        const char *text;
        int64_t wall_ns;
        const char *written; /* NULL: the same */
    } cases[] = {
        {"1970-01-01T00:00:00.000000Z", 0, NULL},
        {"2026-11-29T12:00:00.250000Z", 1795953600250000000, NULL},
        {"2024-02-29T23:59:59.999999Z", 1709251199999999000, NULL},
        {"2000-02-29T00:00:00.000001Z", 951782400000001000, NULL},
        {"1969-12-31T23:59:59.500000Z", -500000000, NULL},
        {"1900-03-01T00:00:00.000000Z", -2203891200000000000, NULL},
        {"2262-04-11T23:47:15.000000Z", 9223372035000000000, NULL},
        {"2026-11-29T11:20:01.12Z", 1795951201120000000, "2026-11-29T11:20:01.120000Z"},
        {"2026-11-29T12:00:00Z", 1795953600000000000, "2026-11-29T12:00:00.000000Z"},
        {"2026-11-29t12:00:00z", 1795953600000000000, "2026-11-29T12:00:00.000000Z"},
        {"2026-11-29T14:30:00+02:30", 1795953600000000000, "2026-11-29T12:00:00.000000Z"},
        {"2026-11-29T11:00:00-01:00", 1795953600000000000, "2026-11-29T12:00:00.000000Z"},
        {"2016-12-31T23:59:60Z", 1483228800000000000, "2017-01-01T00:00:00.000000Z"},
        {"2026-11-29T12:00:00.1234567899Z", 1795953600123456000, "2026-11-29T12:00:00.123456Z"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t wall_ns = 1;
        char out[TIME_TEXT_SIZE];
        struct text text = {cases[i].text, strlen(cases[i].text)};
        if (!time_parse(text, &wall_ns) || wall_ns != cases[i].wall_ns) {
            fail_msg("%s gives %lld", cases[i].text, (long long)wall_ns);
        }
        time_format(wall_ns, out);
        assert_string_equal(out, cases[i].written ? cases[i].written : cases[i].text);
    }
}

static void test_times_at_the_ends(void **state)
{
    (void)state;
    char out[TIME_TEXT_SIZE];
    time_format(INT64_MIN, out);
    assert_string_equal(out, "1677-09-21T00:12:43.145224Z");
    time_format(INT64_MAX, out);
    assert_string_equal(out, "2262-04-11T23:47:16.854775Z");
}

static void test_times_refused(void **state)
{
    static const char *const cases[] = {
        "",
        "now",
        "2026-11-29",
        "2026-11-29T12:00Z",
        "2026-11-29T12:00:00",
        "2026-11-29T12:00:00.Z",
        "2026-11-29T12:00:00Z ",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+0100",
        "9999-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "2026-1-01T00:00:00Z",
        "-026-01-01T00:00:00Z",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t wall_ns;
        struct text text = {cases[i], strlen(cases[i])};
        if (time_parse(text, &wall_ns)) {
            fail_msg("'%s' is taken for %lld", cases[i], (long long)wall_ns);
        }
    }
    assert_false(time_parse(TEXT_NONE, &(int64_t){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_reuses_arenas),
        cmocka_unit_test(test_pool_keeps_four),
        cmocka_unit_test(test_without_pool),
        cmocka_unit_test(test_look_ups),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_times_at_the_ends),
        cmocka_unit_test(test_times_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
