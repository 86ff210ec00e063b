#include "gpu/metal/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const keys[METAL_STATISTIC_COUNT] = {
#define STATISTIC(member, key) [METAL_STATISTIC_##member] = key,
#include "gpu/metal/statistics.def"
#undef STATISTIC
};

const char *metal_statistic_key(int statistic)
{
    return keys[statistic];
}

int metal_statistic_of(struct raw_text key)
{
    int statistic = 0;
    while (statistic < METAL_STATISTIC_COUNT && !raw_equal_string(key, keys[statistic]))
        statistic++;
    return statistic;
}

static struct measured *member(struct metal_accelerator *accelerator, int statistic)
{
    switch (statistic) {
#define STATISTIC(member, key)                                                                     \
    case METAL_STATISTIC_##member:                                                                 \
        return &accelerator->member;
#include "gpu/metal/statistics.def"
#undef STATISTIC
    default:
        return NULL;
    }
}

void metal_statistic_set(struct metal_accelerator *accelerator, int statistic, int64_t value)
{
    struct measured *place = member(accelerator, statistic);
    if (place)
        *place = measured_known(value);
}

/* A number of the driver in another unit; what is negative or too large for it cannot be true. */
static struct said scaled(struct measured value, int64_t factor, int64_t most)
{
    if (!value.known)
        return said_unknown(value.why_not);
    if (value.value < 0 || value.value > most)
        return said_unknown(REASON_incredible_value);
    return said_value(value.value * factor, HOW_REPORTED);
}

static struct said load_of(const struct metal_accelerator *accelerator)
{
    struct measured percent = accelerator->device_percent.known ? accelerator->device_percent
                                                                : accelerator->activity_percent;
    if (percent.known && percent.value > 100)
        percent.value = 100;
    return scaled(percent, 1000, 100);
}

static struct measured bytes_of(struct measured bytes)
{
    return bytes.known && bytes.value < 0 ? measured_unknown(REASON_incredible_value) : bytes;
}

static struct measured free_of(struct measured total, struct measured used)
{
    if (!total.known || !used.known)
        return total.known ? used : total;
    return used.value > total.value ? measured_known(0) : measured_known(total.value - used.value);
}

/* The family is never told by the class name: a chip that is not known yet works with what is
 * there.
 */
static const char *vendor_of(const struct metal_accelerator *accelerator)
{
    static const struct {
        const char *prefix, *vendor;
    } vendors[] = {
        {"AGX", "apple"}, {"Apple", "apple"}, {"AMD", "amd"}, {"Intel", "intel"}, {"NV", "nvidia"}};
    const struct raw_text names[] = {accelerator->class_name, accelerator->io_class,
                                     accelerator->model};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof vendors / sizeof *vendors; k++) {
            size_t length = strlen(vendors[k].prefix);
            if (names[i].bytes && names[i].length >= length &&
                memcmp(names[i].bytes, vendors[k].prefix, length) == 0)
                return vendors[k].vendor;
        }
    return "apple";
}

static void set_identity(struct arena *arena, const struct metal_accelerator *accelerator,
                         struct adapter_reading *adapter)
{
    snprintf(adapter->id, sizeof adapter->id, "ioreg:0x%" PRIx64, accelerator->registry_id);
    adapter->source = "metal";
    const struct raw_text model = accelerator->model, class_name = accelerator->class_name;
    struct raw_text name = model.bytes && model.length > 0 ? model : class_name;
    if (name.bytes)
        adapter->name =
            (struct raw_text){arena_string(arena, name.bytes, name.length), name.length};
    adapter->vendor = raw_from_string(vendor_of(accelerator));
    adapter->driver =
        class_name.bytes
            ? (struct raw_text){arena_string(arena, class_name.bytes, class_name.length),
                                class_name.length}
            : class_name;
    bool apple = raw_equal_string(adapter->vendor, "apple");
    adapter->kind =
        apple || raw_equal_string(adapter->vendor, "intel") ? ADAPTER_INTEGRATED : ADAPTER_DISCRETE;
    adapter->kind_is_inferred = !apple;
    adapter->unified = adapter->unified_one_pool = adapter->kind == ADAPTER_INTEGRATED;
    adapter->power_state = accelerator->powered_off ? POWER_SUSPENDED : POWER_ACTIVE;
    if (accelerator->powered_off)
        adapter->figures_why_not = REASON_device_suspended;
}

/* What the owner has set, else what Metal recommends: the default rule is nowhere written down. */
static struct measured limit_of(const struct metal_sample *sample)
{
    const struct measured megabytes = sample->wired_limit_mb;
    if (megabytes.known && megabytes.value > 0 && megabytes.value < (INT64_C(1) << 40))
        return measured_known(megabytes.value << 20);
    return bytes_of(sample->working_set_bytes);
}

static void set_memory(const struct metal_sample *sample,
                       const struct metal_accelerator *accelerator, struct adapter_reading *adapter)
{
    struct measured total = bytes_of(sample->memory_bytes);
    adapter->vram_used_bytes = bytes_of(accelerator->allocated_bytes);
    adapter->vram_limit_bytes = limit_of(sample);
    adapter->used_counts_differently = true;
    if (adapter->unified) {
        adapter->vram_total_bytes = total;
        adapter->vram_free_bytes = free_of(total, adapter->vram_used_bytes);
        adapter->vram_reserved_bytes = measured_unknown(REASON_unified_memory);
    }
    adapter->shared_total_bytes = adapter->shared_used_bytes =
        measured_unknown(adapter->unified ? REASON_unified_memory : REASON_not_reported);
}

static void set_figures(const struct metal_accelerator *accelerator,
                        struct adapter_reading *adapter)
{
    adapter->load_millipercent = load_of(accelerator);
    adapter->restarts = scaled(accelerator->recovery_count, 1, INT64_MAX);
    struct said celsius = scaled(accelerator->temperature_celsius, 1000, 150);
    adapter->temperature_millicelsius[TEMPERATURE_EDGE] =
        celsius.how != HOW_UNAVAILABLE && celsius.value <= 0 ? said_unknown(REASON_incredible_value)
                                                             : celsius;
    adapter->power_microwatts = scaled(accelerator->power_watts, 1000000, 5000);
    adapter->fan_rpm = scaled(accelerator->fan_rpm, 1, 100000);
    adapter->fan_millipercent = scaled(accelerator->fan_percent, 1000, 100);
    adapter->clock_hz[CLOCK_GRAPHICS] = scaled(accelerator->core_clock_mhz, 1000000, 100000);
    adapter->clock_hz[CLOCK_MEMORY] = scaled(accelerator->memory_clock_mhz, 1000000, 100000);
}

void metal_adapter(struct arena *arena, const struct metal_sample *sample,
                   const struct metal_accelerator *accelerator, struct adapter_reading *adapter)
{
    set_identity(arena, accelerator, adapter);
    set_memory(sample, accelerator, adapter);
    if (!accelerator->powered_off)
        set_figures(accelerator, adapter);
    adapter->process_load_answered = true;
}
