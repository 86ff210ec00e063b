/* One array of PDH, whatever it takes: the list can grow between asking for its size and asking for
 * it, and the size that is answered to a buffer that was too small is not reliable (reference
 * windows.md section 1.3). */
#ifndef GPU_WDDM_PDH_ARRAY_H
#define GPU_WDDM_PDH_ARRAY_H

#include "gpu/wddm/pdh_calls.h"
#include "gpu/wddm/pdh_raw.h"

enum {
    PDH_ARRAY_TRIES = 5,
    PDH_ARRAY_BYTES_MAX = 64 << 20, /* a larger one is as good as not read */
    PDH_NAME_UNITS_MAX = 512,
};

/* Kept between refreshes: an array is mostly as large as the last one. Zero it to begin. */
struct pdh_buffer {
    void *bytes;
    uint32_t capacity;
};

/* Names and items go into the arena. A list without instances is PDH_NO_DATA or nothing: an empty
 * array with a valid status. Items whose name does not lie in the buffer are left out. */
void pdh_array_read(const struct pdh_calls *calls, void *counter, struct pdh_buffer *buffer,
                    struct arena *arena, struct pdh_raw_array *array);
void pdh_buffer_free(struct pdh_buffer *buffer);

#endif
