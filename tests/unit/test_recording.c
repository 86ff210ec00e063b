/* Recordings line by line: plain and compressed, whole and torn, from any place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "timeline/recording.h"

#define SNAPSHOT "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:00:00Z\"}"

static char path[] = "/tmp/gputaskman-recording-XXXXXX";

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static struct recording *open_file(void)
{
    struct problem problem = {""};
    struct recording *recording = recording_open(path, &problem);
    if (!recording) {
        fail_msg("%s", problem.text);
    }
    return recording;
}

/* Every line, joined by '|'; an unended one is followed by '~'. */
static const char *all_lines(struct recording *recording, enum recording_result *last)
{
    static char text[4096];
    struct recording_line line;
    struct problem problem = {""};
    text[0] = '\0';
    while ((*last = recording_next(recording, &line, &problem)) == RECORDING_LINE) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%.*s%s", (int)line.text.length, line.text.bytes,
                 line.unended ? "~" : "|");
    }
    return text;
}

static void test_plain(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {"", ""},
        {"\n", ""},
        {"a\n", "a|"},
        {"a", "a~"},
        {"a\nb", "a|b~"},
        {"a\r\nb\n", "a|b|"},
        {"\n\n a\n \t\nb\n", " a|b|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(cases[i].text, strlen(cases[i].text));
        struct recording *recording = open_file();
        enum recording_result last;
        assert_string_equal(all_lines(recording, &last), cases[i].lines);
        assert_int_equal(last, RECORDING_END);
        assert_int_equal(recording_size_bytes(recording), strlen(cases[i].text));
        assert_int_equal(recording_read_bytes(recording), strlen(cases[i].text));
        assert_false(recording_is_compressed(recording));
        recording_close(&recording);
    }
}

/* Appends a frame with each text flushed by itself; ended or not. */
static size_t put_frame(char *out, size_t size, const char *const *texts, bool ended)
{
    ZSTD_CCtx *encoder = ZSTD_createCCtx();
    ZSTD_outBuffer to = {out, size, 0};
    for (; *texts; texts++) {
        ZSTD_inBuffer from = {*texts, strlen(*texts), 0};
        assert_int_equal(ZSTD_compressStream2(encoder, &to, &from, ZSTD_e_flush), 0);
    }
    ZSTD_inBuffer nothing = {"", 0, 0};
    if (ended) {
        assert_int_equal(ZSTD_compressStream2(encoder, &to, &nothing, ZSTD_e_end), 0);
    }
    ZSTD_freeCCtx(encoder);
    return to.pos;
}

static void test_compressed(void **state)
{
    (void)state;
    char file[4096];
    size_t size = put_frame(file, sizeof file, (const char *const[]){"one\n", "two\n", NULL}, true);
    size_t whole = size + put_frame(file + size, sizeof file - size,
                                    (const char *const[]){"three\n", "four\n", NULL}, false);
    enum recording_result last;
    for (size_t cut = 0; cut <= whole - size; cut++) {
        write_file(file, whole - cut);
        struct recording *recording = open_file();
        const char *lines = all_lines(recording, &last);
        const char *wanted = cut == 0 ? "one|two|three|four|" : "one|two|three|";
        assert_int_equal(last, RECORDING_END);
        /* A block of four letters is stored with a header of three bytes. */
        assert_string_equal(lines, cut < 8 ? wanted : strlen(lines) > 8 ? wanted : "one|two|");
        bool on_edge = cut == 0 || cut == 8 || cut == whole - size;
        if (cut > 0 && cut < 8) {
            assert_non_null(strstr(recording_warning(recording), "torn"));
        } else if (on_edge) {
            assert_string_equal(recording_warning(recording), "");
        }
        recording_close(&recording);
    }
    file[size - 3] = 7; /* the last block of the first frame is of no known kind */
    write_file(file, whole);
    struct recording *recording = open_file();
    all_lines(recording, &last);
    assert_int_equal(last, RECORDING_FAILED);
    recording_close(&recording);
}

static void check_places(struct recording *recording, size_t count)
{
    struct recording_place places[64];
    char texts[64][16];
    struct recording_line line;
    struct problem problem;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(recording_next(recording, &line, &problem), RECORDING_LINE);
        places[i] = line.place;
        snprintf(texts[i], sizeof texts[i], "%.*s", (int)line.text.length, line.text.bytes);
    }
    for (size_t i = count; i-- > 0;) {
        assert_true(recording_seek(recording, &places[i], &problem));
        for (size_t j = i; j < count; j++) {
            assert_int_equal(recording_next(recording, &line, &problem), RECORDING_LINE);
            assert_memory_equal(line.text.bytes, texts[j], strlen(texts[j]));
            assert_memory_equal(&line.place, &places[j], sizeof places[j]);
        }
        assert_int_equal(recording_next(recording, &line, &problem), RECORDING_END);
    }
}

static void test_places(void **state)
{
    (void)state;
    char file[4096];
    const char *first[] = {"one\n", "\n", "two\nthree\n", "fo", NULL};
    const char *second[] = {"ur\nfive\n", "six\n", NULL};
    size_t size = put_frame(file, sizeof file, first, true);
    size += put_frame(file + size, sizeof file - size, second, true);
    write_file(file, size);
    struct recording *recording = open_file();
    assert_true(recording_can_seek(recording));
    assert_true(recording_is_compressed(recording));
    check_places(recording, 6);
    recording_close(&recording);
    write_file("one\n\ntwo\nthree\nfour\nfive\nsix\n", 29);
    recording = open_file();
    check_places(recording, 6);
    recording_close(&recording);
}

/* What is appended later is found by going on from the end. */
static void test_growing(void **state)
{
    (void)state;
    struct recording_line line;
    struct problem problem;
    write_file("one\ntw", 6);
    struct recording *recording = open_file();
    enum recording_result last;
    assert_string_equal(all_lines(recording, &last), "one|tw~");
    struct recording_place end = recording_end_place(recording);
    write_file("one\ntwo\nthree\n", 14);
    assert_true(recording_seek(recording, &end, &problem));
    assert_int_equal(recording_next(recording, &line, &problem), RECORDING_LINE);
    assert_memory_equal(line.text.bytes, "two", 3);
    assert_int_equal(line.place.line, 2);
    recording_close(&recording);
}

static void test_snapshots(void **state)
{
    (void)state;
    static const char text[] = SNAPSHOT "\n{\"schema\":\"x\"}\n" SNAPSHOT "\n{\"schema\":\"gpu";
    struct recording_line line;
    struct snapshot *snapshot;
    struct problem problem = {""};
    write_file(text, sizeof text - 1);
    struct recording *recording = open_file();
    assert_int_equal(recording_next_snapshot(recording, NULL, &line, &snapshot, &problem),
                     RECORDING_LINE);
    snapshot_drop(&snapshot);
    assert_int_equal(recording_next_snapshot(recording, NULL, &line, &snapshot, &problem),
                     RECORDING_BAD);
    assert_null(snapshot);
    assert_non_null(strstr(problem.text, ":2:11: "));
    assert_int_equal(recording_next_snapshot(recording, NULL, NULL, &snapshot, &problem),
                     RECORDING_LINE);
    snapshot_drop(&snapshot);
    assert_string_equal(recording_warning(recording), "");
    assert_int_equal(recording_next_snapshot(recording, NULL, NULL, &snapshot, &problem),
                     RECORDING_END);
    assert_non_null(strstr(recording_warning(recording), ":4: "));
    recording_close(&recording);
}

/* As Windows PowerShell and some editors write a file. */
static void test_marks(void **state)
{
    (void)state;
    enum recording_result last;
    struct problem problem = {""};
    static const char marked[] = "\xef\xbb\xbfone\ntwo\n", wide[] = "\xff\xfe{\0";
    write_file(marked, sizeof marked - 1);
    struct recording *recording = open_file();
    assert_string_equal(all_lines(recording, &last), "one|two|");
    const struct recording_place start = {.line = 1};
    assert_true(recording_seek(recording, &start, &problem));
    assert_string_equal(all_lines(recording, &last), "one|two|");
    recording_close(&recording);
    write_file(marked, 3);
    recording = open_file();
    assert_string_equal(all_lines(recording, &last), "");
    recording_close(&recording);
    write_file(wide, sizeof wide - 1);
    assert_null(recording_open(path, &problem));
    assert_non_null(strstr(problem.text, "UTF-16"));
}

static void test_long_line(void **state)
{
    (void)state;
    struct recording_line line;
    struct problem problem = {""};
    FILE *file = fopen(path, "wb");
    char *block = calloc(1, 1 << 20);
    memset(block, 'x', 1 << 20);
    for (int i = 0; i < 70; i++) {
        fwrite(block, 1, 1 << 20, file);
    }
    free(block);
    fputs("\nsecond\n", file);
    fclose(file);
    struct recording *recording = open_file();
    assert_int_equal(recording_next(recording, &line, &problem), RECORDING_BAD);
    assert_non_null(strstr(problem.text, ":1:1: "));
    assert_int_equal(recording_next(recording, &line, &problem), RECORDING_LINE);
    assert_int_equal(line.place.line, 2);
    assert_int_equal(line.place.offset, (70 << 20) + 1);
    recording_close(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),     cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_places),    cmocka_unit_test(test_growing),
        cmocka_unit_test(test_snapshots), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests_name("recording", tests, make_file, remove_file);
}
