/* The scanner: what it takes the reader takes, and reads as the same, however the text is laid out;
 * what is wrong anywhere in it, it leaves to the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "scan_compare.h"
#include "snapshot/json.h"
#include "snapshot/scan.h"
#include "snapshot/scan_plan.h"
#include "snapshot/scan_value.h"

static struct snapshot_scanner *scanner;

static bool takes(const char *bytes, size_t size)
{
    struct problem problem = {""};
    struct snapshot *read = snapshot_read(bytes, size, "input", 1, NULL, &problem);
    const struct snapshot *scanned = scanner_read(scanner, bytes, size);
    if (scanned && !read) {
        fail_msg("taken, but %s: %.*s", problem.text, (int)size, bytes);
    }
    if (scanned) {
        scan_compare(&snapshot_table, read, scanned);
    }
    snapshot_drop(&read);
    return scanned != NULL;
}

static bool is_right(const char *bytes)
{
    struct problem problem = {""};
    struct snapshot *read = snapshot_read(bytes, strlen(bytes), "input", 1, NULL, &problem);
    bool right = read != NULL;
    snapshot_drop(&read);
    return right;
}

#define HEAD "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:00:00Z\""
#define PROCESS "\"processes\":[{\"id\":\"local/7/8\""

static const struct {
    const char *what, *text;
    bool taken, right;
} rows[] = {
    {"the least", HEAD "}", true, true},
    {"blanks", " { \"schema\" :\t\"gputaskman/1\" , \"taken_at\":\"2026-11-29T12:00:00Z\" } ", true,
     true},
    {"another order", "{\"taken_at\":\"2026-11-29T12:00:00Z\",\"schema\":\"gputaskman/1\"}", true,
     true},
    {"a minor version", "{\"schema\":\"gputaskman/1.9\",\"taken_at\":\"2026-11-29T12:00:00Z\"}",
     true, true},
    {"a major version", "{\"schema\":\"gputaskman/2\",\"taken_at\":\"2026-11-29T12:00:00Z\"}",
     false, false},
    {"a longer one", "{\"schema\":\"gputaskman/12\",\"taken_at\":\"2026-11-29T12:00:00Z\"}", false,
     false},
    {"unknown fields", HEAD ",\"a\":1,\"b\":{\"c\":[null,{\"d\":1e5}]}}", true, true},
    {"an unknown one twice", HEAD ",\"a\":1,\"a\":1}", false, false},
    {"one in it twice", HEAD ",\"a\":{\"b\":1,\"c\":1,\"b\":1}}", false, false},
    {"a known one twice", HEAD ",\"version\":null,\"version\":null}", false, false},
    {"required is left out", "{\"schema\":\"gputaskman/1\"}", false, false},
    {"required in a list is left out", HEAD ",\"processes\":[{}]}", false, false},
    {"no time", "{\"schema\":\"gputaskman/1\",\"taken_at\":\"yesterday\"}", false, false},
    {"what else stands behind", HEAD "} x", false, false},
    {"a comma too many", HEAD ",}", false, false},
    {"a comma too few", HEAD " \"version\":null}", false, false},
    {"an unknown word of a newer program", /* right, but left to the reader */
     "{\"schema\":\"gputaskman/1.9\",\"taken_at\":\"2026-11-29T12:00:00Z\"," PROCESS
     ",\"class\":\"novel\"}]}",
     false, true},
    {"an unknown word", HEAD "," PROCESS ",\"class\":\"novel\"}]}", false, false},
    {"escapes in a wanted text", HEAD "," PROCESS ",\"name\":\"a\\u00e9\\ud83d\\ude00\\n\\\"\"}]}",
     true, true},
    {"half a pair", HEAD "," PROCESS ",\"name\":\"\\ud83d\"}]}", false, false},
    {"half a pair in what is passed over", HEAD ",\"a\":\"\\ud83dx\"}", false, false},
    {"a control character", HEAD ",\"a\":\"\n\"}", false, false},
    {"bytes that are no UTF-8", HEAD ",\"a\":\"\xc0\xaf\"}", false, false},
    {"an exponent", HEAD ",\"interval_seconds\":1e-05}", true, true},
    {"a number that is none", HEAD ",\"interval_seconds\":01}", false, false},
    {"too large a number", HEAD ",\"a\":99999999999999999999999}", false, false},
    {"far too large a number", HEAD ",\"a\":1e999}", false, false},
    {"no identity", HEAD ",\"processes\":[{\"id\":\"x\"}]}", false, false},
    {"pid 0 is what it says", HEAD "," PROCESS ",\"pid\":0}]}", true, true},
    {"how before what",
     HEAD ",\"adapters\":[{\"not_measured\":{\"load_percent\":\"reported\"},\"id\":\"pci:1\","
          "\"load_percent\":3}]}",
     true, true},
    /* Nothing of these is wanted. */
    {"a wrong type in a list", HEAD ",\"notes\":[{\"code\":5}]}", false, false},
    {"a wrong item of a list", HEAD ",\"notes\":[5]}", false, false},
    {"a wrong type, deep", HEAD "," PROCESS ",\"models\":[{\"parameters\":\"many\"}]}]}", false,
     false},
    {"a wrong word, deep", HEAD "," PROCESS ",\"models\":[{\"kind\":\"thing\"}]}]}", false, false},
    {"a wrong reason",
     HEAD ",\"adapters\":[{\"id\":\"pci:1\",\"unavailable\":{\"a\":\"because\"}}]}", false, false},
    {"a reason twice",
     HEAD ",\"adapters\":[{\"id\":\"pci:1\",\"unavailable\":{\"a\":\"stale\",\"a\":\"stale\"}}]}",
     false, false},
    {"null that may not be", HEAD "," PROCESS ",\"tracked\":null}]}", false, false},
    {"a text that is a number", HEAD "," PROCESS ",\"command\":4}]}", false, false},
    {"a list that is an object", HEAD ",\"adapters\":{}}", false, false},
    {"an integer that is none", HEAD "," PROCESS ",\"pid\":1.5}]}", false, false},
    {"an integer written as a real", HEAD "," PROCESS ",\"pid\":7.0}]}", false, true},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool taken = takes(rows[i].text, strlen(rows[i].text));
        bool right = is_right(rows[i].text);
        if (taken != rows[i].taken || right != rows[i].right) {
            fail_msg("%s: taken %d, right %d", rows[i].what, taken, right);
        }
    }
}

static void check_tables(const struct field_table *table)
{
    assert_true(table->field_count <= SCAN_FIELDS_MAX);
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].table) {
            check_tables(table->fields[i].table);
        }
    }
}

static void test_tables_fit(void **state)
{
    (void)state;
    check_tables(&snapshot_table);
}

static void test_reals(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "0.1",
                                        "-2.5",
                                        "123456789.012345",
                                        "1e22",
                                        "1e-22",
                                        "33.330000000000005",
                                        "1.5E+3",
                                        "4503599627.5",
                                        "1e23",
                                        "0.30000000000000004",
                                        "9007199254740993",
                                        "-0",
                                        "-0.0",
                                        "12.e1",
                                        "1e",
                                        ".5",
                                        "5.",
                                        "1e99",
                                        "9007199254740991.5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value;
        struct scan_cursor cursor = {texts[i], texts[i] + strlen(texts[i])};
        if (scan_real(&cursor, &value)) {
            assert_true(cursor.at == cursor.end);
            assert_true(value == strtod(texts[i], NULL));
        }
    }
}

/* ---- every kind of damage to real lines */

static uint64_t random_state = 88172645463325252U;

static size_t random_below(size_t count)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % count);
}

static json_t *random_value(void)
{
    static const char *const texts[] = {"null",
                                        "true",
                                        "0",
                                        "-1",
                                        "5.0",
                                        "1e3",
                                        "0.30000000000000004",
                                        "\"\"",
                                        "\"live\"",
                                        "\"stale\"",
                                        "\"reported\"",
                                        "\"llm\"",
                                        "\"2026-11-29T12:00:00Z\"",
                                        "\"\\u00e9\\\"\"",
                                        "[]",
                                        "{}",
                                        "[1]",
                                        "[null]",
                                        "[{}]",
                                        "[\"a\"]",
                                        "{\"a\":1}",
                                        "{\"a\":\"stale\"}",
                                        "9223372036854775807",
                                        "\"local/3/4\"",
                                        "false",
                                        "12"};
    return json_loads(texts[random_below(sizeof texts / sizeof texts[0])], JSON_DECODE_ANY, NULL);
}

static json_t *child_at(json_t *parent, size_t index, const char **key)
{
    void *at = json_object_iter(parent);
    while (index-- > 0) {
        at = json_object_iter_next(parent, at);
    }
    *key = json_object_iter_key(at);
    return json_object_iter_value(at);
}

/* One member or item somewhere is removed, added, or becomes something else. */
static void damage(json_t *at)
{
    for (;;) {
        size_t count = json_is_object(at) ? json_object_size(at) : json_array_size(at);
        const char *key = NULL;
        size_t index = count > 0 ? random_below(count) : 0;
        json_t *child = count == 0           ? NULL
                        : json_is_object(at) ? child_at(at, index, &key)
                                             : json_array_get(at, index);
        bool deeper =
            (json_object_size(child) > 0 || json_array_size(child) > 0) && random_below(4) > 0;
        if (deeper) {
            at = child;
        } else if (count == 0 || random_below(6) == 0) {
            json_is_object(at)
                ? json_object_set_new(at, random_below(2) ? "novelty" : "pid", random_value())
                : json_array_append_new(at, random_value());
            return;
        } else if (random_below(4) == 0) {
            json_is_object(at) ? json_object_del(at, key) : json_array_remove(at, index);
            return;
        } else {
            json_is_object(at) ? json_object_set_new(at, key, random_value())
                               : json_array_set_new(at, index, random_value());
            return;
        }
    }
}

static size_t scribble(char *bytes, size_t size)
{
    static const char some[] = "{}[]\",:0.e-\\ un";
    size_t at = random_below(size);
    if (random_below(3) == 0) {
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - 1;
    }
    bytes[at] = some[random_below(sizeof some - 1)];
    return size;
}

static void try_line(const char *line, size_t size, size_t *taken)
{
    static const size_t layouts[] = {JSON_COMPACT, JSON_SORT_KEYS, JSON_INDENT(1),
                                     JSON_ENSURE_ASCII, JSON_COMPACT | JSON_SORT_KEYS};
    json_t *root = json_loadb(line, size, 0, NULL);
    assert_non_null(root);
    while (json_array_size(json_object_get(root, "processes")) > 2) {
        json_array_remove(json_object_get(root, "processes"), 2);
    }
    char *whole = json_dumps(root, layouts[random_below(5)]);
    assert_true(takes(whole, strlen(whole)));
    for (size_t i = random_below(3) + 1; i > 0; i--) {
        damage(root);
    }
    char *bytes = json_dumps(root, layouts[random_below(5)]);
    *taken += takes(bytes, strlen(bytes));
    takes(whole, scribble(whole, strlen(whole)));
    free(whole);
    free(bytes);
    json_decref(root);
}

static void test_damage(void **state)
{
    (void)state;
    char path[1024], *bytes = NULL;
    size_t size = 0, taken = 0, tried = 0;
    struct problem problem = {""};
    const char *rounds = getenv("GPUTASKMAN_SCAN_ROUNDS");
    snprintf(path, sizeof path, "%s/../../data/demo.jsonl", getenv("GPUTASKMAN_TEST_CASES"));
    assert_true(file_read_all(path, 1 << 24, &bytes, &size, &problem));
    for (int round = rounds ? atoi(rounds) : 20; round > 0; round--) {
        for (char *at = bytes; at < bytes + size; tried++) {
            char *end = memchr(at, '\n', (size_t)(bytes + size - at));
            size_t length = end ? (size_t)(end - at) : (size_t)(bytes + size - at);
            try_line(at, length, &taken);
            at += length + 1;
        }
    }
    print_message("# %zu of %zu damaged lines are taken all the same\n", taken, tried);
    assert_true(taken > tried / 10 && taken < tried / 10 * 9);
    free(bytes);
}

int main(void)
{
    scanner = scanner_new(summary_fields);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_tables_fit),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_damage),
    };
    int failed = cmocka_run_group_tests_name("snapshot_scan", tests, NULL, NULL);
    scanner_free(&scanner);
    return failed;
}
