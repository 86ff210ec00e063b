#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"

enum { KEYS = 600, STEPS = 200000 };

/* Against the plainest map there is: an array by key. Keys differ only in their high bits, as those
 * of a poor hash would collide. */
static void test_against_array(void **state)
{
    struct map *map = map_new(sizeof(uint64_t), sizeof(int));
    int expected[KEYS] = {0};
    size_t present = 0;
    uint32_t random = 7;

    (void)state;
    for (int step = 1; step <= STEPS; step++) {
        random = random * 1664525 + 1013904223;
        size_t number = (random >> 8) % KEYS;
        uint64_t key = (uint64_t)number << 52;
        int *value = map_get(map, &key);

        assert_int_equal(value ? *value : 0, expected[number]);
        if (random >> 31) {
            bool added;

            value = map_put(map, &key, &added);
            assert_int_equal(added, expected[number] == 0);
            assert_int_equal(*value, expected[number]);
            *value = expected[number] = step;
            present += added;
        } else {
            assert_int_equal(map_remove(map, &key), expected[number] != 0);
            present -= expected[number] != 0;
            expected[number] = 0;
        }
        assert_int_equal(map_count(map), present);
    }
    map_free(&map);
    assert_null(map);
}

static bool drop_odd(const void *key, void *value, void *context)
{
    uint32_t number;

    memcpy(&number, key, sizeof number);
    assert_int_equal(*(uint32_t *)value, number * 3);
    (*(int *)context)++;
    return number % 2;
}

static void test_walk_and_remove_if(void **state)
{
    struct map *map = map_new(sizeof(uint32_t), sizeof(uint32_t));
    int asked = 0, walked = 0;
    char seen[1000] = {0};

    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        *(uint32_t *)map_put(map, &i, NULL) = i * 3;
    map_remove_if(map, drop_odd, &asked);
    assert_int_equal(asked, 1000);
    assert_int_equal(map_count(map), 500);

    const void *key;
    void *value;

    for (size_t at = 0; map_next(map, &at, &key, &value); walked++) {
        uint32_t number = *(const uint32_t *)key;

        assert_int_equal(number % 2, 0);
        assert_int_equal(*(uint32_t *)value, number * 3);
        assert_int_equal(seen[number]++, 0);
    }
    assert_int_equal(walked, 500);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(map_get(map, &i) != NULL, i % 2 == 0);
    map_clear(map);
    assert_int_equal(map_count(map), 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_null(map_get(map, &i));
    map_free(&map);
}

/* Keys of a length that is no multiple of eight, all of whose bytes count; values of none (a set).
 */
static void test_odd_sizes(void **state)
{
    struct map *map = map_new(13, 0);
    char key[13] = {0};

    (void)state;
    assert_null(map_get(map, key));
    assert_false(map_remove(map, key));
    for (int i = 0; i < 13; i++) {
        bool added;

        key[i] = 1;
        assert_non_null(map_put(map, key, &added));
        assert_true(added);
        map_put(map, key, &added);
        assert_false(added);
        key[i] = 0;
    }
    assert_int_equal(map_count(map), 13);
    map_free(&map);
}

/* Values start as zero also where a removed one lay before. */
static void test_added_values_are_zeroed(void **state)
{
    struct map *map = map_new(sizeof(int), sizeof(int64_t));

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 50; i++) {
            int64_t *value = map_put(map, &i, NULL);

            assert_int_equal(*value, 0);
            *value = -1;
        }
        for (int i = 0; i < 50; i++)
            assert_true(map_remove(map, &i));
    }
    map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_array),
        cmocka_unit_test(test_walk_and_remove_if),
        cmocka_unit_test(test_odd_sizes),
        cmocka_unit_test(test_added_values_are_zeroed),
    };

    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
