/* Expected values: reference nvidia.md section 5 and tests/cases/nvml (same_pid_lists_disagree,
 * compute_list_fails, garbage samples), whose numbers the rows repeat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reading/reading.h"
#include "rules/nvml_processes.h"

#define DEVICE "pci:0000:01:00.0"
#define INSTANCE "uuid:MIG-0"
#define NA (-1)

static struct nvml_listed_process listed(const char *id, enum nvml_list list, int64_t pid,
                                         int64_t bytes)
{
    struct nvml_listed_process entry = {.list = list, .pid = pid};
    memcpy(entry.adapter_id, id, strlen(id));
    entry.memory_bytes =
        bytes == NA ? measured_unknown(REASON_not_supported) : measured_known(bytes);
    return entry;
}

static struct nvml_process_sample sample(int64_t pid, int64_t sm, int64_t encode)
{
    struct nvml_process_sample result = {.adapter_id = DEVICE,
                                         .pid = pid,
                                         .sm = measured_known(sm),
                                         .memory = measured_known(0),
                                         .encode = measured_known(encode),
                                         .decode = measured_known(0)};
    return result;
}

static const struct adapter_reading device = {
    .id = DEVICE, .source = "nvml", .process_load_answered = true};

static struct nvml_rows merge(struct arena *arena, const struct adapter_reading *adapters,
                              size_t adapter_count, const struct nvml_listed_process *entries,
                              size_t entry_count, const struct nvml_process_sample *samples,
                              size_t sample_count)
{
    struct nvml_rows rows;
    struct nvml_seen seen = {.adapters = adapters,
                             .adapter_count = adapter_count,
                             .listed = entries,
                             .listed_count = entry_count,
                             .samples = samples,
                             .sample_count = sample_count};
    nvml_processes(arena, &seen, &rows);
    return rows;
}

static void test_lists_merge(void **state)
{
    const struct nvml_listed_process entries[] = {
        listed(DEVICE, NVML_LIST_COMPUTE, 4100, NA),
        listed(DEVICE, NVML_LIST_COMPUTE, 4200, 1000),
        listed(DEVICE, NVML_LIST_COMPUTE, 4300, NA),
        listed(DEVICE, NVML_LIST_COMPUTE, 4400, 200),
        listed(DEVICE, NVML_LIST_COMPUTE, 4400, 200),
        listed(DEVICE, NVML_LIST_GRAPHICS, 4100, 300),
        listed(DEVICE, NVML_LIST_GRAPHICS, 4200, 900),
        listed(DEVICE, NVML_LIST_GRAPHICS, 4300, NA),
        listed(DEVICE, NVML_LIST_COMPUTE, 0, 12),
    };
    struct nvml_rows rows = merge(*state, &device, 1, entries, 9, NULL, 0);
    assert_int_equal(rows.count, 4);
    assert_int_equal(rows.items[0].memory_bytes.value, 300);
    assert_int_equal(rows.items[1].memory_bytes.value, 1000);
    assert_false(rows.items[2].memory_bytes.known);
    assert_int_equal(rows.items[3].memory_bytes.value, 200);
    for (size_t i = 0; i < 3; i++)
        assert_true(rows.items[i].compute && rows.items[i].graphics);
    assert_false(rows.items[3].graphics);
}

static void test_loads(void **state)
{
    const struct nvml_listed_process entries[] = {listed(DEVICE, NVML_LIST_COMPUTE, 1, 10),
                                                  listed(DEVICE, NVML_LIST_COMPUTE, 2, 10),
                                                  listed(DEVICE, NVML_LIST_COMPUTE, 3, 10)};
    const struct nvml_process_sample samples[] = {sample(1, 44, 7), sample(3, 37100, 0),
                                                  sample(99, 50, 0)};
    struct nvml_rows rows = merge(*state, &device, 1, entries, 3, samples, 3);
    assert_int_equal(rows.count, 3); /* 99 is in no list, and the lists were read */
    assert_int_equal(rows.items[0].load.value, 44);
    assert_int_equal(rows.items[0].encode.value, 7);
    assert_true(rows.items[1].load.known); /* idle: 0, measured */
    assert_int_equal(rows.items[1].load.value, 0);
    assert_false(rows.items[1].jpeg.known);
    assert_int_equal(rows.items[2].load.why_not, REASON_incredible_value);
    assert_int_equal(rows.items[2].encode.why_not, REASON_incredible_value);
}

static void test_one_garbage_field_spoils_the_sample(void **state)
{
    const struct nvml_listed_process entry = listed(DEVICE, NVML_LIST_COMPUTE, 1, 10);
    const struct nvml_process_sample bad = sample(1, 5, 50583);
    struct nvml_rows rows = merge(*state, &device, 1, &entry, 1, &bad, 1);
    assert_int_equal(rows.items[0].load.why_not, REASON_incredible_value);
}

static void test_refused_samples(void **state)
{
    struct adapter_reading refused = device;
    refused.process_load_answered = false;
    refused.process_load_why_not = REASON_not_permitted;
    const struct nvml_listed_process entry = listed(DEVICE, NVML_LIST_COMPUTE, 1, 10);
    struct nvml_rows rows = merge(*state, &refused, 1, &entry, 1, NULL, 0);
    assert_int_equal(rows.items[0].load.why_not, REASON_not_permitted);
    assert_int_equal(rows.items[0].memory_bytes.value, 10);
}

static void test_sampled_only_when_a_list_failed(void **state)
{
    struct adapter_reading failed = device;
    failed.compute_list_unknown = true;
    failed.compute_list_why_not = REASON_call_failed;
    const struct nvml_listed_process entry = listed(DEVICE, NVML_LIST_GRAPHICS, 2200, 64);
    const struct nvml_process_sample one = sample(3794364, 44, 0);
    struct nvml_rows rows = merge(*state, &failed, 1, &entry, 1, &one, 1);
    assert_int_equal(rows.count, 2);
    assert_false(rows.items[1].compute || rows.items[1].graphics);
    assert_int_equal(rows.items[1].memory_bytes.why_not, REASON_call_failed);
    assert_int_equal(rows.items[1].load.value, 44);
}

static void test_mig_lists_once(void **state)
{
    const struct adapter_reading adapters[] = {
        device,
        {.id = INSTANCE, .parent_id = DEVICE, .process_load_why_not = REASON_mig_enabled},
    };
    const struct nvml_listed_process entries[] = {listed(DEVICE, NVML_LIST_COMPUTE, 1, 10),
                                                  listed(INSTANCE, NVML_LIST_COMPUTE, 1, 10)};
    struct nvml_rows rows = merge(*state, adapters, 2, entries, 2, NULL, 0);
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.items[0].adapter_id, INSTANCE);
    assert_int_equal(rows.items[0].load.why_not, REASON_mig_enabled);
}

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_merge),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_one_garbage_field_spoils_the_sample),
        cmocka_unit_test(test_refused_samples),
        cmocka_unit_test(test_sampled_only_when_a_list_failed),
        cmocka_unit_test(test_mig_lists_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
