#include "rules/wddm_rows.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"

static const int64_t full_millipercent = 100000;

struct row_key {
    int64_t pid;
    uint64_t luid;
};

/* Sums of one list while its instances are added. */
struct sum {
    struct measured bytes;
    bool seen;
};

struct gathering {
    struct wddm_rows *rows;
    struct sum (*sums)[WDDM_PROCESS_LIST_COUNT]; /* one an item */
    struct map *places;                          /* struct row_key -> size_t */
};

static size_t place_of(struct gathering *gathering, int64_t pid, uint64_t luid)
{
    struct row_key key = {pid, luid};
    bool added;
    size_t *place = map_put(gathering->places, &key, &added);
    if (added) {
        *place = gathering->rows->count++;
        gathering->rows->items[*place] = (struct wddm_row){.pid = pid, .luid = luid};
    }
    return *place;
}

static void add_bytes(struct sum *sum, struct measured bytes)
{
    if (!sum->seen)
        sum->bytes = bytes;
    else if (sum->bytes.known && !bytes.known)
        sum->bytes = bytes;
    else if (sum->bytes.known && !number_add_i64(sum->bytes.value, bytes.value, &sum->bytes.value))
        sum->bytes = measured_unknown(REASON_larger_than_adapter);
    sum->seen = true;
}

static void add_list(struct gathering *gathering, const struct wddm_sample *sample,
                     enum wddm_process_list which)
{
    const struct wddm_list *list = &sample->process[which];
    for (size_t i = 0; i < list->count; i++)
        add_bytes(
            &gathering->sums[place_of(gathering, list->items[i].pid, list->items[i].luid)][which],
            list->items[i].bytes);
}

static void keep_busiest(struct measured *kept, struct measured load)
{
    if (load.known && load.value > full_millipercent)
        load.value = full_millipercent;
    if (load.known ? !kept->known || load.value > kept->value
                   : !kept->known && kept->why_not == REASON_no_instance)
        *kept = load;
}

static void add_engines(struct gathering *gathering, const struct wddm_sample *sample)
{
    for (size_t i = 0; i < sample->engine_count; i++)
        place_of(gathering, sample->engines[i].pid, sample->engines[i].luid);
    enum reason why =
        sample->engines_read ? REASON_no_instance : wddm_why_not(sample->engines_why_not);
    for (size_t i = 0; i < gathering->rows->count; i++) {
        struct wddm_row *row = &gathering->rows->items[i];
        row->load_millipercent = measured_unknown(why);
        for (int column = 0; column < ENGINE_COUNT; column++)
            row->engine_millipercent[column] = measured_unknown(why);
    }
    for (size_t i = 0; i < sample->engine_count; i++) {
        const struct wddm_engine *engine = &sample->engines[i];
        struct wddm_row *row =
            &gathering->rows->items[place_of(gathering, engine->pid, engine->luid)];
        keep_busiest(&row->engine_millipercent[engine->column], engine->millipercent);
        keep_busiest(&row->load_millipercent, engine->millipercent);
    }
}

static struct measured sum_of(const struct sum *sum, const struct wddm_list *list,
                              struct measured limit)
{
    if (!list->read)
        return measured_unknown(wddm_why_not(list->why_not));
    if (!sum->seen)
        return measured_unknown(REASON_no_instance);
    if (sum->bytes.known && limit.known && sum->bytes.value > limit.value)
        return measured_unknown(REASON_larger_than_adapter);
    return sum->bytes;
}

static struct measured both(struct measured a, struct measured b)
{
    int64_t sum;
    if (!a.known)
        return a;
    if (!b.known || !number_add_i64(a.value, b.value, &sum))
        return b.known ? measured_unknown(REASON_larger_than_adapter) : b;
    return measured_known(sum);
}

static struct measured paged_of(const struct wddm_row *row)
{
    struct measured resident = both(row->local_bytes, row->non_local_bytes);
    if (!row->committed_bytes.known)
        return row->committed_bytes;
    if (!resident.known)
        return resident;
    int64_t paged = row->committed_bytes.value - resident.value;
    return measured_known(paged > 0 ? paged : 0);
}

static void take_known(struct measured *taken, struct measured said)
{
    if (!taken->known)
        *taken = said;
}

static struct wddm_limits limits_of(const struct wddm_limits *limits, size_t count, uint64_t luid)
{
    struct wddm_limits found = {.luid = luid};
    for (size_t i = 0; i < count; i++)
        if (limits[i].luid == luid) {
            take_known(&found.dedicated_bytes, limits[i].dedicated_bytes);
            take_known(&found.shared_bytes, limits[i].shared_bytes);
            take_known(&found.all_bytes, limits[i].all_bytes);
        }
    return found;
}

static void finish_row(struct wddm_row *row, const struct sum sums[WDDM_PROCESS_LIST_COUNT],
                       const struct wddm_sample *sample, const struct wddm_limits *limits)
{
    struct measured all = limits->all_bytes.known
                              ? limits->all_bytes
                              : both(limits->dedicated_bytes, limits->shared_bytes);
    row->local_bytes =
        sum_of(&sums[WDDM_LOCAL], &sample->process[WDDM_LOCAL], limits->dedicated_bytes);
    row->non_local_bytes =
        sum_of(&sums[WDDM_NON_LOCAL], &sample->process[WDDM_NON_LOCAL], limits->shared_bytes);
    row->committed_bytes = sum_of(&sums[WDDM_COMMITTED], &sample->process[WDDM_COMMITTED], all);
    /* An older Windows only says what is committed by preference. */
    if (!sample->process[WDDM_COMMITTED].read && sample->process[WDDM_DEDICATED].read)
        row->committed_bytes = sum_of(&sums[WDDM_DEDICATED], &sample->process[WDDM_DEDICATED], all);
    row->paged_bytes = paged_of(row);
}

void wddm_rows(struct arena *arena, const struct wddm_sample *sample,
               const struct wddm_limits *limits, size_t limit_count, struct wddm_rows *rows)
{
    size_t most = sample->engine_count;
    for (int i = 0; i < WDDM_PROCESS_LIST_COUNT; i++)
        most += sample->process[i].count;
    *rows = (struct wddm_rows){.items = ARENA_ARRAY(arena, struct wddm_row, most)};
    struct gathering gathering = {
        .rows = rows,
        .sums = arena_alloc_array(arena, most, sizeof *gathering.sums),
        .places = map_new(sizeof(struct row_key), sizeof(size_t)),
    };
    for (int i = 0; i < WDDM_PROCESS_LIST_COUNT; i++)
        add_list(&gathering, sample, (enum wddm_process_list)i);
    add_engines(&gathering, sample);
    for (size_t i = 0; i < rows->count; i++) {
        struct wddm_limits of_row = limits_of(limits, limit_count, rows->items[i].luid);
        finish_row(&rows->items[i], gathering.sums[i], sample, &of_row);
    }
    map_free(&gathering.places);
}

bool wddm_is_named(const struct wddm_process *process, const char *name)
{
    static const char suffix[] = ".exe";
    size_t length = strlen(name);
    if (!process->name.bytes ||
        (process->name.length != length && process->name.length != length + sizeof suffix - 1))
        return false;
    for (size_t i = 0; i < process->name.length; i++) {
        char c = process->name.bytes[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if (c != (i < length ? name[i] : suffix[i - length]))
            return false;
    }
    return true;
}
