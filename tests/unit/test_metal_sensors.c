/* IOReport, the system management controller and the HID sensors against stand-ins. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_frameworks.h"
#include "gpu/metal/macos/report.h"
#include "gpu/metal/macos/sensors.h"

/* IOReport: a sample is an object; the difference has these channels. */
static struct object group_stats = {.kind = STRING, .text = "GPU Stats"},
                     group_energy = {.kind = STRING, .text = "Energy Model"},
                     subgroup = {.kind = STRING, .text = "GPU Performance States"},
                     name_states = {.kind = STRING, .text = "GPUPH"},
                     name_energy = {.kind = STRING, .text = "GPU Energy"},
                     unit = {.kind = STRING, .text = "nJ  "},
                     state_off = {.kind = STRING, .text = "OFF"},
                     state_1 = {.kind = STRING, .text = "P1"},
                     channel_states = {.kind = DICTIONARY, .number = 1},
                     channel_energy = {.kind = DICTIONARY, .number = 2}, broken = {.kind = OTHER};
static struct object channels = {
    .kind = ARRAY, .values = {&channel_states, &broken, &channel_energy}, .count = 3};
static struct object difference = {
    .kind = DICTIONARY, .keys = {"IOReportChannels"}, .values = {&channels}, .count = 1};
static struct object group_of_states = {.kind = DICTIONARY}, group_of_energy = {.kind = DICTIONARY},
                     subscription = {.kind = OTHER}, subscribed = {.kind = DICTIONARY},
                     sample = {.kind = DICTIONARY};
static struct {
    bool no_states, no_energy, no_subscription, no_sample, no_difference;
    int merged, subscriptions;
} report_fake;

static void *report_group(const void *group, const void *sub, uint64_t a, uint64_t b, uint64_t c)
{
    bool states = strcmp(((const struct object *)group)->text, "GPU Stats") == 0;
    assert_true(a == 0 && b == 0 && c == 0);
    assert_true(states == (sub != NULL));
    if (states ? report_fake.no_states : report_fake.no_energy)
        return NULL;
    return (void *)(uintptr_t)fake_own(states ? &group_of_states : &group_of_energy);
}
static void report_merge(void *into, const void *from, const void *nothing)
{
    assert_ptr_equal(into, &group_of_states);
    assert_ptr_equal(from, &group_of_energy);
    assert_null(nothing);
    report_fake.merged++;
}
static const void *report_subscribe(void *nothing, void *wanted, void **out, uint64_t id,
                                    const void *nothing_too)
{
    assert_true(!nothing && wanted && id == 0 && !nothing_too);
    report_fake.subscriptions++;
    *out = (void *)(uintptr_t)fake_own(&subscribed);
    return report_fake.no_subscription ? NULL : fake_own(&subscription);
}
static const void *report_sample(const void *of, void *wanted, const void *nothing)
{
    assert_true(of == &subscription && wanted && !nothing);
    return report_fake.no_sample ? NULL : fake_own(&sample);
}
static const void *report_difference(const void *before, const void *now, const void *nothing)
{
    assert_true(before && now && !nothing);
    return report_fake.no_difference ? NULL : fake_own(&difference);
}
static bool is_states(const void *channel)
{
    return ((const struct object *)channel)->number == 1;
}
static const void *report_channel_group(const void *channel)
{
    return is_states(channel) ? &group_stats : &group_energy;
}
static const void *report_channel_subgroup(const void *channel)
{
    return is_states(channel) ? &subgroup : NULL;
}
static const void *report_channel_name(const void *channel)
{
    return is_states(channel) ? &name_states : &name_energy;
}
static const void *report_channel_unit(const void *channel)
{
    return is_states(channel) ? NULL : &unit;
}
static int64_t report_value(const void *channel, int32_t nothing)
{
    assert_true(!is_states(channel) && nothing == 0);
    return 2500000;
}
static int32_t report_state_count(const void *channel)
{
    assert_true(is_states(channel));
    return 2;
}
static const void *report_state_name(const void *channel, int32_t at)
{
    (void)channel;
    return at == 0 ? &state_off : &state_1;
}
static int64_t report_state_residency(const void *channel, int32_t at)
{
    (void)channel;
    return at == 0 ? 600 : 400;
}

static struct frameworks with_report(void)
{
    struct frameworks frameworks = fake_frameworks();
    memset(&report_fake, 0, sizeof report_fake);
    fake_begin(NULL, 0);
    frameworks.group = report_group;
    frameworks.merge = report_merge;
    frameworks.subscribe = report_subscribe;
    frameworks.sample = report_sample;
    frameworks.difference = report_difference;
    frameworks.channel_group = report_channel_group;
    frameworks.channel_subgroup = report_channel_subgroup;
    frameworks.channel_name = report_channel_name;
    frameworks.channel_unit = report_channel_unit;
    frameworks.value = report_value;
    frameworks.state_count = report_state_count;
    frameworks.state_name = report_state_name;
    frameworks.state_residency = report_state_residency;
    return frameworks;
}

static void assert_nothing_leaks(void)
{
    assert_int_equal(fake.owned, 0);
    assert_int_equal(fake.over_released, 0);
    assert_int_equal(fake.ports, 0);
    assert_int_equal(fake.matchings, 0);
}

static void a_report_is_the_difference_of_two(void **state)
{
    struct frameworks frameworks = with_report();
    struct report report = {0};
    struct arena *arena = arena_new();
    struct metal_power power = {0};
    (void)state;
    report_read(&frameworks, &report, arena, 1000, &power);
    assert_int_equal(power.report_status, METAL_OK);
    assert_false(power.has_difference);
    assert_int_equal(power.channel_count, 0);
    power = (struct metal_power){0};
    report_read(&frameworks, &report, arena, 3000, &power);
    assert_true(power.has_difference);
    assert_int_equal(power.elapsed_ns, 2000);
    assert_int_equal(power.channel_count, 2); /* what is no channel is left out */
    assert_true(raw_equal_string(power.channels[0].group, "GPU Stats"));
    assert_true(raw_equal_string(power.channels[0].subgroup, "GPU Performance States"));
    assert_true(raw_equal_string(power.channels[0].name, "GPUPH"));
    assert_null(power.channels[0].unit.bytes);
    assert_int_equal(power.channels[0].state_count, 2);
    assert_true(raw_equal_string(power.channels[0].states[1].name, "P1"));
    assert_int_equal(power.channels[0].states[1].residency, 400);
    assert_int_equal(power.channels[1].value, 2500000);
    assert_true(raw_equal_string(power.channels[1].unit, "nJ  "));
    assert_int_equal(report_fake.subscriptions, 1);
    assert_int_equal(report_fake.merged, 1);
    report_close(&frameworks, &report);
    assert_nothing_leaks();
    arena_free(&arena);
}

/* A day of samples owns as much as two do. */
static void samples_do_not_pile_up(void **state)
{
    struct frameworks frameworks = with_report();
    struct report report = {0};
    struct arena *arena = arena_new();
    int after_two = 0;
    (void)state;
    for (int i = 0; i < 500; i++) {
        struct metal_power power = {0};
        arena_reset(arena);
        report_read(&frameworks, &report, arena, 1000 * i, &power);
        if (i == 1)
            after_two = fake.owned;
    }
    assert_int_equal(fake.owned, after_two);
    report_close(&frameworks, &report);
    assert_nothing_leaks();
    arena_free(&arena);
}

static void a_report_that_fails_is_no_zero(void **state)
{
    static const struct {
        bool no_states, no_energy, no_subscription, no_sample, no_difference, no_library;
        enum metal_status first, second;
        bool has_difference;
    } rows[] = {
        {.no_library = true, .first = METAL_UNSUPPORTED, .second = METAL_UNSUPPORTED},
        {.no_states = true, .no_energy = true, .first = METAL_FAILED, .second = METAL_FAILED},
        {.no_states = true, .first = METAL_OK, .second = METAL_OK, .has_difference = true},
        {.no_energy = true, .first = METAL_OK, .second = METAL_OK, .has_difference = true},
        {.no_subscription = true, .first = METAL_FAILED, .second = METAL_FAILED},
        {.no_sample = true, .first = METAL_FAILED, .second = METAL_FAILED},
        {.no_difference = true, .first = METAL_OK, .second = METAL_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct frameworks frameworks = with_report();
        struct report report = {0};
        struct arena *arena = arena_new();
        struct metal_power power = {0}, again = {0};
        report_fake.no_states = rows[i].no_states;
        report_fake.no_energy = rows[i].no_energy;
        report_fake.no_subscription = rows[i].no_subscription;
        report_fake.no_sample = rows[i].no_sample;
        report_fake.no_difference = rows[i].no_difference;
        frameworks.has[FRAMEWORK_REPORT] = !rows[i].no_library;
        report_read(&frameworks, &report, arena, 1000, &power);
        report_read(&frameworks, &report, arena, 2000, &again);
        assert_int_equal(power.report_status, rows[i].first);
        assert_int_equal(again.report_status, rows[i].second);
        assert_int_equal(again.has_difference, rows[i].has_difference);
        report_close(&frameworks, &report);
        assert_nothing_leaks();
        arena_free(&arena);
    }
}

/* The controller: keys by index, each with a type and a value. */
static const struct smc_key {
    const char *key, *type;
    float value;
    bool refuses;
} smc_keys[] = {
    {"#KEY", "ui32", 0, false},   {"TC0P", "flt ", 50, false}, {"Tg05", "flt ", 41.5F, false},
    {"Tg0D", "ui16", 44, false},  {"Tg0L", "flt ", 5, false},  {"Tg0X", "flt ", 60, true},
    {"Tg0f", "flt ", NAN, false}, {"tg0f", "flt ", 60, false},
};
enum { SMC_KEY_COUNT = sizeof smc_keys / sizeof *smc_keys };
static struct {
    int connections, calls;
    bool refuses_open, refuses_calls;
    uint32_t told_keys;
} smc_fake;

static uint32_t key_number(const char *key)
{
    return (uint32_t)(unsigned char)key[0] << 24 | (uint32_t)(unsigned char)key[1] << 16 |
           (uint32_t)(unsigned char)key[2] << 8 | (uint32_t)(unsigned char)key[3];
}

static int32_t smc_open_service(uint32_t service, uint32_t task, uint32_t type,
                                uint32_t *connection)
{
    assert_true(service != 0 && task == 259 && type == 0);
    assert_string_equal(fake_entry(service)->name, "AppleSMCKeysEndpoint");
    if (smc_fake.refuses_open)
        return -1;
    *connection = 4711;
    smc_fake.connections++;
    return 0;
}
static int32_t smc_close_service(uint32_t connection)
{
    assert_int_equal(connection, 4711);
    smc_fake.connections--;
    return 0;
}

static const struct smc_key *key_of(uint32_t key)
{
    for (size_t i = 0; i < SMC_KEY_COUNT; i++)
        if (key_number(smc_keys[i].key) == key)
            return &smc_keys[i];
    return NULL;
}

static void set_at(unsigned char *message, size_t offset, uint32_t value)
{
    memcpy(message + offset, &value, sizeof value);
}

static void answer_value(const struct smc_key *key, unsigned char *answer)
{
    if (strcmp(key->key, "#KEY") == 0) {
        for (int i = 0; i < 4; i++)
            answer[48 + i] = (unsigned char)(smc_fake.told_keys >> (24 - 8 * i));
        return;
    }
    memcpy(answer + 48, &key->value, sizeof key->value);
}

static int32_t smc_call(uint32_t connection, uint32_t selector, const void *input,
                        size_t input_size, void *output, size_t *output_size)
{
    const unsigned char *question = input;
    unsigned char *answer = output;
    uint32_t number, index, size;
    assert_true(connection == 4711 && selector == 2 && input_size == 80 && *output_size == 80);
    smc_fake.calls++;
    if (smc_fake.refuses_calls)
        return -1;
    memcpy(&number, question, 4);
    memcpy(&size, question + 28, 4);
    memcpy(&index, question + 44, 4);
    if (question[42] == 8) {
        if (index >= SMC_KEY_COUNT)
            answer[40] = 132;
        else
            set_at(answer, 0, key_number(smc_keys[index].key));
        return 0;
    }
    const struct smc_key *key = key_of(number);
    if (!key || key->refuses) {
        answer[40] = 132;
        return 0;
    }
    if (question[42] == 9) {
        set_at(answer, 28, strcmp(key->type, "ui16") == 0 ? 2 : 4);
        set_at(answer, 32, key_number(key->type));
        return 0;
    }
    assert_int_equal(question[42], 5);
    assert_true(size == 4 || size == 2);
    answer_value(key, answer);
    return 0;
}

static struct entry smc_entries[] = {{.id = 1, .name = "AppleSMC"},
                                     {.id = 2, .name = "AppleSMCKeysEndpoint"},
                                     {.id = 3, .name = "AppleSMCOther"}};
static const struct services smc_services = {"AppleSMC", smc_entries, 3};

static struct frameworks with_smc(void)
{
    struct frameworks frameworks = fake_frameworks();
    memset(&smc_fake, 0, sizeof smc_fake);
    smc_fake.told_keys = SMC_KEY_COUNT;
    fake_begin(&smc_services, 1);
    frameworks.open = smc_open_service;
    frameworks.close = smc_close_service;
    frameworks.call = smc_call;
    return frameworks;
}

/* What is plausible is decided later: nonsense such as 5 degrees is told, what is no number not. */
static void the_keys_of_the_gpu(void **state)
{
    struct frameworks frameworks = with_smc();
    struct smc smc = {0};
    struct arena *arena = arena_new();
    struct metal_sensor sensors[METAL_SENSORS_MAX];
    size_t count;
    (void)state;
    assert_int_equal(smc_read(&frameworks, &smc, arena, sensors, &count), METAL_OK);
    assert_int_equal(count, 2);
    assert_true(raw_equal_string(sensors[0].name, "Tg05"));
    assert_int_equal(sensors[0].millicelsius, 41500);
    assert_true(raw_equal_string(sensors[1].name, "Tg0L"));
    assert_int_equal(sensors[1].millicelsius, 5000);
    int listing = smc_fake.calls;
    assert_int_equal(smc_read(&frameworks, &smc, arena, sensors, &count), METAL_OK);
    assert_int_equal(count, 2);
    assert_true(smc_fake.calls - listing <= 6); /* listed once */
    smc_close(&frameworks, &smc);
    assert_int_equal(smc_fake.connections, 0);
    assert_nothing_leaks();
    arena_free(&arena);
}

static void a_controller_that_refuses(void **state)
{
    static const struct {
        bool refuses_open, refuses_calls, none;
        uint32_t told_keys;
        enum metal_status status;
        size_t count;
    } rows[] = {
        {.none = true, .status = METAL_UNSUPPORTED},
        {.refuses_open = true, .status = METAL_DENIED},
        {.refuses_calls = true, .status = METAL_FAILED},
        {.told_keys = UINT32_MAX, .status = METAL_OK, .count = 2},
        {.told_keys = 0, .status = METAL_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct frameworks frameworks = with_smc();
        struct smc smc = {0};
        struct arena *arena = arena_new();
        struct metal_sensor sensors[METAL_SENSORS_MAX];
        size_t count;
        smc_fake.refuses_open = rows[i].refuses_open;
        smc_fake.refuses_calls = rows[i].refuses_calls;
        smc_fake.told_keys = rows[i].told_keys;
        fake.services_count = rows[i].none ? 0 : 1;
        assert_int_equal(smc_read(&frameworks, &smc, arena, sensors, &count), rows[i].status);
        assert_int_equal(count, rows[i].count);
        assert_true(smc_fake.calls < 2 * SMC_KEYS_MAX);
        smc_close(&frameworks, &smc);
        assert_int_equal(smc_fake.connections, 0);
        assert_nothing_leaks();
        arena_free(&arena);
    }
}

/* The HID system: services with a name and an event each. */
static struct object hid_client = {.kind = OTHER}, hid_event = {.kind = OTHER},
                     hid_event_nan = {.kind = OTHER},
                     name_gpu = {.kind = STRING, .text = "GPU MTR Temp Sensor1"},
                     name_pmu_g = {.kind = STRING, .text = "PMU TP3g"},
                     name_pmu = {.kind = STRING, .text = "PMU TP1s"},
                     name_battery = {.kind = STRING, .text = "gas gauge battery"};
static struct object hid_services[] = {{.kind = OTHER, .values = {&name_gpu}, .count = 1},
                                       {.kind = OTHER, .values = {&name_battery}, .count = 1},
                                       {.kind = OTHER, .values = {&name_pmu_g}, .count = 1},
                                       {.kind = OTHER, .values = {&name_pmu}, .count = 1},
                                       {.kind = OTHER, .values = {&name_gpu}, .count = 1},
                                       {.kind = OTHER, .values = {&name_gpu}, .count = 1},
                                       {.kind = OTHER, .values = {NULL}, .count = 1}};
static struct object hid_list = {.kind = ARRAY,
                                 .values = {&hid_services[0], &hid_services[1], &hid_services[2],
                                            &hid_services[3], &hid_services[4], &hid_services[5],
                                            &hid_services[6]},
                                 .count = 7};
static bool hid_is_empty;

static void *hid_create(const void *allocator)
{
    assert_null(allocator);
    return (void *)(uintptr_t)fake_own(&hid_client);
}
static int32_t hid_match(void *client, const void *matching)
{
    const struct object *object = matching;
    assert_ptr_equal(client, &hid_client);
    assert_int_equal(object->count, 2);
    assert_string_equal(object->keys[0], "PrimaryUsagePage");
    assert_int_equal(object->values[0]->number, 0xff00);
    assert_string_equal(object->keys[1], "PrimaryUsage");
    assert_int_equal(object->values[1]->number, 5);
    return 0;
}
static const void *hid_services_of(void *client)
{
    assert_ptr_equal(client, &hid_client);
    return hid_is_empty ? NULL : fake_own(&hid_list);
}
static const void *hid_property(const void *service, const void *key)
{
    assert_string_equal(((const struct object *)key)->text, "Product");
    return fake_own(((const struct object *)service)->values[0]);
}
static const void *hid_event_of(const void *service, int64_t type, int32_t options, int64_t stamp)
{
    assert_true(type == 15 && options == 0 && stamp == 0);
    if (service == &hid_services[4])
        return NULL;
    return fake_own(service == &hid_services[5] ? &hid_event_nan : &hid_event);
}
static double hid_value(const void *event, int32_t field)
{
    assert_int_equal(field, 15 << 16);
    return event == &hid_event ? 38.25 : (double)NAN;
}

static void the_sensors_of_the_hid_system(void **state)
{
    struct frameworks frameworks = fake_frameworks();
    struct arena *arena = arena_new();
    struct metal_sensor sensors[METAL_SENSORS_MAX];
    struct hid hid = {0};
    size_t count;
    (void)state;
    fake_begin(NULL, 0);
    frameworks.client_create = hid_create;
    frameworks.client_match = hid_match;
    frameworks.client_services = hid_services_of;
    frameworks.service_property = hid_property;
    frameworks.service_event = hid_event_of;
    frameworks.event_value = hid_value;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hid_read(&frameworks, &hid, arena, sensors, &count), METAL_OK);
        assert_int_equal(count, 2);
        assert_true(raw_equal_string(sensors[0].name, "GPU MTR Temp Sensor1"));
        assert_true(raw_equal_string(sensors[1].name, "PMU TP3g"));
        assert_int_equal(sensors[1].millicelsius, 38250);
    }
    hid_close(&frameworks, &hid);
    assert_nothing_leaks();

    hid_is_empty = true;
    assert_int_equal(hid_read(&frameworks, &hid, arena, sensors, &count), METAL_FAILED);
    assert_int_equal(count, 0);
    hid_close(&frameworks, &hid);
    assert_nothing_leaks();
    frameworks.has[FRAMEWORK_HID] = false;
    assert_int_equal(hid_read(&frameworks, &hid, arena, sensors, &count), METAL_UNSUPPORTED);
    arena_free(&arena);
}

static void degrees(void **state)
{
    static const struct {
        double celsius;
        bool good;
        int64_t millicelsius;
    } rows[] = {{41.5, true, 41500},
                {-3.25, true, -3250},
                {0, true, 0},
                {1e9, false, 0},
                {-1e9, false, 0},
                {(double)NAN, false, 0},
                {(double)INFINITY, false, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t millicelsius = 0;
        assert_int_equal(sensor_millicelsius(rows[i].celsius, &millicelsius), rows[i].good);
        assert_int_equal(millicelsius, rows[i].millicelsius);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_the_difference_of_two),
        cmocka_unit_test(samples_do_not_pile_up),
        cmocka_unit_test(a_report_that_fails_is_no_zero),
        cmocka_unit_test(the_keys_of_the_gpu),
        cmocka_unit_test(a_controller_that_refuses),
        cmocka_unit_test(the_sensors_of_the_hid_system),
        cmocka_unit_test(degrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
