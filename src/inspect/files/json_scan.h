/* JSON read from front to back without keeping it: a pull scanner over a byte stream, for headers
 * of any size in constant memory. Strings are kept up to a limit; nesting is bounded. Private to
 * inspect/files. */
#ifndef INSPECT_FILES_JSON_SCAN_H
#define INSPECT_FILES_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/files/byte_stream.h"

enum json_token {
    JSON_ERROR, /* malformed, too deep, or the end came too early */
    JSON_END,   /* the whole value was read */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_LIST,
    JSON_LIST_END,
    JSON_KEY,    /* text: the member's name; its value follows */
    JSON_STRING, /* text */
    JSON_NUMBER, /* integer: of a whole number that fits, otherwise INT64_MIN */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
};

enum { JSON_TEXT_KEPT = 256, JSON_DEPTH_MAX = 32 };

struct json_scan {
    struct byte_stream *stream;
    unsigned depth;
    uint64_t lists; /* bit d: the container at depth d is a list */
    bool begun;     /* something stands in the innermost container */
    bool after_key;
    char text[JSON_TEXT_KEPT + 1]; /* NUL-terminated, cut; escapes decoded */
    size_t text_length;
    bool text_cut;
    int64_t integer;
};

/* From the stream's position on. */
void json_scan_start(struct json_scan *scan, struct byte_stream *stream);
enum json_token json_scan_next(struct json_scan *scan);
/* Passes over the value that `token` began. False: malformed. */
bool json_scan_skip(struct json_scan *scan, enum json_token token);

#endif
