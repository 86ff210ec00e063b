#include "base/zero_tail.h"

enum { STEP = 4096, ZEROS_LEAST = 16, ZEROS_MOST = 16 << 20 };

int64_t zero_tail_cut(zero_tail_read *read, void *context, int64_t size)
{
    char bytes[STEP];

    for (int64_t at = size; at > 0 && size - at <= ZEROS_MOST;) {
        size_t length = at < STEP ? (size_t)at : STEP;

        at -= (int64_t)length;
        if (!read(context, at, bytes, length))
            break;
        for (size_t i = length; i > 0; i--)
            if (bytes[i - 1] != '\0')
                return size - at - (int64_t)i >= ZEROS_LEAST ? at + (int64_t)i : size;
    }
    return size;
}
