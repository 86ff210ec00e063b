/* From PDH's arrays to a reading: the portable half of the Windows counters. Whoever has the arrays
 * (PDH itself, the stream of the Windows host in WSL, a recording) fills pdh_array in the order
 * they came; instances that are no GPU's are left out. */
#ifndef GPU_WDDM_COUNTERS_H
#define GPU_WDDM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "reading/wddm.h"

enum pdh_path {
    PDH_LOCAL,
    PDH_NON_LOCAL,
    PDH_COMMITTED,
    PDH_DEDICATED,
    PDH_ADAPTER_DEDICATED,
    PDH_ADAPTER_SHARED,
    PDH_UTILIZATION,
    PDH_PATH_COUNT
};

/* "\GPU Process Memory(*)\Local Usage": English, as for PdhAddEnglishCounter. */
const char *pdh_path_text(enum pdh_path path);
/* PDH_PATH_COUNT for one that is not asked for. Case does not matter. */
enum pdh_path pdh_path_of(const char *text);

struct pdh_item {
    struct raw_text instance;
    struct measured value; /* bytes, or 0.001 % of an engine */
};

struct pdh_array {
    bool read;
    enum reason why_not; /* while not read; not_reported: it failed */
    const struct pdh_item *items;
    size_t count;
};

/* As a sender that counts in reals has them; bytes beyond 63 bits, or below 0, are a phantom. */
struct measured pdh_bytes(double value);
struct measured pdh_load(double percent);
/* Fills the lists and engines of `sample`; what it points to lives in `arena`. */
void wddm_counters(struct arena *arena, const struct pdh_array arrays[PDH_PATH_COUNT],
                   struct wddm_sample *sample);

#endif
