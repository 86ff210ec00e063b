#include "rules/wddm_adapters.h"

#include <string.h>

#include "base/map.h"
#include "base/number.h"

static const int64_t full_millipercent = 100000;
static const int64_t own_least_bytes = INT64_C(1) << 30;

static struct measured sum_of(const struct wddm_list *list, uint64_t luid)
{
    struct measured sum =
        measured_unknown(list->read ? REASON_no_instance : wddm_why_not(list->why_not));
    bool seen = false;
    for (size_t i = 0; i < list->count; i++) {
        struct measured bytes = list->items[i].bytes;
        if (list->items[i].luid != luid || (seen && !sum.known))
            continue;
        if (!seen || !bytes.known)
            sum = bytes;
        else if (!number_add_i64(sum.value, bytes.value, &sum.value))
            sum = measured_unknown(REASON_larger_than_adapter);
        seen = true;
    }
    return sum;
}

/* What it has is not told as 0. */
static struct measured capacity(struct measured bytes)
{
    return bytes.known && bytes.value == 0 ? measured_unknown(REASON_not_reported) : bytes;
}

static struct measured within(struct measured used, struct measured total)
{
    return used.known && total.known && used.value > total.value
               ? measured_unknown(REASON_larger_than_adapter)
               : used;
}

static struct measured both(struct measured a, struct measured b)
{
    if (!a.known)
        return a;
    if (b.known && !number_add_i64(a.value, b.value, &b.value))
        return measured_unknown(REASON_larger_than_adapter);
    return b;
}

/* One pool with the system's memory: Windows counts what is there as the adapter's own too. */
static void read_pool(struct measured used, struct measured shared,
                      const struct wddm_adapter *about, struct adapter_reading *adapter)
{
    adapter->kind = ADAPTER_INTEGRATED;
    adapter->kind_is_inferred = true;
    adapter->unified = adapter->unified_one_pool = true;
    adapter->vram_total_bytes = both(about->dedicated_bytes, about->shared_limit_bytes);
    adapter->vram_used_bytes = within(both(used, shared), adapter->vram_total_bytes);
    adapter->shared_total_bytes = measured_unknown(REASON_unified_memory);
    /* How much of the pool lies beyond the carve-out. */
    adapter->shared_used_bytes = about->memory == WDDM_MEMORY_UNIFIED
                                     ? within(shared, about->shared_limit_bytes)
                                     : measured_unknown(REASON_unified_memory);
}

static bool shares_memory(const struct wddm_adapter *about)
{
    if (about->memory != WDDM_MEMORY_UNTOLD)
        return about->memory == WDDM_MEMORY_UNIFIED;
    return about->dedicated_bytes.known && about->dedicated_bytes.value < own_least_bytes &&
           about->shared_limit_bytes.known && about->shared_limit_bytes.value > 0;
}

static void read_memory(const struct wddm_sample *sample, const struct wddm_adapter *about,
                        struct adapter_reading *adapter)
{
    struct measured used = sum_of(&sample->adapter[WDDM_ADAPTER_DEDICATED], about->luid);
    struct measured shared = sum_of(&sample->adapter[WDDM_ADAPTER_SHARED], about->luid);
    if (shares_memory(about)) {
        read_pool(used, shared, about, adapter);
    } else {
        adapter->vram_total_bytes = capacity(about->dedicated_bytes);
        adapter->shared_total_bytes = capacity(about->shared_limit_bytes);
        adapter->vram_used_bytes = within(used, adapter->vram_total_bytes);
        adapter->shared_used_bytes = within(shared, adapter->shared_total_bytes);
    }
    adapter->vram_free_bytes = adapter->vram_total_bytes;
    if (adapter->vram_total_bytes.known && adapter->vram_used_bytes.known)
        adapter->vram_free_bytes.value -= adapter->vram_used_bytes.value;
    else if (adapter->vram_total_bytes.known)
        adapter->vram_free_bytes = adapter->vram_used_bytes;
}

static void keep_busiest(struct said *kept, struct said load)
{
    if (load.how == HOW_UNAVAILABLE ? kept->how == HOW_UNAVAILABLE
                                    : kept->how == HOW_UNAVAILABLE || load.value > kept->value)
        *kept = load;
}

/* One engine; all processes on it. */
struct engine_key {
    uint32_t physical, number, type;
};

struct engine_load {
    enum engine column;
    struct said load; /* unknown while none of them is known */
};

static void add_load(struct said *load, struct measured part)
{
    if (!part.known)
        return;
    load->how = HOW_MEASURED;
    load->value += part.value < full_millipercent ? part.value : full_millipercent;
    if (load->value > full_millipercent)
        load->value = full_millipercent;
}

/* How many engines there are; `loads` has room for all instances. */
static size_t sum_engines(const struct wddm_sample *sample, uint64_t luid,
                          struct engine_load *loads)
{
    struct map *places = map_new(sizeof(struct engine_key), sizeof(size_t));
    size_t count = 0;
    for (size_t i = 0; i < sample->engine_count; i++) {
        const struct wddm_engine *engine = &sample->engines[i];
        const struct engine_key key = {engine->physical, engine->number, engine->type};
        bool added;
        if (engine->luid != luid)
            continue;
        size_t *place = map_put(places, &key, &added);
        if (added) {
            *place = count++;
            loads[*place] =
                (struct engine_load){engine->column, said_unknown(engine->millipercent.why_not)};
        }
        add_load(&loads[*place].load, engine->millipercent);
    }
    map_free(&places);
    return count;
}

static void read_loads(struct arena *arena, const struct wddm_sample *sample, uint64_t luid,
                       struct adapter_reading *adapter)
{
    enum reason why =
        sample->engines_read ? REASON_no_instance : wddm_why_not(sample->engines_why_not);
    struct engine_load *loads = ARENA_ARRAY(arena, struct engine_load, sample->engine_count);
    size_t count = sum_engines(sample, luid, loads);
    adapter->load_millipercent = said_unknown(why);
    for (int i = 0; i < ENGINE_COUNT; i++)
        adapter->engine_millipercent[i] = said_unknown(why);
    for (size_t i = 0; i < count; i++) {
        keep_busiest(&adapter->load_millipercent, loads[i].load);
        keep_busiest(&adapter->engine_millipercent[loads[i].column], loads[i].load);
    }
}

const struct wddm_adapter *wddm_adapter_find(const struct wddm_sample *sample, uint64_t luid)
{
    for (size_t i = 0; i < sample->adapter_count; i++)
        if (sample->adapters[i].luid == luid)
            return &sample->adapters[i];
    return NULL;
}

void wddm_adapter_figures(struct arena *arena, const struct wddm_sample *sample,
                          const struct wddm_adapter *about, struct adapter_reading *adapter)
{
    read_memory(sample, about, adapter);
    read_loads(arena, sample, about->luid, adapter);
}

void wddm_adapter_read(struct arena *arena, const struct wddm_sample *sample,
                       const struct wddm_adapter *about, struct adapter_reading *adapter)
{
    memset(adapter, 0, sizeof *adapter);
    wddm_adapter_id(about->luid, adapter->id);
    adapter->vendor = wddm_vendor_name(about->vendor_id);
    if (about->name.bytes && about->name.length > 0)
        adapter->name = (struct raw_text){
            arena_string(arena, about->name.bytes, about->name.length), about->name.length};
    adapter->power_state = POWER_ACTIVE;
    adapter->throttle_how = HOW_UNAVAILABLE;
    wddm_adapter_figures(arena, sample, about, adapter);
}
