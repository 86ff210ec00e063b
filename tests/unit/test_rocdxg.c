/* Expected values: reference of librocdxg's public headers (rocdxg_smi.h, hsakmttypes.h): the
 * offsets of the newer description and of the older one, 0xFFFFFFFF for a sensor that is absent,
 * status codes 11 and 10 for what is not supported. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "gpu/helper/serve.h"
#include "gpu/rocdxg/rocdxg_device.h"
#include "gpu/rocdxg/rocdxg_lines.h"

static const struct {
    int code;
    uint32_t value;
    struct said expected;
} sensors[] = {
    {0, 55, {.value = 55000, .how = HOW_MEASURED}},
    {0, 0, {.value = 0, .how = HOW_MEASURED}},
    {0, 100, {.value = 100000, .how = HOW_MEASURED}},
    {0, 101, {.why_not = REASON_incredible_value}},
    {0, 0xfffffffe, {.why_not = REASON_incredible_value}},
    {0, 0xffffffff, {.why_not = REASON_not_reported}},
    {11, 55, {.why_not = REASON_not_supported}},
    {10, 55, {.why_not = REASON_not_supported}},
    {1, 55, {.why_not = REASON_call_failed}},
    {5, 55, {.why_not = REASON_call_failed}},
};

static void test_sensors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sensors / sizeof *sensors; i++) {
        struct said said =
            rocdxg_sensor(sensors[i].code, sensors[i].value, 1000, 100, HOW_MEASURED);
        if (said.how != sensors[i].expected.how || said.value != sensors[i].expected.value ||
            said.why_not != sensors[i].expected.why_not)
            fail_msg("sensor %zu", i);
    }
}

static void put(unsigned char *bytes, size_t at, const void *value, size_t size)
{
    memcpy(bytes + at, value, size);
}

/* Writes what a library of either kind does; `base`: where the chip's part begins. */
static void describe(struct rocdxg_device_info *info, size_t address_at, size_t base)
{
    const uint32_t address[4] = {1, 2, 3, 4}, vendor = 0x1002, subvendor = 0x1002;
    const uint64_t id = 0x744c;
    unsigned char *bytes = (unsigned char *)info;
    memset(info, 0, sizeof *info);
    put(bytes, address_at, address, sizeof address);
    put(bytes, base, &id, sizeof id);
    put(bytes, base + 8, &vendor, sizeof vendor);
    put(bytes, base + 16, &subvendor, sizeof subvendor); /* a reference card */
    put(bytes, base + 32, "card", 5);
    put(bytes, base + 304, "board", 6);
    put(bytes, base + 832, "25.20", 6);
}

static void test_both_layouts(void **state)
{
    (void)state;
    static const size_t layouts[][2] = {{4, 24}, {0, 16}};
    for (size_t i = 0; i < 2; i++) {
        struct rocdxg_device_info info;
        describe(&info, layouts[i][0], layouts[i][1]);
        assert_true(rocdxg_device_info_align(&info));
        assert_int_equal(info.domain, 1);
        assert_int_equal(info.function, 4);
        assert_int_equal(info.device_id, 0x744c);
        assert_int_equal(info.vendor_id, 0x1002);
        assert_string_equal(info.market_name, "card");
        assert_string_equal(info.product_name, "board");
        assert_string_equal(info.driver_version, "25.20");
    }
    struct rocdxg_device_info other;
    describe(&other, 4, 40);
    assert_false(rocdxg_device_info_align(&other));
    memset(&other, 0, sizeof other);
    assert_false(rocdxg_device_info_align(&other));
}

static void test_request(void **state)
{
    (void)state;
    const struct rocdxg_request request = {.running_ns = INT64_MAX, .everything = true};
    struct rocdxg_request got;
    char line[SERVE_REQUEST_SIZE];
    rocdxg_request_write(&request, line, sizeof line);
    assert_true(rocdxg_request_read(raw_from_string(line), &got));
    assert_true(got.running_ns == INT64_MAX && got.everything);
    static const char *const wrong[] = {"", "nvml\tversion=1", "rocdxg", "rocdxg\tversion=2",
                                        "rocdxg\tversion=1\trunning_ns=x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(rocdxg_request_read(raw_from_string(wrong[i]), &got));
}

static bool read_answer(const char *text, struct arena *arena, size_t *count)
{
    struct rocdxg_opening opening;
    struct adapter_reading *adapters;
    return rocdxg_answer_read(raw_from_string(text), arena, &opening, &adapters, count);
}

static void test_answer(void **state)
{
    (void)state;
    struct adapter_reading said = {.id = "pci:0000:03:00.0",
                                   .name = raw_from_string("a\tb\nc"),
                                   .vram_total_bytes = measured_known(INT64_MAX),
                                   .load_millipercent = said_value(87000, HOW_REPORTED)};
    struct rocdxg_answer answer = {.opening = {.loaded = true, .path = "/opt/x", .words = "w\n"},
                                   .adapters = {&said, &said},
                                   .adapter_count = 2};
    struct record_lines lines = {0};
    rocdxg_answer_write(&answer, &lines);
    struct arena *arena = arena_new();
    struct rocdxg_opening opening;
    struct adapter_reading *adapters;
    size_t count;
    assert_true(rocdxg_answer_read((struct raw_text){lines.items, lines.count}, arena, &opening,
                                   &adapters, &count));
    assert_int_equal(count, 2);
    assert_string_equal(opening.words, "w\n");
    assert_true(raw_equal_string(adapters[1].name, "a\tb\nc"));
    assert_true(adapters[1].vram_total_bytes.value == INT64_MAX);
    assert_int_equal(adapters[1].load_millipercent.how, HOW_REPORTED);
    VECTOR_FREE(&lines);

    static char many[4096] = "rocdxg\tversion=1\n";
    assert_true(read_answer(many, arena, &count) && count == 0);
    for (int i = 0; i < ROCDXG_DEVICES_MAX; i++)
        strcat(many, "adapter\tid=x\n");
    assert_true(read_answer(many, arena, &count) && count == ROCDXG_DEVICES_MAX);
    strcat(many, "adapter\tid=x\n");
    assert_false(read_answer(many, arena, &count));
    static const char *const wrong[] = {"", "adapter\tid=x\n", "nvml\tversion=1\n",
                                        "rocdxg\tversion=1\tcode=x\n",
                                        "rocdxg\tversion=1\nadapter\tvram_total=1e9\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(read_answer(wrong[i], arena, &count));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensors),
        cmocka_unit_test(test_both_layouts),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_answer),
    };
    return cmocka_run_group_tests_name("rocdxg", tests, NULL, NULL);
}
