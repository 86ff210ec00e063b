#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sampler/foreign_cache.h"
#include "tree.h"

static const char boot[] = "c9b0c1d2-0000-4000-8000-1234567890ab";
static const char place[] = "gputaskman/wsl-foreign.json";

/* What is no cache of this boot, or only partly one. */
static const struct {
    const char *text;
    bool taken;
    size_t count;
    int64_t first;
} texts[] = {
    {"{\"format\": 1, \"boot_id\": \"B\", \"foreign_sizes\": [5, 7]}", true, 2, 5},
    {"{\"boot_id\": \"B\", \"foreign_sizes\": []}", true, 0, 0},
    {"{\"boot_id\": \"B\", \"foreign_sizes\": [5, 5, 5]}", true, 1, 5},
    {"{\"boot_id\": \"B\", \"foreign_sizes\": [0, -5, 1.5, \"7\", null, [9], 8]}", true, 1, 8},
    {"{\"boot_id\": \"A\", \"foreign_sizes\": [5]}", false, 0, 0},
    {"{\"boot_id\": 1, \"foreign_sizes\": [5]}", false, 0, 0},
    {"{\"format\": 2, \"boot_id\": \"B\", \"foreign_sizes\": [5]}", false, 0, 0},
    {"{\"format\": \"1\", \"boot_id\": \"B\", \"foreign_sizes\": [5]}", false, 0, 0},
    {"{\"boot_id\": \"B\", \"foreign_sizes\": {\"a\": 5}}", false, 0, 0},
    {"{\"boot_id\": \"B\"}", false, 0, 0},
    {"[\"B\", 5]", false, 0, 0},
    {"{\"boot_id\": \"B\", \"foreign_sizes\": [5", false, 0, 0},
    {"\xff\xfe{", false, 0, 0},
    {"", false, 0, 0},
    {"{\"boot_id\": \"B\", \"foreign_sizes\": [99999999999999999999]}", false, 0, 0},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct foreign_sizes sizes = {.count = 9};
        bool taken = foreign_cache_parse(raw_from_string(texts[i].text), "B", &sizes);
        if (taken != texts[i].taken || sizes.count != texts[i].count ||
            (sizes.count > 0 && sizes.bytes[0] != texts[i].first))
            fail_msg("text %zu: %s", i, texts[i].text);
    }
}

static void test_no_more_than_fit(void **state)
{
    (void)state;
    char text[32 * 1024];
    int length = snprintf(text, sizeof text, "{\"boot_id\": \"B\", \"foreign_sizes\": [1");
    for (int i = 2; i < 2000; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, ",%d", i);
    snprintf(text + length, sizeof text - (size_t)length, "]}");
    struct foreign_sizes sizes;
    assert_true(foreign_cache_parse(raw_from_string(text), "B", &sizes));
    assert_int_equal(sizes.count, FOREIGN_SIZES_MAX);
}

struct folder {
    char top[TREE_PATH_SIZE], file[TREE_PATH_SIZE];
};

static int make_folder(void **state)
{
    struct folder *folder = malloc(sizeof *folder);
    tree_new(folder->top);
    setenv("XDG_CACHE_HOME", folder->top, 1);
    if (snprintf(folder->file, TREE_PATH_SIZE, "%.900s/%s", folder->top, place) < 0)
        return -1;
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    tree_remove(folder->top);
    free(folder);
    return 0;
}

static void save(const char *boot_id, struct foreign_sizes sizes)
{
    struct foreign_sizes old;
    struct foreign_cache *cache = foreign_cache_new(true);
    foreign_cache_load(cache, raw_from_string(boot_id), &old);
    foreign_cache_save(cache, &sizes);
    foreign_cache_free(&cache);
}

static struct foreign_sizes load(const char *boot_id)
{
    struct foreign_sizes sizes;
    struct foreign_cache *cache = foreign_cache_new(true);
    foreign_cache_load(cache, raw_from_string(boot_id), &sizes);
    foreign_cache_free(&cache);
    return sizes;
}

static void test_kept_for_this_boot(void **state)
{
    const struct folder *folder = *state;
    struct stat about;
    mode_t before = umask(0);
    save(boot, (struct foreign_sizes){.bytes = {3, 1LL << 40}, .count = 2});
    umask(before);
    assert_int_equal(stat(folder->file, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    struct foreign_sizes sizes = load(boot);
    assert_int_equal(sizes.count, 2);
    assert_int_equal(sizes.bytes[1], 1LL << 40);
    assert_int_equal(load("another-boot").count, 0);
    save("00000000-aaaa", (struct foreign_sizes){.count = 0}); /* of another boot: rewritten */
    assert_int_equal(load(boot).count, 0);
}

static void test_not_written_again(void **state)
{
    const struct folder *folder = *state;
    struct foreign_sizes sizes = {.bytes = {3}, .count = 1}, old;
    struct foreign_cache *cache = foreign_cache_new(true);
    foreign_cache_load(cache, raw_from_string(boot), &old);
    foreign_cache_save(cache, &sizes);
    unlink(folder->file);
    foreign_cache_save(cache, &sizes); /* the same: left alone */
    assert_int_not_equal(access(folder->file, F_OK), 0);
    sizes.bytes[0] = 4;
    foreign_cache_save(cache, &sizes);
    assert_int_equal(access(folder->file, F_OK), 0);
    foreign_cache_free(&cache);
}

/* A link that somebody laid there is neither read nor written through. */
static void test_a_link_is_not_followed(void **state)
{
    const struct folder *folder = *state;
    struct stat about;
    char target[TREE_PATH_SIZE];
    tree_write(folder->top, "target",
               "{\"boot_id\": \"c9b0c1d2-0000-4000-8000-1234567890ab\", \"foreign_sizes\": [5]}");
    tree_place(folder->top, "target", target);
    tree_link(folder->top, place, target);
    assert_int_equal(load(boot).count, 0);
    save(boot, (struct foreign_sizes){.bytes = {3}, .count = 1});
    assert_int_equal(lstat(folder->file, &about), 0);
    assert_true(S_ISREG(about.st_mode));
    assert_int_equal(load(boot).bytes[0], 3);
    assert_int_equal(stat(target, &about), 0);
    assert_int_not_equal(about.st_size, 0);
}

static void test_strange_places(void **state)
{
    const struct folder *folder = *state;
    char whole[TREE_PATH_SIZE];
    tree_place(folder->top, place, whole);
    assert_int_equal(mkfifo(whole, 0600), 0);
    assert_int_equal(load(boot).count, 0); /* without waiting for a writer */
    save("no\"boot", (struct foreign_sizes){.bytes = {3}, .count = 1}); /* no text for a file */
    assert_int_equal(load("no\"boot").count, 0);
    unlink(whole);
    static char large[70 * 1024];
    memset(large, ' ', sizeof large - 1);
    tree_write(folder->top, place, large);
    assert_int_equal(load(boot).count, 0);
}

/* Without XDG_CACHE_HOME a recorded machine has no cache; a relative one is none (XDG base
 * directory specification). */
static void test_no_folder(void **state)
{
    const struct folder *folder = *state;
    setenv("HOME", folder->top, 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    save(boot, (struct foreign_sizes){.bytes = {3}, .count = 1});
    unsetenv("XDG_CACHE_HOME");
    save(boot, (struct foreign_sizes){.bytes = {3}, .count = 1});
    assert_int_equal(load(boot).count, 0);
    struct foreign_sizes sizes = {.bytes = {3}, .count = 1}, old;
    struct foreign_cache *cache = foreign_cache_new(false);
    foreign_cache_load(cache, raw_from_string(boot), &old);
    foreign_cache_save(cache, &sizes);
    foreign_cache_free(&cache);
    char file[TREE_PATH_SIZE];
    tree_place(folder->top, ".cache/gputaskman/wsl-foreign.json", file);
    assert_int_equal(access(file, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_no_more_than_fit),
        cmocka_unit_test_setup_teardown(test_kept_for_this_boot, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_not_written_again, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_link_is_not_followed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_strange_places, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_no_folder, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("foreign_cache", tests, NULL, NULL);
}
