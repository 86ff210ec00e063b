#include "source/replay_index_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/file_door.h"
#include "base/vector.h"
#include "timeline/recording_parts.h"

/* "GTMIDX" and a version; then numbers of 8 bytes, the least significant byte first. */
static const char magic[8] = {'G', 'T', 'M', 'I', 'D', 'X', '0', '2'};
enum {
    WORD = 8,
    HEADER_WORDS = 26, /* the magic is the first, the checksum of all behind it the second */
    NOTED_WORDS = 7,
    EVENT_WORDS = 2,
    HASHED_BYTES = 64 << 10,
    KIND_BYTES = 6, /* of the magic: an index, of any version */
    PATH_SIZE = 4096,
};
#define FILE_BYTES_MAX ((size_t)16 << 20)
#define PLAY_NS_MAX (INT64_MAX / 2)

_Static_assert((size_t)REPLAY_NOTED_MAX *NOTED_WORDS *WORD +
                       (size_t)REPLAY_EVENTS_MAX * EVENT_WORDS * WORD + HEADER_WORDS * WORD <=
                   FILE_BYTES_MAX,
               "the largest index can be read back");

static uint64_t hash(const char *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325ULL; /* FNV-1a */
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3ULL;
    }
    return sum;
}

static uint64_t hash_part(FILE *file, int64_t offset, size_t size)
{
    char *bytes = memory_new(HASHED_BYTES);
    size_t got = file_door_seek(file, offset) ? fread(bytes, 1, size, file) : 0;
    uint64_t sum = hash(bytes, got);
    free(bytes);
    return sum;
}

bool replay_mark_read(const char *recording_path, const struct recording_place *end,
                      struct replay_mark *mark)
{
    int64_t end_offset = end->offset, before_bytes = 0;
    char *path = recording_part_find(recording_path, 0);
    for (uint32_t part = 0; path && part < end->part; part++) {
        int64_t size = file_size(path);
        before_bytes += size > 0 ? size : 0;
        free(path);
        path = recording_part_find(recording_path, part + 1);
    }
    FILE *file = path ? file_door_open(path) : NULL;
    free(path);
    if (!file) {
        return false;
    }
    int64_t begin = end_offset > HASHED_BYTES ? end_offset - HASHED_BYTES : 0;
    *mark = (struct replay_mark){
        .before_bytes = before_bytes,
        .size_bytes = file_door_size(file),
        .changed_ns = file_door_changed_ns(file),
        .head_hash = hash_part(file, 0, (size_t)(end_offset - begin)),
        .tail_hash = hash_part(file, begin, (size_t)(end_offset - begin)),
    };
    fclose(file);
    return mark->size_bytes >= end_offset;
}

struct words {
    const unsigned char *at;
};

static uint64_t take(struct words *words)
{
    uint64_t word = 0;
    for (int i = 0; i < WORD; i++) {
        word |= (uint64_t)words->at[i] << (8 * i);
    }
    words->at += WORD;
    return word;
}

static int64_t take_signed(struct words *words)
{
    uint64_t word = take(words);
    int64_t value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void take_place(struct words *words, struct recording_place *place)
{
    place->offset = take_signed(words);
    place->inside = take_signed(words);
    place->line = take(words);
    uint64_t part = take(words);
    place->part = part <= RECORDING_PARTS_MAX ? (uint32_t)part : UINT32_MAX;
}

/* The numbers behind the checksum, up to the lists; the order is that of put_header(). */
static void take_header(struct words *words, struct replay_index *index, struct replay_mark *mark,
                        uint64_t *noted_count, uint64_t *event_count)
{
    mark->before_bytes = take_signed(words);
    mark->size_bytes = take_signed(words);
    mark->changed_ns = take_signed(words);
    mark->head_hash = take(words);
    mark->tail_hash = take(words);
    index->stride = take(words);
    index->frame_count = take(words);
    index->event_stride = take(words);
    index->event_frame_count = take(words);
    index->play_ns = take_signed(words);
    index->last.wall_ns = take_signed(words);
    index->last.running_ns = take_signed(words);
    index->last.interval_ns = take_signed(words);
    index->last.boot = take(words);
    take_place(words, &index->end);
    take_place(words, &index->newest);
    *noted_count = take(words);
    *event_count = take(words);
}

static bool is_power_of_two(uint64_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

static bool header_is_sound(const struct replay_index *index, const struct replay_mark *mark,
                            uint64_t noted_count, uint64_t event_count, size_t bytes)
{
    if (noted_count > REPLAY_NOTED_MAX || event_count > REPLAY_EVENTS_MAX ||
        bytes != (HEADER_WORDS + noted_count * NOTED_WORDS + event_count * EVENT_WORDS) * WORD) {
        return false;
    }
    return is_power_of_two(index->stride) && is_power_of_two(index->event_stride) &&
           index->stride < 1ULL << 40 && index->event_stride < 1ULL << 40 &&
           index->frame_count > (noted_count - 1) * index->stride &&
           index->frame_count <= noted_count * index->stride && noted_count > 0 &&
           index->event_frame_count <= index->frame_count && index->play_ns >= 0 &&
           index->play_ns <= PLAY_NS_MAX && mark->size_bytes >= 0 && index->end.offset >= 0 &&
           index->end.offset <= mark->size_bytes && index->end.inside >= 0 &&
           index->end.line >= 1 && index->end.part <= RECORDING_PARTS_MAX &&
           index->newest.offset >= 0 && index->newest.inside >= 0 && index->newest.line >= 1 &&
           recording_place_is_before(&index->newest, &index->end);
}

static bool take_noted(struct words *words, struct replay_index *index, uint64_t count)
{
    struct replay_noted before = {.place = {.line = 0}};
    for (uint64_t i = 0; i < count; i++) {
        struct replay_noted noted = {0};
        noted.place.offset = take_signed(words);
        noted.place.inside = take_signed(words);
        uint64_t line_and_load = take(words);
        noted.place.line = line_and_load >> 8;
        noted.load = (uint8_t)(line_and_load & 0xff);
        uint64_t part = take(words);
        noted.place.part = part <= RECORDING_PARTS_MAX ? (uint32_t)part : UINT32_MAX;
        noted.wall_ns = take_signed(words);
        noted.running_ns = take_signed(words);
        noted.play_ns = take_signed(words);
        bool same_part = noted.place.part == before.place.part;
        if (noted.place.offset < (same_part ? before.place.offset : 0) ||
            (noted.place.part == index->end.part && noted.place.offset > index->end.offset) ||
            noted.place.inside < 0 || noted.place.line < 1 ||
            !recording_place_is_before(&before.place, &noted.place) ||
            recording_place_is_before(&index->newest, &noted.place) ||
            noted.play_ns < before.play_ns || noted.play_ns > index->play_ns) {
            return false;
        }
        VECTOR_PUSH(&index->noted, noted);
        before = noted;
    }
    return true;
}

static bool take_events(struct words *words, struct replay_index *index, uint64_t count)
{
    struct replay_event_frame before = {0};
    for (uint64_t i = 0; i < count; i++) {
        struct replay_event_frame event = {.frame = take(words)};
        event.play_ns = take_signed(words);
        if ((i > 0 && event.frame <= before.frame) || event.frame >= index->frame_count ||
            event.play_ns < before.play_ns || event.play_ns > index->play_ns) {
            return false;
        }
        VECTOR_PUSH(&index->events, event);
        before = event;
    }
    return true;
}

uint64_t replay_index_sum(struct raw_text bytes)
{
    size_t head = (size_t)2 * WORD; /* the magic and the sum itself */
    return bytes.length < head ? 0 : hash(bytes.bytes + head, bytes.length - head);
}

bool replay_index_decode(struct raw_text bytes, struct replay_index *index,
                         struct replay_mark *mark)
{
    uint64_t noted_count, event_count;
    struct words words = {(const unsigned char *)bytes.bytes};
    replay_index_start(index);
    if (bytes.length < (size_t)HEADER_WORDS * WORD ||
        memcmp(bytes.bytes, magic, sizeof magic) != 0) {
        return false;
    }
    words.at += WORD;
    if (take(&words) != replay_index_sum(bytes)) {
        return false;
    }
    take_header(&words, index, mark, &noted_count, &event_count);
    bool good = header_is_sound(index, mark, noted_count, event_count, bytes.length) &&
                take_noted(&words, index, noted_count) && take_events(&words, index, event_count);
    if (!good) {
        replay_index_start(index);
    }
    return good;
}

static bool index_path(const char *recording_path, char path[PATH_SIZE])
{
    int length = snprintf(path, PATH_SIZE, "%s.idx", recording_path);
    return length > 0 && length < PATH_SIZE;
}

static bool load(const char *recording_path, struct raw_text bytes, struct replay_index *index)
{
    struct replay_mark was, is;
    if (!replay_index_decode(bytes, index, &was) ||
        !replay_mark_read(recording_path, &index->end, &is) ||
        was.before_bytes != is.before_bytes || was.head_hash != is.head_hash ||
        was.tail_hash != is.tail_hash) {
        return false;
    }
    char *next = recording_part_find(recording_path, index->end.part + 1);
    bool same = was.size_bytes == is.size_bytes && was.changed_ns == is.changed_ns;
    index->complete = same && !next;
    free(next);
    return same || is.size_bytes > was.size_bytes;
}

bool replay_index_load(const char *recording_path, struct replay_index *index)
{
    char path[PATH_SIZE], *bytes = NULL;
    size_t size = 0;
    struct problem problem;
    replay_index_start(index);
    if (!index_path(recording_path, path) || !file_exists(path) ||
        !file_read_private(path, FILE_BYTES_MAX, &bytes, &size, &problem)) {
        return false;
    }
    bool good = load(recording_path, (struct raw_text){bytes, size}, index);
    free(bytes);
    if (!good) {
        replay_index_start(index);
    }
    return good;
}

struct bytes {
    char *items;
    size_t count, capacity;
};

static void put(struct bytes *bytes, uint64_t word)
{
    bytes->items = vector_reserve(bytes->items, &bytes->capacity, bytes->count + WORD, 1);
    for (int i = 0; i < WORD; i++) {
        bytes->items[bytes->count++] = (char)(word >> (8 * i));
    }
}

static void put_place(struct bytes *bytes, const struct recording_place *place)
{
    put(bytes, (uint64_t)place->offset);
    put(bytes, (uint64_t)place->inside);
    put(bytes, place->line);
    put(bytes, place->part);
}

static void put_header(struct bytes *bytes, const struct replay_index *index,
                       const struct replay_mark *mark)
{
    put(bytes, 0);
    memcpy(bytes->items, magic, sizeof magic);
    put(bytes, 0); /* the checksum */
    put(bytes, (uint64_t)mark->before_bytes);
    put(bytes, (uint64_t)mark->size_bytes);
    put(bytes, (uint64_t)mark->changed_ns);
    put(bytes, mark->head_hash);
    put(bytes, mark->tail_hash);
    put(bytes, index->stride);
    put(bytes, index->frame_count);
    put(bytes, index->event_stride);
    put(bytes, index->event_frame_count);
    put(bytes, (uint64_t)index->play_ns);
    put(bytes, (uint64_t)index->last.wall_ns);
    put(bytes, (uint64_t)index->last.running_ns);
    put(bytes, (uint64_t)index->last.interval_ns);
    put(bytes, index->last.boot);
    put_place(bytes, &index->end);
    put_place(bytes, &index->newest);
    put(bytes, index->noted.count);
    put(bytes, index->events.count);
}

static void put_lists(struct bytes *bytes, const struct replay_index *index)
{
    for (size_t i = 0; i < index->noted.count; i++) {
        const struct replay_noted *noted = &index->noted.items[i];
        put(bytes, (uint64_t)noted->place.offset);
        put(bytes, (uint64_t)noted->place.inside);
        put(bytes, noted->place.line << 8 | noted->load);
        put(bytes, noted->place.part);
        put(bytes, (uint64_t)noted->wall_ns);
        put(bytes, (uint64_t)noted->running_ns);
        put(bytes, (uint64_t)noted->play_ns);
    }
    for (size_t i = 0; i < index->events.count; i++) {
        put(bytes, index->events.items[i].frame);
        put(bytes, (uint64_t)index->events.items[i].play_ns);
    }
}

/* Nothing, or an index of ours: whatever else somebody put there stays, and no link is followed. */
static bool may_replace(const char *path)
{
    char bytes[KIND_BYTES];
    FILE *file = file_exists(path) ? file_door_open_private(path) : NULL;
    bool ours = !file_exists(path);
    if (file) {
        size_t got = fread(bytes, 1, sizeof bytes, file);
        ours = got == 0 || (got == sizeof bytes && memcmp(bytes, magic, sizeof bytes) == 0);
        fclose(file);
    }
    return ours;
}

bool replay_index_save(const char *recording_path, const struct replay_index *index)
{
    char path[PATH_SIZE];
    struct replay_mark mark;
    if (index->noted.count == 0 || !index_path(recording_path, path) || !may_replace(path) ||
        !replay_mark_read(recording_path, &index->end, &mark)) {
        return false;
    }
    struct bytes bytes = {0};
    put_header(&bytes, index, &mark);
    put_lists(&bytes, index);
    uint64_t sum = replay_index_sum((struct raw_text){bytes.items, bytes.count});
    for (int i = 0; i < WORD; i++) {
        bytes.items[WORD + i] = (char)(sum >> (8 * i));
    }
    struct problem problem;
    bool saved = file_write_private(path, (struct raw_text){bytes.items, bytes.count}, &problem);
    free(bytes.items);
    return saved;
}
