/* Who holds NVIDIA's device files while NVML names nobody. Expected values: SPEC sections 1 and 4
 * (a list that could not be read is unknown; a process appears when its descriptors may be read).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "rules/nvidia_holders.h"

enum { MAJOR = NVIDIA_DEVICE_FILES_MAJOR, DRM_MAJOR = 226 };

static uint64_t number(uint32_t major, uint32_t minor)
{
    return (uint64_t)major << 32 | minor;
}

/* `minor` -1: its /dev/nvidiaN is not known. */
static struct adapter_reading gpu(int minor, bool unknown)
{
    struct adapter_reading adapter = {.lists_processes = true,
                                      .vendor = raw_from_string("nvidia"),
                                      .driver = raw_from_string("nvidia"),
                                      .kind = ADAPTER_DISCRETE,
                                      .power_state = POWER_ACTIVE,
                                      .compute_list_unknown = unknown,
                                      .compute_list_why_not = REASON_call_failed,
                                      .graphics_list_unknown = unknown,
                                      .graphics_list_why_not = REASON_call_failed};
    adapter.device_numbers[adapter.node_count++] = number(DRM_MAJOR, 128);
    if (minor >= 0)
        adapter.device_numbers[adapter.node_count++] = number(MAJOR, (uint32_t)minor);
    return adapter;
}

static void test_when_holders_are_wanted(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        enum source_state source;
        bool has_code, list_unknown, lost, before, wanted;
    } rows[] = {
        {"answered", SOURCE_OK, false, false, false, true, false},
        {"a list refused", SOURCE_PARTIAL, true, true, false, false, true},
        {"failed or hanging", SOURCE_FAILED, true, true, false, false, true},
        {"too old", SOURCE_STALE, true, true, false, false, true},
        {"asleep", SOURCE_OFF, true, true, false, false, true},
        {"no library, but a card", SOURCE_ABSENT, false, true, false, false, true},
        {"only other GPUs were selected", SOURCE_OFF, false, true, false, true, false},
        {"starting for the first time", SOURCE_STARTING, true, true, false, false, false},
        {"starting again after a failure", SOURCE_STARTING, true, true, false, true, true},
        {"lost", SOURCE_PARTIAL, true, true, true, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct adapter_reading adapter = gpu(0, rows[i].list_unknown);
        adapter.power_state = rows[i].lost ? POWER_LOST : POWER_ACTIVE;
        struct reading reading = {.source = "nvml",
                                  .state = rows[i].source,
                                  .has_code = rows[i].has_code,
                                  .adapters = &adapter,
                                  .adapter_count = 1};
        if (nvidia_holders_wanted(&reading, rows[i].before) != rows[i].wanted)
            fail_msg("%s", rows[i].what);
    }
    struct adapter_reading undriven = gpu(-1, true);
    undriven.driver = (struct raw_text){NULL, 0};
    struct reading blacklisted = {
        .source = "nvml", .state = SOURCE_ABSENT, .adapters = &undriven, .adapter_count = 1};
    assert_false(nvidia_holders_wanted(&blacklisted, true));
    struct reading none = {.source = "nvml", .state = SOURCE_ABSENT};
    assert_false(nvidia_holders_wanted(&none, true));
}

static void test_the_reason_is_that_of_the_list(void **state)
{
    (void)state;
    struct adapter_reading adapter = gpu(0, true);
    adapter.compute_list_why_not = REASON_not_permitted;
    assert_int_equal(nvidia_holders_why(&adapter), REASON_not_permitted);
    adapter.compute_list_unknown = false;
    assert_true(nvidia_holders_matter(&adapter));
    assert_int_equal(nvidia_holders_why(&adapter), REASON_call_failed);
}

static const struct adapter_reading *at(const void *context, size_t i)
{
    return &((const struct adapter_reading *)context)[i];
}

static void test_whose_file_it_is(void **state)
{
    (void)state;
    enum { NONE = -1, SEVERAL = -2 };
    static const struct {
        const char *what;
        int minors[3]; /* of three adapters; -1: not known, -2: no NVML, -3: an instance, -4:
                          another vendor's */
        enum device_class class;
        uint32_t minor;
        int found;
    } rows[] = {
        {"by number, not by place", {1, 0, 2}, DEVICE_NVIDIA, 0, 1},
        {"the only one without a number", {1, -1, -2}, DEVICE_NVIDIA, 0, 1},
        {"the only one there is", {-2, -1, -2}, DEVICE_NVIDIA, 3, 1},
        {"one of two", {-1, -1, -2}, DEVICE_NVIDIA, 0, SEVERAL},
        {"all have other numbers", {0, 1, 2}, DEVICE_NVIDIA, 5, NONE},
        {"an instance has no file of its own", {0, -3, -3}, DEVICE_NVIDIA, 1, NONE},
        {"a library of another vendor lists processes too", {-4, -4, 0}, DEVICE_NVIDIA, 1, NONE},
        {"no NVIDIA GPU", {-2, -2, -2}, DEVICE_NVIDIA, 0, NONE},
        {"nvidiactl is no GPU's", {-1, -2, -2}, DEVICE_NVIDIA_CONTROL, 255, NONE},
        {"a DRM node by its number", {-2, -1, -2}, DEVICE_DRM_RENDER, 128, 1},
        {"a DRM node of another card", {-2, -1, -2}, DEVICE_DRM_RENDER, 129, NONE},
        {"KFD's file is AMD's", {-1, -2, -2}, DEVICE_KFD, 0, NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct adapter_reading adapters[3];
        for (size_t k = 0; k < 3; k++) {
            adapters[k] = gpu(rows[i].minors[k], true);
            if (rows[i].minors[k] == -4)
                adapters[k].vendor = raw_from_string("huawei");
            adapters[k].lists_processes = rows[i].minors[k] != -2;
            adapters[k].kind = rows[i].minors[k] == -3 ? ADAPTER_MIG : ADAPTER_DISCRETE;
        }
        struct device_file file = {
            .class = rows[i].class,
            .device_number =
                number(rows[i].class == DEVICE_DRM_RENDER ? DRM_MAJOR : MAJOR, rows[i].minor)};
        size_t found = 99;
        enum nvidia_place place = nvidia_holders_place(&file, at, adapters, 3, &found);
        int got = place == NVIDIA_PLACE_NONE      ? NONE
                  : place == NVIDIA_PLACE_UNKNOWN ? SEVERAL
                                                  : (int)found;
        if (got != rows[i].found)
            fail_msg("%s: want %d got %d", rows[i].what, rows[i].found, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_when_holders_are_wanted),
        cmocka_unit_test(test_the_reason_is_that_of_the_list),
        cmocka_unit_test(test_whose_file_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
