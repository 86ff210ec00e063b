/* Arithmetic on what NVML answers: memory of both generations, rates of wrapping counters, calls
 * that are remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/nvml/nvml_device.h"
#include "gpu/nvml/nvml_memory.h"
#include "gpu/nvml/nvml_pcie.h"

static const int64_t second_ns = 1000000000;

/* An RTX 4090: 24564 MiB, 397 MiB of it reserved, 4 GiB allocated. */
static const uint64_t mib = 1 << 20;

static void test_memory_v2(void **state)
{
    (void)state;
    struct adapter_reading said = {0};
    struct nvml_memory_v2 memory = {0, 24564 * mib, 397 * mib, 20071 * mib, 4096 * mib};
    nvml_memory_from_v2(&memory, &said);
    assert_int_equal(said.vram_total_bytes.value, 24564 * mib);
    assert_int_equal(said.vram_used_bytes.value, 4096 * mib);
    assert_int_equal(said.vram_free_bytes.value, 20071 * mib);
    assert_int_equal(said.vram_reserved_bytes.value, 397 * mib);
}

static void test_memory_v1(void **state)
{
    (void)state;
    struct adapter_reading said = {0};
    struct nvml_memory memory = {24564 * mib, 20071 * mib, 4493 * mib};
    nvml_memory_from_v1(&memory, &said);
    assert_int_equal(said.vram_used_bytes.value, 4493 * mib);
    assert_int_equal(said.vram_free_bytes.value, 20071 * mib);
    assert_false(said.vram_reserved_bytes.known);
    assert_int_equal(said.vram_reserved_bytes.why_not, REASON_not_supported);
}

static void test_memory_that_cannot_be(void **state)
{
    (void)state;
    struct adapter_reading said = {0};
    struct nvml_memory_v2 nothing = {0}, absurd = {.total = UINT64_MAX}, more = {0, 100, 0, 0, 101};
    nvml_memory_from_v2(&nothing, &said);
    assert_false(said.vram_total_bytes.known || said.vram_used_bytes.known);
    assert_int_equal(said.vram_total_bytes.why_not, REASON_not_supported);
    nvml_memory_from_v2(&absurd, &said);
    assert_int_equal(said.vram_total_bytes.why_not, REASON_incredible_value);
    nvml_memory_from_v2(&more, &said);
    assert_true(said.vram_total_bytes.known);
    assert_int_equal(said.vram_used_bytes.why_not, REASON_incredible_value);
}

/* ---- a scripted library ---- */

static struct {
    int v2_status, v1_status, v2_calls, v1_calls;
} script;

static int memory_v2(void *handle, struct nvml_memory_v2 *memory)
{
    (void)handle;
    script.v2_calls++;
    assert_int_equal(memory->version, 0x02000028);
    memory->total = 100;
    memory->used = 10;
    memory->reserved = 5;
    memory->free = 85;
    return script.v2_status;
}

static int memory_v1(void *handle, struct nvml_memory *memory)
{
    (void)handle;
    script.v1_calls++;
    *memory = (struct nvml_memory){100, 85, 15};
    return script.v1_status;
}

static void test_memory_calls(void **state)
{
    (void)state;
    static const struct {
        int v2_status, v1_status;
        bool known;
        int64_t used;
        enum reason why_not;
        int v2_calls, v1_calls; /* in two refreshes */
    } cases[] = {
        {0, 0, true, 10, REASON_not_reported, 2, 0},
        {NVML_ARGUMENT_VERSION_MISMATCH, 0, true, 15, REASON_not_reported, 1, 2},
        {NVML_FUNCTION_NOT_FOUND, 0, true, 15, REASON_not_reported, 1, 2},
        {NVML_NOT_SUPPORTED, NVML_NOT_SUPPORTED, false, 0, REASON_not_supported, 1, 1},
        {NVML_NO_PERMISSION, 0, false, 0, REASON_not_permitted, 2, 0},
        {NVML_UNKNOWN, 0, false, 0, REASON_call_failed, 2, 0},
        {NVML_GPU_IS_LOST, 0, false, 0, REASON_device_lost, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct nvml_functions functions = {.memory_v2 = {memory_v2}, .memory = {memory_v1}};
        struct nvml_calls calls;
        struct adapter_reading said = {0};
        script.v2_status = cases[i].v2_status;
        script.v1_status = cases[i].v1_status;
        script.v2_calls = script.v1_calls = 0;
        nvml_calls_start(&calls, &functions);
        nvml_read_memory(&calls, NULL, &said);
        nvml_read_memory(&calls, NULL, &said);
        assert_int_equal(said.vram_used_bytes.known, cases[i].known);
        assert_int_equal(said.vram_used_bytes.value, cases[i].used);
        assert_int_equal(said.vram_used_bytes.why_not, cases[i].why_not);
        assert_int_equal(script.v2_calls, cases[i].v2_calls);
        assert_int_equal(script.v1_calls, cases[i].v1_calls);
    }
}

static int answer_of_power;
static int power(void *handle, uint32_t *value)
{
    (void)handle;
    *value = 31000;
    return answer_of_power;
}

/* "Not supported" is final for a device that never answered, and passing for one that did. */
static void test_not_supported_is_remembered(void **state)
{
    (void)state;
    struct nvml_functions functions = {.power = {power}};
    struct nvml_calls calls;
    uint32_t value = 0;
    int status;
    nvml_calls_start(&calls, &functions);
    answer_of_power = NVML_NOT_SUPPORTED;
    NVML_CALL(status, &calls, power, NULL, &value);
    assert_int_equal(status, NVML_NOT_SUPPORTED);
    answer_of_power = NVML_OK;
    NVML_CALL(status, &calls, power, NULL, &value);
    assert_int_equal(status, NVML_NOT_SUPPORTED);
    nvml_calls_start(&calls, &functions);
    NVML_CALL(status, &calls, power, NULL, &value);
    assert_int_equal(status, NVML_OK);
    answer_of_power = NVML_NOT_SUPPORTED;
    NVML_CALL(status, &calls, power, NULL, &value);
    answer_of_power = NVML_OK;
    NVML_CALL(status, &calls, power, NULL, &value);
    assert_int_equal(status, NVML_OK);
    answer_of_power = -7;
    NVML_CALL(status, &calls, power, NULL, &value);
    assert_int_equal(status, NVML_UNKNOWN);
    NVML_CALL(status, &calls, fan, NULL, &value);
    assert_int_equal(status, NVML_FUNCTION_NOT_FOUND);
}

static void test_said(void **state)
{
    (void)state;
    assert_int_equal(nvml_said(NVML_OK, 40, 1000, 100).value, 40000);
    assert_int_equal(nvml_said(NVML_OK, 0, 1000, 100).how, HOW_MEASURED);
    assert_int_equal(nvml_said(NVML_OK, 101, 1000, 100).why_not, REASON_incredible_value);
    assert_int_equal(nvml_said(NVML_OK, UINT32_MAX, 1000, 100).value, 0);
    assert_int_equal(nvml_said(NVML_RESET_REQUIRED, 1, 1, 100).why_not, REASON_device_lost);
    assert_int_equal(nvml_said_generation(NVML_OK, 4).value, 4);
    assert_int_equal(nvml_said_generation(NVML_OK, 0).why_not, REASON_not_reported);
    assert_int_equal(nvml_said_lanes(NVML_OK, 12).value, 12);
    assert_int_equal(nvml_said_lanes(NVML_OK, 0).why_not, REASON_not_reported);
    assert_int_equal(nvml_said_lanes(NVML_OK, 63).why_not, REASON_incredible_value);
    assert_int_equal(nvml_said_lanes(NVML_OK, 255).why_not, REASON_incredible_value);
}

static struct nvml_byte_counter counter(uint64_t bytes, bool is_32_bits, int64_t stamp_us,
                                        int64_t running_ns)
{
    return (struct nvml_byte_counter){true, bytes, is_32_bits, stamp_us, running_ns};
}

static void test_byte_rate(void **state)
{
    (void)state;
    const struct nvml_byte_counter none = {0}, old = counter(1000, false, 0, second_ns);
    struct nvml_byte_counter new = counter(3000, false, 0, 2 * second_ns);
    assert_int_equal(nvml_byte_rate(&none, &new).why_not, REASON_need_two_samples);
    assert_int_equal(nvml_byte_rate(&old, &none).why_not, REASON_call_failed);
    assert_int_equal(nvml_byte_rate(&old, &old).why_not, REASON_need_two_samples);
    assert_int_equal(nvml_byte_rate(&old, &new).value, 2000);
    new = counter(500, false, 0, 2 * second_ns);
    assert_int_equal(nvml_byte_rate(&old, &new).why_not, REASON_counter_not_monotonic);
    /* 32 bits wrap. */
    struct nvml_byte_counter before = counter(UINT32_MAX - 99, true, 0, second_ns);
    new = counter(100, true, 0, 2 * second_ns);
    assert_int_equal(nvml_byte_rate(&before, &new).value, 200);
    /* The driver's own time, unless its clock jumped. */
    before = counter(0, false, 10000000, second_ns);
    new = counter(1000, false, 10500000, 2 * second_ns);
    assert_int_equal(nvml_byte_rate(&before, &new).value, 2000);
    new = counter(1000, false, 90500000, 2 * second_ns);
    assert_int_equal(nvml_byte_rate(&before, &new).value, 1000);
}

static void test_cadence(void **state)
{
    (void)state;
    struct nvml_device *device = nvml_device_new(0);
    struct nvml_request request = {.running_ns = second_ns, .interval_ns = second_ns};
    device->read_at_ns[NVML_CADENCE_temperature] = INT64_MIN;
    assert_true(nvml_device_is_due(device, NVML_CADENCE_temperature, &request));
    request.running_ns += second_ns;
    assert_false(nvml_device_is_due(device, NVML_CADENCE_temperature, &request));
    request.everything = true;
    assert_true(nvml_device_is_due(device, NVML_CADENCE_temperature, &request));
    request.everything = false;
    request.running_ns += 2 * second_ns - second_ns / 10; /* a tick that came early */
    assert_true(nvml_device_is_due(device, NVML_CADENCE_temperature, &request));
    request.running_ns = 0; /* another clock */
    assert_true(nvml_device_is_due(device, NVML_CADENCE_temperature, &request));
    nvml_device_free(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_v2),
        cmocka_unit_test(test_memory_v1),
        cmocka_unit_test(test_memory_that_cannot_be),
        cmocka_unit_test(test_memory_calls),
        cmocka_unit_test(test_not_supported_is_remembered),
        cmocka_unit_test(test_said),
        cmocka_unit_test(test_byte_rate),
        cmocka_unit_test(test_cadence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
