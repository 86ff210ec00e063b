#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "snapshot/snapshot.h"
#include "source/replay_index_file.h"

#define SECOND 1000000000LL

static struct raw_text raw(const char *text)
{
    return raw_from_string(text);
}

static void test_facts(void **state)
{
    (void)state;
    struct frame_facts facts;
    struct snapshot_scanner *scanner = frame_scanner_new();
    assert_true(frame_facts_read(
        scanner,
        raw("{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:00:00.25Z\","
            "\"monotonic_seconds\":8123.25,\"interval_seconds\":2,\"host\":{\"name\":\"}\","
            "\"boot_id\":\"abc\"},\"adapters\":[{\"id\":\"a\",\"load_percent\":null},"
            "{\"id\":\"b\",\"load_percent\":96.5},{\"id\":\"c\",\"load_percent\":12}],"
            "\"events\":[{\"seq\":1,\"kind\":\"xid\",\"text\":\"\"}]}"),
        &facts));
    assert_int_equal(facts.wall_ns, 1795953600250000000LL);
    assert_int_equal(facts.running_ns, 8123250000000LL);
    assert_int_equal(facts.interval_ns, 2 * SECOND);
    assert_int_equal(facts.load, 96);
    assert_true(facts.has_events && facts.boot != 0);
    assert_true(frame_facts_read(scanner,
                                 raw(" {\"taken_at\": \"2026-11-29T12:00:00Z\","
                                     "\"schema\":\"gputaskman/1\",\"events\":[], \"new\": {}}"),
                                 &facts));
    assert_false(facts.has_events);
    assert_int_equal(facts.running_ns, TIME_UNKNOWN);
    assert_int_equal(facts.load, FRAME_LOAD_UNKNOWN);
    static const char *const no_snapshots[] = {
        "",
        "null",
        "[]",
        "{}",
        "{\"schema\":\"gputaskman/1\"}",
        "{\"taken_at\":5,\"schema\":\"g\"}",
        "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:00:00Z\",\"adapters\":[{\"loa"};
    for (size_t i = 0; i < sizeof no_snapshots / sizeof *no_snapshots; i++) {
        assert_false(frame_facts_read(scanner, raw(no_snapshots[i]), &facts));
    }
    scanner_free(&scanner);
}

static void test_steps(void **state)
{
    (void)state;
    /* Seconds: wall and running clock, interval (-1: unknown), boot. */
    static const struct {
        int64_t wall[2], running[2], interval;
        uint64_t boot[2];
        enum frame_gap gap;
        int64_t wait;
    } steps[] = {
        {{100, 101}, {5, 6}, 1, {1, 1}, FRAME_GAP_NONE, 1},
        {{100, 160}, {5, 65}, 60, {1, 1}, FRAME_GAP_NONE, 60},
        {{100, 7300}, {5, 7205}, 1, {1, 1}, FRAME_GAP_PAUSE, 1},
        {{100, 7300}, {5, 7205}, -1, {1, 1}, FRAME_GAP_PAUSE, 1},
        {{100, 30000}, {5, 6}, 1, {1, 1}, FRAME_GAP_SLEEP, 1},
        {{30000, 100}, {5, 6}, 1, {1, 1}, FRAME_GAP_CLOCK, 1},
        {{100, 102}, {5, 6}, 1, {1, 1}, FRAME_GAP_NONE, 1},
        {{100, 200}, {500, 20}, 1, {1, 2}, FRAME_GAP_REBOOT, 1},
        {{100, 101}, {500, 501}, 1, {1, 2}, FRAME_GAP_REBOOT, 1},
        {{100, 101}, {500, 20}, 1, {0, 0}, FRAME_GAP_REBOOT, 1},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct frame_facts facts[2];
        for (int k = 0; k < 2; k++) {
            facts[k] = (struct frame_facts){
                .wall_ns = steps[i].wall[k] * SECOND,
                .running_ns = steps[i].running[k] * SECOND,
                .interval_ns = steps[i].interval < 0 ? TIME_UNKNOWN : steps[i].interval * SECOND,
                .boot = steps[i].boot[k]};
        }
        struct frame_step step = frame_step(&facts[0], &facts[1]);
        if (step.gap != steps[i].gap || step.wait_ns != steps[i].wait * SECOND) {
            fail_msg("step %zu: gap %d, %lld ns", i, (int)step.gap, (long long)step.wait_ns);
        }
    }
    static const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < 36; k++) {
            struct frame_facts a = {extremes[i], extremes[k % 6], extremes[k / 6], 1, 0, false};
            struct frame_facts b = {extremes[k / 6], extremes[i], extremes[k % 6], 1, 0, false};
            assert_true(frame_step(&a, &b).wait_ns >= 0);
        }
    }
}

/* `count` frames a second apart; every hundredth has events. */
static void make(struct replay_index *index, uint64_t count)
{
    *index = (struct replay_index){.stride = 1};
    replay_index_start(index);
    for (uint64_t i = 0; i < count; i++) {
        const struct frame_facts facts = {.wall_ns = (int64_t)(1000 + i) * SECOND,
                                          .running_ns = (int64_t)i * SECOND,
                                          .interval_ns = SECOND,
                                          .boot = 1,
                                          .load = (uint8_t)(i % 100),
                                          .has_events = i % 100 == 50};
        replay_index_add(index, &(struct recording_place){(int64_t)i * 10, 0, i + 1}, &facts);
    }
    index->end = (struct recording_place){(int64_t)count * 10, 0, count + 1};
    index->complete = true;
}

static void test_look_up(void **state)
{
    (void)state;
    struct replay_index index;
    make(&index, 1000);
    assert_int_equal(index.noted.count, 1000);
    assert_int_equal(index.play_ns, 999 * SECOND);
    assert_int_equal(replay_index_at_play(&index, 500 * SECOND + 1), 500);
    assert_int_equal(replay_index_at_play(&index, -5), 0);
    assert_int_equal(replay_index_at_play(&index, INT64_MAX), 999);
    assert_int_equal(replay_index_at_wall(&index, 1700 * SECOND), 700);
    assert_int_equal(replay_index_at_wall(&index, INT64_MIN), 0);
    assert_null(replay_index_noted(&index, 1000));
    uint64_t found;
    assert_true(replay_index_event(&index, 0, 1, &found) && found == 50);
    assert_true(replay_index_event(&index, 50, 1, &found) && found == 150);
    assert_true(replay_index_event(&index, 51, -1, &found) && found == 50);
    assert_true(replay_index_event(&index, 150, -1, &found) && found == 50);
    assert_true(replay_index_event(&index, 0, 3, &found) && found == 250);
    assert_false(replay_index_event(&index, 50, -1, &found));
    assert_false(replay_index_event(&index, 950, 1, &found));
    assert_int_equal(replay_index_events_to(&index, 250), 3);
    replay_index_free(&index);
}

/* A very long recording: every second, fourth ... frame, and nothing is out of place. */
static void test_bounds(void **state)
{
    (void)state;
    struct replay_index index;
    make(&index, 5 * REPLAY_NOTED_MAX / 2 + 7);
    assert_true(index.noted.count <= REPLAY_NOTED_MAX);
    assert_int_equal(index.stride, 4);
    for (size_t i = 0; i < index.noted.count; i++) {
        assert_int_equal(index.noted.items[i].place.line, i * 4 + 1);
    }
    assert_ptr_equal(replay_index_noted(&index, 4003), &index.noted.items[1000]);
    replay_index_free(&index);
}

static char folder[] = "/tmp/replay-index-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    struct problem problem;
    assert_true(file_write_atomically(path, (struct raw_text){bytes, size}, &problem));
}

/* A recording of 10 bytes a frame. */
static void write_recording(size_t size)
{
    char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)('a' + i % 23);
    }
    write_file(in_folder("r"), bytes, size);
    free(bytes);
}

static void assert_same(const struct replay_index *a, const struct replay_index *b)
{
    assert_int_equal(a->noted.count, b->noted.count);
    assert_int_equal(a->events.count, b->events.count);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->play_ns, b->play_ns);
    for (size_t i = 0; i < a->noted.count; i++) {
        const struct replay_noted *x = &a->noted.items[i], *y = &b->noted.items[i];
        assert_true(x->place.offset == y->place.offset && x->place.inside == y->place.inside &&
                    x->place.line == y->place.line && x->wall_ns == y->wall_ns &&
                    x->running_ns == y->running_ns && x->play_ns == y->play_ns &&
                    x->load == y->load);
    }
}

static void test_file(void **state)
{
    (void)state;
    struct replay_index index, read = {.stride = 1};
    make(&index, 30000);
    write_recording(300000);
    assert_true(replay_index_save(in_folder("r"), &index));
    assert_true(replay_index_load(in_folder("r"), &read));
    assert_true(read.complete);
    assert_same(&index, &read);

    /* It has grown: good up to there. */
    write_recording(400000);
    assert_true(replay_index_load(in_folder("r"), &read));
    assert_false(read.complete);
    assert_same(&index, &read);

    /* Shorter, another beginning, another end: not its index. */
    write_recording(200000);
    assert_false(replay_index_load(in_folder("r"), &read));
    assert_int_equal(read.noted.count, 0);
    char *bytes = calloc(1, 300000);
    write_file(in_folder("r"), bytes, 300000);
    free(bytes);
    assert_false(replay_index_load(in_folder("r"), &read));
    remove(in_folder("r"));
    assert_false(replay_index_load(in_folder("r"), &read));
    replay_index_free(&read);
    replay_index_free(&index);
}

/* What is no index, or not ours, is neither read nor replaced: a link of somebody else's in a
 * shared folder would lead to any file of the user's; a pipe would be waited for. */
static void test_what_others_put_there(void **state)
{
    (void)state;
    struct replay_index index, read = {.stride = 1};
    char *bytes = NULL, target[512], link[512];
    size_t size = 0;
    struct problem problem;
    make(&index, 300);
    write_recording(3000);
    snprintf(target, sizeof target, "%s", in_folder("precious"));
    snprintf(link, sizeof link, "%s", in_folder("r.idx"));
    write_file(target, "mine", 4);
    remove(link);
    assert_int_equal(symlink(target, link), 0);
    assert_false(replay_index_save(in_folder("r"), &index));
    assert_false(replay_index_load(in_folder("r"), &read));
    remove(link);
    assert_int_equal(mkfifo(link, 0600), 0);
    assert_false(replay_index_save(in_folder("r"), &index));
    assert_false(replay_index_load(in_folder("r"), &read));
    remove(link);
    write_file(link, "another program's", 17);
    assert_false(replay_index_save(in_folder("r"), &index));
    for (int i = 0; i < 2; i++) {
        assert_true(file_read_all(i == 0 ? target : link, 100, &bytes, &size, &problem));
        assert_int_equal(size, i == 0 ? 4 : 17);
        free(bytes);
    }
    write_file(link, "GTMIDX99", 8); /* of another version */
    assert_true(replay_index_save(in_folder("r"), &index));
    assert_true(replay_index_load(in_folder("r"), &read));
    remove(target);
    replay_index_free(&read);
    replay_index_free(&index);
}

/* No bit of it can be changed, and no end of it be missing. */
static void test_damaged_file(void **state)
{
    (void)state;
    struct replay_index index, read = {.stride = 1};
    struct replay_mark mark;
    make(&index, 300);
    write_recording(3000);
    assert_true(replay_index_save(in_folder("r"), &index));
    char *bytes = NULL;
    size_t size = 0;
    struct problem problem;
    assert_true(file_read_all(in_folder("r.idx"), 1 << 20, &bytes, &size, &problem));
    assert_true(replay_index_decode((struct raw_text){bytes, size}, &read, &mark));
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        assert_false(replay_index_decode((struct raw_text){bytes, size}, &read, &mark));
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        assert_false(replay_index_decode((struct raw_text){bytes, i}, &read, &mark));
    }
    free(bytes);
    replay_index_free(&read);
    replay_index_free(&index);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove(in_folder("r"));
    remove(in_folder("r.idx"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_look_up),      cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_file),         cmocka_unit_test(test_what_others_put_there),
        cmocka_unit_test(test_damaged_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
