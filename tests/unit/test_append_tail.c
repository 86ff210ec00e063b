/* Where the last whole line of a file ends, and whose the rest is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/append_tail.h"

#define START "{\"schema\":\"gputaskman/"
#define LINE START "1\"}\n"

struct content {
    const char *bytes;
    int64_t size;
    bool fails;
};

static bool read_content(void *context, int64_t at, char *bytes, size_t size)
{
    const struct content *content = context;
    if (content->fails || at < 0 || at + (int64_t)size > content->size)
        return false;
    memcpy(bytes, content->bytes + at, size);
    return true;
}

static enum append_tail look(const char *bytes, size_t size, bool fails, int64_t *end)
{
    struct content content = {bytes, (int64_t)size, fails};
    const struct append_reader reader = {.read = read_content, .context = &content};
    return append_tail_look(&reader, (int64_t)size, START, end);
}

/* What a power failure leaves: zeros behind the last whole line, or behind a torn one. */
static void test_zeros(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int64_t zeros;
        enum append_tail tail;
        int64_t end;
    } cases[] = {
        {LINE, 16, APPEND_TAIL_TORN, sizeof LINE - 1},
        {LINE LINE, 100000, APPEND_TAIL_TORN, 2 * (sizeof LINE - 1)},
        {LINE, 15, APPEND_TAIL_FOREIGN, sizeof LINE - 1},
        {LINE START "1\",", 5000, APPEND_TAIL_TORN, sizeof LINE - 1},
        {LINE "x", 5000, APPEND_TAIL_FOREIGN, sizeof LINE - 1},
        {"another's\n", 5000, APPEND_TAIL_FOREIGN, 10},
        {"", 5000, APPEND_TAIL_FOREIGN, 0},
        {LINE, 17 << 20, APPEND_TAIL_FOREIGN, sizeof LINE - 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].bytes), size = length + (size_t)cases[i].zeros;
        char *bytes = calloc(1, size);
        int64_t end = -7;
        memcpy(bytes, cases[i].bytes, length);
        assert_int_equal(look(bytes, size, false, &end), cases[i].tail);
        assert_int_equal(end, cases[i].end);
        free(bytes);
    }
}

static void test_ends(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        enum append_tail tail;
        int64_t end;
    } cases[] = {
        {"", APPEND_TAIL_WHOLE, 0},
        {LINE, APPEND_TAIL_WHOLE, sizeof LINE - 1},
        {"anything\n", APPEND_TAIL_FOREIGN, 9},
        {"notes\n" LINE, APPEND_TAIL_FOREIGN, sizeof "notes\n" LINE - 1},
        {"notes\n" START, APPEND_TAIL_FOREIGN, 6},
        {"\n", APPEND_TAIL_FOREIGN, 1},
        {START "1\",\"ver", APPEND_TAIL_TORN, 0},
        {LINE "{", APPEND_TAIL_TORN, sizeof LINE - 1},
        {LINE START "1\",\"ver", APPEND_TAIL_TORN, sizeof LINE - 1},
        {LINE "{\"schema\":\"other/1", APPEND_TAIL_FOREIGN, sizeof LINE - 1},
        {"a letter to nobody", APPEND_TAIL_FOREIGN, 0},
        {LINE "\n\n", APPEND_TAIL_WHOLE, sizeof LINE + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t end = -7;
        assert_int_equal(look(cases[i].bytes, strlen(cases[i].bytes), false, &end), cases[i].tail);
        assert_int_equal(end, cases[i].end);
    }
    int64_t end;
    assert_int_equal(look(LINE "{", sizeof LINE, true, &end), APPEND_TAIL_FOREIGN);
}

/* A snapshot of a large machine is longer than any buffer. */
static void test_long_lines(void **state)
{
    (void)state;
    for (size_t length = 4000; length < 20000; length += 977) {
        size_t size = sizeof LINE - 1 + length;
        char *bytes = malloc(size);
        int64_t end;
        assert_non_null(bytes);
        memset(bytes, 'x', size);
        memcpy(bytes, LINE, sizeof LINE - 1);
        memcpy(bytes + sizeof LINE - 1, START, sizeof START - 1);
        assert_int_equal(look(bytes, size, false, &end), APPEND_TAIL_TORN);
        assert_int_equal(end, sizeof LINE - 1);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_long_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
