/* Expected values: SPEC section 5 ("Who owns which bytes") and the recorded machines of
 * tests/cases/drm whose facts the rows repeat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client_build.h"
#include "rules/private_clients.h"
#include "rules/totals.h"

static const struct walk_reading whole_walk = {
    .complete = true, .ran = true, .oldest_look_ns = INT64_MAX};

static struct ownership_list own(struct arena *arena, const struct drm_client_reading *readings,
                                 size_t count, const struct walk_reading *walk)
{
    struct client_list clients;
    struct ownership_list list;
    clients_merge(arena, readings, count, &clients);
    private_clients(arena, &clients, walk, 20000000000, &list);
    return list;
}

/* How a client is bent, and what must come of it. */
enum bend {
    BEND_NOTHING,
    BEND_PRIMARY,
    BEND_SHARED_GTT,
    BEND_SHARED_UNKNOWN_REGION,
    BEND_NO_SHARED_KEYS,
    BEND_ENGINES_ONLY,
    BEND_LEGACY,
    BEND_INCOMPLETE,
    BEND_NO_STATISTICS,
    BEND_SLEEPS,
};

struct row {
    enum bend bend;
    enum reason reasons[2]; /* not_reported ends the list; none: charged */
    bool load_forbidden;
    enum reason load_why_not;
};

static const struct row rows[] = {
    {BEND_NOTHING, {REASON_not_reported}, false, 0},
    {BEND_PRIMARY, {REASON_primary_node}, false, 0},
    {BEND_SHARED_GTT, {REASON_shared_buffers}, false, 0},
    {BEND_SHARED_UNKNOWN_REGION, {REASON_shared_buffers}, false, 0},
    {BEND_NO_SHARED_KEYS, {REASON_legacy_kernel_no_drm_shared}, false, 0},
    {BEND_ENGINES_ONLY, {REASON_legacy_kernel_no_drm_shared}, false, 0},
    {BEND_LEGACY, {REASON_legacy_kernel_no_client_id}, true, REASON_legacy_kernel_no_client_id},
    {BEND_INCOMPLETE, {REASON_incomplete_read}, true, REASON_incomplete_read},
    {BEND_NO_STATISTICS, {REASON_driver_has_no_fdinfo}, false, 0},
    {BEND_SLEEPS, {REASON_device_suspended}, false, 0},
};

static void bend(struct drm_client_reading *reading, enum bend how)
{
    switch (how) {
    case BEND_NOTHING:
        break;
    case BEND_PRIMARY:
        reading->primary_node = true;
        break;
    case BEND_SHARED_GTT:
        reading->regions[1].shared = measured_known(4096);
        break;
    case BEND_SHARED_UNKNOWN_REGION:
        add_region(reading, "doorbell", DRM_POOL_OTHER, 0, 1);
        break;
    case BEND_NO_SHARED_KEYS:
        reading->has_shared_keys = false;
        break;
    case BEND_ENGINES_ONLY: /* i915 before 6.8, msm before 6.5 */
        reading->has_shared_keys = false;
        reading->region_count = 0;
        break;
    case BEND_LEGACY:
        reading->state = DRM_CLIENT_LEGACY;
        reading->has_client_id = false;
        break;
    case BEND_INCOMPLETE:
        reading->state = DRM_CLIENT_INCOMPLETE;
        reading->has_client_id = false;
        break;
    case BEND_NO_STATISTICS:
        reading->state = DRM_CLIENT_NO_STATISTICS;
        reading->has_client_id = false;
        break;
    case BEND_SLEEPS:
        reading->state = DRM_CLIENT_NOT_TOUCHED;
        reading->has_client_id = false;
        break;
    }
}

static void test_each_condition(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_client_reading readings[2] = {amd_client(42, 5, 7), amd_client(42, 6, 8)};
        bend(&readings[0], rows[i].bend);
        struct ownership_list list = own(arena, readings, 2, &whole_walk);
        assert_int_equal(list.count, 1);
        const struct ownership *owned = &list.items[0];
        struct reason_set expected = {0};
        for (size_t k = 0; k < 2 && rows[i].reasons[k] != REASON_not_reported; k++)
            reason_set_add(&expected, rows[i].reasons[k]);
        if (owned->reasons.bits != expected.bits)
            fail_msg("row %zu: reasons %llx, expected %llx", i, owned->reasons.bits, expected.bits);
        assert_int_equal(owned->charged, rows[i].bend == BEND_NOTHING);
        assert_int_equal(owned->vram_bytes.known, rows[i].bend == BEND_NOTHING);
        assert_int_equal(owned->load_forbidden, rows[i].load_forbidden);
        if (rows[i].load_forbidden)
            assert_int_equal(owned->load_why_not, rows[i].load_why_not);
        if (rows[i].bend == BEND_NOTHING) {
            assert_int_equal(owned->vram_bytes.value, 200 * (int64_t)MIB);
            assert_int_equal(owned->shared_bytes.value, 20 * (int64_t)MIB);
        }
    }
}

static void test_reachable_bytes_stay_known(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    reading.primary_node = true;
    struct ownership_list list = own(*state, &reading, 1, &whole_walk);
    assert_false(list.items[0].vram_bytes.known);
    assert_int_equal(list.items[0].vram_resident_bytes.value, 100 * (int64_t)MIB);
    assert_int_equal(list.items[0].shared_resident_bytes.value, 10 * (int64_t)MIB);
}

/* A fork: one client, two holders, and a dup inside the first; another process is not touched. */
static void test_shared_client(void **state)
{
    const struct drm_client_reading readings[] = {
        amd_client(5001, 3, 50),
        amd_client(5001, 9, 50),
        amd_client(5002, 3, 50),
        amd_client(5003, 4, 51),
    };
    struct ownership_list list = own(*state, readings, 4, &whole_walk);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < 2; i++) {
        assert_true(reason_set_has(list.items[i].reasons, REASON_shared_client));
        assert_true(list.items[i].load_forbidden);
        assert_int_equal(list.items[i].load_why_not, REASON_shared_client);
        assert_int_equal(list.items[i].vram_bytes.why_not, REASON_shared_client);
    }
    assert_true(list.items[2].charged);
}

/* Every reason that holds is given, the first in the order of the table decides. */
static void test_all_reasons_in_order(void **state)
{
    struct drm_client_reading readings[] = {amd_client(2100, 3, 31), amd_client(850, 3, 31)};
    readings[0].primary_node = true;
    readings[0].regions[0].shared = measured_known(1);
    readings[1].regions[0].shared = measured_known(1);
    struct ownership_list list = own(*state, readings, 2, &whole_walk);
    struct reason_set reasons = list.items[0].reasons;
    assert_true(reason_set_has(reasons, REASON_shared_client));
    assert_true(reason_set_has(reasons, REASON_primary_node));
    assert_true(reason_set_has(reasons, REASON_shared_buffers));
    assert_int_equal(private_clients_first_reason(reasons), REASON_shared_client);
}

static void test_partial_scan(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    struct walk_reading walk = whole_walk;
    walk.complete = false;
    struct ownership_list list = own(*state, &reading, 1, &walk);
    assert_int_equal(list.items[0].vram_bytes.why_not, REASON_partial_scan);
    assert_int_equal(list.items[0].load_why_not, REASON_partial_scan);
    list = own(*state, &reading, 1, NULL);
    assert_int_equal(list.items[0].vram_bytes.why_not, REASON_partial_scan);
}

static void test_walk_facts_of_the_holder(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    struct walked_process walked = {
        .identity = process_identity(42), .access = WALK_LISTED, .incomplete = true};
    struct walk_reading walk = whole_walk;
    walk.processes = &walked;
    walk.process_count = 1;
    struct ownership_list list = own(*state, &reading, 1, &walk);
    assert_int_equal(list.items[0].vram_bytes.why_not, REASON_incomplete_read);
    walked.incomplete = false;
    walked.access = WALK_SKIPPED;
    list = own(*state, &reading, 1, &walk);
    assert_int_equal(list.items[0].vram_bytes.why_not, REASON_partial_scan);
    /* Refused processes are not visible and forbid nothing. */
    walked = (struct walked_process){.identity = process_identity(1), .access = WALK_REFUSED};
    list = own(*state, &reading, 1, &walk);
    assert_true(list.items[0].charged);
}

static void test_incomplete_process_on_two_adapters(void **state)
{
    struct drm_client_reading readings[] = {amd_client(42, 5, 7), amd_client(42, 6, 8)};
    memcpy(readings[1].adapter_id, ADAPTER_B, sizeof ADAPTER_B);
    bend(&readings[1], BEND_INCOMPLETE);
    struct ownership_list list = own(*state, readings, 2, &whole_walk);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].vram_bytes.why_not, REASON_incomplete_read);
    readings[1] = amd_client(42, 6, 8);
    memcpy(readings[1].adapter_id, ADAPTER_B, sizeof ADAPTER_B);
    readings[1].primary_node = true;
    list = own(*state, readings, 2, &whole_walk);
    assert_true(list.items[0].charged); /* the other adapter's clients are other clients */
    assert_false(list.items[1].charged);
}

static void test_proof_age(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    struct walk_reading walk = whole_walk;
    struct ownership_list list = own(*state, &reading, 1, &walk);
    assert_int_equal(list.items[0].proof_age_ns.value, 0);
    walk.oldest_look_ns = 6000000000;
    list = own(*state, &reading, 1, &walk);
    assert_int_equal(list.items[0].proof_age_ns.value, 14000000000);
}

static void test_alias_and_missing_pools(void **state)
{
    struct drm_client_reading reading = amd_client(42, 5, 7);
    struct drm_region *vram = &reading.regions[0];
    vram->memory = measured_known(7); /* an alias: never added to resident */
    assert_int_equal(client_pool_bytes(&reading, DRM_POOL_VRAM).value, 100 * (int64_t)MIB);
    vram->resident = measured_unknown(REASON_not_reported);
    assert_int_equal(client_pool_bytes(&reading, DRM_POOL_VRAM).value, 7);
    vram->memory = measured_unknown(REASON_not_reported);
    vram->total = measured_known(8192); /* allocated, not resident */
    assert_false(client_pool_bytes(&reading, DRM_POOL_VRAM).known);
    reading.region_count = 0;
    struct ownership_list list = own(*state, &reading, 1, &whole_walk);
    assert_int_equal(list.items[0].vram_bytes.why_not, REASON_not_reported);
}

/* Random machines: what is charged never counts a client twice, and what is left is never negative.
 */
/* A size that can't be true is unavailable for that reason; the other pool is as good as before. */
static void test_incredible_size(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct drm_client_reading readings[2] = {amd_client(42, 3, 1), amd_client(42, 4, 2)};
    readings[1].regions[0].resident = measured_unknown(REASON_incredible_value);
    struct ownership_list list = own(arena, readings, 2, &whole_walk);
    const struct ownership *owned = &list.items[0];
    assert_false(owned->vram_bytes.known);
    assert_int_equal(owned->vram_bytes.why_not, REASON_incredible_value);
    assert_int_equal(owned->reasons.bits, 1ULL << REASON_incredible_value);
    assert_true(owned->shared_bytes.known);
    assert_int_equal(owned->shared_bytes.value, 20 * (int64_t)MIB);
    arena_free(&arena);
}

static void test_charges_never_count_twice(void **state)
{
    struct arena *arena = *state;
    unsigned seed = 1;
    for (int round = 0; round < 500; round++) {
        struct drm_client_reading readings[40];
        int64_t device = 0;
        bool counted[16] = {false};
        size_t count = 0;
        seed = seed * 1103515245U + 12345U;
        for (unsigned k = 0; k < 40; k++) {
            seed = seed * 1103515245U + 12345U;
            unsigned random = seed >> 8;
            uint64_t id = random % 16;
            readings[count] = amd_client(100 + random / 16 % 8, (int32_t)k, id);
            readings[count].regions[0].resident.value = (int64_t)id * MIB;
            bend(&readings[count],
                 random / 128 % 12 == 0 ? (enum bend)(random / 2048 % 9) : BEND_NOTHING);
            if (!counted[id])
                device += (int64_t)id * MIB;
            counted[id] = true;
            count++;
        }
        struct ownership_list list = own(arena, readings, count, &whole_walk);
        struct total total = {0};
        for (size_t i = 0; i < list.count; i++)
            total_add(&total, list.items[i].vram_bytes);
        bool exceeds;
        struct measured left =
            total_unattributed(measured_known(device), total_value(&total), &exceeds);
        assert_false(exceeds);
        assert_true(left.value >= 0);
        arena_reset(arena);
    }
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
        cmocka_unit_test(test_each_condition),
        cmocka_unit_test(test_reachable_bytes_stay_known),
        cmocka_unit_test(test_shared_client),
        cmocka_unit_test(test_all_reasons_in_order),
        cmocka_unit_test(test_partial_scan),
        cmocka_unit_test(test_walk_facts_of_the_holder),
        cmocka_unit_test(test_incomplete_process_on_two_adapters),
        cmocka_unit_test(test_proof_age),
        cmocka_unit_test(test_alias_and_missing_pools),
        cmocka_unit_test(test_incredible_size),
        cmocka_unit_test(test_charges_never_count_twice),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
