#include "gpu/metal/power.h"

#include <string.h>

#include "base/number.h"

int64_t metal_frequency_hz(uint64_t value)
{
    if (value == 0 || value > UINT32_MAX)
        return 0;
    return value > 100000000 ? (int64_t)value : (int64_t)value * 1000;
}

static uint32_t little_endian(const char *bytes)
{
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

size_t metal_frequencies(struct raw_text table, int64_t *hz, size_t most)
{
    size_t count = 0;
    for (size_t at = 0; table.bytes && at + 8 <= table.length && count < most; at += 8) {
        int64_t frequency = metal_frequency_hz(little_endian(table.bytes + at));
        if (frequency > 0)
            hz[count++] = frequency;
    }
    return count;
}

static bool is_active(struct raw_text name)
{
    return !raw_equal_string(name, "OFF") && !raw_equal_string(name, "IDLE") &&
           !raw_equal_string(name, "DOWN");
}

struct metal_residency metal_residency(const struct metal_state *states, size_t state_count,
                                       const int64_t *hz, size_t hz_count)
{
    struct metal_residency unknown = {said_unknown(REASON_not_reported),
                                      said_unknown(REASON_not_reported)};
    double total = 0, active = 0, weighted = 0;
    size_t place = 0;
    bool all_known = true;
    for (size_t i = 0; i < state_count; i++) {
        if (states[i].residency < 0) {
            unknown.active_millipercent = unknown.clock_hz =
                said_unknown(REASON_counter_not_monotonic);
            return unknown;
        }
        double ticks = (double)states[i].residency;
        total += ticks;
        if (!is_active(states[i].name))
            continue;
        active += ticks;
        all_known = all_known && place < hz_count;
        if (place < hz_count)
            weighted += ticks * (double)hz[place];
        place++;
    }
    if (!(total > 0))
        return unknown;
    struct metal_residency residency = {
        .active_millipercent = said_measured((int64_t)(active / total * 100000 + 0.5)),
        .clock_hz = unknown.clock_hz,
    };
    if (active > 0 && all_known)
        residency.clock_hz = said_measured((int64_t)(weighted / active + 0.5));
    return residency;
}

struct said metal_power_microwatts(struct raw_text unit, int64_t energy, int64_t elapsed_ns)
{
    static const struct {
        const char *unit;
        double microjoules;
    } units[] = {{"mJ", 1e3}, {"uJ", 1}, {"nJ", 1e-3}};
    while (unit.length > 0 && unit.bytes[unit.length - 1] == ' ')
        unit.length--;
    if (elapsed_ns <= 0)
        return said_unknown(REASON_need_two_samples);
    if (energy < 0)
        return said_unknown(REASON_counter_not_monotonic);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!unit.bytes || !raw_equal_string(unit, units[i].unit))
            continue;
        double microwatts = (double)energy * units[i].microjoules / ((double)elapsed_ns / 1e9);
        /* No GPU of a Mac takes 10 kW. */
        return microwatts < 1e10 ? said_measured((int64_t)(microwatts + 0.5))
                                 : said_unknown(REASON_incredible_value);
    }
    return said_unknown(REASON_not_supported);
}

static bool ends_in(struct raw_text text, const char *end)
{
    size_t length = strlen(end);
    return text.bytes && text.length >= length &&
           memcmp(text.bytes + text.length - length, end, length) == 0;
}

bool metal_is_gpu_energy(struct raw_text channel)
{
    size_t length = sizeof "GPU Energy" - 1;
    return ends_in(channel, "GPU Energy") &&
           (channel.length == length || channel.bytes[channel.length - length - 1] == '_');
}

/* Dies add up; one that is unknown makes the sum unknown. */
static struct said power_of(const struct metal_power *power)
{
    struct said sum = said_unknown(REASON_not_reported);
    for (size_t i = 0; i < power->channel_count; i++) {
        const struct metal_channel *channel = &power->channels[i];
        if (!channel->group.bytes || !raw_equal_string(channel->group, "Energy Model") ||
            !metal_is_gpu_energy(channel->name))
            continue;
        struct said die = metal_power_microwatts(channel->unit, channel->value, power->elapsed_ns);
        if (die.how == HOW_UNAVAILABLE)
            return die;
        int64_t value = sum.how == HOW_UNAVAILABLE ? 0 : sum.value;
        sum = said_measured(value + die.value);
    }
    return sum;
}

struct said metal_temperature(const struct metal_sensor *sensors, size_t count)
{
    int64_t sum = 0, plausible = 0;
    for (size_t i = 0; i < count; i++) {
        if (sensors[i].millicelsius < 10000 || sensors[i].millicelsius > 150000)
            continue;
        sum += sensors[i].millicelsius;
        plausible++;
    }
    if (plausible == 0)
        return said_unknown(count > 0 ? REASON_incredible_value : REASON_not_reported);
    return said_measured((sum + plausible / 2) / plausible);
}

static enum reason why_of(enum metal_status status)
{
    return status == METAL_DENIED        ? REASON_not_permitted
           : status == METAL_UNSUPPORTED ? REASON_not_supported
                                         : REASON_call_failed;
}

static void set_if_unknown(struct said *place, struct said value)
{
    if (place->how == HOW_UNAVAILABLE)
        *place = value;
}

static void set_clock(const struct metal_power *power, struct adapter_reading *adapter)
{
    int64_t hz[METAL_STATES_MAX];
    size_t count = metal_frequencies(power->frequency_table, hz, METAL_STATES_MAX);
    struct said clock = said_unknown(REASON_not_reported);
    for (size_t i = 0; i < power->channel_count; i++)
        if (power->channels[i].group.bytes &&
            raw_equal_string(power->channels[i].group, "GPU Stats") &&
            power->channels[i].name.bytes && raw_equal_string(power->channels[i].name, "GPUPH"))
            clock = metal_residency(power->channels[i].states, power->channels[i].state_count, hz,
                                    count)
                        .clock_hz;
    set_if_unknown(&adapter->clock_hz[CLOCK_GRAPHICS], clock);
    int64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = hz[i] > most ? hz[i] : most;
    if (most > 0)
        set_if_unknown(&adapter->max_clock_hz[CLOCK_GRAPHICS], said_measured(most));
}

/* The SMC first (all chips since macOS 14), HID else (the time of M1). */
static struct said temperature_of(const struct metal_power *power)
{
    struct said smc = power->smc_status == METAL_OK
                          ? metal_temperature(power->smc, power->smc_count)
                          : said_unknown(why_of(power->smc_status));
    if (smc.how != HOW_UNAVAILABLE || power->hid_status != METAL_OK)
        return smc;
    struct said hid = metal_temperature(power->hid, power->hid_count);
    return hid.how != HOW_UNAVAILABLE || power->smc_status != METAL_OK ? hid : smc;
}

void metal_set_power(const struct metal_power *power, struct adapter_reading *adapter)
{
    set_if_unknown(&adapter->temperature_millicelsius[TEMPERATURE_EDGE], temperature_of(power));
    if (power->report_status != METAL_OK || !power->has_difference) {
        struct said unknown =
            said_unknown(power->report_status == METAL_OK ? REASON_need_two_samples
                                                          : why_of(power->report_status));
        set_if_unknown(&adapter->power_microwatts, unknown);
        set_if_unknown(&adapter->clock_hz[CLOCK_GRAPHICS], unknown);
        return;
    }
    set_if_unknown(&adapter->power_microwatts, power_of(power));
    set_clock(power, adapter);
}
