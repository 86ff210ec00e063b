/* Expected values: reference windows.md section 2: numbers and layouts of the queries, discovery by
 * two calls, every handle closed. D3DKMT is a table here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/wddm/d3dkmt_facts.h"

static struct {
    uint32_t adapters, grows; /* between the two calls */
    int32_t enum3_status;
    uint64_t refused; /* query types, as bits */
    uint32_t opened, closed;
    uint32_t bus;
    uint64_t filter;
} kernel;

static void begin(uint32_t adapters)
{
    memset(&kernel, 0, sizeof kernel);
    kernel.adapters = adapters;
    kernel.bus = 0x2d;
}

static int32_t enumerate(struct d3dkmt_adapter *adapters, uint32_t *count)
{
    if (!adapters) {
        *count = kernel.adapters;
        kernel.adapters += kernel.grows;
        kernel.grows = 0;
        return D3DKMT_OK;
    }
    if (*count < kernel.adapters) {
        *count = kernel.adapters;
        return D3DKMT_BUFFER_TOO_SMALL;
    }
    for (uint32_t i = 0; i < kernel.adapters; i++)
        adapters[i] = (struct d3dkmt_adapter){.handle = 100 + i, .luid = {0xD1B4 + i, i == 1}};
    kernel.opened += kernel.adapters;
    *count = kernel.adapters;
    return D3DKMT_OK;
}

static int32_t enum2(struct d3dkmt_enum2 *all)
{
    return enumerate(all->adapters, &all->count);
}

static int32_t enum3(struct d3dkmt_enum3 *all)
{
    kernel.filter = all->filter;
    return kernel.enum3_status ? kernel.enum3_status : enumerate(all->adapters, &all->count);
}

static void put(const struct d3dkmt_query *query, const void *value, size_t size)
{
    assert_int_equal(query->size, size);
    memcpy(query->data, value, size);
}

static void put_u32(const struct d3dkmt_query *query, uint32_t value)
{
    put(query, &value, sizeof value);
}

static void put_name(const struct d3dkmt_query *query, const char *name)
{
    for (size_t i = 0; i <= strlen(name); i++)
        ((uint16_t *)query->data)[i] = (unsigned char)name[i];
}

static void answer_node(const struct d3dkmt_query *query, int32_t *status)
{
    if (query->type == 25) {
        unsigned char *bytes = query->data;
        uint32_t node;
        assert_int_equal(query->size, 78);
        memcpy(&node, bytes, sizeof node);
        assert_int_equal(node >> 16, 0);
        bytes[4] = node == 1 || node == 2 ? 1 : 6;
        if (node >= 3)
            *status = -1;
    } else {
        struct d3dkmt_node_perfdata data;
        memcpy(&data, query->data, sizeof data);
        data.hz = UINT64_C(1000000000) * data.node;
        data.most_hz = UINT64_C(3000000000);
        put(query, &data, sizeof data);
    }
}

static int32_t query_info(const struct d3dkmt_query *query)
{
    int32_t status = D3DKMT_OK;
    assert_true(query->handle >= 100 || query->handle == 7);
    if (kernel.refused >> (query->type & 63) & 1 && query->type < 64)
        return -1;
    switch (query->type) {
    case 3:
        put(query, &(struct d3dkmt_segment_size){24, 1, 32}, 24);
        break;
    case 6:
        put(query, &(struct d3dkmt_address){kernel.bus, 0, 1}, 12);
        break;
    case 8:
        assert_int_equal(query->size, 2080);
        put_name(query, "NVIDIA GeForce RTX 4090");
        break;
    case 13:
        put_u32(query, 3100);
        break;
    case 15:
        put_u32(query, 3);
        break;
    case 30:
        put_u32(query, 1);
        break;
    case 31:
        put(query, &(struct d3dkmt_device_ids){0, 0x10de, 0x2684, 0x1043, 0x88e2, 0xa1, 0}, 28);
        break;
    case 42:
        put(query, &(struct d3dkmt_segment_group_size){.local = 24, .non_local = 32}, 56);
        break;
    case 49:
        put(query, &(uint64_t){UINT64_C(0x00200000000F19D6)}, 8);
        break;
    case 57:
        put_u32(query, 1);
        break;
    case 62:
        put(query,
            &(struct d3dkmt_perfdata){.memory_hz = 10,
                                      .fan_rpm = 900,
                                      .power_permille = 421,
                                      .temperature_decicelsius = 615},
            64);
        break;
    case 65:
        assert_int_equal(query->size, 8192);
        put_name(query, "from the driver");
        break;
    case 25:
    case 61:
        answer_node(query, &status);
        break;
    default:
        status = -1;
    }
    return status;
}

static int32_t open_luid(struct d3dkmt_open *adapter)
{
    if (adapter->luid.low != 0xD1B4 || adapter->luid.high != 1)
        return -1;
    adapter->handle = 7;
    kernel.opened++;
    return D3DKMT_OK;
}

static int32_t close_adapter(const struct d3dkmt_close *adapter)
{
    assert_true(adapter->handle > 0);
    kernel.closed++;
    return D3DKMT_OK;
}

static const struct d3dkmt_calls calls = {enum3, enum2, query_info, open_luid, close_adapter};
static const struct d3dkmt_calls older = {NULL, enum2, query_info, open_luid, close_adapter};

static void test_list(void **state)
{
    (void)state;
    struct adapter_facts_list list;
    struct arena *arena = arena_new();
    begin(2);
    assert_true(d3dkmt_list(&calls, arena, &list));
    assert_int_equal(list.count, 2);
    assert_int_equal(kernel.filter, 3); /* compute-only and display-only ones, too */
    assert_int_equal(kernel.opened, 2);
    assert_int_equal(kernel.closed, 2);
    const struct adapter_facts *facts = &list.items[1];
    assert_true(facts->luid == (UINT64_C(1) << 32 | 0xD1B5));
    assert_true(raw_equal_string(facts->name, "NVIDIA GeForce RTX 4090"));
    assert_true(raw_equal_string(facts->driver_version, "32.0.15.6614"));
    assert_true(facts->type_bits.known && facts->type_bits.value == 3);
    assert_true(facts->wddm_version.known && facts->wddm_version.value == 3100);
    assert_true(facts->dedicated_video_bytes.value == 24 && facts->shared_system_bytes.value == 32);
    assert_true(facts->local_bytes.value == 24 && facts->non_local_bytes.value == 32);
    assert_true(facts->has_address && facts->bus == 0x2d && facts->function == 1);
    assert_true(facts->has_ids && facts->vendor_id == 0x10de && facts->device_id == 0x2684);
    assert_int_equal(facts->physical_count, 1);
    arena_free(&arena);
}

static void test_growing(void **state)
{
    (void)state;
    struct adapter_facts_list list;
    struct arena *arena = arena_new();
    static const uint32_t grows[] = {0, 1, 4, 9};
    for (size_t i = 0; i < sizeof grows / sizeof *grows; i++) {
        begin(2);
        kernel.grows = grows[i];
        assert_true(d3dkmt_list(&older, arena, &list));
        assert_int_equal(list.count, 2 + grows[i]);
        assert_int_equal(kernel.closed, kernel.opened);
    }
    begin(0);
    assert_true(d3dkmt_list(&calls, arena, &list) && list.count == 0);
    begin(D3DKMT_ADAPTERS_MAX + 1);
    assert_false(d3dkmt_list(&calls, arena, &list));
    begin(1);
    kernel.enum3_status = -1; /* the older call is asked then */
    assert_true(d3dkmt_list(&calls, arena, &list) && list.count == 1);
    const struct d3dkmt_calls none = {0};
    assert_false(d3dkmt_list(&none, arena, &list));
    arena_free(&arena);
}

static void test_refused(void **state)
{
    (void)state;
    struct adapter_facts_list list;
    struct arena *arena = arena_new();
    begin(1);
    kernel.refused = UINT64_MAX; /* all below 64: the description is left */
    assert_true(d3dkmt_list(&calls, arena, &list));
    const struct adapter_facts *facts = &list.items[0];
    assert_true(raw_equal_string(facts->name, "from the driver"));
    assert_null(facts->driver_version.bytes);
    assert_false(facts->type_bits.known || facts->dedicated_video_bytes.known);
    assert_false(facts->non_local_bytes.known || facts->has_address || facts->has_ids);
    begin(1);
    kernel.refused = UINT64_C(1) << 15; /* a render-only half */
    assert_true(d3dkmt_list(&calls, arena, &list));
    assert_int_equal(list.items[0].type_bits.value, 1);
    begin(1);
    kernel.bus = UINT32_MAX; /* no address */
    assert_true(d3dkmt_list(&calls, arena, &list));
    assert_false(list.items[0].has_address);
    arena_free(&arena);
}

static void test_perf(void **state)
{
    (void)state;
    const uint64_t luid = UINT64_C(1) << 32 | 0xD1B4;
    struct adapter_perf perf;
    struct measured now, most;
    begin(1);
    assert_true(d3dkmt_perf(&calls, luid, 0, &perf));
    assert_int_equal(perf.temperature_decicelsius, 615);
    assert_int_equal(perf.power_permille, 421);
    assert_int_equal(perf.fan_rpm, 900);
    assert_false(d3dkmt_perf(&calls, 0xD1B4, 0, &perf)); /* the halves are not swapped */
    d3dkmt_clocks(&calls, luid, 0, &now, &most);
    assert_true(now.known && now.value == 2000000000); /* the faster of the two 3D engines */
    assert_true(most.known && most.value == 3000000000);
    assert_int_equal(kernel.closed, kernel.opened);
    kernel.refused = UINT64_MAX;
    assert_false(d3dkmt_perf(&calls, luid, 0, &perf));
    assert_int_equal(perf.temperature_decicelsius, 0);
    d3dkmt_clocks(&calls, luid, 0, &now, &most);
    assert_false(now.known || most.known);
    assert_int_equal(kernel.closed, kernel.opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_perf),
    };
    return cmocka_run_group_tests_name("d3dkmt", tests, NULL, NULL);
}
