/* The answers of the region queries of i915 and xe, built by the layouts of the uapi headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/intel_memory.h"

#define UNKNOWN(why) -1 - REASON_##why
#define GIB (INT64_C(1) << 30)

enum { SYSTEM = 0, DEVICE = 1, REGION_SIZE = 88 };

/* `second` is the second size of a region: used (xe), unallocated (i915). */
struct region {
    uint16_t class_number;
    uint64_t total, second;
};

static size_t build(char *out, size_t header, const struct region *regions, uint32_t count)
{
    memset(out, 0, header + count * (size_t)REGION_SIZE);
    memcpy(out, &count, sizeof count);
    for (uint32_t i = 0; i < count; i++) {
        char *at = out + header + i * (size_t)REGION_SIZE;
        memcpy(at, &regions[i].class_number, sizeof regions[i].class_number);
        memcpy(at + 8, &regions[i].total, sizeof regions[i].total);
        memcpy(at + 16, &regions[i].second, sizeof regions[i].second);
    }
    return header + count * (size_t)REGION_SIZE;
}

static void expect(struct measured got, int64_t want)
{
    if (got.known != (want >= 0) || (want >= 0 ? got.value != want : got.why_not != -1 - want)) {
        fail_msg("want %lld, got known %d %lld reason %d", (long long)want, got.known,
                 (long long)got.value, (int)got.why_not);
    }
}

static void check(enum intel_uapi uapi, const struct region *regions, uint32_t count, int64_t total,
                  int64_t used)
{
    char answer[1024];
    struct intel_memory memory;
    size_t length = build(answer, uapi == INTEL_UAPI_XE ? 8 : 16, regions, count);
    intel_memory_parse(uapi, (struct raw_text){answer, length}, &memory);
    expect(memory.total_bytes, total);
    expect(memory.used_bytes, used);
    assert_int_equal(memory.is_shared, total == UNKNOWN(not_reported) && count > 0);
}

static void test_xe(void **state)
{
    (void)state;
    static const struct region card[] = {{SYSTEM, 64 * GIB, GIB}, {DEVICE, 12 * GIB, 3 * GIB}};
    static const struct region tiles[] = {
        {SYSTEM, 64 * GIB, 0}, {DEVICE, 16 * GIB, GIB}, {DEVICE, 16 * GIB, 2 * GIB}};
    static const struct region unprivileged[] = {{SYSTEM, 64 * GIB, 0}, {DEVICE, 12 * GIB, 0}};
    static const struct region integrated[] = {{SYSTEM, 64 * GIB, 0}};
    static const struct region absurd[] = {{DEVICE, GIB, 2 * GIB}};
    static const struct region huge[] = {{DEVICE, INT64_MAX, 1}, {DEVICE, INT64_MAX, 1}};
    check(INTEL_UAPI_XE, card, 2, 12 * GIB, 3 * GIB);
    check(INTEL_UAPI_XE, tiles, 3, 32 * GIB, 3 * GIB);
    check(INTEL_UAPI_XE, unprivileged, 2, 12 * GIB, UNKNOWN(not_permitted));
    check(INTEL_UAPI_XE, integrated, 1, UNKNOWN(not_reported), UNKNOWN(not_reported));
    check(INTEL_UAPI_XE, integrated, 0, UNKNOWN(not_reported), UNKNOWN(not_reported));
    check(INTEL_UAPI_XE, absurd, 1, GIB, UNKNOWN(larger_than_adapter));
    check(INTEL_UAPI_XE, huge, 2, UNKNOWN(incredible_value), 2);
}

static void test_i915(void **state)
{
    (void)state;
    static const struct region card[] = {{SYSTEM, 32 * GIB, 32 * GIB}, {DEVICE, 16 * GIB, 9 * GIB}};
    static const struct region unprivileged[] = {{SYSTEM, GIB, GIB}, {DEVICE, 6 * GIB, 6 * GIB}};
    static const struct region unknown[] = {{DEVICE, 6 * GIB, UINT64_MAX}};
    check(INTEL_UAPI_I915, card, 2, 16 * GIB, 7 * GIB);
    check(INTEL_UAPI_I915, unprivileged, 2, 6 * GIB, UNKNOWN(not_permitted));
    check(INTEL_UAPI_I915, unknown, 1, 6 * GIB, UNKNOWN(not_permitted));
}

static void test_damaged(void **state)
{
    (void)state;
    static const struct region card[] = {{SYSTEM, GIB, GIB}, {DEVICE, 6 * GIB, GIB}};
    char answer[1024];
    struct intel_memory memory;
    size_t length = build(answer, 8, card, 2);
    for (size_t cut = 0; cut < length; cut++) {
        intel_memory_parse(INTEL_UAPI_XE, (struct raw_text){answer, cut}, &memory);
        expect(memory.total_bytes, UNKNOWN(call_failed));
        assert_false(memory.is_shared);
    }
    memset(answer, 0xff, 4);
    intel_memory_parse(INTEL_UAPI_XE, (struct raw_text){answer, length}, &memory);
    expect(memory.total_bytes, UNKNOWN(call_failed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xe),
        cmocka_unit_test(test_i915),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
