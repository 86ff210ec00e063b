/* Expected values: tests/cases/macos (the tables there are read as they are), SPEC section 5
 * (macOS). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "gpu/metal/creator.h"
#include "gpu/metal/footprint.h"
#include "gpu/metal/footprint_schedule.h"
#include "gpu/metal/ledger.h"
#include "gpu/metal/power.h"
#include "gpu/metal/statistics.h"
#include "gpu/metal/usage.h"

static json_t *case_file(const char *name, const char *file)
{
    char path[1024];
    const char *folder = getenv("GPUTASKMAN_TEST_CASES");
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/macos/%s/%s", folder, name, file);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int64_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void creators(void **state)
{
    (void)state;
    json_t *expected = case_file("creator-strings", "expected.json");
    const json_t *items = json_object_get(expected, "items");
    assert_true(json_array_size(items) > 10);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        int64_t pid = -1;
        struct raw_text name = {NULL, 0};
        bool good = metal_creator_parse(raw_from_string(string_of(item, "creator")), &pid, &name);
        print_message("# %s\n", string_of(item, "creator"));
        assert_int_equal(good, json_is_integer(json_object_get(item, "pid")));
        if (!good)
            continue;
        assert_int_equal(pid, integer_of(item, "pid"));
        assert_true(raw_equal_string(name, string_of(item, "name")));
    }
    json_decref(expected);
}

/* The numbers of a line of ioreg: "key"=digits; what is no whole number is none, as for the door.
 */
static void read_line(const char *line, struct metal_accelerator *accelerator)
{
    const char *at = strchr(line, '{');
    while (at && (at = strchr(at, '"')) != NULL) {
        const char *end = strchr(at + 1, '"');
        struct raw_text key = {at + 1, (size_t)(end - at - 1)};
        const char *value = end + 2;
        size_t length = strcspn(value, ",}");
        int64_t number;
        int statistic = metal_statistic_of(key);
        assert_int_equal(end[1], '=');
        if (length > 0 && number_parse_i64((struct raw_text){value, length}, &number, NULL))
            metal_statistic_set(accelerator, statistic, number);
        at = value + length;
    }
}

static void assert_number(const json_t *expected, const char *key, bool known, double value)
{
    const json_t *want = json_object_get(expected, key);
    print_message("# %s of %s\n", key, string_of(expected, "class"));
    assert_int_equal(known, json_is_number(want));
    if (known)
        assert_true(fabs(json_number_value(want) - value) < 0.005);
}

static void statistics(void **state)
{
    (void)state;
    json_t *input = case_file("performance-statistics-variants", "input.json");
    json_t *expected = case_file("performance-statistics-variants", "expected.json");
    const json_t *items = json_object_get(input, "items");
    assert_true(json_array_size(items) > 5);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        const json_t *want = json_array_get(json_object_get(expected, "items"), i);
        struct arena *arena = arena_new();
        struct metal_sample sample = {.memory_bytes = measured_known(INT64_C(1) << 36)};
        struct metal_accelerator accelerator = {
            .class_name = raw_from_string(string_of(item, "class")), .statistics_read = true};
        struct adapter_reading *adapter = ARENA_NEW(arena, struct adapter_reading);
        read_line(string_of(item, "line"), &accelerator);
        metal_adapter(arena, &sample, &accelerator, adapter);
        assert_number(want, "gpu_util_pct", adapter->load_millipercent.how != HOW_UNAVAILABLE,
                      (double)adapter->load_millipercent.value / 1000);
        assert_number(want, "mem_used_bytes", adapter->vram_used_bytes.known,
                      (double)adapter->vram_used_bytes.value);
        assert_number(want, "renderer_pct", accelerator.renderer_percent.known,
                      (double)accelerator.renderer_percent.value);
        assert_number(want, "tiler_pct", accelerator.tiler_percent.known,
                      (double)accelerator.tiler_percent.value);
        assert_number(want, "mem_in_use_bytes", accelerator.in_use_bytes.known,
                      (double)accelerator.in_use_bytes.value);
        arena_free(&arena);
    }
    json_decref(input);
    json_decref(expected);
}

static void impossible_statistics(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct metal_sample sample = {.memory_bytes = measured_known(8)};
    struct metal_accelerator accelerator = {
        .registry_id = 0x1000004a2,
        .model = raw_from_string("Apple M9"),
        .class_name = raw_from_string("Whatever"),
        .device_percent = measured_known(-1),
        .allocated_bytes = measured_known(-5),
        .temperature_celsius = measured_known(0),
        .power_watts = measured_known(INT64_MAX),
    };
    struct adapter_reading *adapter = ARENA_NEW(arena, struct adapter_reading);
    metal_adapter(arena, &sample, &accelerator, adapter);
    assert_string_equal(adapter->id, "ioreg:0x1000004a2");
    assert_true(adapter->unified && adapter->unified_one_pool);
    assert_int_equal(adapter->load_millipercent.why_not, REASON_incredible_value);
    assert_int_equal(adapter->load_millipercent.how, HOW_UNAVAILABLE);
    assert_false(adapter->vram_used_bytes.known);
    assert_int_equal(adapter->temperature_millicelsius[TEMPERATURE_EDGE].how, HOW_UNAVAILABLE);
    assert_int_equal(adapter->power_microwatts.how, HOW_UNAVAILABLE);
    accelerator.allocated_bytes = measured_known(9);
    metal_adapter(arena, &sample, &accelerator, adapter);
    assert_int_equal(adapter->vram_free_bytes.value, 0);
    accelerator.powered_off = true;
    *adapter = (struct adapter_reading){0};
    metal_adapter(arena, &sample, &accelerator, adapter);
    assert_int_equal(adapter->power_state, POWER_SUSPENDED);
    assert_int_equal(adapter->figures_why_not, REASON_device_suspended);
    arena_free(&arena);
}

static void schedule_table(void **state)
{
    (void)state;
    json_t *input = case_file("footprint-schedule", "input.json");
    json_t *expected = case_file("footprint-schedule", "expected.json");
    const json_t *events = json_object_get(input, "events");
    struct footprint_schedule *schedule = footprint_schedule_new();
    assert_true(json_array_size(events) > 5);
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const json_t *step = json_array_get(json_object_get(expected, "steps"), i);
        int64_t now_ns = integer_of(event, "t") * INT64_C(1000000000);
        struct identity process = identity_make(NAMESPACE_LOCAL, integer_of(event, "pid"),
                                                (uint64_t)integer_of(event, "start_us"));
        const json_t *result = json_object_get(event, "result");
        print_message("# at %lld s\n", (long long)integer_of(event, "t"));
        footprint_schedule_begin(schedule);
        bool due = footprint_schedule_due(schedule, process,
                                          json_is_true(json_object_get(event, "busy")), now_ns);
        assert_int_equal(due, json_is_true(json_object_get(step, "measure")));
        if (due) {
            footprint_schedule_started(schedule, process, now_ns);
            footprint_schedule_result(schedule, process,
                                      json_is_integer(result)
                                          ? measured_known(json_integer_value(result))
                                          : measured_unknown(REASON_call_failed),
                                      now_ns);
        }
        struct measured shown = footprint_schedule_bytes(schedule, process);
        const json_t *want = json_object_get(step, "shown");
        assert_int_equal(shown.known, json_is_integer(want));
        if (shown.known)
            assert_int_equal(shown.value, json_integer_value(want));
    }
    footprint_schedule_free(&schedule);
    json_decref(input);
    json_decref(expected);
}

/* A process that is not asked about any more is forgotten, and then it is new again. */
static void schedule_forgets(void **state)
{
    (void)state;
    struct footprint_schedule *schedule = footprint_schedule_new();
    struct identity process = identity_make(NAMESPACE_LOCAL, 5, 1);
    footprint_schedule_begin(schedule);
    assert_true(footprint_schedule_due(schedule, process, false, 0));
    footprint_schedule_started(schedule, process, 0);
    footprint_schedule_result(schedule, process, measured_known(7), 0);
    footprint_schedule_begin(schedule);
    footprint_schedule_begin(schedule);
    assert_false(footprint_schedule_bytes(schedule, process).known);
    assert_true(footprint_schedule_due(schedule, process, false, 1));
    footprint_schedule_free(&schedule);
}

static void residencies(void **state)
{
    (void)state;
    json_t *input = case_file("ioreport-residency-and-energy", "input.json");
    json_t *expected = case_file("ioreport-residency-and-energy", "expected.json");
    const json_t *items = json_object_get(input, "gpuph");
    assert_true(json_array_size(items) > 3);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i), *list = json_object_get(item, "states");
        const json_t *want = json_array_get(json_object_get(expected, "gpuph"), i);
        const json_t *table = json_object_get(item, "table_hz");
        struct metal_state states[METAL_STATES_MAX];
        int64_t hz[METAL_STATES_MAX];
        char bytes[8 * METAL_STATES_MAX] = {0};
        size_t count = json_array_size(list), entries = json_array_size(table);
        for (size_t k = 0; k < count; k++)
            states[k] = (struct metal_state){
                raw_from_string(json_string_value(json_array_get(json_array_get(list, k), 0))),
                json_integer_value(json_array_get(json_array_get(list, k), 1))};
        for (size_t k = 0; k < entries; k++)
            for (int byte = 0; byte < 4; byte++)
                bytes[8 * k + (size_t)byte] =
                    (char)(json_integer_value(json_array_get(table, k)) >> (8 * byte));
        size_t known =
            metal_frequencies((struct raw_text){bytes, 8 * entries}, hz, METAL_STATES_MAX);
        struct metal_residency residency = metal_residency(states, count, hz, known);
        assert_number(want, "active_pct", residency.active_millipercent.how != HOW_UNAVAILABLE,
                      (double)residency.active_millipercent.value / 1000);
        assert_number(want, "freq_mhz", residency.clock_hz.how != HOW_UNAVAILABLE,
                      (double)residency.clock_hz.value / 1e6);
    }
    json_decref(input);
    json_decref(expected);
}

static void energies(void **state)
{
    (void)state;
    json_t *input = case_file("ioreport-residency-and-energy", "input.json");
    json_t *expected = case_file("ioreport-residency-and-energy", "expected.json");
    const json_t *items = json_object_get(input, "energy");
    assert_true(json_array_size(items) > 3);
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        const json_t *want = json_array_get(json_object_get(expected, "energy_watts"), i);
        struct said power =
            metal_power_microwatts(raw_from_string(string_of(item, "unit")),
                                   integer_of(item, "delta"), integer_of(item, "dt_ns"));
        assert_int_equal(power.how != HOW_UNAVAILABLE, json_is_number(want));
        if (json_is_number(want))
            assert_true(fabs((double)power.value / 1e6 - json_number_value(want)) < 1e-6);
    }
    json_decref(input);
    json_decref(expected);
}

static void units(void **state)
{
    (void)state;
    /* Trailing blanks; kHz tables; the GPU's channels by die, not its SRAM's. */
    assert_int_equal(metal_power_microwatts(raw_from_string("mJ   "), 2, 1000000000).value, 2000);
    assert_int_equal(metal_power_microwatts((struct raw_text){NULL, 0}, 2, 1).how, HOW_UNAVAILABLE);
    assert_int_equal(metal_power_microwatts(raw_from_string("mJ"), 2, 0).why_not,
                     REASON_need_two_samples);
    assert_int_equal(metal_frequency_hz(1398000), 1398000000);
    assert_int_equal(metal_frequency_hz(1398000000), 1398000000);
    assert_true(metal_is_gpu_energy(raw_from_string("GPU Energy")));
    assert_true(metal_is_gpu_energy(raw_from_string("DIE_1_GPU Energy")));
    assert_false(metal_is_gpu_energy(raw_from_string("GPU SRAM Energy")));
    assert_false(metal_is_gpu_energy(raw_from_string("CPU Energy")));
    assert_false(metal_is_gpu_energy((struct raw_text){NULL, 0}));
}

static void power_of_a_mac(void **state)
{
    (void)state;
    const struct metal_state states[] = {{raw_from_string("OFF"), 10}, {raw_from_string("P1"), 10}};
    const char table[] = "\0\0\0\0\0\0\0\0\x00\x84\xd7\x17\x2a\x03\0\0"; /* 400 MHz */
    struct metal_channel channels[] = {
        {.group = raw_from_string("Energy Model"),
         .name = raw_from_string("DIE_0_GPU Energy"),
         .unit = raw_from_string("nJ"),
         .value = 1000000000},
        {.group = raw_from_string("Energy Model"),
         .name = raw_from_string("DIE_1_GPU Energy"),
         .unit = raw_from_string("nJ"),
         .value = 2000000000},
        {.group = raw_from_string("Energy Model"),
         .name = raw_from_string("CPU Energy"),
         .unit = raw_from_string("mJ"),
         .value = 70000},
        {.group = raw_from_string("GPU Stats"),
         .name = raw_from_string("GPUPH"),
         .states = states,
         .state_count = 2},
    };
    const struct metal_sensor gated[] = {{raw_from_string("Tg05"), 5000}};
    const struct metal_sensor warm[] = {
        {raw_from_string("GPU MTR Temp Sensor1"), 40000},
        {raw_from_string("GPU MTR Temp Sensor2"), 50000},
        {raw_from_string("GPU MTR Temp Sensor3"), 65535000},
    };
    struct metal_power power = {.report_status = METAL_OK,
                                .has_difference = true,
                                .elapsed_ns = 1000000000,
                                .channels = channels,
                                .channel_count = 4,
                                .frequency_table = {table, 16},
                                .smc = gated,
                                .smc_count = 1,
                                .hid = warm,
                                .hid_count = 3};
    struct arena *arena = arena_new();
    struct adapter_reading *adapter = ARENA_NEW(arena, struct adapter_reading);
    metal_set_power(&power, adapter);
    assert_int_equal(adapter->power_microwatts.value, 3000000);
    assert_int_equal(adapter->clock_hz[CLOCK_GRAPHICS].value, 400000000);
    assert_int_equal(adapter->max_clock_hz[CLOCK_GRAPHICS].value, 400000000);
    assert_int_equal(adapter->temperature_millicelsius[TEMPERATURE_EDGE].value, 45000);

    *adapter = (struct adapter_reading){0};
    power.hid_status = METAL_DENIED;
    power.has_difference = false;
    metal_set_power(&power, adapter);
    assert_int_equal(adapter->temperature_millicelsius[TEMPERATURE_EDGE].why_not,
                     REASON_incredible_value);
    assert_int_equal(adapter->power_microwatts.why_not, REASON_need_two_samples);

    *adapter = (struct adapter_reading){0};
    power.smc_status = power.report_status = METAL_DENIED;
    metal_set_power(&power, adapter);
    assert_int_equal(adapter->power_microwatts.why_not, REASON_not_permitted);
    assert_int_equal(adapter->temperature_millicelsius[TEMPERATURE_EDGE].why_not,
                     REASON_not_permitted);
    arena_free(&arena);
}

static void ledgers(void **state)
{
    (void)state;
    const struct raw_text texts[] = {
        raw_from_string("cpu_time"), raw_from_string("graphics_footprint_compressed"),
        raw_from_string("graphics_footprint"), raw_from_string("phys_footprint")};
    struct metal_ledger_names names = {METAL_OK, texts, 4};
    struct ledger_places places = metal_ledger_places(&names);
    assert_int_equal(places.count, 3);
    struct metal_ledger ledger = {METAL_OK, {1, 20, 300, 4000}, 3};
    struct ledger_memory memory = metal_ledger_memory(&places, &ledger);
    assert_int_equal(memory.graphics_bytes.value, 300);
    assert_int_equal(memory.compressed_bytes.value, 20);
    assert_false(memory.neural_bytes.known);
    ledger.count = 2;
    assert_false(metal_ledger_memory(&places, &ledger).graphics_bytes.known);
    ledger.count = 3;
    ledger.balances[2] = -1;
    assert_int_equal(metal_ledger_memory(&places, &ledger).graphics_bytes.why_not,
                     REASON_incredible_value);
    ledger.status = METAL_DENIED;
    assert_int_equal(metal_ledger_memory(&places, &ledger).graphics_bytes.why_not,
                     REASON_sandbox_denies);
    ledger.status = METAL_GONE;
    assert_int_equal(metal_ledger_memory(&places, &ledger).graphics_bytes.why_not,
                     REASON_call_failed);
    names.count = 2;
    places = metal_ledger_places(&names);
    assert_int_equal(places.status, METAL_UNSUPPORTED);
    assert_int_equal(metal_ledger_memory(&places, &ledger).graphics_bytes.why_not,
                     REASON_not_supported);
}

#define HEADER(pid) "name [1] x [" pid "]: 64-bit    Footprint: 1 GB (16384 bytes per page)\n"

/* Texts that a real tool does not print, and what they must not become. */
static const struct {
    const char *what, *text;
    bool good;
    int64_t bytes;
} texts[] = {
    {"bytes", HEADER("7") " 12345 B  0 B  0 B  3  IOAccelerator (graphics)\n", true, 12345},
    {"a fraction of a unit", HEADER("7") " 1.5 KB  0 B  0 B  3  IOAccelerator (graphics)\n", true,
     1536},
    {"another process's rows are not ours",
     HEADER("7") " 1 B 0 B 0 B 1 a (graphics)\n" HEADER("8") " 9 B 0 B 0 B 1 b (graphics)\n", true,
     1},
    {"no graphics is 0", HEADER("7") " 9 MB 0 B 0 B 1 IOAccelerator\n", true, 0},
    {"TOTAL and the auxiliary lines do not count",
     HEADER("7") " 1 KB 0 B 0 B 1 a (graphics)\n 9 MB 0 B 0 B 9 TOTAL\n phys_footprint: 9 GB\n",
     true, 1024},
    {"no end of line", HEADER("7") "2 KB 0 B 0 B 1 a (graphics)", true, 2048},
    {"an unknown unit", HEADER("7") " 1 PB 0 B 0 B 1 a (graphics)\n", false, 0},
    {"no number", HEADER("7") " -1 B 0 B 0 B 1 a (graphics)\n", false, 0},
    {"too large a number", HEADER("7") " 9999999999999999 GB 0 B 0 B 1 a (graphics)\n", false, 0},
    {"sums that overflow",
     HEADER("7") " 8000000 TB 0 B 0 B 1 a (graphics)\n 8000000 TB 0 B 0 B 1 b (graphics)\n", false,
     0},
    {"the header of nobody", "name [x]: 64-bit\n 1 B 0 B 0 B 1 a (graphics)\n", false, 0},
    {"nothing", "", false, 0},
};

static void footprint_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t bytes = 0;
        print_message("# %s\n", texts[i].what);
        bool good = footprint_text_parse(raw_from_string(texts[i].text), 7, &bytes);
        assert_int_equal(good, texts[i].good);
        if (good)
            assert_int_equal(bytes, texts[i].bytes);
    }
}

#define RECORD(categories)                                                                         \
    "{\"processes\": [{\"pid\": 3}, {\"pid\": 7, \"categories\": {" categories "}}]"

static const struct {
    const char *what, *json;
    bool good;
    int64_t bytes;
} jsons[] = {
    {"by pid, times the unit",
     RECORD(
         "\"a (graphics)\": {\"dirty\": 3}, \"b\": {\"dirty\": 9}") ", \"bytes per unit\": 1024}",
     true, 3072},
    {"no unit is bytes", RECORD("\"a (graphics)\": {\"dirty\": 3}") "}", true, 3},
    {"with --sample", "{\"samples\": [" RECORD("\"a (graphics)\": {\"dirty\": 3}") "}]}", true, 3},
    {"a negative size", RECORD("\"a (graphics)\": {\"dirty\": -3}") "}", false, 0},
    {"a size that is no number", RECORD("\"a (graphics)\": {\"dirty\": \"3\"}") "}", false, 0},
    {"a unit that is no number",
     RECORD("\"a (graphics)\": {\"dirty\": 3}") ", \"bytes per unit\": \"page\"}", false, 0},
    {"overflow",
     RECORD("\"a (graphics)\": {\"dirty\": 9223372036854775807}") ", \"bytes per unit\": 2}", false,
     0},
    {"no categories", RECORD("") "}", false, 0},
    {"errors and no record", "{\"processes\": [], \"errors\": [\"no\"]}", false, 0},
    {"no JSON", "footprint: error", false, 0},
};

static void footprint_jsons(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jsons / sizeof *jsons; i++) {
        int64_t bytes = 0;
        print_message("# %s\n", jsons[i].what);
        bool good = footprint_json_parse(raw_from_string(jsons[i].json), 7, &bytes);
        assert_int_equal(good, jsons[i].good);
        if (good)
            assert_int_equal(bytes, jsons[i].bytes);
    }
}

static void usages(void **state)
{
    (void)state;
    static const struct {
        int64_t times[3];
        uint64_t sum;
        uint32_t bad;
    } rows[] = {
        {{1, 2, 3}, 6, 0},
        {{0, 0, 0}, 0, 0},
        {{5, -1, 7}, 12, 1},
        {{INT64_MAX, INT64_MAX, INT64_MAX}, INT64_MAX, 2},
        {{INT64_MAX, 0, 1}, INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct metal_client client = {.usage_present = true};
        for (size_t k = 0; k < 3; k++)
            metal_usage_add(&client, measured_known(rows[i].times[k]));
        if (client.gpu_time_ns != rows[i].sum || client.bad_entries != rows[i].bad ||
            client.usage_entries != 3)
            fail_msg("row %zu", i);
    }
    struct metal_client full = {.usage_present = true};
    for (int i = 0; i < METAL_USAGE_MAX; i++)
        metal_usage_add(&full, measured_known(1));
    assert_int_equal(full.bad_entries, 0);
    metal_usage_add(&full, measured_known(1));
    assert_int_equal(full.bad_entries, 1);
    metal_usage_add(&full, measured_unknown(REASON_not_reported));
    assert_int_equal(full.bad_entries, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creators),        cmocka_unit_test(usages),
        cmocka_unit_test(statistics),      cmocka_unit_test(impossible_statistics),
        cmocka_unit_test(schedule_table),  cmocka_unit_test(schedule_forgets),
        cmocka_unit_test(residencies),     cmocka_unit_test(energies),
        cmocka_unit_test(units),           cmocka_unit_test(power_of_a_mac),
        cmocka_unit_test(ledgers),         cmocka_unit_test(footprint_texts),
        cmocka_unit_test(footprint_jsons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
