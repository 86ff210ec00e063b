/* The VRAM map, step 1: what fills an adapter's memory, as segments that sum exactly to the bar.
 * Pure. Step 2, segments to terminal cells, is memory_bar.h.
 *
 * The bar is VRAM, from 0 to its total; on a GPU with unified memory it is both pools together. The
 * order is fixed by class, then size, then pid. A process's outer edge is always its measured (or
 * matched) figure; what is estimated or reported divides it inside and is cut at that edge. */
#ifndef VIEW_MEMORY_MAP_H
#define VIEW_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/memory_holders.h"
#include "view/units.h"

/* Which part of its process a segment is. */
enum segment_part {
    PART_WHOLE,
    PART_WEIGHTS,
    PART_KV_CACHE,
    PART_COMPUTE,
    PART_OTHER,
    PART_UNEXPLAINED, /* the measured (or matched) rest beside the parts above */
    PART_COUNT
};

/* How a segment is drawn. */
enum segment_pattern {
    PATTERN_SOLID,   /* measured */
    PATTERN_HATCHED, /* estimated or reported inside a measured process: see how */
    PATTERN_MATCHED, /* '*' */
    PATTERN_GUESS,   /* '?' */
    PATTERN_UNATTRIBUTED,
    PATTERN_UNKNOWN,
    PATTERN_RESERVED,
    PATTERN_FREE,
    PATTERN_COUNT
};

struct segment {
    enum segment_class class;
    enum segment_part part;
    enum segment_pattern pattern;
    enum how how; /* of the bytes; unavailable: they are drawn, and are no figure */
    int64_t bytes;
    const struct process *process; /* NULL: of no process, or several joined */
    const struct model *model;     /* of a part; else NULL */
    size_t joined;                 /* 0: one segment; n: "n more" small ones of its class */
};

struct segment_list {
    struct segment *items;
    size_t count, capacity;
    int64_t total_bytes; /* the items' sum, exactly */
};

enum map_note {
    MAP_NOTE_PARTS_CUT = 1 << 0,  /* a model's parts were larger than their process */
    MAP_NOTE_ABOVE_USED = 1 << 1, /* the processes' sum was above the adapter's use (two moments) */
    MAP_NOTE_ABOVE_TOTAL = 1 << 2,  /* ... above its size: the last ones were cut */
    MAP_NOTE_INFERRED_CUT = 1 << 3, /* matched bytes did not fit and were cut */
};

struct memory_map {
    bool known; /* false: the size of the memory is not known, and why */
    enum reason why_not;
    bool unified;
    struct measured used_bytes; /* of the bar: VRAM, or both pools */
    struct segment_list bar;
    /* System RAM used by a discrete GPU, by process; on the scale of the bar (it may be larger). No
     * items: none, or not counted here. Always empty when unified. */
    struct segment_list spill;
    /* Estimated and reported parts of processes whose memory here is not known: beside the bar, and
     * never in it. */
    struct segment_list unplaced;
    unsigned int notes; /* enum map_note */
    struct memory_holders holders;
};

/* Fills the map (zeroed before its first use; the memory is used again). It refers into the
 * snapshot. */
void memory_map_build(struct memory_map *map, const struct snapshot *snapshot,
                      const struct adapter *adapter);
void memory_map_free(struct memory_map *map);

/* One line for the notes that hold; "" when none. Static. */
const char *memory_map_note(enum map_note note);

enum { SEGMENT_LABEL_SIZE = 128 };
/* "llama-server", "Qwen3-32B weights", "3 more", "free". Holds texts of the snapshot. */
void segment_label(const struct segment *segment, char out[SEGMENT_LABEL_SIZE]);
/* The same, but behind a segment of the same process only the part is named ("KV cache"). */
void segment_label_after(const struct segment *segment, const struct segment *before,
                         char out[SEGMENT_LABEL_SIZE]);
/* "12.9 G", or "n/a" where they are no figure. */
void segment_bytes_words(const struct segment *segment, char out[UNITS_SIZE]);
const char *segment_class_words(enum segment_class class); /* "models", "free" */
const char *segment_part_words(enum segment_part part);    /* "weights"; "" for PART_WHOLE */

#endif
