#include "inspect/files/byte_stream.h"

#include <string.h>

void byte_stream_start(struct byte_stream *stream, const struct byte_source *source,
                       int64_t position)
{
    stream->source = source;
    stream->position = position;
    stream->end = source->size;
    stream->bytes_read = 0;
    stream->swaps = false;
    stream->buffer_at = 0;
    stream->buffered = 0;
}

int64_t byte_stream_left(const struct byte_stream *stream)
{
    return stream->position < stream->end ? stream->end - stream->position : 0;
}

const unsigned char *byte_stream_peek(struct byte_stream *stream, size_t *available)
{
    int64_t offset = stream->position - stream->buffer_at;
    if (offset < 0 || offset >= (int64_t)stream->buffered) {
        int64_t left = byte_stream_left(stream);
        size_t want = left < BYTE_STREAM_BUFFER ? (size_t)left : BYTE_STREAM_BUFFER;
        stream->buffered = 0;
        if (want == 0 ||
            !byte_source_read(stream->source, stream->position, stream->buffer, want)) {
            *available = 0;
            return NULL;
        }
        stream->bytes_read += (int64_t)want;
        stream->buffer_at = stream->position;
        stream->buffered = want;
        offset = 0;
    }
    *available = stream->buffered - (size_t)offset;
    return stream->buffer + offset;
}

bool byte_stream_take(struct byte_stream *stream, void *bytes, size_t length)
{
    char *to = bytes;
    while (length > 0) {
        size_t available;
        const unsigned char *from = byte_stream_peek(stream, &available);
        if (!from) {
            return false;
        }
        size_t part = length < available ? length : available;
        memcpy(to, from, part);
        to += part;
        length -= part;
        stream->position += (int64_t)part;
    }
    return true;
}

bool byte_stream_skip(struct byte_stream *stream, uint64_t length)
{
    if (length > (uint64_t)byte_stream_left(stream)) {
        return false;
    }
    stream->position += (int64_t)length;
    return true;
}

bool byte_stream_u8(struct byte_stream *stream, uint8_t *value)
{
    return byte_stream_take(stream, value, 1);
}

bool byte_stream_u16(struct byte_stream *stream, uint16_t *value)
{
    unsigned char bytes[2];
    if (!byte_stream_take(stream, bytes, sizeof bytes)) {
        return false;
    }
    *value = little_u16(bytes);
    if (stream->swaps) {
        *value = __builtin_bswap16(*value);
    }
    return true;
}

bool byte_stream_u32(struct byte_stream *stream, uint32_t *value)
{
    unsigned char bytes[4];
    if (!byte_stream_take(stream, bytes, sizeof bytes)) {
        return false;
    }
    *value = little_u32(bytes);
    if (stream->swaps) {
        *value = __builtin_bswap32(*value);
    }
    return true;
}

bool byte_stream_u64(struct byte_stream *stream, uint64_t *value)
{
    unsigned char bytes[8];
    if (!byte_stream_take(stream, bytes, sizeof bytes)) {
        return false;
    }
    *value = little_u64(bytes);
    if (stream->swaps) {
        *value = __builtin_bswap64(*value);
    }
    return true;
}
