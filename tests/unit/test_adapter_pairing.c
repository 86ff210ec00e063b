/* Expected values: SPEC section 3 (indexes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rules/adapter_pairing.h"
#include "rules/totals.h"

struct fixture {
    struct arena *arena;
    struct adapter_indexes *indexes;
} fixture;

static struct adapter_reading adapter(const char *id, enum adapter_kind kind, int32_t driver_index)
{
    struct adapter_reading reading = {.kind = kind, .driver_index = driver_index, .source = "drm"};
    memcpy(reading.id, id, strlen(id));
    return reading;
}

static void test_order(void **state)
{
    (void)state;
    struct adapter_reading mig = adapter("uuid:MIG-b", ADAPTER_MIG, 1);
    memcpy(mig.parent_id, "pci:0000:0c:00.0", sizeof "pci:0000:0c:00.0");
    const struct adapter_reading readings[] = {
        mig,
        adapter("platform:fb000000.gpu", ADAPTER_INTEGRATED, 0),
        adapter("pci:0000:00:02.0", ADAPTER_INTEGRATED, 0),
        adapter("pci:10000:03:00.0", ADAPTER_DISCRETE, 0),
        adapter("pci:0000:c1:00.0", ADAPTER_DISCRETE, 9),
        adapter("pci:0000:0c:00.0", ADAPTER_DISCRETE, 3),
        adapter("other:1", ADAPTER_DISCRETE, 5),
        adapter("other:2", ADAPTER_DISCRETE, 4),
    };
    /* Those without an address stand before what their driver counts after them. */
    static const char *const order[] = {
        "pci:0000:0c:00.0",      "other:2",           "other:1",
        "pci:0000:c1:00.0",      "pci:10000:03:00.0", "pci:0000:00:02.0",
        "platform:fb000000.gpu", "uuid:MIG-b"};
    const struct adapter_reading *pointers[8];
    for (size_t i = 0; i < 8; i++)
        pointers[i] = &readings[i];
    size_t count;
    struct paired_adapter *paired =
        adapter_pairing_step(fixture.indexes, fixture.arena, pointers, 8, &count);
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(paired[i].reading.id, order[i]);
        assert_int_equal(paired[i].index, (int64_t)i);
    }
}

static void test_index_is_kept(void **state)
{
    (void)state;
    struct adapter_reading late = adapter("pci:0000:01:00.0", ADAPTER_DISCRETE, 0);
    struct adapter_reading first = adapter("pci:0000:02:00.0", ADAPTER_DISCRETE, 0);
    const struct adapter_reading *one[] = {&first}, *two[] = {&late, &first}, *last[] = {&late};
    size_t count;
    adapter_pairing_step(fixture.indexes, fixture.arena, one, 1, &count);
    struct paired_adapter *paired =
        adapter_pairing_step(fixture.indexes, fixture.arena, two, 2, &count);
    assert_string_equal(paired[0].reading.id, first.id);
    assert_string_equal(paired[1].reading.id, late.id);
    paired = adapter_pairing_step(fixture.indexes, fixture.arena, last, 1, &count);
    assert_int_equal(count, 1);
    assert_int_equal(paired[0].index, 1);
}

static void test_merge(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct adapter_reading drm = adapter("pci:0000:01:00.0", ADAPTER_UNKNOWN, 0);
        struct adapter_reading nvml = adapter("pci:0000:01:00.0", ADAPTER_DISCRETE, 0);
        drm.power_state = POWER_ACTIVE;
        drm.vram_total_bytes = measured_known(1);
        drm.shared_total_bytes = measured_known(3);
        drm.load_millipercent = said_value(5, HOW_REPORTED);
        nvml.source = "nvml";
        nvml.lists_processes = true;
        nvml.vram_total_bytes = measured_known(2);
        nvml.shared_total_bytes = measured_unknown(REASON_not_supported);
        nvml.load_millipercent = said_measured(7);
        nvml.fan_rpm = said_unknown(REASON_not_supported);
        nvml.compute_list_unknown = true;
        drm.has_pci_ids = nvml.has_pci_ids = nvml.pci_revision_unknown = true;
        drm.pci_revision = 0xa1;
        const struct adapter_reading *pointers[] = {swapped ? &nvml : &drm, swapped ? &drm : &nvml};
        size_t count;
        struct paired_adapter *paired =
            adapter_pairing_step(fixture.indexes, fixture.arena, pointers, 2, &count);
        assert_int_equal(count, 1);
        assert_true(paired[0].reading.lists_processes);
        assert_int_equal(paired[0].reading.kind, ADAPTER_DISCRETE);
        assert_int_equal(paired[0].reading.power_state, POWER_ACTIVE);
        assert_int_equal(paired[0].reading.vram_total_bytes.value, 2);
        assert_int_equal(paired[0].reading.shared_total_bytes.value, 3);
        assert_int_equal(paired[0].reading.load_millipercent.value, 7);
        assert_int_equal(paired[0].reading.fan_rpm.why_not, REASON_not_supported);
        assert_true(paired[0].reading.compute_list_unknown);
        assert_false(paired[0].reading.pci_revision_unknown);
        assert_int_equal(paired[0].reading.pci_revision, 0xa1);
    }
}

static void test_totals(void **state)
{
    (void)state;
    struct total total = {0};
    bool exceeds;
    total_add(&total, measured_known(40));
    total_add(&total, measured_unknown(REASON_shared_client));
    total_add(&total, measured_known(2));
    assert_int_equal(total_value(&total).value, 42);
    assert_int_equal(total.unknown, 1);
    assert_int_equal(total_unattributed(measured_known(50), total_value(&total), &exceeds).value,
                     8);
    assert_false(exceeds);
    assert_int_equal(total_unattributed(measured_known(41), total_value(&total), &exceeds).value,
                     0);
    assert_true(exceeds);
    struct measured unknown = measured_unknown(REASON_device_suspended);
    assert_false(total_unattributed(unknown, total_value(&total), &exceeds).known);
    assert_false(total_unattributed(measured_known(41), unknown, &exceeds).known);
    total_add(&total, measured_known(INT64_MAX));
    assert_int_equal(total_value(&total).why_not, REASON_incredible_value);
}

static int set_up(void **state)
{
    (void)state;
    fixture.arena = arena_new();
    fixture.indexes = adapter_indexes_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    adapter_indexes_free(&fixture.indexes);
    arena_free(&fixture.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_index_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge, set_up, tear_down),
        cmocka_unit_test(test_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
