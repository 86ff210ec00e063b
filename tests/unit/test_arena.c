#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/vector.h"

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void test_pieces_are_zeroed_aligned_and_apart(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    for (int round = 0; round < 3; round++) {
        unsigned char *pieces[500];

        for (size_t i = 0; i < 500; i++) {
            pieces[i] = arena_alloc(arena, i * 7);
            assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
            assert_true(is_zero(pieces[i], i * 7));
            memset(pieces[i], (int)(i & 0xFF) | 1, i * 7);
        }
        for (size_t i = 0; i < 500; i++)
            for (size_t at = 0; at < i * 7; at++)
                assert_int_equal(pieces[i][at], (i & 0xFF) | 1);
        arena_reset(arena);
    }
    arena_free(&arena);
    assert_null(arena);
    arena_free(&arena);
}

/* A steady refresh: the capacity is that of the first use, whatever the order of large and small.
 */
static void fill(struct arena *arena, unsigned seed)
{
    for (int i = 0; i < 400; i++) {
        seed = seed * 1103515245 + 12345;
        arena_alloc(arena, seed >> 16 & 0x3FF);
        if (i % 50 == 0)
            arena_alloc(arena, seed >> 8 & 0x1FFFF);
    }
    arena_alloc(arena, 3 * 1024 * 1024);
    arena_alloc(arena, 40);
}

static void test_reset_keeps_the_memory(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    fill(arena, 1);
    size_t capacity = arena_capacity(arena);

    assert_true(capacity > 0);
    for (int round = 0; round < 20; round++) {
        arena_reset(arena);
        fill(arena, 1);
        assert_int_equal(arena_capacity(arena), capacity);
    }
    /* Other patterns of the same size settle, too. */
    for (unsigned round = 0; round < 50; round++) {
        arena_reset(arena);
        fill(arena, round % 5);
    }
    size_t settled = arena_capacity(arena);

    for (unsigned round = 0; round < 50; round++) {
        arena_reset(arena);
        fill(arena, round % 5);
    }
    assert_int_equal(arena_capacity(arena), settled);
    arena_free(&arena);
}

/* A need that grows a little each time must not keep every size it ever had. */
static void test_slow_growth_is_bounded(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    for (size_t size = 2000000; size < 4000000; size += 10000) {
        arena_reset(arena);
        arena_alloc(arena, size);
    }
    assert_true(arena_capacity(arena) < 16 * 1024 * 1024);
    arena_free(&arena);
}

static void test_string_and_array(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    assert_string_equal(arena_string(arena, "abcdef", 3), "abc");
    assert_string_equal(arena_string(arena, NULL, 0), "");
    int64_t *numbers = ARENA_ARRAY(arena, int64_t, 100);

    assert_true(is_zero((unsigned char *)numbers, 800));
    assert_non_null(ARENA_NEW(arena, int));
    assert_non_null(arena_alloc(arena, 0));
    arena_free(&arena);
}

static void test_vector(void **state)
{
    struct {
        int *items;
        size_t count, capacity;
    } vector = {0};

    (void)state;
    for (int i = 0; i < 10000; i++)
        VECTOR_PUSH(&vector, i);
    assert_int_equal(vector.count, 10000);
    assert_true(vector.capacity >= 10000 && vector.capacity < 20000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(vector.items[i], i);
    VECTOR_FREE(&vector);
    assert_null(vector.items);
    assert_int_equal(vector.count + vector.capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(test_reset_keeps_the_memory),
        cmocka_unit_test(test_slow_growth_is_bounded),
        cmocka_unit_test(test_string_and_array),
        cmocka_unit_test(test_vector),
    };

    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
