#include "timeline/recording_encoder.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "timeline/recording.h"

enum { LEVEL = 3 };

struct recording_encoder {
    ZSTD_CCtx *context;
    size_t lines, bytes; /* in the frame */
};

struct recording_encoder *encoder_new(void)
{
    struct recording_encoder *encoder = memory_new(sizeof *encoder);
    encoder->context = ZSTD_createCCtx();
    if (!encoder->context) {
        fatal_out_of_memory(1);
    }
    ZSTD_CCtx_setParameter(encoder->context, ZSTD_c_compressionLevel, LEVEL);
    return encoder;
}

void encoder_free(struct recording_encoder **freeing)
{
    struct recording_encoder *encoder = *freeing;
    *freeing = NULL;
    if (encoder) {
        ZSTD_freeCCtx(encoder->context);
        free(encoder);
    }
}

void encoder_add(struct recording_encoder *encoder, const char *line, size_t size,
                 struct buffer *out)
{
    encoder->lines++;
    encoder->bytes += size;
    bool last = encoder->lines >= RECORDING_FRAME_LINES || encoder->bytes >= RECORDING_FRAME_BYTES;
    ZSTD_inBuffer in = {line, size, 0};
    size_t left;
    do {
        out->bytes = vector_reserve(out->bytes, &out->capacity,
                                    out->size + ZSTD_compressBound(size - in.pos) + 64, 1);
        ZSTD_outBuffer to = {out->bytes + out->size, out->capacity - out->size, 0};
        left = ZSTD_compressStream2(encoder->context, &to, &in, last ? ZSTD_e_end : ZSTD_e_flush);
        if (ZSTD_isError(left)) {
            fatal_out_of_memory(size); /* nothing else can go wrong here */
        }
        out->size += to.pos;
    } while (left > 0);
    if (last) {
        encoder->lines = encoder->bytes = 0;
    }
}

bool encoder_is_in_frame(const struct recording_encoder *encoder)
{
    return encoder->lines > 0;
}

void encoder_restart(struct recording_encoder *encoder)
{
    ZSTD_CCtx_reset(encoder->context, ZSTD_reset_session_only);
    encoder->lines = encoder->bytes = 0;
}
