/* Expected values: reference windows.md sections 1.3 and 1.4: how PdhGetRawCounterArrayW is asked,
 * which statuses are an empty list, a missing counter or a broken query. PDH is a table here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/wddm/pdh_array.h"
#include "gpu/wddm/pdh_session.h"
#include "base/wide_text.h"

enum { NAME_UNITS = 40 };
static const uint32_t timed_out = 0xC0000BFE;

/* ---- a PDH ---- */

static struct {
    uint32_t items;        /* of every array, when it is asked for */
    uint32_t grows;        /* by so many between asking for its size and asking for it */
    unsigned grow_times;   /* so often */
    uint32_t too_small;    /* what a buffer that is too small is answered with */
    uint32_t size_lie;     /* 0: the size is right; else what is said of it */
    uint32_t array_status; /* else PDH_VALID_DATA */
    uint32_t collect_status;
    uint32_t open_status;
    const char *absent; /* a counter whose path has this in it cannot be added */
    bool name_outside, no_end;
    unsigned opens, closes, adds, removes, collects, arrays;
} pdh;

static uint32_t open_query(const uint16_t *source, size_t user, void **query)
{
    assert_null(source);
    assert_int_equal(user, 0);
    pdh.opens++;
    *query = &pdh;
    return pdh.open_status;
}

static uint32_t add_counter(void *query, const uint16_t *path, size_t user, void **counter)
{
    char text[128] = "";
    assert_ptr_equal(query, &pdh);
    assert_int_equal(user, 0);
    for (size_t i = 0; path[i]; i++)
        text[i] = (char)path[i];
    pdh.adds++;
    if (pdh.absent && strstr(text, pdh.absent))
        return PDH_NO_OBJECT;
    assert_true(text[0] == '\\' && pdh_path_of(text) < PDH_PATH_COUNT);
    *counter = &pdh.items;
    return 0;
}

static uint32_t collect(void *query)
{
    assert_ptr_equal(query, &pdh);
    pdh.collects++;
    return pdh.collect_status;
}

static void write_item(char *buffer, uint32_t number, char *name)
{
    char text[NAME_UNITS];
    struct pdh_wire_item item = {.name = name,
                                 .status = number % 2,
                                 .time_low = 5,
                                 .time_high = 1,
                                 .first = -(int64_t)number,
                                 .second = 7,
                                 .multi_count = 0xa5a5a5a5};
    snprintf(text, sizeof text, "pid_%u_luid_0x0_0x1_phys_0", number);
    for (size_t i = 0; i < NAME_UNITS; i++) {
        uint16_t unit = pdh.no_end ? 'x' : (unsigned char)text[i];
        memcpy(name + i * sizeof unit, &unit, sizeof unit);
    }
    if (pdh.name_outside && number == 1)
        item.name = &pdh;
    memcpy(buffer + number * sizeof item, &item, sizeof item);
}

static uint32_t raw_array(void *counter, uint32_t *size, uint32_t *count, void *buffer)
{
    const uint32_t one = sizeof(struct pdh_wire_item) + NAME_UNITS * 2;
    uint32_t needed = pdh.items * one;
    assert_ptr_equal(counter, &pdh.items);
    pdh.arrays++;
    if (pdh.array_status)
        return pdh.array_status;
    if (pdh.items == 0) {
        *count = *size = 0;
        return buffer ? PDH_VALID_DATA : PDH_NO_DATA;
    }
    if (!buffer || *size < needed) {
        uint32_t status = *size > 0 ? pdh.too_small : PDH_MORE_DATA;
        *size = pdh.size_lie ? pdh.size_lie : *size > 0 ? 3 : needed;
        *count = pdh.items;
        if (pdh.grow_times > 0) {
            pdh.grow_times--;
            pdh.items += pdh.grows ? pdh.grows : pdh.items; /* 0: doubles */
        }
        return status;
    }
    for (uint32_t i = 0; i < pdh.items; i++)
        write_item(buffer, i,
                   (char *)buffer + pdh.items * sizeof(struct pdh_wire_item) +
                       i * (size_t)NAME_UNITS * 2);
    *size = needed;
    *count = pdh.items;
    return 0;
}

static uint32_t close_query(void *query)
{
    assert_ptr_equal(query, &pdh);
    pdh.closes++;
    return 0;
}

static uint32_t remove_counter(void *counter)
{
    assert_ptr_equal(counter, &pdh.items);
    pdh.removes++;
    return 0;
}

static const struct pdh_calls calls = {open_query, add_counter, collect,
                                       raw_array,  close_query, remove_counter};

static void begin(uint32_t items)
{
    memset(&pdh, 0, sizeof pdh);
    pdh.items = items;
    pdh.too_small = PDH_MORE_DATA;
}

/* ---- arrays ---- */

static const struct {
    const char *what;
    uint32_t items, grows;
    unsigned grow_times;
    uint32_t too_small, status;
    size_t count;
} growing[] = {
    {"nothing", 0, 0, 0, PDH_MORE_DATA, PDH_VALID_DATA, 0},
    {"one", 1, 0, 0, PDH_MORE_DATA, PDH_VALID_DATA, 1},
    {"a little more than was said fits into the reserve", 100, 20, 1, PDH_MORE_DATA, PDH_VALID_DATA,
     120},
    {"doubled meanwhile", 100, 100, 1, PDH_MORE_DATA, PDH_VALID_DATA, 200},
    {"doubled meanwhile, said as an invalid argument", 100, 100, 1, PDH_INVALID_ARGUMENT,
     PDH_VALID_DATA, 200},
    {"four times in a row", 100, 300, 4, PDH_MORE_DATA, PDH_VALID_DATA, 1300},
    {"grows for ever", 100, 0, 99, PDH_MORE_DATA, PDH_MORE_DATA, 0},
};

static void test_growing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof growing / sizeof *growing; i++) {
        struct pdh_buffer buffer = {0};
        struct pdh_raw_array array;
        struct arena *arena = arena_new();
        begin(growing[i].items);
        pdh.grows = growing[i].grows;
        pdh.grow_times = growing[i].grow_times;
        pdh.too_small = growing[i].too_small;
        pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
        if (array.status != growing[i].status || array.count != growing[i].count)
            fail_msg("%s: status 0x%08x, %zu items", growing[i].what, array.status, array.count);
        assert_true(pdh.arrays <= 2 * PDH_ARRAY_TRIES);
        /* The second time the buffer is there: one call. */
        pdh.grow_times = pdh.arrays = 0;
        pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
        if (pdh_is_valid(growing[i].status) && pdh.arrays != 1)
            fail_msg("%s: %u calls with a kept buffer", growing[i].what, pdh.arrays);
        pdh_buffer_free(&buffer);
        arena_free(&arena);
    }
}

static void test_items(void **state)
{
    (void)state;
    struct pdh_buffer buffer = {0};
    struct pdh_raw_array array;
    struct arena *arena = arena_new();
    begin(3);
    pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
    assert_int_equal(array.count, 3);
    assert_true(raw_equal_string(array.items[2].instance, "pid_2_luid_0x0_0x1_phys_0"));
    assert_int_equal(array.items[1].status, 1);
    assert_true(array.items[2].first == -2 && array.items[2].second == 7);
    assert_true(array.items[0].time_100ns == ((int64_t)1 << 32) + 5);
    pdh.name_outside = true; /* a name that lies elsewhere is not followed */
    pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
    assert_int_equal(array.count, 2);
    assert_true(raw_equal_string(array.items[1].instance, "pid_2_luid_0x0_0x1_phys_0"));
    pdh.name_outside = false;
    pdh.no_end = true; /* nor beyond the buffer's end */
    pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
    assert_int_equal(array.count, 3);
    assert_true(array.items[0].instance.length <= PDH_NAME_UNITS_MAX);
    pdh_buffer_free(&buffer);
    arena_free(&arena);
}

static void test_hostile(void **state)
{
    (void)state;
    struct pdh_buffer buffer = {0};
    struct pdh_raw_array array;
    struct arena *arena = arena_new();
    begin(3);
    pdh.size_lie = UINT32_MAX; /* more than is ever taken */
    pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
    assert_int_equal(array.status, PDH_INVALID_DATA);
    assert_int_equal(array.count, 0);
    begin(3);
    pdh.size_lie = 1; /* never enough */
    pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
    assert_int_equal(array.status, PDH_MORE_DATA);
    assert_int_equal(array.count, 0);
    begin(3);
    pdh.array_status = PDH_INVALID_HANDLE;
    pdh_array_read(&calls, &pdh.items, &buffer, arena, &array);
    assert_int_equal(array.status, PDH_INVALID_HANDLE);
    pdh_buffer_free(&buffer);
    arena_free(&arena);
}

/* ---- the query ---- */

static void test_session(void **state)
{
    (void)state;
    uint32_t status;
    struct pdh_collection collection;
    struct arena *arena = arena_new();
    begin(2);
    struct pdh_session *session = pdh_session_open(&calls, &status);
    assert_non_null(session);
    assert_int_equal(status, 0);
    assert_int_equal(pdh.adds, PDH_PATH_COUNT);
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.status, 0);
    for (int i = 0; i < PDH_PATH_COUNT; i++)
        assert_int_equal(collection.arrays[i].count, 2);
    pdh_session_close(&session);
    assert_null(session);
    assert_int_equal(pdh.closes, 1);
    begin(2);
    pdh.open_status = PDH_INVALID_ARGUMENT;
    assert_null(pdh_session_open(&calls, &status));
    assert_int_equal(status, PDH_INVALID_ARGUMENT);
    arena_free(&arena);
}

static void test_missing_counter(void **state)
{
    (void)state;
    uint32_t status;
    struct pdh_collection collection;
    struct arena *arena = arena_new();
    begin(2);
    pdh.absent = "Engine";
    struct pdh_session *session = pdh_session_open(&calls, &status);
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.arrays[PDH_UTILIZATION].status, PDH_NO_OBJECT);
    assert_int_equal(collection.arrays[PDH_LOCAL].count, 2);
    pdh.adds = 0;
    pdh_session_add_missing(session); /* only what is missing */
    assert_int_equal(pdh.adds, 1);
    pdh.absent = NULL;
    pdh_session_add_missing(session);
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.arrays[PDH_UTILIZATION].count, 2);
    pdh_session_close(&session);

    begin(2); /* a machine without any of them */
    pdh.absent = "GPU";
    pdh.collect_status = PDH_NO_DATA;
    session = pdh_session_open(&calls, &status);
    for (int i = 0; i < 10; i++)
        pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.arrays[PDH_LOCAL].status, PDH_NO_OBJECT);
    assert_int_equal(pdh.opens, 1);
    pdh_session_close(&session);
    arena_free(&arena);
}

static void test_provider_gone(void **state)
{
    (void)state;
    uint32_t status;
    struct pdh_collection collection;
    struct arena *arena = arena_new();
    begin(2);
    struct pdh_session *session = pdh_session_open(&calls, &status);
    pdh.array_status = PDH_NO_OBJECT; /* a driver that is updated */
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.arrays[PDH_LOCAL].status, PDH_NO_OBJECT);
    assert_int_equal(pdh.removes, PDH_PATH_COUNT);
    pdh.arrays = 0;
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(pdh.arrays, 0); /* not asked until it is added again */
    pdh.array_status = 0;
    pdh_session_add_missing(session);
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.arrays[PDH_LOCAL].count, 2);
    pdh_session_close(&session);
    arena_free(&arena);
}

static void test_reopened(void **state)
{
    (void)state;
    static const uint32_t broken[] = {PDH_INVALID_HANDLE, PDH_INVALID_ARGUMENT, PDH_INVALID_DATA,
                                      timed_out};
    struct pdh_collection collection;
    struct arena *arena = arena_new();
    uint32_t status;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        begin(2);
        struct pdh_session *session = pdh_session_open(&calls, &status);
        pdh.collect_status = broken[i];
        for (int k = 0; k < 2; k++)
            pdh_session_collect(session, arena, &collection);
        assert_int_equal(collection.status, broken[i]);
        assert_int_equal(collection.arrays[PDH_LOCAL].status, broken[i]);
        pdh.collect_status = 0; /* not in a row: counted anew */
        pdh_session_collect(session, arena, &collection);
        pdh.collect_status = broken[i];
        for (int k = 0; k < 3; k++)
            pdh_session_collect(session, arena, &collection);
        assert_int_equal(pdh.closes, 1);
        pdh.collect_status = 0;
        pdh_session_collect(session, arena, &collection);
        assert_int_equal(pdh.opens, 2);
        assert_int_equal(collection.arrays[PDH_LOCAL].count, 2);
        pdh_session_close(&session);
    }
    begin(2); /* it cannot be opened again at once */
    struct pdh_session *session = pdh_session_open(&calls, &status);
    pdh.collect_status = PDH_INVALID_HANDLE;
    pdh.open_status = PDH_INVALID_DATA;
    for (int k = 0; k < 5; k++)
        pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.status, PDH_INVALID_DATA);
    pdh.open_status = pdh.collect_status = 0;
    pdh_session_collect(session, arena, &collection);
    assert_int_equal(collection.arrays[PDH_LOCAL].count, 2);
    pdh_session_close(&session);
    arena_free(&arena);
}

static void test_wide_text(void **state)
{
    (void)state;
    static const struct {
        uint16_t wide[8];
        size_t limit;
        const char *expected;
    } table[] = {
        {{'a', 'b', 0, 'c'}, 8, "ab"},
        {{'a', 'b', 'c'}, 2, "ab"},
        {{0xe4, 0x20ac}, 8, "\xc3\xa4\xe2\x82\xac"},
        {{0xd83d, 0xde00}, 8, "\xf0\x9f\x98\x80"},
        {{0xd83d, 'x'}, 8, "\xef\xbf\xbdx"},
        {{0xde00, 0xd83d}, 8, "\xef\xbf\xbd\xef\xbf\xbd"},
        {{0xd83d, 0xde00}, 1, "\xef\xbf\xbd"}, /* cut within a pair */
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!raw_equal_string(wide_text(arena, table[i].wide, table[i].limit), table[i].expected))
            fail_msg("text %zu", i);
    assert_null(wide_text(arena, table[0].wide + 2, 8).bytes);
    assert_null(wide_text(arena, table[0].wide, 0).bytes);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),         cmocka_unit_test(test_items),
        cmocka_unit_test(test_hostile),         cmocka_unit_test(test_session),
        cmocka_unit_test(test_missing_counter), cmocka_unit_test(test_provider_gone),
        cmocka_unit_test(test_reopened),        cmocka_unit_test(test_wide_text),
    };
    return cmocka_run_group_tests_name("pdh session", tests, NULL, NULL);
}
