/* Any bytes as a recording: every line has a place that leads back to it, and a torn end that is
 * mended is whole. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timeline/recording.h"
#include "timeline/recording_encoder.h"

enum { LINES_MAX = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct content {
    const char *bytes;
    size_t size;
};

static bool read_content(void *context, int64_t at, char *bytes, size_t size)
{
    const struct content *content = context;
    if (at < 0 || (uint64_t)at > content->size || size > content->size - (size_t)at) {
        abort(); /* outside the file */
    }
    memcpy(bytes, content->bytes + at, size);
    return true;
}

static enum recording_tail look(struct content *content, int64_t *end)
{
    const struct recording_bytes file = {read_content, content, (int64_t)content->size};
    enum recording_tail tail = recording_tail_look(&file, end);
    if (*end < 0 || *end > (int64_t)content->size) {
        abort();
    }
    return tail;
}

static void check_tail(const char *bytes, size_t size)
{
    struct content content = {bytes, size};
    int64_t end;
    enum recording_tail tail = look(&content, &end);
    if (tail == RECORDING_TAIL_FOREIGN) {
        return;
    }
    struct buffer mended = {0};
    buffer_add(&mended, bytes, (size_t)end);
    if (tail == RECORDING_TAIL_OPEN) {
        buffer_add(&mended, RECORDING_FRAME_END, RECORDING_FRAME_END_SIZE);
    }
    struct content after = {mended.bytes, mended.size};
    if (look(&after, &end) != RECORDING_TAIL_WHOLE) {
        abort();
    }
    buffer_free(&mended);
}

static void check_place(struct recording *recording, const struct recording_line *first,
                        const char *text, size_t size)
{
    struct recording_line again;
    struct problem problem = {""};
    if (!recording_seek(recording, &first->place, &problem) ||
        recording_next(recording, &again, &problem) != RECORDING_LINE ||
        again.text.length != size || memcmp(again.text.bytes, text, size) != 0 ||
        again.place.line != first->place.line) {
        abort();
    }
}

static void check_lines(const char *path)
{
    struct problem problem = {""};
    struct recording_line line, kept[LINES_MAX];
    char *texts[LINES_MAX];
    size_t sizes[LINES_MAX], count = 0;
    struct recording *recording = recording_open(path, &problem);
    if (!recording) {
        return;
    }
    enum recording_result result = RECORDING_BAD;
    for (int i = 0;
         i < 10000 && (result = recording_next(recording, &line, &problem)) <= RECORDING_BAD &&
         result != RECORDING_END;
         i++) {
        if (result == RECORDING_LINE && count < LINES_MAX) {
            sizes[count] = line.text.length;
            texts[count] = malloc(line.text.length + 1);
            memcpy(texts[count], line.text.bytes, line.text.length);
            kept[count++] = line;
        }
    }
    while (count-- > 0) {
        check_place(recording, &kept[count], texts[count], sizes[count]);
        free(texts[count]);
    }
    recording_close(&recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/gputaskman-fuzz-XXXXXX";
    int descriptor = mkstemp(path);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size) {
        abort();
    }
    close(descriptor);
    check_lines(path);
    unlink(path);
    check_tail((const char *)data, size);
    return 0;
}
