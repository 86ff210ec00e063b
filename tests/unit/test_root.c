/* Expected values: os/root.h; a recorded tree is never left (SNAPSHOT, "Recorded machines"). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "os/root.h"
#include "tree.h"

static char top[TREE_PATH_SIZE];
static struct root *root;
static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    tree_new(top);
    tree_write(top, "secret", "outside");
    tree_write(top, "machine/sys/number", " 42\n");
    tree_write(top, "machine/sys/negative", "-273150\n");
    tree_write(top, "machine/sys/hex", "0x1002\n");
    tree_write(top, "machine/sys/text", "12 apples\n");
    tree_write(top, "machine/sys/empty", "");
    tree_write(top, "machine/sys/devices/pci0000:00/0000:03:00.0/vendor", "0x1002\n");
    tree_link(top, "machine/sys/class/drm/card0", "../../devices/pci0000:00/0000:03:00.0");
    tree_link(top, "machine/absolute", "/sys/number");
    tree_link(top, "machine/out", "../secret");
    tree_link(top, "machine/sys/far", "../../../../../../etc/passwd");
    tree_link(top, "machine/loop", "loop");
    tree_link(top, "machine/dangling", "/dev/dri/renderD128");
    tree_folder(top, "machine/folder");
    char path[TREE_PATH_SIZE];
    tree_place(top, "machine/pipe", path);
    if (mkfifo(path, 0600) != 0)
        abort();
    tree_place(top, "machine", path);
    root = root_open(path);
    arena = arena_new();
    return root ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    root_close(&root);
    arena_free(&arena);
    tree_remove(top);
    return 0;
}

static void test_read(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t size;
        enum root_result result;
        const char *content;
    } cases[] = {
        {"sys/number", 64, ROOT_OK, " 42\n"},
        {"sys/number", 4, ROOT_OK, " 42\n"},
        {"sys/number", 3, ROOT_TRUNCATED, " 42"},
        {"sys/number", 0, ROOT_TRUNCATED, ""},
        {"sys/empty", 64, ROOT_OK, ""},
        {"sys/none", 64, ROOT_ABSENT, ""},
        {"sys/number/none", 64, ROOT_ABSENT, ""},
        {"sys/class/drm/card0/vendor", 64, ROOT_OK, "0x1002\n"},
        {"sys/class/drm/card0/../0000:03:00.0/./vendor", 64, ROOT_OK, "0x1002\n"},
        {"/sys/number", 64, ROOT_OK, " 42\n"},
        {"absolute", 64, ROOT_OK, " 42\n"},
        {"out", 64, ROOT_FAILED, ""},
        {"sys/far", 64, ROOT_FAILED, ""},
        {"../secret", 64, ROOT_FAILED, ""},
        {"loop", 64, ROOT_FAILED, ""},
        {"dangling", 64, ROOT_ABSENT, ""},
        {"folder", 64, ROOT_FAILED, ""},
        {"pipe", 64, ROOT_FAILED, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[64];
        size_t length;
        int error;
        enum root_result result =
            root_read(root, cases[i].path, buffer, cases[i].size, &length, &error);
        if (result != cases[i].result)
            fail_msg("%s: result %d", cases[i].path, result);
        assert_int_equal(length, strlen(cases[i].content));
        assert_memory_equal(buffer, cases[i].content, length);
        assert_int_equal(error == 0, result == ROOT_OK || result == ROOT_TRUNCATED);
    }
}

static void test_read_arena(void **state)
{
    (void)state;
    char *large = malloc(100000);
    memset(large, 'x', 100000);
    tree_write_bytes(top, "machine/large", large, 100000);
    free(large);
    struct raw_text content;
    assert_int_equal(root_read_arena(root, arena, "large", 1 << 20, &content, NULL), ROOT_OK);
    assert_int_equal(content.length, 100000);
    assert_int_equal(root_read_arena(root, arena, "large", 100000, &content, NULL), ROOT_OK);
    assert_int_equal(root_read_arena(root, arena, "large", 99999, &content, NULL), ROOT_TRUNCATED);
    assert_int_equal(content.length, 99999);
    assert_int_equal(root_read_arena(root, arena, "large", 10, &content, NULL), ROOT_TRUNCATED);
    assert_int_equal(content.length, 10);
    assert_int_equal(root_read_arena(root, arena, "sys/empty", 10, &content, NULL), ROOT_OK);
    assert_int_equal(content.length, 0);
    assert_non_null(content.bytes);
    assert_int_equal(root_read_arena(root, arena, "none", 10, &content, NULL), ROOT_ABSENT);
    assert_null(content.bytes);
}

static void test_numbers(void **state)
{
    (void)state;
    int64_t value;
    uint64_t hex;
    assert_int_equal(root_read_i64(root, "sys/number", &value, NULL), ROOT_OK);
    assert_int_equal(value, 42);
    assert_int_equal(root_read_i64(root, "sys/negative", &value, NULL), ROOT_OK);
    assert_int_equal(value, -273150);
    assert_int_equal(root_read_i64(root, "sys/hex", &value, NULL), ROOT_OK);
    assert_int_equal(value, 0x1002);
    assert_int_equal(root_read_hex(root, "sys/hex", &hex, NULL), ROOT_OK);
    assert_int_equal(hex, 0x1002);
    assert_int_equal(root_read_i64(root, "sys/text", &value, NULL), ROOT_FAILED);
    assert_int_equal(root_read_i64(root, "sys/empty", &value, NULL), ROOT_FAILED);
    assert_int_equal(root_read_i64(root, "sys/none", &value, NULL), ROOT_ABSENT);
}

static void test_links(void **state)
{
    (void)state;
    char buffer[256];
    size_t length;
    assert_int_equal(root_read_link(root, "dangling", buffer, sizeof buffer, &length), ROOT_OK);
    assert_string_equal(buffer, "/dev/dri/renderD128");
    assert_int_equal(length, strlen(buffer));
    assert_int_equal(root_read_link(root, "dangling", buffer, 5, &length), ROOT_TRUNCATED);
    assert_string_equal(buffer, "/dev");
    assert_int_equal(root_read_link(root, "sys/number", buffer, sizeof buffer, &length),
                     ROOT_FAILED);

    assert_true(root_resolve(root, "sys/class/drm/card0", buffer, sizeof buffer));
    assert_string_equal(buffer, "sys/devices/pci0000:00/0000:03:00.0");
    assert_true(root_resolve(root, "absolute", buffer, sizeof buffer));
    assert_string_equal(buffer, "sys/number");
    assert_false(root_resolve(root, "out", buffer, sizeof buffer));
    assert_false(root_resolve(root, "dangling", buffer, sizeof buffer));
    assert_false(root_resolve(root, "loop", buffer, sizeof buffer));
    assert_false(root_resolve(root, "absolute", buffer, 10));
    assert_true(root_exists(root, "sys/class/drm/card0/vendor"));
    assert_false(root_exists(root, "dangling"));
    assert_false(root_exists(root, "out"));
}

static void test_list(void **state)
{
    (void)state;
    char **names;
    size_t count;
    assert_int_equal(root_list(root, arena, "sys", 100, &names, &count), ROOT_OK);
    static const char *const sorted[] = {"class", "devices",  "empty",  "far",
                                         "hex",   "negative", "number", "text"};
    assert_int_equal(count, 8);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(names[i], sorted[i]);
    assert_int_equal(root_list(root, arena, "sys", 3, &names, &count), ROOT_TRUNCATED);
    assert_int_equal(count, 3);
    assert_int_equal(root_list(root, arena, "sys", 8, &names, &count), ROOT_OK);
    assert_int_equal(root_list(root, arena, "none", 3, &names, &count), ROOT_ABSENT);
    assert_int_equal(count, 0);
}

struct seen_lines {
    size_t count, longest, bytes;
    size_t stop_after;
};

static bool take_line(struct raw_text line, void *context)
{
    struct seen_lines *seen = context;
    seen->count++;
    seen->bytes += line.length;
    if (line.length > seen->longest)
        seen->longest = line.length;
    return seen->count != seen->stop_after;
}

static void test_each_line(void **state)
{
    (void)state;
    struct seen_lines seen = {0};
    tree_write(top, "machine/lines", "a\n\nlast");
    assert_int_equal(root_each_line(root, "lines", 1000, take_line, &seen, NULL), ROOT_OK);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.bytes, 5);

    char *large = malloc(50000);
    memset(large, 'x', 50000);
    large[100] = large[20000] = '\n';
    tree_write_bytes(top, "machine/long", large, 50000);
    free(large);
    seen = (struct seen_lines){0};
    assert_int_equal(root_each_line(root, "long", 100000, take_line, &seen, NULL), ROOT_OK);
    assert_int_equal(seen.bytes, 50000 - 2);
    assert_true(seen.longest <= 8192);
    seen = (struct seen_lines){0};
    assert_int_equal(root_each_line(root, "long", 30000, take_line, &seen, NULL), ROOT_TRUNCATED);
    assert_true(seen.bytes <= 30000);
    seen = (struct seen_lines){.stop_after = 1};
    assert_int_equal(root_each_line(root, "long", 100000, take_line, &seen, NULL), ROOT_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(root_each_line(root, "none", 10, take_line, &seen, NULL), ROOT_ABSENT);
}

static void test_move(void **state)
{
    (void)state;
    char path[TREE_PATH_SIZE], buffer[16];
    size_t length;
    uint64_t before = root_generation(root);
    tree_write(top, "later/sys/number", "43\n");
    tree_place(top, "later", path);
    assert_true(root_move(root, path));
    assert_true(root_generation(root) > before);
    root_read(root, "sys/number", buffer, sizeof buffer, &length, NULL);
    assert_memory_equal(buffer, "43\n", 3);
    assert_false(root_move(root, "/nonexistent"));
    assert_int_equal(root_read(root, "sys/number", buffer, sizeof buffer, &length, NULL), ROOT_OK);
    tree_place(top, "machine", path);
    assert_true(root_move(root, path));
}

/* The real machine: the kernel's own resolution, and files without a size. */
static void test_real(void **state)
{
    (void)state;
    struct root *real = root_open("/");
    struct raw_text content;
    char buffer[4096];
    assert_false(root_is_recorded(real));
    assert_int_equal(root_read_arena(real, arena, "proc/self/status", 65536, &content, NULL),
                     ROOT_OK);
    assert_true(content.length > 100);
    assert_true(root_resolve(real, "proc/self/fd/../status", buffer, sizeof buffer));
    assert_non_null(strstr(buffer, "/status"));
    root_close(&real);
    assert_null(real);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),    cmocka_unit_test(test_read_arena),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_links),
        cmocka_unit_test(test_list),    cmocka_unit_test(test_each_line),
        cmocka_unit_test(test_move),    cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
