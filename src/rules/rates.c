#include "rules/rates.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/map.h"

enum counter_kind { COUNTER_NONE, COUNTER_BUSY_NS, COUNTER_CYCLES_OF_TOTAL, COUNTER_CYCLES };

/* Many queues behind one counter add up, and drivers that count at a job's end count in lumps; this
 * many engines' full time in one interval is no time at all. */
static const double engines_at_once_largest = 1000;

struct client_key {
    char adapter_id[ADAPTER_ID_SIZE];
    uint64_t client_id;
};

struct engine_memory {
    char name[DRM_NAME_SIZE];
    enum engine column;
    enum counter_kind kind;
    int64_t largest; /* the baseline: the largest value seen */
    int64_t total;   /* total cycles of the last read */
    bool behind;     /* the counter stepped back and has not passed its largest value since */
    uint64_t step;   /* when it was last told */
};

struct client_memory {
    struct identity holder; /* its only holder at the last read */
    bool sole;
    uint64_t step; /* when it was last seen */
    int64_t read_running_ns;
    size_t engine_count;
    struct engine_memory engines[DRM_ENGINES_MAX];
};

struct rates {
    struct map *clients; /* struct client_key -> struct client_memory */
    uint64_t step;
};

struct rates *rates_new(void)
{
    struct rates *rates = memory_new(sizeof *rates);
    rates->clients = map_new(sizeof(struct client_key), sizeof(struct client_memory));
    return rates;
}

void rates_free(struct rates **rates)
{
    if (!*rates)
        return;
    map_free(&(*rates)->clients);
    free(*rates);
    *rates = NULL;
}

void rates_forget(struct rates *rates)
{
    map_clear(rates->clients);
}

struct rate rate_known(double percent)
{
    return (struct rate){.percent = percent, .known = true};
}

struct rate rate_unknown(enum reason why_not)
{
    return (struct rate){.why_not = why_not};
}

static struct client_key key_of(const struct drm_client_reading *seen)
{
    struct client_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.adapter_id, seen->adapter_id, strnlen(seen->adapter_id, ADAPTER_ID_SIZE - 1));
    key.client_id = seen->client_id;
    return key;
}

static enum counter_kind kind_of(const struct drm_engine *engine)
{
    if (engine->busy_ns.known)
        return COUNTER_BUSY_NS;
    if (engine->cycles.known && engine->total_cycles.known)
        return COUNTER_CYCLES_OF_TOTAL;
    return engine->cycles.known && engine->max_frequency_hz.known ? COUNTER_CYCLES : COUNTER_NONE;
}

/* Why a counter that was printed cannot be used: its value makes no sense. */
static enum reason broken_counter(const struct drm_engine *engine)
{
    const struct measured *parts[] = {&engine->busy_ns, &engine->cycles, &engine->total_cycles,
                                      &engine->max_frequency_hz};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!parts[i]->known && parts[i]->why_not != REASON_not_reported)
            return parts[i]->why_not;
    return REASON_not_reported;
}

static int64_t counter_of(const struct drm_engine *engine, enum counter_kind kind)
{
    return kind == COUNTER_BUSY_NS ? engine->busy_ns.value : engine->cycles.value;
}

/* What one full engine would have counted since the last read; 0 or less: no time has passed. */
static double full_count(const struct drm_engine *engine, enum counter_kind kind,
                         const struct engine_memory *memory, int64_t elapsed_ns)
{
    switch (kind) {
    case COUNTER_BUSY_NS:
        return (double)elapsed_ns;
    case COUNTER_CYCLES_OF_TOTAL:
        return (double)engine->total_cycles.value - (double)memory->total;
    case COUNTER_CYCLES:
        return (double)engine->max_frequency_hz.value * (double)elapsed_ns / 1e9;
    case COUNTER_NONE:
        break;
    }
    return 0;
}

/* The rate of one engine against its memory, which moves on to this read. */
static struct rate step_engine(const struct drm_engine *engine, enum counter_kind kind,
                               struct engine_memory *memory, int64_t elapsed_ns)
{
    double full = full_count(engine, kind, memory, elapsed_ns);
    int64_t value = counter_of(engine, kind);
    int64_t largest = memory->largest;
    bool was_behind = memory->behind;

    if (kind == COUNTER_CYCLES_OF_TOTAL)
        memory->total = engine->total_cycles.value;
    if (value < largest || (was_behind && value == largest)) {
        memory->behind = true;
        return rate_unknown(REASON_counter_not_monotonic);
    }
    int64_t capacity = engine->capacity > 0 ? engine->capacity : 1;
    double used = (double)value - (double)largest;
    /* No baseline either: the true counter would stay behind it for ever. */
    if (full > 0 && used / full > engines_at_once_largest * (double)capacity)
        return rate_unknown(REASON_incredible_value);
    memory->behind = false;
    memory->largest = value;
    if (full < 0)
        return rate_unknown(REASON_counter_not_monotonic);
    if (full == 0)
        return rate_unknown(REASON_need_two_samples);
    return rate_known(used / full / (double)capacity * 100);
}

static struct engine_memory *remembered(struct client_memory *memory, const char *name)
{
    for (size_t i = 0; i < memory->engine_count; i++)
        if (strncmp(memory->engines[i].name, name, DRM_NAME_SIZE) == 0)
            return &memory->engines[i];
    return NULL;
}

static struct engine_memory *remember(struct client_memory *memory, const struct drm_engine *engine,
                                      enum counter_kind kind)
{
    struct engine_memory *kept = remembered(memory, engine->name);
    if (!kept) {
        if (memory->engine_count == DRM_ENGINES_MAX)
            return NULL;
        kept = &memory->engines[memory->engine_count++];
    }
    memset(kept, 0, sizeof *kept);
    memcpy(kept->name, engine->name, strnlen(engine->name, DRM_NAME_SIZE - 1));
    kept->column = engine->column;
    kept->kind = kind;
    return kept;
}

/* The first look at an engine: its value becomes the baseline. A missing line of a driver that
 * prints only engines in use stood for 0 at the last read of a known client. */
static struct rate first_rate(struct client_memory *memory, const struct client *client,
                              const struct drm_engine *engine, enum counter_kind kind, bool known,
                              int64_t elapsed_ns)
{
    const struct engine_memory *before = remembered(memory, engine->name);
    int64_t largest = before && before->kind == kind ? before->largest : 0;
    struct engine_memory *kept = remember(memory, engine, kind);
    if (!kept)
        return rate_unknown(REASON_not_reported);
    if (known && client->seen.missing_engine_is_zero && kind == COUNTER_BUSY_NS)
        return step_engine(engine, kind, kept, elapsed_ns);
    kept->behind = counter_of(engine, kind) < largest;
    kept->largest = kept->behind ? largest : counter_of(engine, kind);
    kept->total = engine->total_cycles.value;
    return rate_unknown(REASON_need_two_samples);
}

static bool is_silent(const struct rate *rate)
{
    return !rate->known && rate->why_not == REASON_not_reported;
}

/* The busiest engine of a column; one that is unknown makes the column unknown, one that the driver
 * does not report says nothing. */
static void join(struct rate *column, struct rate engine)
{
    if (is_silent(&engine))
        return;
    if (is_silent(column) || (column->known && !engine.known))
        *column = engine;
    else if (column->known && engine.percent > column->percent)
        *column = engine;
}

static void step_client(struct client_memory *memory, const struct client *client,
                        enum reason first_reason, bool known, uint64_t step,
                        struct client_rates *rates)
{
    const struct drm_client_reading *seen = &client->seen;
    int64_t elapsed_ns = known ? seen->read_running_ns - memory->read_running_ns : 0;

    if (seen->missing_engine_is_zero)
        for (int column = 0; column < ENGINE_COUNT; column++)
            if (seen->engine_columns >> column & 1)
                rates->columns[column] = known ? rate_known(0) : rate_unknown(first_reason);
    for (size_t i = 0; i < seen->engine_count; i++) {
        const struct drm_engine *engine = &seen->engines[i];
        enum counter_kind kind = kind_of(engine);
        if (engine->column >= ENGINE_COUNT)
            continue;
        if (kind == COUNTER_NONE) {
            join(&rates->columns[engine->column], rate_unknown(broken_counter(engine)));
            continue;
        }
        struct engine_memory *kept = remembered(memory, engine->name);
        /* One that was not told last time has no value to compare with. */
        bool compares = known && kept && kept->kind == kind && kept->step == memory->step;
        struct rate rate =
            compares ? step_engine(engine, kind, kept, elapsed_ns)
                     : first_rate(memory, client, engine, kind, known && !kept, elapsed_ns);
        if (!known)
            rate = rate_unknown(first_reason);
        kept = remembered(memory, engine->name);
        if (kept && (rate.known || rate.why_not != REASON_incredible_value))
            kept->step = step;
        join(&rates->columns[engine->column], rate);
    }
}

static bool is_printed(const struct client *client, const char *engine_name)
{
    for (size_t i = 0; i < client->seen.engine_count; i++)
        if (strncmp(client->seen.engines[i].name, engine_name, DRM_NAME_SIZE) == 0)
            return true;
    return false;
}

/* Engines whose line has gone although it stood for time used: the counter went back to 0. */
static void step_missing(struct client_memory *memory, const struct client *client, uint64_t step,
                         struct client_rates *rates)
{
    for (size_t i = 0; i < memory->engine_count; i++) {
        struct engine_memory *kept = &memory->engines[i];
        if (is_printed(client, kept->name))
            continue;
        kept->step = step;
        if (kept->largest == 0)
            continue;
        kept->behind = true;
        join(&rates->columns[kept->column], rate_unknown(REASON_counter_not_monotonic));
    }
}

static void step_known_client(struct rates *rates, const struct client *client,
                              struct client_rates *result)
{
    struct client_key key = key_of(&client->seen);
    bool added;
    struct client_memory *memory = map_put(rates->clients, &key, &added);
    struct identity holder = client->holders[0];
    bool same_holder = memory->sole && identity_equal(memory->holder, holder);
    bool known = !added && same_holder && client->holder_count == 1;
    bool reused = !added && memory->sole && memory->holder.pid == holder.pid &&
                  memory->holder.space == holder.space && !same_holder;

    if (!known)
        memory->engine_count = 0;
    step_client(memory, client, reused ? REASON_pid_reused : REASON_need_two_samples, known,
                rates->step, result);
    if (client->seen.missing_engine_is_zero)
        step_missing(memory, client, rates->step, result);
    memory->holder = holder;
    memory->sole = client->holder_count == 1;
    memory->read_running_ns = client->seen.read_running_ns;
    memory->step = rates->step;
}

static void fill(struct client_rates *rates, enum reason why_not)
{
    for (int column = 0; column < ENGINE_COUNT; column++)
        rates->columns[column] = rate_unknown(why_not);
}

static enum reason unread_reason(enum drm_client_state state)
{
    switch (state) {
    case DRM_CLIENT_INCOMPLETE:
        return REASON_incomplete_read;
    case DRM_CLIENT_LEGACY:
        return REASON_legacy_kernel_no_client_id;
    case DRM_CLIENT_NO_STATISTICS:
        return REASON_driver_has_no_fdinfo;
    case DRM_CLIENT_NOT_TOUCHED:
        return REASON_device_suspended;
    case DRM_CLIENT_READ:
        break;
    }
    return REASON_not_reported;
}

static bool is_forgotten(const void *key, void *value, void *context)
{
    (void)key;
    const struct client_memory *memory = value;
    const uint64_t *step = context;
    return memory->step != *step;
}

const struct client_rates *rates_step(struct rates *rates, struct arena *arena,
                                      const struct client_list *list)
{
    struct client_rates *results = ARENA_ARRAY(arena, struct client_rates, list->count);
    rates->step++;
    for (size_t i = 0; i < list->count; i++) {
        const struct client *client = &list->items[i];
        if (client->seen.state != DRM_CLIENT_READ)
            fill(&results[i], unread_reason(client->seen.state));
        else if (!client->seen.has_client_id)
            fill(&results[i], REASON_legacy_kernel_no_client_id);
        else
            step_known_client(rates, client, &results[i]);
    }
    map_remove_if(rates->clients, is_forgotten, &rates->step);
    return results;
}

void rates_add(struct rate sum[ENGINE_COUNT], const struct client_rates *client)
{
    for (int column = 0; column < ENGINE_COUNT; column++) {
        const struct rate *part = &client->columns[column];
        if (is_silent(part))
            continue;
        if (is_silent(&sum[column]) || (sum[column].known && !part->known))
            sum[column] = *part;
        else if (sum[column].known && part->known)
            sum[column].percent += part->percent;
    }
}

void rates_unify_video(struct rate columns[ENGINE_COUNT])
{
    struct rate video = columns[ENGINE_video];
    join(&video, columns[ENGINE_encode]);
    join(&video, columns[ENGINE_decode]);
    columns[ENGINE_video] = video;
    columns[ENGINE_decode] = rate_unknown(REASON_unified_ring);
    columns[ENGINE_encode] = rate_unknown(REASON_unified_ring);
}

struct rate rates_busiest(const struct rate columns[ENGINE_COUNT])
{
    struct rate busiest = rate_unknown(REASON_not_reported);
    for (int column = 0; column < ENGINE_COUNT; column++)
        if (columns[column].known || columns[column].why_not != REASON_unified_ring)
            join(&busiest, columns[column]);
    return busiest;
}
