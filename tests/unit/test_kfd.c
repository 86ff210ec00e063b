/* Who uses AMD's compute driver, and KFD's own figure. Expected values: SPEC section 5 (KFD's
 * figure is a cross-check), reference of /sys/class/kfd: a file for every GPU a process acquired,
 * usually all, mostly 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client_build.h"
#include "rules/kfd.h"

static const struct kfd_process_reading listed[] = {
    {.pid = 100, .adapter_id = ADAPTER_A, .vram_bytes = {.known = true, .value = 4096}},
    {.pid = 100, .adapter_id = ADAPTER_B, .vram_bytes = {.known = true}},
    {.pid = 200, .adapter_id = ADAPTER_A, .vram_bytes = {.known = true}},
    {.pid = 200, .adapter_id = ADAPTER_B, .vram_bytes = {.known = true}},
    {.pid = 300, .adapter_id = ADAPTER_A, .vram_bytes = {.why_not = REASON_call_failed}},
    {.pid = 300, .adapter_id = ADAPTER_B, .vram_bytes = {.known = true}},
};
static const struct kfd_seen seen = {.listed = listed,
                                     .listed_count = sizeof listed / sizeof *listed};

static void test_who_is_a_user(void **state)
{
    (void)state;
    static const struct device_file render = {.class = DEVICE_DRM_RENDER};
    static const struct device_file kfd[] = {{.class = DEVICE_DRM_RENDER}, {.class = DEVICE_KFD}};
    const struct walked_process without = {.device_files = &render, .device_file_count = 1};
    const struct walked_process with = {.device_files = kfd, .device_file_count = 2};
    const struct kfd_seen none = {0}; /* a container: host pids are nobody here */
    assert_true(kfd_is_user(&seen, NULL, process_identity(100)));
    assert_true(kfd_is_user(&seen, &without, process_identity(200)));
    assert_false(kfd_is_user(&seen, &without, process_identity(101)));
    assert_true(kfd_is_user(&seen, &with, process_identity(101)));
    assert_true(kfd_is_user(&none, &with, process_identity(101)));
    assert_false(kfd_is_user(&none, NULL, process_identity(100)));
    assert_false(kfd_is_user(&seen, NULL, identity_make(NAMESPACE_HOST, 100, 1)));
}

static void test_empty_entries(void **state)
{
    (void)state;
    /* 0 beside more says nothing; 0 everywhere is all there is; an unknown figure may be more. */
    static const bool empty[] = {false, true, false, false, false, true};
    for (size_t i = 0; i < seen.listed_count; i++)
        assert_int_equal(kfd_entry_is_empty(&seen, &listed[i]), empty[i]);
}

static void test_figures(void **state)
{
    (void)state;
    struct measured bytes = kfd_vram_bytes(&seen, 100, ADAPTER_A);
    assert_true(bytes.known && bytes.value == 4096);
    bytes = kfd_vram_bytes(&seen, 100, ADAPTER_B);
    assert_true(bytes.known && bytes.value == 0);
    assert_int_equal(kfd_vram_bytes(&seen, 300, ADAPTER_A).why_not, REASON_call_failed);
    assert_int_equal(kfd_vram_bytes(&seen, 400, ADAPTER_A).why_not, REASON_not_reported);
    assert_int_equal(kfd_vram_bytes(&seen, 100, "pci:0000:04:00.0").why_not, REASON_not_reported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_is_a_user),
        cmocka_unit_test(test_empty_entries),
        cmocka_unit_test(test_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
