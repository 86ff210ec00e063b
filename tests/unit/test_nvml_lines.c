/* The language between program and NVML helper: what is written is read back, and nothing else is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/helper/opening.h"
#include "gpu/helper/serve.h"
#include "gpu/nvml/nvml_lines.h"

static void test_request(void **state)
{
    (void)state;
    const struct nvml_request request = {.number = UINT64_MAX,
                                         .wall_us = -5,
                                         .running_ns = INT64_MAX,
                                         .interval_ns = 100000000,
                                         .pcie_rates = true,
                                         .everything = true,
                                         .bus_gpus = 3};
    struct nvml_request got;
    char line[SERVE_REQUEST_SIZE];
    nvml_request_write(&request, line, sizeof line);
    assert_null(strchr(line, '\n'));
    assert_true(nvml_request_read(raw_from_string(line), &got));
    assert_true(got.number == request.number && got.wall_us == request.wall_us &&
                got.running_ns == request.running_ns && got.interval_ns == request.interval_ns &&
                got.pcie_rates && got.everything && got.bus_gpus == 3);
    nvml_request_write(&request, line, 10); /* too small: nothing, rather than a part */
    assert_string_equal(line, "");
}

static void test_malformed_requests(void **state)
{
    (void)state;
    static const char *const lines[] = {"",
                                        "drm\tversion=1",
                                        "nvml",
                                        "nvml\tnumber=1",
                                        "nvml\tversion=2",
                                        "nvml\tversion=1\tnumber=-1",
                                        "nvml\tversion=1\tnumber=99999999999999999999",
                                        "nvml\tversion=1\twall_us=soon",
                                        "nvml\tversion=1\tpcie_rates=2",
                                        "nvml\tversion=1\tnumber"};
    struct nvml_request got;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(nvml_request_read(raw_from_string(lines[i]), &got));
    assert_true(nvml_request_read(raw_from_string("nvml\tversion=1\tnews=x\tnumber=3"), &got));
    assert_int_equal(got.number, 3);
}

static struct adapter_reading make_adapter(void)
{
    struct adapter_reading adapter = {
        .id = "pci:0000:01:00.0",
        .driver_index = 3,
        .name = raw_from_string("NVIDIA \t\n\\ \x01\xff GPU"),
        .uuid = raw_from_string("GPU-1"),
        .pci_vendor = 0x10de,
        .has_pci_ids = true,
        .device_numbers = {(uint64_t)195 << 32 | 2},
        .node_count = 1,
        .kind = ADAPTER_DISCRETE,
        .power_state = POWER_ACTIVE,
        .vram_total_bytes = measured_known(INT64_MAX),
        .vram_used_bytes = measured_known(0),
        .vram_free_bytes = measured_unknown(REASON_incredible_value),
        .load_millipercent = said_measured(0),
        .power_microwatts = said_value(-1, HOW_REPORTED),
        .fan_millipercent = said_unknown(REASON_not_supported),
        .throttle_how = HOW_MEASURED,
        .throttle_count = 2,
        .compute_list_unknown = true,
        .compute_list_why_not = REASON_not_permitted,
        .process_load_answered = true,
    };
    adapter.nodes[0] = raw_from_string("/dev/nvidia2");
    adapter.engine_millipercent[ENGINE_ofa] = said_measured(7000);
    adapter.clock_hz[CLOCK_VIDEO] = said_measured(1);
    adapter.throttle_reasons[0] = raw_from_string("sw_power_cap");
    adapter.throttle_reasons[1] = raw_from_string("hw_slowdown");
    return adapter;
}

static void check_raw(struct raw_text got, struct raw_text want)
{
    assert_int_equal(got.length, want.length);
    assert_memory_equal(got.bytes, want.bytes, want.length);
}

static void check_adapter(const struct adapter_reading *got, const struct adapter_reading *want)
{
    assert_string_equal(got->id, want->id);
    assert_int_equal(got->driver_index, want->driver_index);
    check_raw(got->name, want->name);
    assert_null(got->driver_version.bytes);
    assert_int_equal(got->pci_vendor, want->pci_vendor);
    check_raw(got->nodes[0], want->nodes[0]);
    assert_int_equal(got->node_count, 1);
    assert_true(got->device_numbers[0] == want->device_numbers[0]);
    assert_int_equal(got->vram_total_bytes.value, INT64_MAX);
    assert_true(got->vram_used_bytes.known);
    assert_int_equal(got->vram_free_bytes.why_not, REASON_incredible_value);
    assert_int_equal(got->load_millipercent.how, HOW_MEASURED);
    assert_int_equal(got->power_microwatts.how, HOW_REPORTED);
    assert_int_equal(got->power_microwatts.value, -1);
    assert_int_equal(got->fan_millipercent.why_not, REASON_not_supported);
    assert_int_equal(got->fan_rpm.how, HOW_UNAVAILABLE);
    assert_int_equal(got->fan_rpm.why_not, REASON_not_reported);
    assert_int_equal(got->engine_millipercent[ENGINE_ofa].value, 7000);
    assert_int_equal(got->clock_hz[CLOCK_VIDEO].value, 1);
    assert_int_equal(got->throttle_count, 2);
    check_raw(got->throttle_reasons[1], want->throttle_reasons[1]);
    assert_int_equal(got->compute_list_why_not, REASON_not_permitted);
}

static void test_answer(void **state)
{
    (void)state;
    struct nvml_answer answer = {.opening = {.code = 18, .loaded = true, .path = "/lib/a b.so"}};
    struct adapter_reading adapter = make_adapter();
    VECTOR_PUSH(&answer.adapters, adapter);
    VECTOR_PUSH(&answer.listed,
                ((struct nvml_listed_process){"pci:0000:01:00.0", NVML_LIST_MPS, 42,
                                              measured_unknown(REASON_not_reported)}));
    VECTOR_PUSH(&answer.samples,
                ((struct nvml_process_sample){.adapter_id = "x",
                                              .pid = 42,
                                              .stamp_us = 1,
                                              .sm = measured_known(0),
                                              .ofa = measured_unknown(REASON_not_supported)}));
    VECTOR_PUSH(&answer.notes, raw_from_string("vGPU\thost"));
    struct record_lines lines = {0};
    nvml_answer_write(&answer, &lines);
    struct arena *arena = arena_new();
    struct nvml_answer got;
    assert_true(nvml_answer_read((struct raw_text){lines.items, lines.count}, arena, &got));
    assert_int_equal(got.opening.code, 18);
    assert_string_equal(got.opening.path, "/lib/a b.so");
    assert_int_equal(got.adapters.count, 1);
    check_adapter(&got.adapters.items[0], &adapter);
    assert_int_equal(got.listed.items[0].list, NVML_LIST_MPS);
    assert_int_equal(got.listed.items[0].pid, 42);
    assert_false(got.listed.items[0].memory_bytes.known);
    assert_true(got.samples.items[0].sm.known);
    assert_int_equal(got.samples.items[0].ofa.why_not, REASON_not_supported);
    check_raw(got.notes.items[0], raw_from_string("vGPU\thost"));
    arena_free(&arena);
    VECTOR_FREE(&lines);
    VECTOR_FREE(&answer.adapters);
    VECTOR_FREE(&answer.listed);
    VECTOR_FREE(&answer.samples);
    VECTOR_FREE(&answer.notes);
}

#define FIRST "nvml\tversion=1\n"

static void test_malformed_answers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "nvml\n",
        "nvml\tversion=7\n",
        FIRST "adapter\tid\n",
        FIRST "adapter\tload=!no_such_reason\n",
        FIRST "adapter\tload=measurement:5\n",
        FIRST "adapter\tload=\n",
        FIRST "adapter\tvram_total=1e9\n",
        FIRST "adapter\tvram_total=9223372036854775808\n",
        FIRST "adapter\tkind=99\n",
        FIRST "adapter\tkind=-1\n",
        FIRST "adapter\tpci_vendor=4294967296\n",
        FIRST "adapter\tthrottle=Not a name\n",
        FIRST "adapter\tthrottle=\n",
        FIRST "adapter\tid=0123456789012345678901234567890123456789012345678901234567890123\n",
        FIRST "adapter\tid=a\\0b\n",
        FIRST "process\tlist=3\n",
        FIRST "process\tpid=x\n",
        FIRST "sample\tsm=!\n",
        FIRST "note\ttext\n",
    };
    struct arena *arena = arena_new();
    struct nvml_answer got;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(nvml_answer_read(raw_from_string(texts[i]), arena, &got));
    assert_true(
        nvml_answer_read(raw_from_string(FIRST "weather\tsun=1\nadapter\tnew=1\n"), arena, &got));
    assert_int_equal(got.adapters.count, 1);
    arena_free(&arena);
}

static void test_too_many(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        size_t limit;
    } cases[] = {{"adapter\n", NVML_ADAPTERS_MAX},
                 {"process\n", NVML_PROCESSES_MAX},
                 {"sample\n", NVML_PROCESSES_MAX},
                 {"note\n", NVML_NOTES_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length = strlen(cases[i].line), size = strlen(FIRST);
        char *text = malloc(size + length * (cases[i].limit + 1));
        memcpy(text, FIRST, size);
        for (size_t k = 0; k <= cases[i].limit; k++, size += length)
            memcpy(text + size, cases[i].line, length);
        struct arena *arena = arena_new();
        struct nvml_answer got;
        assert_false(nvml_answer_read((struct raw_text){text, size}, arena, &got));
        assert_true(nvml_answer_read((struct raw_text){text, size - length}, arena, &got));
        arena_free(&arena);
        free(text);
    }
}

/* The writer stays within what the reader takes. */
static void test_writer_cuts_off(void **state)
{
    (void)state;
    struct nvml_answer answer = {0}, got;
    struct adapter_reading adapter = {.driver_index = 1};
    for (int i = 0; i < NVML_ADAPTERS_MAX + 5; i++)
        VECTOR_PUSH(&answer.adapters, adapter);
    struct record_lines lines = {0};
    nvml_answer_write(&answer, &lines);
    struct arena *arena = arena_new();
    assert_true(nvml_answer_read((struct raw_text){lines.items, lines.count}, arena, &got));
    assert_int_equal(got.adapters.count, NVML_ADAPTERS_MAX);
    assert_int_equal(got.notes.count, 1);
    arena_free(&arena);
    VECTOR_FREE(&lines);
    VECTOR_FREE(&answer.adapters);
}

static void test_set_unknown(void **state)
{
    (void)state;
    struct adapter_reading adapter = make_adapter();
    adapter_line_set_unknown(&adapter, REASON_device_lost);
    assert_false(adapter.vram_total_bytes.known);
    assert_int_equal(adapter.vram_total_bytes.why_not, REASON_device_lost);
    assert_int_equal(adapter.clock_hz[CLOCK_VIDEO].why_not, REASON_device_lost);
    assert_int_equal(adapter.engine_millipercent[ENGINE_ofa].how, HOW_UNAVAILABLE);
    assert_int_equal(adapter.throttle_how, HOW_UNAVAILABLE);
    assert_true(adapter.graphics_list_unknown);
    assert_false(adapter.process_load_answered);
    assert_string_equal(adapter.id, "pci:0000:01:00.0");
    assert_int_equal(adapter.power_state, POWER_ACTIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),     cmocka_unit_test(test_malformed_requests),
        cmocka_unit_test(test_answer),      cmocka_unit_test(test_malformed_answers),
        cmocka_unit_test(test_too_many),    cmocka_unit_test(test_writer_cuts_off),
        cmocka_unit_test(test_set_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
