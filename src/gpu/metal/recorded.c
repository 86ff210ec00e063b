/* A recorded Mac's GPUs: of each sample of input.json "gpus" [{registry_id, class, io_class, model,
 * gpu_core_count, performance_statistics, clients_status, clients [{registry_id, class, creator,
 * status, app_usage}]}], and perhaps "ledgers" [{pid, status, NAME...}], "footprints" [{pid,
 * format, exit, file}] and "power" (docs/recorded-machines.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/number.h"
#include "gpu/metal/footprint.h"
#include "gpu/metal/metal_source.h"
#include "gpu/metal/statistics.h"
#include "gpu/metal/usage.h"
#include "os/recorded/json_text.h"
#include "os/recorded/macos_input.h"

struct result {
    int64_t pid;
    struct measured bytes;
};

struct recorded_metal {
    const struct macos_input *input;
    struct result results[METAL_MEASURED_MAX];
    size_t result_count;
};

static enum metal_status status_of(const json_t *value)
{
    static const struct {
        const char *word;
        enum metal_status status;
    } words[] = {{"ok", METAL_OK},
                 {"denied", METAL_DENIED},
                 {"gone", METAL_GONE},
                 {"unsupported", METAL_UNSUPPORTED}};
    const char *word = json_string_value(value);
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0)
            return words[i].status;
    return METAL_FAILED;
}

static void read_statistics(const json_t *statistics, struct metal_accelerator *accelerator)
{
    const char *key;
    json_t *value;
    accelerator->statistics_read = json_is_object(statistics);
    if (!accelerator->statistics_read)
        return;
    json_object_foreach((json_t *)(uintptr_t)(const void *)statistics, key, value)
    {
        int statistic = metal_statistic_of(raw_from_string(key));
        double number = json_number_value(value);
        if (statistic == METAL_STATISTIC_COUNT)
            continue;
        if (json_is_integer(value))
            metal_statistic_set(accelerator, statistic, json_integer_value(value));
        else if (json_is_real(value) && isfinite(number) && fabs(number) < 1e18)
            metal_statistic_set(accelerator, statistic, (int64_t)llround(number));
    }
}

static void read_usage(const json_t *usage, struct metal_client *client)
{
    client->usage_present = json_is_array(usage);
    for (size_t i = 0; i < json_array_size(usage) && i <= METAL_USAGE_MAX; i++)
        metal_usage_add(client, macos_input_number(json_object_get(json_array_get(usage, i),
                                                                   "accumulatedGPUTime")));
}

static void read_clients(struct arena *arena, const json_t *list, struct metal_client *clients,
                         struct metal_sample *out, struct metal_accelerator *accelerator)
{
    accelerator->first_client = out->client_count;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (out->client_count >= METAL_CLIENTS_MAX) {
            accelerator->clients_status = METAL_FAILED;
            return;
        }
        struct metal_client *client = &clients[out->client_count++];
        accelerator->client_count++;
        *client = (struct metal_client){
            .registry_id = macos_input_id(json_object_get(entry, "registry_id")),
            .status = status_of(json_object_get(entry, "status")),
            .creator = json_text(arena, json_object_get(entry, "creator")),
        };
        read_usage(json_object_get(entry, "app_usage"), client);
    }
}

static void read_accelerator(struct arena *arena, const json_t *from, struct metal_client *clients,
                             struct metal_sample *out, struct metal_accelerator *accelerator)
{
    *accelerator = (struct metal_accelerator){
        .registry_id = macos_input_id(json_object_get(from, "registry_id")),
        .class_name = json_text(arena, json_object_get(from, "class")),
        .io_class = json_text(arena, json_object_get(from, "io_class")),
        .model = json_text(arena, json_object_get(from, "model")),
        .core_count = macos_input_number(json_object_get(from, "gpu_core_count")),
        .powered_off = json_is_true(json_object_get(from, "powered_off")),
        .clients_status = status_of(json_object_get(from, "clients_status")),
    };
    read_statistics(json_object_get(from, "performance_statistics"), accelerator);
    read_clients(arena, json_object_get(from, "clients"), clients, out, accelerator);
}

static void read_limits(const struct macos_input *input, struct metal_sample *out)
{
    const json_t *host = macos_input_host(input);
    out->memory_bytes = macos_input_number(json_object_get(host, "memsize"));
    out->wired_limit_mb = macos_input_number(json_object_get(host, "wired_limit_mb"));
    out->working_set_bytes = macos_input_number(json_object_get(host, "working_set_bytes"));
}

static void read_sample(void *context, uint64_t sample, struct arena *arena,
                        struct metal_sample *out)
{
    const struct recorded_metal *recorded = context;
    const json_t *from = macos_input_sample(recorded->input, sample);
    const json_t *gpus = json_object_get(from, "gpus");
    size_t count = json_array_size(gpus), clients = 0;
    memset(out, 0, sizeof *out);
    out->status = json_is_array(gpus) ? METAL_OK : METAL_FAILED;
    struct measured taken = macos_input_number(json_object_get(from, "t_ns"));
    out->taken_ns = taken.value;
    read_limits(recorded->input, out);
    if (count > METAL_ACCELERATORS_MAX)
        count = METAL_ACCELERATORS_MAX;
    for (size_t i = 0; i < count; i++)
        clients += json_array_size(json_object_get(json_array_get(gpus, i), "clients"));
    struct metal_accelerator *accelerators = ARENA_ARRAY(arena, struct metal_accelerator, count);
    struct metal_client *items = ARENA_ARRAY(
        arena, struct metal_client, clients < METAL_CLIENTS_MAX ? clients : METAL_CLIENTS_MAX);
    for (size_t i = 0; i < count; i++)
        read_accelerator(arena, json_array_get(gpus, i), items, out, &accelerators[i]);
    out->accelerators = accelerators;
    out->accelerator_count = count;
    out->clients = items;
}

/* Entries have their names in the recording: these are the ones that are used. */
static const char *const ledger_entries[] = {"graphics_footprint", "graphics_footprint_compressed",
                                             "neural_footprint"};
enum { LEDGER_ENTRIES = sizeof ledger_entries / sizeof *ledger_entries };

static void read_ledger_names(void *context, uint64_t sample, struct arena *arena,
                              struct metal_ledger_names *names)
{
    const struct recorded_metal *recorded = context;
    const json_t *from = macos_input_sample(recorded->input, sample);
    memset(names, 0, sizeof *names);
    names->status = METAL_UNSUPPORTED;
    if (!json_is_array(json_object_get(from, "ledgers")))
        return;
    struct raw_text *items = ARENA_ARRAY(arena, struct raw_text, LEDGER_ENTRIES);
    for (size_t i = 0; i < LEDGER_ENTRIES; i++)
        items[i] = raw_from_string(ledger_entries[i]);
    *names = (struct metal_ledger_names){METAL_OK, items, LEDGER_ENTRIES};
}

static const json_t *entry_of(const json_t *list, int64_t pid)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i), *of = json_object_get(entry, "pid");
        if (json_is_integer(of) && json_integer_value(of) == pid)
            return entry;
    }
    return NULL;
}

static void read_ledger(void *context, uint64_t sample, int64_t pid, size_t count,
                        struct metal_ledger *ledger)
{
    const struct recorded_metal *recorded = context;
    const json_t *from = macos_input_sample(recorded->input, sample);
    const json_t *entry = entry_of(json_object_get(from, "ledgers"), pid);
    ledger->status = entry ? status_of(json_object_get(entry, "status")) : METAL_FAILED;
    ledger->count = 0;
    for (size_t i = 0; i < LEDGER_ENTRIES && i < count; i++) {
        struct measured balance = macos_input_number(json_object_get(entry, ledger_entries[i]));
        if (!balance.known)
            return;
        ledger->balances[ledger->count++] = balance.value;
    }
}

static void read_states(struct arena *arena, const json_t *list, struct metal_channel *channel)
{
    size_t count = json_array_size(list);
    if (count > METAL_STATES_MAX)
        count = METAL_STATES_MAX;
    struct metal_state *states = ARENA_ARRAY(arena, struct metal_state, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(list, i);
        struct measured ticks = macos_input_number(json_array_get(pair, 1));
        states[i] = (struct metal_state){json_text(arena, json_array_get(pair, 0)),
                                         ticks.known ? ticks.value : -1};
    }
    channel->states = states;
    channel->state_count = count;
}

static void read_channels(struct arena *arena, const json_t *list, struct metal_power *power)
{
    size_t count = json_array_size(list);
    if (count > METAL_CHANNELS_MAX)
        count = METAL_CHANNELS_MAX;
    struct metal_channel *channels = ARENA_ARRAY(arena, struct metal_channel, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *from = json_array_get(list, i);
        channels[i] = (struct metal_channel){
            .group = json_text(arena, json_object_get(from, "group")),
            .subgroup = json_text(arena, json_object_get(from, "subgroup")),
            .name = json_text(arena, json_object_get(from, "channel")),
            .unit = json_text(arena, json_object_get(from, "unit")),
        };
        /* A difference that is not told is not 0; one below 0 is no difference. */
        struct measured delta = macos_input_number(json_object_get(from, "delta"));
        channels[i].value = delta.known ? delta.value : -1;
        read_states(arena, json_object_get(from, "states"), &channels[i]);
    }
    power->channels = channels;
    power->channel_count = count;
}

static size_t read_sensors(struct arena *arena, const json_t *list,
                           const struct metal_sensor **sensors)
{
    size_t size = json_array_size(list), count = 0;
    if (size > METAL_SENSORS_MAX)
        size = METAL_SENSORS_MAX;
    struct metal_sensor *items = ARENA_ARRAY(arena, struct metal_sensor, size);
    for (size_t i = 0; i < size; i++) {
        const json_t *from = json_array_get(list, i), *value = json_object_get(from, "celsius");
        double celsius = json_number_value(value);
        if (!json_is_number(value) || !isfinite(celsius) || fabs(celsius) > 1e6)
            continue;
        items[count++] = (struct metal_sensor){json_text(arena, json_object_get(from, "name")),
                                               (int64_t)(celsius * 1000)};
    }
    *sensors = items;
    return count;
}

/* "table": the values of the pmgr's frequency table, as they stand in it. */
static struct raw_text read_table(struct arena *arena, const json_t *list)
{
    size_t count = json_array_size(list);
    if (count == 0 || count > METAL_STATES_MAX)
        return (struct raw_text){NULL, 0};
    char *bytes = arena_alloc(arena, 8 * count);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = macos_input_id(json_array_get(list, i));
        for (size_t k = 0; k < 4; k++)
            bytes[8 * i + k] = (char)(unsigned char)(value >> (8 * k) & 0xff);
    }
    return (struct raw_text){bytes, 8 * count};
}

/* "power" {status, elapsed_ns, channels, table, smc_status, smc, hid_status, hid}. */
static void read_power(void *context, uint64_t sample, struct arena *arena,
                       struct metal_power *power)
{
    const struct recorded_metal *recorded = context;
    const json_t *from = json_object_get(macos_input_sample(recorded->input, sample), "power");
    struct measured elapsed = macos_input_number(json_object_get(from, "elapsed_ns"));
    memset(power, 0, sizeof *power);
    power->report_status = power->smc_status = power->hid_status = METAL_UNSUPPORTED;
    if (!json_is_object(from))
        return;
    power->report_status = status_of(json_object_get(from, "status"));
    power->has_difference = elapsed.known && elapsed.value > 0;
    power->elapsed_ns = elapsed.value;
    read_channels(arena, json_object_get(from, "channels"), power);
    power->frequency_table = read_table(arena, json_object_get(from, "table"));
    power->smc_status = status_of(json_object_get(from, "smc_status"));
    power->smc_count = read_sensors(arena, json_object_get(from, "smc"), &power->smc);
    power->hid_status = status_of(json_object_get(from, "hid_status"));
    power->hid_count = read_sensors(arena, json_object_get(from, "hid"), &power->hid);
}

/* Only files that lie beside input.json. */
static bool is_plain_name(const char *name)
{
    return name && *name && *name != '.' && !strchr(name, '/') && !strchr(name, '\\');
}

static struct measured footprint_of(const struct macos_input *input, const json_t *entry,
                                    int64_t pid)
{
    const char *file = json_string_value(json_object_get(entry, "file"));
    const char *format = json_string_value(json_object_get(entry, "format"));
    char path[4096], *bytes = NULL;
    size_t size = 0;
    int64_t graphics = 0;
    struct problem ignored;
    if (!is_plain_name(file) || !format || !json_is_integer(json_object_get(entry, "exit")) ||
        json_integer_value(json_object_get(entry, "exit")) != 0 ||
        snprintf(path, sizeof path, "%s/%s", input->folder, file) >= (int)sizeof path ||
        !file_read_all(path, FOOTPRINT_TEXT_MAX, &bytes, &size, &ignored))
        return measured_unknown(REASON_call_failed);
    const struct raw_text text = {bytes, size};
    bool good = strcmp(format, "json") == 0 ? footprint_json_parse(text, pid, &graphics)
                                            : footprint_text_parse(text, pid, &graphics);
    free(bytes);
    return good ? measured_known(graphics) : measured_unknown(REASON_call_failed);
}

static bool measure(void *context, uint64_t sample, const int64_t *pids, size_t count)
{
    struct recorded_metal *recorded = context;
    const json_t *list = json_object_get(macos_input_sample(recorded->input, sample), "footprints");
    if (json_array_size(list) == 0)
        return false; /* it was not run */
    for (size_t i = 0; i < count && recorded->result_count < METAL_MEASURED_MAX; i++)
        recorded->results[recorded->result_count++] = (struct result){
            pids[i], footprint_of(recorded->input, entry_of(list, pids[i]), pids[i])};
    return true;
}

static bool take_measured(void *context, int64_t *pid, struct measured *bytes)
{
    struct recorded_metal *recorded = context;
    if (recorded->result_count == 0)
        return false;
    const struct result *result = &recorded->results[--recorded->result_count];
    *pid = result->pid;
    *bytes = result->bytes;
    return true;
}

bool metal_recorded_open(const struct machine *machine, struct metal_source *source)
{
    struct recorded_metal *recorded = memory_new(sizeof *recorded);
    recorded->input = macos_input_of(machine);
    *source = (struct metal_source){
        .context = recorded,
        .close = free,
        .find = read_sample,
        .read = read_sample,
        .ledger_names = read_ledger_names,
        .ledger = read_ledger,
        .power = read_power,
        .measure = measure,
        .measured = take_measured,
    };
    return true;
}
