/* Recordings in parts: what their files are called, and which go on with which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "timeline/recording.h"
#include "timeline/recording_parts.h"

static char folder[] = "/tmp/gputaskman-parts-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static void write_samples(const char *name, double first, int count, double interval)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    for (int i = 0; i < count; i++) {
        fprintf(file,
                "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:00:00Z\","
                "\"monotonic_seconds\":%g,\"interval_seconds\":%g,\"host\":{\"boot_id\":\"b\"}}\n",
                first + i, i == 0 ? interval : 1);
    }
    fclose(file);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *first;
        unsigned part;
        const char *name;
    } names[] = {
        {"x.jsonl.zst", 1, "x.jsonl.zst"}, {"x.jsonl.zst", 2, "x.2.jsonl.zst"},
        {"x.jsonl", 10, "x.10.jsonl"},     {"x", 2, "x.2"},
        {"a.b/x.zst", 3, "a.b/x.3.zst"},   {"x.2.jsonl", 2, "x.2.2.jsonl"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *name = recording_part_path(names[i].first, names[i].part);
        assert_string_equal(name, names[i].name);
        free(name);
    }
}

/* What is found in a folder of these files. */
static void test_found(void **state)
{
    (void)state;
    static const char *const files[] = {"x.jsonl",   "x.2.jsonl", "x.3.jsonl",
                                        "2.jsonl",   "y.2.jsonl", "y.2.2.jsonl",
                                        "y.3.jsonl", "z",         "z.2"};
    static const struct {
        const char *path;
        unsigned behind;
        const char *found;
    } rows[] = {
        {"x.jsonl", 0, "x.jsonl"},
        {"x.jsonl", 1, "x.2.jsonl"},
        {"x.jsonl", 2, "x.3.jsonl"},
        {"x.jsonl", 3, NULL},
        {"x.2.jsonl", 1, "x.3.jsonl"},
        {"x.3.jsonl", 1, NULL},
        {"y.2.jsonl", 1, "y.2.2.jsonl"}, /* it may be a first part itself */
        {"./x.jsonl", 1, "./x.2.jsonl"},
        {"z", 1, "z.2"},
        {"2.jsonl", 1, NULL},
        {"nothing", 0, "nothing"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_samples(files[i], 0, 0, 0);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *found = recording_part_find(rows[i].path, rows[i].behind);
        if (!found || !rows[i].found ? found || rows[i].found : strcmp(found, rows[i].found) != 0) {
            fail_msg("%s, %u behind: %s", rows[i].path, rows[i].behind, found ? found : "none");
        }
        free(found);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        unlink(files[i]);
    }
}

static void test_clock(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct recording_clock last, first;
        bool goes_on;
    } rows[] = {
        {"the next sample", {true, 1, 100, 1}, {true, 1, 101, 1}, true},
        {"as it is rounded", {true, 1, 100.000001, 1}, {true, 1, 101.2, 1.2}, true},
        {"a first sample", {true, 1, 100, 1}, {true, 1, 101, 0}, false},
        {"of another recorder", {true, 1, 100, 1}, {true, 1, 101, 0.5}, false},
        {"long after", {true, 1, 100, 1}, {true, 1, 200, 1}, false},
        {"of another boot", {true, 1, 100, 1}, {true, 2, 101, 1}, false},
        {"before", {true, 1, 100, 1}, {true, 1, 99, 1}, false},
        {"not known", {false, 1, 100, 1}, {true, 1, 101, 1}, false},
        {"not known either", {true, 1, 100, 1}, {false, 1, 101, 1}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (recording_clock_goes_on(&rows[i].last, &rows[i].first) != rows[i].goes_on) {
            fail_msg("%s", rows[i].what);
        }
    }
}

static size_t read_on(struct recording *recording, struct recording_place places[16])
{
    size_t count = 0;
    struct recording_line line;
    struct problem problem = {""};
    enum recording_result result;
    while ((result = recording_next(recording, &line, &problem)) == RECORDING_LINE) {
        assert_true(count < 16);
        places[count++] = line.place;
    }
    assert_int_equal(result, RECORDING_END);
    return count;
}

static void test_reading(void **state)
{
    (void)state;
    struct problem problem = {""};
    struct recording_place places[16], again[16];
    write_samples("r.jsonl", 100, 3, 0);
    write_samples("r.2.jsonl", 103, 2, 1);
    struct recording *recording = recording_open("r.jsonl", &problem);
    assert_int_equal(read_on(recording, places), 3); /* unless it is asked to follow */
    recording_follow(recording);
    assert_int_equal(read_on(recording, places), 2);
    assert_string_equal(recording_name(recording), "r.2.jsonl");
    assert_int_equal(places[0].part, 1);
    assert_int_equal(places[0].line, 1);
    assert_int_equal(recording_read_bytes(recording), recording_size_bytes(recording));
    assert_false(recording_has_grown(recording));

    /* Any place, forwards and back, and what comes later. */
    const struct recording_place start = {.line = 1};
    struct recording_place end = recording_end_place(recording);
    assert_true(recording_seek(recording, &start, &problem));
    assert_int_equal(read_on(recording, again), 5);
    assert_memory_equal(&again[4], &places[1], sizeof again[4]);
    assert_true(recording_seek(recording, &again[4], &problem));
    assert_int_equal(read_on(recording, places), 1);
    write_samples("r.3.jsonl", 105, 1, 1);
    assert_true(recording_has_grown(recording));
    assert_true(recording_seek(recording, &end, &problem));
    assert_int_equal(read_on(recording, places), 1);
    assert_int_equal(places[0].part, 2);
    assert_true(recording_seek(recording, &again[1], &problem));
    assert_int_equal(read_on(recording, places), 5);

    /* A name alone makes no part. */
    write_samples("r.2.jsonl", 103, 2, 0);
    assert_true(recording_seek(recording, &start, &problem));
    assert_int_equal(read_on(recording, places), 3);
    assert_non_null(strstr(recording_warning(recording), "r.2.jsonl does not go on where"));
    unlink("r.2.jsonl");
    assert_false(recording_seek(recording, &again[4], &problem));
    assert_non_null(strstr(problem.text, "is gone"));
    recording_close(&recording);
    unlink("r.jsonl");
    unlink("r.3.jsonl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_reading),
    };
    return cmocka_run_group_tests_name("recording_parts", tests, make_folder, remove_folder);
}
