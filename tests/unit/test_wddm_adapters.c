/* Expected values: SPEC section 5 (Windows), reference windows.md sections 1.6 and 1.7. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "rules/wddm_adapters.h"

enum { LUID = 7, OTHER = 8 };

static const int64_t gib = 1LL << 30;

#define KNOWN(bytes)                                                                               \
    {                                                                                              \
        .value = (bytes), .known = true                                                            \
    }
#define UNKNOWN(reason)                                                                            \
    {                                                                                              \
        .why_not = REASON_##reason                                                                 \
    }

static void test_ids(void **state)
{
    (void)state;
    char id[ADAPTER_ID_SIZE];
    uint64_t luid;
    wddm_adapter_id(0x10000d1a2, id);
    assert_string_equal(id, "luid:0x00000001_0x0000d1a2");
    assert_true(wddm_adapter_luid(id, &luid));
    assert_true(luid == 0x10000d1a2);
    wddm_adapter_id(UINT64_MAX, id);
    assert_true(wddm_adapter_luid(id, &luid) && luid == UINT64_MAX);
    static const char *const others[] = {"",
                                         "pci:0000:01:00.0",
                                         "luid:0x1_0x2",
                                         "luid:0x00000001_0x0000d1a2x",
                                         "luid:0x00000001_0x0000D1A2",
                                         "luid:0x00000001"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(wddm_adapter_luid(others[i], &luid));
    assert_true(raw_equal_string(wddm_vendor_name(0x8086), "intel"));
    assert_null(wddm_vendor_name(0x1414).bytes);
}

static const struct {
    const char *what;
    bool read;
    size_t count;
    struct measured parts[2]; /* of linked adapters */
    struct measured total, used, free;
} memories[] = {
    {"used of total",
     true,
     1,
     {KNOWN(3LL << 30)},
     KNOWN(8LL << 30),
     KNOWN(3LL << 30),
     KNOWN(5LL << 30)},
    {"linked parts add up",
     true,
     2,
     {KNOWN(3LL << 30), KNOWN(1LL << 30)},
     KNOWN(8LL << 30),
     KNOWN(4LL << 30),
     KNOWN(4LL << 30)},
    {"a measured 0", true, 1, {KNOWN(0)}, KNOWN(8LL << 30), KNOWN(0), KNOWN(8LL << 30)},
    {"more than there is",
     true,
     1,
     {KNOWN(9LL << 30)},
     KNOWN(8LL << 30),
     UNKNOWN(larger_than_adapter),
     UNKNOWN(larger_than_adapter)},
    {"one part is unknown",
     true,
     2,
     {KNOWN(1), UNKNOWN(bad_status)},
     KNOWN(8LL << 30),
     UNKNOWN(bad_status),
     UNKNOWN(bad_status)},
    {"no such instance",
     true,
     0,
     {UNKNOWN(bad_status)},
     KNOWN(8LL << 30),
     UNKNOWN(no_instance),
     UNKNOWN(no_instance)},
    {"the counter could not be read",
     false,
     0,
     {UNKNOWN(bad_status)},
     KNOWN(8LL << 30),
     UNKNOWN(bad_status),
     UNKNOWN(bad_status)},
    {"a capacity of 0 is not told", true, 1, {KNOWN(5)}, KNOWN(0), KNOWN(5), UNKNOWN(not_reported)},
};

static bool same(struct measured a, struct measured b)
{
    return a.known == b.known && (a.known ? a.value == b.value : a.why_not == b.why_not);
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        struct arena *arena = arena_new();
        struct wddm_bytes items[3];
        for (size_t k = 0; k < memories[i].count; k++)
            items[k] = (struct wddm_bytes){0, LUID, memories[i].parts[k]};
        items[memories[i].count] = (struct wddm_bytes){0, OTHER, KNOWN(77)};
        struct wddm_sample sample = {
            .adapter[WDDM_ADAPTER_DEDICATED] = {memories[i].read, items, memories[i].count + 1}};
        if (!memories[i].read)
            sample.adapter[WDDM_ADAPTER_DEDICATED].count = 0;
        const struct wddm_adapter about = {.luid = LUID, .dedicated_bytes = memories[i].total};
        struct adapter_reading adapter;
        wddm_adapter_read(arena, &sample, &about, &adapter);
        if (!same(adapter.vram_used_bytes, memories[i].used) ||
            !same(adapter.vram_free_bytes, memories[i].free))
            fail_msg("%s", memories[i].what);
        assert_false(adapter.shared_used_bytes.known);
        arena_free(&arena);
    }
}

/* windows.md 1.7: 789 MiB of processes on a 426 MiB carve-out; on a Strix Halo only the sum of
 * Dedicated and Shared follows an allocation. */
static void test_one_pool(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct wddm_bytes own = {0, LUID, KNOWN(100LL << 20)},
                            system = {0, LUID, KNOWN(2LL << 30)};
    const struct wddm_sample sample = {.adapter = {[WDDM_ADAPTER_DEDICATED] = {true, &own, 1},
                                                   [WDDM_ADAPTER_SHARED] = {true, &system, 1}}};
    const struct wddm_adapter about = {.luid = LUID,
                                       .dedicated_bytes = measured_known(128LL << 20),
                                       .shared_limit_bytes = measured_known(16 * gib)};
    struct adapter_reading adapter;
    wddm_adapter_read(arena, &sample, &about, &adapter);
    assert_true(adapter.unified && adapter.kind == ADAPTER_INTEGRATED && adapter.kind_is_inferred);
    assert_int_equal(adapter.vram_total_bytes.value, 16 * gib + (128LL << 20));
    assert_int_equal(adapter.vram_used_bytes.value, 2 * gib + (100LL << 20));
    assert_int_equal(adapter.shared_used_bytes.why_not, REASON_unified_memory);
    const struct wddm_adapter card = {.luid = LUID,
                                      .dedicated_bytes = measured_known(gib),
                                      .shared_limit_bytes = measured_known(16 * gib)};
    wddm_adapter_read(arena, &sample, &card, &adapter);
    assert_false(adapter.unified);
    assert_int_equal(adapter.kind, ADAPTER_UNKNOWN);
    assert_int_equal(adapter.shared_used_bytes.value, 2 * gib);
    arena_free(&arena);
}

static struct wddm_engine engine(int64_t pid, uint64_t luid, uint32_t number, enum engine column,
                                 int64_t load)
{
    return (struct wddm_engine){.pid = pid,
                                .luid = luid,
                                .number = number,
                                .column = column,
                                .millipercent = load < 0 ? measured_unknown(REASON_bad_status)
                                                         : measured_known(load)};
}

/* Two videos are each half of what Task Manager shows (systeminformer#1458): processes are summed
 * on an engine first, then the busiest engine counts. */
static void test_load(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct wddm_engine engines[] = {
        engine(1, LUID, 0, ENGINE_gfx, 20000),    engine(2, LUID, 0, ENGINE_gfx, 30000),
        engine(1, LUID, 5, ENGINE_decode, 40000), engine(2, LUID, 5, ENGINE_decode, 35000),
        engine(3, LUID, 1, ENGINE_copy, 70000),   engine(4, LUID, 1, ENGINE_copy, 45000),
        engine(5, LUID, 6, ENGINE_decode, 1000),  engine(5, LUID, 7, ENGINE_encode, -1),
        engine(6, OTHER, 0, ENGINE_gfx, 99000),   engine(6, LUID, 0, ENGINE_gfx, -1),
    };
    struct wddm_sample sample = {
        .engines_read = true, .engines = engines, .engine_count = sizeof engines / sizeof *engines};
    const struct wddm_adapter about = {.luid = LUID,
                                       .vendor_id = 0x1002,
                                       .name = raw_from_string("AMD Radeon RX 7900 XTX"),
                                       .dedicated_bytes = measured_known(24 * gib)};
    struct adapter_reading adapter;
    wddm_adapter_read(arena, &sample, &about, &adapter);
    assert_int_equal(adapter.load_millipercent.value, 100000); /* 115 % is jitter */
    assert_int_equal(adapter.engine_millipercent[ENGINE_gfx].value, 50000);
    assert_int_equal(adapter.engine_millipercent[ENGINE_decode].value, 75000);
    assert_int_equal(adapter.engine_millipercent[ENGINE_encode].how, HOW_UNAVAILABLE);
    assert_int_equal(adapter.engine_millipercent[ENGINE_encode].why_not, REASON_bad_status);
    assert_int_equal(adapter.engine_millipercent[ENGINE_compute].why_not, REASON_no_instance);
    assert_true(raw_equal_string(adapter.vendor, "amd"));
    assert_true(raw_equal_string(adapter.name, "AMD Radeon RX 7900 XTX"));
    sample = (struct wddm_sample){.engines_read = false};
    wddm_adapter_read(arena, &sample, &about, &adapter);
    assert_int_equal(adapter.load_millipercent.how, HOW_UNAVAILABLE);
    assert_int_equal(adapter.load_millipercent.why_not, REASON_bad_status);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_one_pool),
        cmocka_unit_test(test_load),
    };
    return cmocka_run_group_tests_name("wddm_adapters", tests, NULL, NULL);
}
