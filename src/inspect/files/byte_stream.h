/* A byte source read from front to back through one small buffer; what is skipped is not read. All
 * positions are checked against the size before anything is added to them. */
#ifndef INSPECT_FILES_BYTE_STREAM_H
#define INSPECT_FILES_BYTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/files/byte_source.h"

enum { BYTE_STREAM_BUFFER = 32 * 1024 };

struct byte_stream {
    const struct byte_source *source;
    int64_t position;   /* of the next byte */
    int64_t end;        /* nothing is read from here on; at most source->size */
    int64_t bytes_read; /* really read so far, to bound the work */
    bool swaps;         /* numbers are big-endian */
    int64_t buffer_at;  /* position of buffer[0] */
    size_t buffered;
    unsigned char buffer[BYTE_STREAM_BUFFER];
};

/* A stream from `position` to the end of the source. The struct is large: not for the stack of a
 * small thread. */
void byte_stream_start(struct byte_stream *stream, const struct byte_source *source,
                       int64_t position);
int64_t byte_stream_left(const struct byte_stream *stream);
/* Exactly `length` bytes; false at the end, the position is then anywhere. */
bool byte_stream_take(struct byte_stream *stream, void *bytes, size_t length);
bool byte_stream_skip(struct byte_stream *stream, uint64_t length);
/* The next bytes without moving: at least one, more where they are buffered; NULL at the end. */
const unsigned char *byte_stream_peek(struct byte_stream *stream, size_t *available);
bool byte_stream_u8(struct byte_stream *stream, uint8_t *value);
bool byte_stream_u16(struct byte_stream *stream, uint16_t *value);
bool byte_stream_u32(struct byte_stream *stream, uint32_t *value);
bool byte_stream_u64(struct byte_stream *stream, uint64_t *value);

/* Numbers as they lie in a file. */
static inline uint16_t little_u16(const unsigned char *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}
static inline uint32_t little_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}
static inline uint64_t little_u64(const unsigned char *bytes)
{
    return (uint64_t)little_u32(bytes) | (uint64_t)little_u32(bytes + 4) << 32;
}

#endif
