#include "timeline/recording_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/fatal.h"
#include "base/file_door.h"
#include "base/zero_tail.h"

enum {
    INPUT_BYTES = 128 << 10,
    WINDOW_LOG_MAX = 25, /* 32 MiB, whatever a frame asks for; ours have 8 MiB at most */
    FRAME_HEADER_MAX = 18,
    BLOCK_HEADER_BYTES = 3,
    BLOCK_BYTES_MAX = (128 << 10) + 64, /* with what stands before the first */
};

struct recording_input {
    FILE *file;
    const char *name;
    bool can_seek, at_end;
    int64_t file_bytes; /* read from the file, that is, where bytes[size] stands in it */
    char *bytes;        /* read and not used yet: bytes[used] to bytes[size] */
    size_t used, size;

    ZSTD_DStream *decoder; /* NULL: plain */
    bool in_frame, is_torn;
    size_t hint; /* what the decoder wants next: RFC 8878's block header between blocks */
    struct input_place place;
};

static bool fill(struct recording_input *input, struct problem *problem)
{
    if (input->at_end || input->used < input->size)
        return true;
    errno = 0;
    input->used = 0;
    input->size = fread(input->bytes, 1, INPUT_BYTES, input->file);
    input->file_bytes += (int64_t)input->size;
    if (input->size > 0)
        return true;
    if (ferror(input->file))
        return problem_set(problem, "cannot read %.300s: %s", input->name, strerror(errno));
    clearerr(input->file);
    input->at_end = true;
    return true;
}

/* RFC 8878: a frame, or one that is to be skipped. */
static bool is_zstd(const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;

    return size >= 4 && ((b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd) ||
                         ((b[0] & 0xf0) == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18));
}

static bool start_decoder(struct recording_input *input, struct problem *problem)
{
    input->decoder = ZSTD_createDStream();
    if (!input->decoder)
        fatal_out_of_memory(1);
    if (!ZSTD_isError(ZSTD_DCtx_setParameter(input->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        return true;
    return problem_set(problem, "this libzstd takes no bound on memory; a newer one does");
}

/* What some editors put before UTF-8 (RFC 8259: it may be ignored). */
static void skip_mark(struct recording_input *input)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t size = sizeof mark - 1;

    if (!input->decoder && input->place.offset == 0 && input->size - input->used >= size &&
        memcmp(input->bytes + input->used, mark, size) == 0) {
        input->used += size;
        input->place.offset += (int64_t)size;
    }
}

static bool is_utf16(const char *bytes, size_t size)
{
    return size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
}

struct recording_input *input_open(const char *path, struct problem *problem)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : file_door_open(path);

    if (!file) {
        problem_set(problem, "cannot open %.300s: %s", path, strerror(errno));
        return NULL;
    }
    struct recording_input *input = memory_new(sizeof *input);

    input->file = file;
    input->name = path;
    input->bytes = memory_new(INPUT_BYTES);
    input->can_seek = !is_stdin && file_door_size(file) >= 0;
    bool good = fill(input, problem);

    if (good && is_utf16(input->bytes, input->size))
        good = problem_set(
            problem, "%.300s is UTF-16, as the > of Windows PowerShell writes it; write UTF-8",
            path);
    if (!good || (is_zstd(input->bytes, input->size) && !start_decoder(input, problem)))
        input_close(&input);
    else
        skip_mark(input);
    return input;
}

void input_close(struct recording_input **closing)
{
    struct recording_input *input = *closing;

    *closing = NULL;
    if (!input)
        return;
    if (input->file != stdin)
        fclose(input->file);
    ZSTD_freeDStream(input->decoder);
    free(input->bytes);
    free(input);
}

static bool read_plain(struct recording_input *input, char *bytes, size_t size, size_t *got,
                       struct problem *problem)
{
    if (!fill(input, problem))
        return false;
    size_t ready = input->size - input->used;

    *got = ready < size ? ready : size;
    memcpy(bytes, input->bytes + input->used, *got);
    input->used += *got;
    input->place.offset += (int64_t)*got;
    return true;
}

static bool read_at(void *context, int64_t at, char *bytes, size_t size)
{
    struct recording_input *input = context;

    return file_door_seek(input->file, at) && fread(bytes, 1, size, input->file) == size;
}

/* What was not decoded is the rest of one block, and zeros behind it: a power failure. */
static bool is_lost_end(struct recording_input *input)
{
    int64_t size = input->can_seek ? file_door_size(input->file) : 0;
    int64_t end = size > 0 ? zero_tail_cut(read_at, input, size) : size;

    return end < size && end - input_read_bytes(input) <= BLOCK_BYTES_MAX;
}

/* Block by block: what was decoded in a call that fails is lost. At the end of the file what the
 * decoder still holds is asked for with an empty input. */
static bool decode(struct recording_input *input, char *bytes, size_t size, size_t *got,
                   struct problem *problem)
{
    size_t ready = input->size - input->used;
    size_t wanted = input->in_frame ? input->hint : FRAME_HEADER_MAX;
    ZSTD_inBuffer in = {input->bytes + input->used, ready < wanted ? ready : wanted, 0};
    ZSTD_outBuffer out = {bytes, size, 0};
    size_t hint = ZSTD_decompressStream(input->decoder, &out, &in);

    if (ZSTD_isError(hint) && is_lost_end(input)) {
        input->used = input->size;
        input->at_end = input->is_torn = true;
        return true;
    }
    if (ZSTD_isError(hint))
        return problem_set(problem, "%.200s is damaged in its zstd frame at byte %lld: %s",
                           input->name, (long long)input->place.offset, ZSTD_getErrorName(hint));
    input->used += in.pos;
    input->hint = hint;
    input->in_frame = hint != 0;
    *got = out.pos;
    return true;
}

static bool read_compressed(struct recording_input *input, char *bytes, size_t size, size_t *got,
                            struct input_place *place, struct problem *problem)
{
    while (!input->is_torn) {
        if (!fill(input, problem))
            return false;
        if (!input->in_frame && input->used < input->size) {
            int64_t unused = (int64_t)(input->size - input->used);

            input->place = (struct input_place){input->file_bytes - unused, 0};
        }
        if (!input->in_frame && input->at_end)
            return true;
        *place = input->place;
        if (!decode(input, bytes, size, got, problem))
            return false;
        input->place.inside += (int64_t)*got;
        if (*got || (input->at_end && input->used == input->size))
            return true;
    }
    return true;
}

bool input_read(struct recording_input *input, char *bytes, size_t size, size_t *got,
                struct input_place *place, struct problem *problem)
{
    *got = 0;
    *place = input->place;
    return input->decoder ? read_compressed(input, bytes, size, got, place, problem)
                          : read_plain(input, bytes, size, got, problem);
}

/* Decodes from the start of the frame to the place inside it. */
static bool skip_text(struct recording_input *input, int64_t count, struct problem *problem)
{
    char *bytes = memory_new(INPUT_BYTES);
    size_t got = 1;
    struct input_place place;
    bool good = true;

    while (good && count > 0 && got > 0) {
        size_t part = count < INPUT_BYTES ? (size_t)count : INPUT_BYTES;

        good = input_read(input, bytes, part, &got, &place, problem);
        count -= (int64_t)got;
    }
    free(bytes);
    return good && (count <= 0 || problem_set(problem, "%.300s has become shorter", input->name));
}

bool input_seek(struct recording_input *input, struct input_place place, struct problem *problem)
{
    if (!input->can_seek || !file_door_seek(input->file, place.offset))
        return problem_set(problem, "cannot go to a place in %.300s", input->name);
    input->used = input->size = 0;
    input->file_bytes = place.offset;
    input->at_end = input->in_frame = input->is_torn = false;
    input->place = (struct input_place){place.offset, 0};
    if (!input->decoder) {
        bool good = place.offset > 0 || fill(input, problem);

        skip_mark(input);
        return good;
    }
    ZSTD_DCtx_reset(input->decoder, ZSTD_reset_session_only);
    return skip_text(input, place.inside, problem);
}

bool input_is_torn(const struct recording_input *input)
{
    return input->is_torn || (input->in_frame && input->hint != BLOCK_HEADER_BYTES);
}

bool input_can_seek(const struct recording_input *input)
{
    return input->can_seek;
}

bool input_is_compressed(const struct recording_input *input)
{
    return input->decoder != NULL;
}

int64_t input_size_bytes(const struct recording_input *input)
{
    return input->file == stdin ? -1 : file_door_size(input->file);
}

int64_t input_read_bytes(const struct recording_input *input)
{
    return input->file_bytes - (int64_t)(input->size - input->used);
}
