/* What a crash leaves of a compressed recording can be read, and be gone on with. */
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
#include "timeline/recording_encoder.h"

#define LINE_START "{\"schema\":\"gputaskman/1\",\"n\":"

static bool read_bytes(void *context, int64_t at, char *bytes, size_t size)
{
    const struct buffer *buffer = context;
    if (at < 0 || (uint64_t)at + size > buffer->size) {
        return false;
    }
    memcpy(bytes, buffer->bytes + at, size);
    return true;
}

static enum recording_tail look(struct buffer *buffer, int64_t *end)
{
    const struct recording_bytes file = {read_bytes, buffer, (int64_t)buffer->size};
    return recording_tail_look(&file, end);
}

/* Lines that compress badly now and then, so that blocks of all types occur. */
static void add_line(struct recording_encoder *encoder, int number, struct buffer *out)
{
    char line[700];
    size_t size = (size_t)snprintf(line, sizeof line, LINE_START "%d,\"x\":\"", number);
    unsigned seed = (unsigned)number;
    for (int i = 0; i < number * 37 % 500; i++) {
        seed = seed * 1103515245 + 12345;
        line[size++] = (char)('a' + (number % 3 ? seed >> 16 & 15 : 0));
    }
    memcpy(line + size, "\"}\n", 3);
    encoder_add(encoder, line, size + 3, out);
}

/* The numbers of all lines in a file, which must count up from 0; -1 where one is torn. */
static int count_lines(const struct buffer *buffer)
{
    char path[] = "/tmp/gputaskman-encoder-XXXXXX";
    struct problem problem = {""};
    struct recording_line line;
    enum recording_result result;
    int count = 0;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, buffer->bytes, (unsigned)buffer->size), buffer->size);
    close(descriptor);
    struct recording *recording = recording_open(path, &problem);
    assert_non_null(recording);
    while ((result = recording_next(recording, &line, &problem)) == RECORDING_LINE) {
        char wanted[64];
        size_t length = (size_t)snprintf(wanted, sizeof wanted, LINE_START "%d,", count);
        assert_true(line.text.length > length);
        assert_memory_equal(line.text.bytes, wanted, length);
        assert_int_equal(line.text.bytes[line.text.length - 1], '}');
        assert_int_equal(line.place.line, ++count);
    }
    if (result == RECORDING_FAILED) {
        fail_msg("%s", problem.text);
    }
    recording_close(&recording);
    unlink(path);
    return count;
}

static void test_frames(void **state)
{
    (void)state;
    struct recording_encoder *encoder = encoder_new();
    struct buffer file = {0};
    int64_t end;
    for (int i = 0; i < 2 * RECORDING_FRAME_LINES; i++) {
        assert_int_equal(encoder_is_in_frame(encoder), i % RECORDING_FRAME_LINES != 0);
        add_line(encoder, i, &file);
        bool whole = (i + 1) % RECORDING_FRAME_LINES == 0;
        assert_int_equal(look(&file, &end), whole ? RECORDING_TAIL_WHOLE : RECORDING_TAIL_OPEN);
        assert_int_equal(end, file.size);
    }
    assert_int_equal(count_lines(&file), 2 * RECORDING_FRAME_LINES);
    encoder_free(&encoder);
    buffer_free(&file);
}

/* Torn at any byte: what is kept are whole lines, at most the one that was torn is lost, and what
 * is appended after mending follows them. */
static void test_torn_anywhere(void **state)
{
    (void)state;
    enum { LINES = RECORDING_FRAME_LINES + 9 };
    struct recording_encoder *encoder = encoder_new();
    struct buffer file = {0};
    size_t ends[LINES + 1] = {0};
    for (int i = 0; i < LINES; i++) {
        add_line(encoder, i, &file);
        ends[i + 1] = file.size;
    }
    int whole = 0;
    size_t full = file.size;
    for (size_t size = 0; size <= full; size += size < full - 300 ? 13 : 1) {
        while (whole < LINES && ends[whole + 1] <= size) {
            whole++;
        }
        struct buffer torn = {0};
        int64_t end;
        buffer_add(&torn, file.bytes, size);
        enum recording_tail tail = look(&torn, &end);
        assert_true(tail != RECORDING_TAIL_FOREIGN && end <= (int64_t)size);
        torn.size = (size_t)end;
        if (tail == RECORDING_TAIL_OPEN) {
            buffer_add(&torn, RECORDING_FRAME_END, RECORDING_FRAME_END_SIZE);
        }
        assert_int_equal(look(&torn, &end), RECORDING_TAIL_WHOLE);
        encoder_restart(encoder);
        add_line(encoder, whole, &torn);
        assert_int_equal(count_lines(&torn), whole + 1);
        buffer_free(&torn);
    }
    encoder_free(&encoder);
    buffer_free(&file);
}

static void test_foreign(void **state)
{
    (void)state;
    char other[512];
    static const char words[] = "some text that is no recording at all, some text";
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_outBuffer out = {other, sizeof other, 0};
    ZSTD_inBuffer in = {words, sizeof words, 0};
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush), 0);
    ZSTD_freeCCtx(context);
    char archive[512];
    size_t archive_size = ZSTD_compress(archive, sizeof archive, words, sizeof words, 3);
    assert_false(ZSTD_isError(archive_size));
    const struct {
        const char *bytes;
        size_t size;
        enum recording_tail tail;
    } cases[] = {
        {"", 0, RECORDING_TAIL_WHOLE},
        {"hello", 5, RECORDING_TAIL_FOREIGN},
        {"\x28\xb5\x2f", 3, RECORDING_TAIL_TORN},
        {"\x28\xb5\x2f\xfd\x00", 5, RECORDING_TAIL_TORN},
        {"\x28\xb5\x2f\xfd\x00\x58\x07\x00\x00", 9, RECORDING_TAIL_FOREIGN},
        {"\x28\xb5\x2f\xfd\x00\x58\xff\xff\xff", 9, RECORDING_TAIL_FOREIGN},
        {other, out.pos, RECORDING_TAIL_FOREIGN},
        {archive, archive_size, RECORDING_TAIL_FOREIGN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer file = {0};
        int64_t end;
        buffer_add(&file, cases[i].bytes, cases[i].size);
        assert_int_equal(look(&file, &end), cases[i].tail);
        buffer_free(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_torn_anywhere),
        cmocka_unit_test(test_foreign),
    };
    return cmocka_run_group_tests_name("recording_encoder", tests, NULL, NULL);
}
