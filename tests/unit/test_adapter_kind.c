/* Expected values: reference windows.md section 2. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "gpu/wddm/adapter_kind.h"

#define KNOWN(number)                                                                              \
    {                                                                                              \
        .value = (number), .known = true                                                           \
    }

enum { GIB_BITS = 30 };

static void test_what_is_a_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct adapter_facts facts;
        bool gpu;
    } adapters[] = {
        {"a card", {.type_bits = KNOWN(ADAPTER_TYPE_RENDER | ADAPTER_TYPE_DISPLAY)}, true},
        {"a card without a display", {.type_bits = KNOWN(ADAPTER_TYPE_RENDER)}, true},
        {"nothing is told", {.luid = 1}, true},
        {"no bit is set", {.type_bits = KNOWN(0)}, true},
        {"a guest's view of a card",
         {.type_bits = KNOWN(ADAPTER_TYPE_RENDER | ADAPTER_TYPE_PARAVIRTUALIZED)},
         true},
        {"Basic Render by its bit",
         {.type_bits = KNOWN(ADAPTER_TYPE_RENDER | ADAPTER_TYPE_SOFTWARE)},
         false},
        {"Basic Render by its ids",
         {.has_ids = true, .vendor_id = 0x1414, .device_id = 0x8c},
         false},
        {"another device of Microsoft",
         {.has_ids = true, .vendor_id = 0x1414, .device_id = 0x8d},
         true},
        {"an indirect display",
         {.type_bits = KNOWN(ADAPTER_TYPE_DISPLAY | ADAPTER_TYPE_INDIRECT_DISPLAY)},
         false},
        {"only a display", {.type_bits = KNOWN(ADAPTER_TYPE_DISPLAY)}, false},
        {"an NPU",
         {.type_bits = KNOWN(ADAPTER_TYPE_COMPUTE_ONLY), .has_ids = true, .vendor_id = 0x8086},
         false},
        {"compute-only, and nobody says whose",
         {.type_bits = KNOWN(ADAPTER_TYPE_COMPUTE_ONLY)},
         false},
        {"compute-only by AMD's name, which its NPUs have too",
         {.type_bits = KNOWN(ADAPTER_TYPE_COMPUTE_ONLY), .name = {"AMD IPU Device", 14}},
         false},
        {"a card by its name",
         {.type_bits = KNOWN(ADAPTER_TYPE_COMPUTE_ONLY), .name = {"NVIDIA A100", 11}},
         true},
        {"an id says more than a name",
         {.type_bits = KNOWN(ADAPTER_TYPE_COMPUTE_ONLY),
          .name = {"NVIDIA A100", 11},
          .has_ids = true,
          .vendor_id = 0x8086},
         false},
        {"NVIDIA without a display driver",
         {.type_bits = KNOWN(ADAPTER_TYPE_COMPUTE_ONLY), .has_ids = true, .vendor_id = 0x10de},
         true},
    };
    for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
        if ((adapter_is_no_gpu(&adapters[i].facts) == NULL) != adapters[i].gpu)
            fail_msg("%s", adapters[i].what);
}

static void test_memory(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct adapter_facts facts;
        enum wddm_memory memory;
    } adapters[] = {
        {"all segments are local",
         {.non_local_bytes = KNOWN(0), .shared_system_bytes = KNOWN(1)},
         WDDM_MEMORY_UNIFIED},
        {"a card", {.non_local_bytes = KNOWN(5), .shared_system_bytes = KNOWN(5)}, WDDM_MEMORY_OWN},
        {"a card, and nobody says what of the system's memory it may use",
         {.non_local_bytes = KNOWN(5)},
         WDDM_MEMORY_OWN},
        {"no other segments, and nobody says how much",
         {.non_local_bytes = KNOWN(0)},
         WDDM_MEMORY_UNTOLD},
        {"a card that may use no system memory",
         {.non_local_bytes = KNOWN(0), .shared_system_bytes = KNOWN(0)},
         WDDM_MEMORY_OWN},
        {"segment groups are not told", {.shared_system_bytes = KNOWN(5)}, WDDM_MEMORY_UNTOLD},
        {"the integrated one of two",
         {.type_bits = KNOWN(ADAPTER_TYPE_HYBRID_INTEGRATED)},
         WDDM_MEMORY_UNIFIED},
        {"the discrete one of two",
         {.type_bits = KNOWN(ADAPTER_TYPE_HYBRID_DISCRETE),
          .non_local_bytes = KNOWN(0),
          .shared_system_bytes = KNOWN(1)},
         WDDM_MEMORY_OWN},
    };
    for (size_t i = 0; i < sizeof adapters / sizeof *adapters; i++)
        if (adapter_memory(&adapters[i].facts) != adapters[i].memory)
            fail_msg("%s", adapters[i].what);
}

static void test_sizes(void **state)
{
    (void)state;
    struct adapter_facts facts = {
        .dedicated_video_bytes = KNOWN(8LL << GIB_BITS),
        .dedicated_system_bytes = KNOWN(1LL << GIB_BITS),
        .shared_system_bytes = KNOWN(16LL << GIB_BITS),
        .local_bytes = KNOWN(16LL << GIB_BITS),
        .non_local_bytes = KNOWN(16LL << GIB_BITS),
    };
    struct wddm_adapter about;
    adapter_describe(&facts, &about);
    assert_true(about.dedicated_bytes.value == 9LL << GIB_BITS);
    assert_true(about.shared_limit_bytes.value == 16LL << GIB_BITS);
    facts.physical_count = 2; /* linked: its segments add up */
    adapter_describe(&facts, &about);
    assert_true(about.dedicated_bytes.value == 16LL << GIB_BITS);
    facts.dedicated_system_bytes.value = INT64_MAX;
    facts.physical_count = 1;
    adapter_describe(&facts, &about);
    assert_false(about.dedicated_bytes.known);
}

static void test_identity(void **state)
{
    struct adapter_facts facts = {
        .luid = 0x10000d1a2,
        .name = raw_from_string("AMD Radeon RX 7800 XT"),
        .type_bits = KNOWN(ADAPTER_TYPE_RENDER | ADAPTER_TYPE_PARAVIRTUALIZED),
        .wddm_version = KNOWN(3100),
        .has_address = true,
        .bus = 0x2d,
        .has_ids = true,
        .vendor_id = 0x1002,
        .device_id = 0x747e,
        .non_local_bytes = KNOWN(1),
        .shared_system_bytes = KNOWN(1),
    };
    struct adapter_reading adapter;
    adapter_identify(*state, &facts, &adapter);
    assert_string_equal(adapter.id, "pci:0000:2d:00.0");
    assert_true(raw_equal_string(adapter.vendor, "amd"));
    assert_true(raw_equal_string(adapter.driver, "WDDM 3.1, paravirtualized"));
    assert_int_equal(adapter.kind, ADAPTER_DISCRETE);
    assert_true(adapter.kind_is_inferred);
    facts.bus = 0xFFFFFFFF;       /* none */
    facts.vendor_id = 0x4d4f4351; /* "QCOM": no PCI device */
    facts.wddm_version = measured_unknown(REASON_not_reported);
    facts.type_bits = measured_known(0);
    adapter_identify(*state, &facts, &adapter);
    assert_string_equal(adapter.id, "luid:0x00000001_0x0000d1a2");
    assert_true(raw_equal_string(adapter.driver, "WDDM"));
    assert_true(raw_equal_string(adapter.vendor, "qualcomm"));
    assert_false(adapter.has_pci_ids);
}

static void test_perf(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct adapter_perf perf;
        int64_t millicelsius, rpm, memory_hz; /* -1: unavailable */
    } perfs[] = {
        {"all of it",
         {.temperature_decicelsius = 655, .fan_rpm = 1200, .memory_hz = 9},
         65500,
         1200,
         9},
        {"zeros say nothing, not 0 degrees", {.memory_hz = 9}, -1, -1, -1},
        {"a fan that stands still", {.temperature_decicelsius = 300}, 30000, -1, -1},
        {"what cannot be true",
         {.temperature_decicelsius = 540000, .fan_rpm = 4000000, .memory_hz = UINT64_MAX},
         -1,
         -1,
         -1},
    };
    for (size_t i = 0; i < sizeof perfs / sizeof *perfs; i++) {
        struct adapter_reading adapter;
        memset(&adapter, 0, sizeof adapter);
        adapter_set_perf(&perfs[i].perf, &adapter);
        const struct said found[] = {adapter.temperature_millicelsius[TEMPERATURE_EDGE],
                                     adapter.fan_rpm, adapter.clock_hz[CLOCK_MEMORY]};
        const int64_t expected[] = {perfs[i].millicelsius, perfs[i].rpm, perfs[i].memory_hz};
        for (size_t k = 0; k < 3; k++)
            if ((found[k].how == HOW_UNAVAILABLE ? -1 : found[k].value) != expected[k])
                fail_msg("%s: %zu: %lld", perfs[i].what, k, (long long)found[k].value);
    }
}

static int make_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int free_arena(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_a_gpu), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_identity),
        cmocka_unit_test(test_perf),
    };
    return cmocka_run_group_tests(tests, make_arena, free_arena);
}
