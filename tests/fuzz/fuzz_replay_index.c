/* The index beside a recording: bytes that anybody may have written. What is taken can be looked up
 * anywhere. The checksum is made right, or nothing behind it would ever be reached. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "source/replay_index_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAGIC_BYTES = 8, SUM_END = 16 };

static void look_up(const struct replay_index *index)
{
    static const int64_t times[] = {INT64_MIN, -1, 0, 1, 1795953600000000000LL, INT64_MAX};
    if (index->noted.count == 0 || index->frame_count == 0)
        abort();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (replay_index_at_play(index, times[i]) >= index->noted.count ||
            replay_index_at_wall(index, times[i]) >= index->noted.count)
            abort();
    }
    for (uint64_t frame = 0; frame < index->frame_count; frame += 1 + index->frame_count / 16) {
        uint64_t found;
        if (!replay_index_noted(index, frame))
            abort();
        if (replay_index_event(index, frame, 1, &found) &&
            (found <= frame || found >= index->frame_count))
            abort();
        (void)replay_index_event(index, frame, -1, &found);
        (void)replay_index_events_to(index, frame);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct replay_index index = {.stride = 1};
    struct replay_mark mark;
    char *bytes = memory_new(size + 1);
    memcpy(bytes, data, size);
    if (size >= SUM_END) {
        memcpy(bytes, "GTMIDX02", MAGIC_BYTES);
        uint64_t sum = replay_index_sum((struct raw_text){bytes, size});
        for (int i = 0; i < 8; i++)
            bytes[MAGIC_BYTES + i] = (char)(sum >> (8 * i));
    }
    if (replay_index_decode((struct raw_text){bytes, size}, &index, &mark)) {
        look_up(&index);
        const struct frame_facts facts = {.wall_ns = 0, .has_events = true};
        replay_index_add(&index, &index.end, &facts);
    }
    replay_index_free(&index);
    free(bytes);
    return 0;
}
