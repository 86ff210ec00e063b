#include "rules/metal_rates.h"

#include <stdlib.h>

#include "base/fatal.h"
#include "base/map.h"

struct client_key {
    uint64_t accelerator, client;
};

struct client_seen {
    struct identity process;
    struct measured gpu_time_ns;
    uint64_t step; /* in which it was seen last */
};

struct accelerator_seen {
    int64_t taken_ns;
    bool listing_complete;
    uint64_t step;
};

struct metal_rates {
    struct map *clients;      /* struct client_key -> struct client_seen */
    struct map *accelerators; /* uint64_t registry id -> struct accelerator_seen */
    uint64_t step;
};

struct metal_rates *metal_rates_new(void)
{
    struct metal_rates *rates = memory_new(sizeof *rates);
    rates->clients = map_new(sizeof(struct client_key), sizeof(struct client_seen));
    rates->accelerators = map_new(sizeof(uint64_t), sizeof(struct accelerator_seen));
    return rates;
}

void metal_rates_free(struct metal_rates **rates)
{
    if (!*rates)
        return;
    map_free(&(*rates)->clients);
    map_free(&(*rates)->accelerators);
    free(*rates);
    *rates = NULL;
}

void metal_rates_forget(struct metal_rates *rates)
{
    map_clear(rates->clients);
    map_clear(rates->accelerators);
}

/* What a client did since the sample before, in ns. */
static struct measured growth_of(const struct client_seen *before,
                                 const struct accelerator_seen *listing, struct identity process,
                                 struct measured now)
{
    if (!listing)
        return measured_unknown(REASON_need_two_samples);
    if (!now.known)
        return now;
    if (!before)
        return listing->listing_complete ? now : measured_unknown(REASON_need_two_samples);
    if (!identity_equal(before->process, process))
        return measured_unknown(REASON_pid_reused);
    if (!before->gpu_time_ns.known)
        return measured_unknown(REASON_need_two_samples);
    if (now.value < before->gpu_time_ns.value)
        return measured_unknown(REASON_counter_not_monotonic);
    return measured_known(now.value - before->gpu_time_ns.value);
}

/* What is known of the clients of a row so far. */
struct sum {
    double busy_ns;
    size_t known, unknown;
    enum reason why_not;
};

static void sum_add(struct sum *sum, struct measured growth)
{
    if (growth.known) {
        sum->known++;
        sum->busy_ns += (double)growth.value;
        return;
    }
    if (sum->unknown++ == 0)
        sum->why_not = growth.why_not;
}

static void set_load(struct metal_row *row, const struct sum *sum, int64_t elapsed_ns,
                     bool listing_complete)
{
    if (elapsed_ns <= 0 || sum->known == 0) {
        row->load = rate_unknown(sum->unknown > 0 ? sum->why_not : REASON_need_two_samples);
        return;
    }
    row->load = rate_known(100 * sum->busy_ns / (double)elapsed_ns);
    row->load_is_lower_bound = sum->unknown > 0 || !listing_complete;
}

static bool is_left_out(const struct metal_process_reading *process, const struct metal_row *row)
{
    struct raw_text name = process->name.bytes ? process->name : process->creator_name;
    bool is_idle = row->load.known && row->load.percent <= 0 && !row->load_is_lower_bound;
    return process->owner_known && !process->is_own && is_idle &&
           !(name.bytes && raw_equal_string(name, "WindowServer"));
}

static bool is_old_client(const void *key, void *value, void *context)
{
    (void)key;
    return ((const struct client_seen *)value)->step != *(const uint64_t *)context;
}

static bool is_old_accelerator(const void *key, void *value, void *context)
{
    (void)key;
    return ((const struct accelerator_seen *)value)->step != *(const uint64_t *)context;
}

static void remember(struct metal_rates *rates, const struct metal_reading *reading)
{
    rates->step++;
    for (size_t i = 0; i < reading->client_count; i++) {
        const struct metal_client_reading *client = &reading->clients[i];
        struct client_key key = {reading->accelerators[client->accelerator].registry_id,
                                 client->registry_id};
        struct client_seen *seen = map_put(rates->clients, &key, NULL);
        *seen = (struct client_seen){reading->processes[client->process].identity,
                                     client->gpu_time_ns, rates->step};
    }
    for (size_t i = 0; i < reading->accelerator_count; i++) {
        const struct metal_accelerator_reading *accelerator = &reading->accelerators[i];
        struct accelerator_seen *seen =
            map_put(rates->accelerators, &accelerator->registry_id, NULL);
        *seen = (struct accelerator_seen){accelerator->taken_ns, accelerator->listing_complete,
                                          rates->step};
    }
    map_remove_if(rates->clients, is_old_client, &rates->step);
    map_remove_if(rates->accelerators, is_old_accelerator, &rates->step);
}

/* Rows have a place by (process, accelerator); there are few accelerators. */
static void add_clients(const struct metal_rates *rates, const struct metal_reading *reading,
                        struct sum *sums, size_t *clients)
{
    for (size_t i = 0; i < reading->client_count; i++) {
        const struct metal_client_reading *client = &reading->clients[i];
        const struct metal_accelerator_reading *accelerator =
            &reading->accelerators[client->accelerator];
        struct client_key key = {accelerator->registry_id, client->registry_id};
        size_t at = client->process * reading->accelerator_count + client->accelerator;
        clients[at]++;
        sum_add(&sums[at],
                growth_of(map_get(rates->clients, &key),
                          map_get(rates->accelerators, &accelerator->registry_id),
                          reading->processes[client->process].identity, client->gpu_time_ns));
    }
}

static struct metal_row row_of(const struct metal_rates *rates, const struct metal_reading *reading,
                               size_t at, const struct sum *sum, size_t clients)
{
    struct metal_row row = {.process = at / reading->accelerator_count,
                            .accelerator = at % reading->accelerator_count,
                            .client_count = clients};
    const struct metal_accelerator_reading *accelerator = &reading->accelerators[row.accelerator];
    const struct accelerator_seen *before = map_get(rates->accelerators, &accelerator->registry_id);
    set_load(&row, sum, before ? accelerator->taken_ns - before->taken_ns : 0,
             accelerator->listing_complete);
    row.left_out = is_left_out(&reading->processes[row.process], &row);
    return row;
}

void metal_rates_step(struct metal_rates *rates, struct arena *arena,
                      const struct metal_reading *reading, struct metal_rows *rows)
{
    size_t places = reading->process_count * reading->accelerator_count;
    struct sum *sums = ARENA_ARRAY(arena, struct sum, places);
    size_t *clients = ARENA_ARRAY(arena, size_t, places);
    add_clients(rates, reading, sums, clients);
    rows->items = ARENA_ARRAY(arena, struct metal_row, places);
    rows->count = 0;
    for (size_t i = 0; i < places; i++)
        if (clients[i] > 0)
            rows->items[rows->count++] = row_of(rates, reading, i, &sums[i], clients[i]);
    remember(rates, reading);
}
