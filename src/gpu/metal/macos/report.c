#include "gpu/metal/macos/report.h"

#include <string.h>

#define STATES_GROUP "GPU Stats"
#define STATES_SUBGROUP "GPU Performance States"
#define ENERGY_GROUP "Energy Model"

static void *channels_of(const struct frameworks *frameworks, const char *group,
                         const char *subgroup)
{
    const void *group_key = cf_key(frameworks, group);
    const void *subgroup_key = subgroup ? cf_key(frameworks, subgroup) : NULL;
    void *channels = group_key ? frameworks->group(group_key, subgroup_key, 0, 0, 0) : NULL;
    cf_release(frameworks, group_key);
    cf_release(frameworks, subgroup_key);
    return channels;
}

/* Only what is used: a subscription to everything is slow. The dictionaries of the groups are
 * merged into one that can be changed. */
static void *wanted_channels(const struct frameworks *frameworks)
{
    void *states = channels_of(frameworks, STATES_GROUP, STATES_SUBGROUP);
    void *energy = channels_of(frameworks, ENERGY_GROUP, NULL);
    void *channels = NULL;
    if (states && energy)
        frameworks->merge(states, energy, NULL);
    if (states || energy)
        channels = frameworks->dictionary_copy(NULL, 0, states ? states : energy);
    cf_release(frameworks, states);
    cf_release(frameworks, energy);
    return channels;
}

static void subscribe(const struct frameworks *frameworks, struct report *report)
{
    report->tried = true;
    report->channels = wanted_channels(frameworks);
    if (report->channels)
        report->subscription =
            frameworks->subscribe(NULL, report->channels, &report->subscribed, 0, NULL);
}

static void read_states(const struct frameworks *frameworks, struct arena *arena, const void *item,
                        struct metal_channel *channel)
{
    int32_t count = frameworks->state_count(item);
    if (count <= 0)
        return;
    size_t kept = count < METAL_STATES_MAX ? (size_t)count : METAL_STATES_MAX;
    struct metal_state *states = ARENA_ARRAY(arena, struct metal_state, kept);
    for (size_t i = 0; i < kept; i++) {
        states[i].name = cf_text(frameworks, arena, frameworks->state_name(item, (int32_t)i));
        states[i].residency = frameworks->state_residency(item, (int32_t)i);
    }
    channel->states = states;
    channel->state_count = kept;
}

static struct metal_channel channel_of(const struct frameworks *frameworks, struct arena *arena,
                                       const void *item)
{
    struct metal_channel channel = {
        .group = cf_text(frameworks, arena, frameworks->channel_group(item)),
        .subgroup = cf_text(frameworks, arena, frameworks->channel_subgroup(item)),
        .name = cf_text(frameworks, arena, frameworks->channel_name(item)),
        .unit = cf_text(frameworks, arena, frameworks->channel_unit(item)),
    };
    if (channel.group.bytes && raw_equal_string(channel.group, STATES_GROUP))
        read_states(frameworks, arena, item, &channel);
    else
        channel.value = frameworks->value(item, 0);
    return channel;
}

static void take_difference(const struct frameworks *frameworks, struct arena *arena,
                            const void *difference, struct metal_power *power)
{
    const void *items = cf_get(frameworks, difference, "IOReportChannels");
    if (!cf_is_array(frameworks, items))
        return;
    intptr_t count = frameworks->array_count(items);
    size_t kept = count <= 0 ? 0 : count > METAL_CHANNELS_MAX ? METAL_CHANNELS_MAX : (size_t)count;
    struct metal_channel *channels = ARENA_ARRAY(arena, struct metal_channel, kept);
    for (size_t i = 0; i < kept; i++) {
        const void *item = frameworks->array_get(items, (intptr_t)i);
        if (cf_is_dictionary(frameworks, item))
            channels[power->channel_count++] = channel_of(frameworks, arena, item);
    }
    power->channels = channels;
    power->has_difference = true;
}

void report_read(const struct frameworks *frameworks, struct report *report, struct arena *arena,
                 int64_t now_ns, struct metal_power *power)
{
    power->report_status = METAL_UNSUPPORTED;
    if (!frameworks->has[FRAMEWORK_REPORT])
        return;
    if (!report->tried)
        subscribe(frameworks, report);
    power->report_status = METAL_FAILED;
    if (!report->subscription)
        return;
    const void *sample = frameworks->sample(report->subscription, report->channels, NULL);
    const void *difference =
        sample && report->last ? frameworks->difference(report->last, sample, NULL) : NULL;
    if (sample)
        power->report_status = METAL_OK;
    if (cf_is_dictionary(frameworks, difference)) {
        power->elapsed_ns = now_ns - report->last_ns;
        take_difference(frameworks, arena, difference, power);
    }
    cf_release(frameworks, difference);
    cf_release(frameworks, report->last);
    report->last = sample;
    report->last_ns = now_ns;
}

void report_close(const struct frameworks *frameworks, struct report *report)
{
    cf_release(frameworks, report->last);
    cf_release(frameworks, report->subscription);
    cf_release(frameworks, report->subscribed);
    cf_release(frameworks, report->channels);
    *report = (struct report){.tried = false};
}
