/* The walk over the registry against stand-ins: what is there, what is of the wrong type, what ends
 * meanwhile, and that everything that is given is given back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_frameworks.h"
#include "gpu/metal/macos/registry.h"

static int64_t at_99(void)
{
    return 99;
}

static struct object number_7 = {.kind = NUMBER, .number = 7},
                     number_93 = {.kind = NUMBER, .number = 93},
                     number_18 = {.kind = NUMBER, .number = 18},
                     minus = {.kind = NUMBER, .number = -5},
                     fraction = {.kind = FRACTION, .fraction = 3.6},
                     endless = {.kind = FRACTION, .fraction = INFINITY},
                     largest = {.kind = NUMBER, .number = INT64_MAX},
                     one = {.kind = NUMBER, .number = 1},
                     model = {.kind = STRING, .text = "Apple M3 Pro"},
                     intel = {.kind = DATA, .text = "Intel Iris\0rest", .length = 15},
                     creator = {.kind = STRING, .text = "pid 4245, python3.12"},
                     other = {.kind = OTHER};
static struct object usage_7 = {
    .kind = DICTIONARY, .keys = {"accumulatedGPUTime"}, .values = {&number_7}, .count = 1};
static struct object usage_93 = {.kind = DICTIONARY,
                                 .keys = {"API", "accumulatedGPUTime"},
                                 .values = {&model, &number_93},
                                 .count = 2};
static struct object usage_minus = {
    .kind = DICTIONARY, .keys = {"accumulatedGPUTime"}, .values = {&minus}, .count = 1};
static struct object usage_largest = {
    .kind = DICTIONARY, .keys = {"accumulatedGPUTime"}, .values = {&largest}, .count = 1};
static struct object usage_none = {.kind = DICTIONARY};

static struct object statistics = {
    .kind = DICTIONARY,
    .keys = {"Device Utilization %", "Alloc system memory", "In use system memory (driver)",
             "Tiler Utilization %", "recoveryCount", "Renderer Utilization %"},
    .values = {&number_93, &number_18, &number_7, &fraction, &other, &endless},
    .count = 6};
static struct object agc_off = {
    .kind = DICTIONARY, .keys = {"poweredOffByAGC"}, .values = {&one}, .count = 1};
static struct object accelerator_properties = {
    .kind = DICTIONARY,
    .keys = {"model", "gpu-core-count", "PerformanceStatistics", "IOClass"},
    .values = {&model, &number_18, &statistics, &other},
    .count = 4};

/* Reads a sample of one accelerator with these clients. */
static void read_clients(struct entry *children, size_t count, struct arena *arena,
                         struct metal_sample *sample)
{
    static struct entry accelerator;
    static struct services services;
    struct frameworks frameworks = fake_frameworks();
    int invalid = fake.invalid;
    bool children_fail = fake.children_fail;
    accelerator = (struct entry){.id = 4294968,
                                 .class_name = "AGXAcceleratorG15X",
                                 .properties = &accelerator_properties,
                                 .children = children,
                                 .child_count = count};
    services = (struct services){"IOAccelerator", &accelerator, 1};
    fake_begin(&services, 1);
    fake.invalid = invalid;
    fake.children_fail = children_fail;
    memset(sample, 0, sizeof *sample);
    registry_read(&frameworks, arena, true, at_99, sample);
    assert_int_equal(fake.owned, 0);
    assert_int_equal(fake.over_released, 0);
    assert_int_equal(fake.ports, 0);
    assert_int_equal(fake.matchings, 0);
}

static struct object properties_of(struct object *usages)
{
    struct object properties = {.kind = DICTIONARY,
                                .keys = {"IOUserClientCreator", "AppUsage"},
                                .values = {&creator, usages},
                                .count = usages ? 2 : 1};
    return properties;
}

static void an_accelerator_and_its_numbers(void **state)
{
    struct arena *arena = arena_new();
    struct metal_sample sample;
    (void)state;
    fake.invalid = 0;
    fake.children_fail = false;
    read_clients(NULL, 0, arena, &sample);
    assert_int_equal(sample.status, METAL_OK);
    assert_int_equal(sample.taken_ns, 99);
    assert_int_equal(sample.accelerator_count, 1);
    const struct metal_accelerator *gpu = &sample.accelerators[0];
    assert_int_equal(gpu->registry_id, 4294968);
    assert_true(raw_equal_string(gpu->class_name, "AGXAcceleratorG15X"));
    assert_true(raw_equal_string(gpu->model, "Apple M3 Pro"));
    assert_null(gpu->io_class.bytes); /* not a text */
    assert_int_equal(gpu->core_count.value, 18);
    assert_true(gpu->statistics_read);
    assert_true(gpu->device_percent.known);
    assert_int_equal(gpu->device_percent.value, 93);
    assert_int_equal(gpu->allocated_bytes.value, 18);
    assert_false(gpu->in_use_bytes.known);         /* "... (driver)" is another key */
    assert_int_equal(gpu->tiler_percent.value, 4); /* a fraction */
    assert_true(gpu->tiler_percent.known);
    assert_false(gpu->renderer_percent.known);
    assert_false(gpu->recovery_count.known); /* no number */
    assert_false(gpu->powered_off);
    assert_int_equal(gpu->clients_status, METAL_OK);
    assert_int_equal(gpu->client_count, 0);
    arena_free(&arena);
}

static void the_time_of_clients(void **state)
{
    static const struct {
        const char *what;
        struct object usages;
        bool absent;
        bool present;
        uint32_t entries, bad;
        uint64_t ns;
    } rows[] = {
        {"two",
         {.kind = ARRAY, .values = {&usage_7, &usage_93}, .count = 2},
         false,
         true,
         2,
         0,
         100},
        {"none yet", {.kind = ARRAY}, false, true, 0, 0, 0},
        {"absent", {.kind = ARRAY}, true, false, 0, 0, 0},
        {"no array", {.kind = STRING, .text = "x"}, false, false, 0, 0, 0},
        {"negative",
         {.kind = ARRAY, .values = {&usage_7, &usage_minus}, .count = 2},
         false,
         true,
         2,
         1,
         7},
        {"no number", {.kind = ARRAY, .values = {&usage_none}, .count = 1}, false, true, 1, 1, 0},
        {"no dictionary", {.kind = ARRAY, .values = {&other}, .count = 1}, false, true, 1, 1, 0},
        {"nothing", {.kind = ARRAY, .values = {NULL}, .count = 1}, false, true, 1, 1, 0},
        {"too large",
         {.kind = ARRAY, .values = {&usage_largest, &usage_7}, .count = 2},
         false,
         true,
         2,
         1,
         INT64_MAX},
        {"too many", {.kind = ARRAY, .values = {&usage_7}, .count = 65}, false, true, 64, 42, 154},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct object usages = rows[i].usages;
        struct object properties = properties_of(rows[i].absent ? NULL : &usages);
        struct entry child = {
            .id = 77, .class_name = "AGXDeviceUserClient", .properties = &properties};
        struct arena *arena = arena_new();
        struct metal_sample sample;
        fake.invalid = 0;
        read_clients(&child, 1, arena, &sample);
        assert_int_equal(sample.client_count, 1);
        const struct metal_client *client = &sample.clients[0];
        assert_int_equal(client->status, METAL_OK);
        assert_int_equal(client->registry_id, 77);
        assert_true(raw_equal_string(client->creator, "pid 4245, python3.12"));
        assert_int_equal(client->usage_present, rows[i].present);
        if (strcmp(rows[i].what, "too many") == 0) {
            assert_true(client->bad_entries > 0);
        } else {
            assert_int_equal(client->usage_entries, rows[i].entries);
            assert_int_equal(client->bad_entries, rows[i].bad);
            assert_true(client->gpu_time_ns == rows[i].ns);
        }
        arena_free(&arena);
    }
}

static void what_is_a_client(void **state)
{
    struct object usages = {.kind = ARRAY, .values = {&usage_7}, .count = 1};
    struct object with = properties_of(&usages), without = properties_of(NULL);
    struct object of_intel = {
        .kind = DICTIONARY, .keys = {"accumulatedGPUTime"}, .values = {&number_93}, .count = 1};
    struct entry children[] = {
        {.id = 1, .class_name = "AGXDeviceUserClient", .properties = &without},
        {.id = 2, .class_name = "IOGPUDeviceUserClient", .properties = &with},
        {.id = 3, .class_name = "IOGPUDeviceShmem", .properties = &without}, /* conforms */
        {.id = 4, .class_name = "AGXFirmware", .properties = &without},
        {.id = 5, .class_name = "SomethingNew", .properties = &with}, /* has AppUsage */
        {.id = 6, .class_name = "AGXDeviceUserClient", .properties = &with, .gone = true},
        {.id = 7, .class_name = "AGXDeviceUserClient", .properties = &with, .ids = 2},
        {.id = 8, .class_name = "IGAccelDeviceUserClient", .properties = &of_intel},
    };
    static const struct {
        uint64_t id;
        enum metal_status status;
    } expected[] = {{1, METAL_OK}, {2, METAL_OK},     {3, METAL_OK},
                    {5, METAL_OK}, {7, METAL_FAILED}, {8, METAL_OK}};
    struct arena *arena = arena_new();
    struct metal_sample sample;
    (void)state;
    fake.invalid = 0;
    read_clients(children, sizeof children / sizeof *children, arena, &sample);
    assert_int_equal(sample.client_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sample.client_count; i++) {
        assert_true(sample.clients[i].registry_id == expected[i].id);
        assert_int_equal(sample.clients[i].status, expected[i].status);
    }
    assert_true(sample.clients[5].usage_present);
    assert_true(sample.clients[5].gpu_time_ns == 93);
    assert_null(sample.clients[5].creator.bytes);
    arena_free(&arena);
}

/* `invalid` answers of an iterator in a row: three are made up for, the fourth is a failure. The
 * accelerators' own iterator is asked after their children's. */
static void a_registry_that_changes_is_walked_again(void **state)
{
    static const struct {
        int invalid;
        enum metal_status clients;
        int resets;
    } rows[] = {{0, METAL_OK, 0}, {1, METAL_OK, 1}, {3, METAL_OK, 3}, {4, METAL_FAILED, 3}};
    struct object usages = {.kind = ARRAY, .values = {&usage_7}, .count = 1};
    struct object with = properties_of(&usages);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct entry child = {.id = 77, .class_name = "AGXDeviceUserClient", .properties = &with};
        struct arena *arena = arena_new();
        struct metal_sample sample;
        fake.invalid = rows[i].invalid;
        read_clients(&child, 1, arena, &sample);
        assert_int_equal(fake.resets, rows[i].resets);
        assert_int_equal(sample.status, METAL_OK);
        assert_int_equal(sample.accelerators[0].clients_status, rows[i].clients);
        assert_int_equal(sample.accelerators[0].client_count, 1); /* not once a walk */
        arena_free(&arena);
    }
    /* Four for the children, four times: the services' own iterator is the one that fails now. */
    struct arena *arena = arena_new();
    struct metal_sample sample;
    fake.invalid = 1000;
    read_clients(NULL, 0, arena, &sample);
    assert_int_equal(sample.status, METAL_FAILED);
    assert_int_equal(sample.accelerator_count, 0);
    arena_free(&arena);
}

static void what_cannot_be_asked_is_failed(void **state)
{
    struct frameworks frameworks = fake_frameworks();
    struct arena *arena = arena_new();
    struct metal_sample sample = {0};
    (void)state;
    fake.invalid = 0;
    fake.children_fail = true;
    read_clients(NULL, 0, arena, &sample);
    assert_int_equal(sample.status, METAL_OK);
    assert_int_equal(sample.accelerators[0].clients_status, METAL_FAILED);
    memset(&sample, 0, sizeof sample);
    fake_begin(NULL, 0);
    fake.services_fail = true;
    registry_read(&frameworks, arena, true, at_99, &sample);
    assert_int_equal(sample.status, METAL_FAILED);
    assert_int_equal(fake.owned, 0);
    assert_int_equal(fake.matchings, 0);
    arena_free(&arena);
}

static void two_gpus_and_only_who_they_are(void **state)
{
    struct object second = {.kind = DICTIONARY,
                            .keys = {"model", "AGCInfo", "PerformanceStatistics"},
                            .values = {&intel, &agc_off, &number_7},
                            .count = 3};
    struct entry entries[] = {
        {.id = 10, .class_name = "AGXAcceleratorG13G", .properties = &accelerator_properties},
        {.id = 11, .class_name = "IntelAccelerator", .properties = &second},
        {.id = 12, .class_name = "AGXAcceleratorG13G", .gone = true},
    };
    const struct services services = {"IOAccelerator", entries, 3};
    struct frameworks frameworks = fake_frameworks();
    struct arena *arena = arena_new();
    struct metal_sample sample = {0};
    (void)state;
    fake_begin(&services, 1);
    registry_read(&frameworks, arena, false, at_99, &sample);
    assert_int_equal(sample.accelerator_count, 2);
    assert_false(sample.accelerators[0].statistics_read);
    assert_true(raw_equal_string(sample.accelerators[1].model, "Intel Iris"));
    assert_true(sample.accelerators[1].powered_off);
    registry_read(&frameworks, arena, true, at_99, &sample);
    assert_true(sample.accelerators[0].statistics_read);
    assert_false(sample.accelerators[1].statistics_read); /* no dictionary */
    assert_int_equal(fake.owned, 0);
    assert_int_equal(fake.ports, 0);
    arena_free(&arena);
}

static void the_table_of_frequencies(void **state)
{
    struct object table = {.kind = DATA, .text = "\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0", .length = 16};
    struct object sram = {
        .kind = DICTIONARY, .keys = {"voltage-states9-sram"}, .values = {&table}, .count = 1};
    struct object wrong = {
        .kind = DICTIONARY, .keys = {"voltage-states9"}, .values = {&model}, .count = 1};
    struct entry entries[] = {{.id = 1, .name = "aic", .properties = &sram},
                              {.id = 2, .name = "pmgr", .properties = &sram}};
    struct services services = {"AppleARMIODevice", entries, 2};
    struct frameworks frameworks = fake_frameworks();
    struct arena *arena = arena_new();
    (void)state;
    fake_begin(&services, 1);
    struct raw_text found = registry_frequencies(&frameworks, arena);
    assert_int_equal(found.length, 16);
    assert_memory_equal(found.bytes, table.text, 16);
    entries[1].properties = &wrong;
    assert_null(registry_frequencies(&frameworks, arena).bytes);
    services.count = 0;
    assert_null(registry_frequencies(&frameworks, arena).bytes);
    assert_int_equal(fake.owned, 0);
    assert_int_equal(fake.ports, 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accelerator_and_its_numbers),
        cmocka_unit_test(the_time_of_clients),
        cmocka_unit_test(what_is_a_client),
        cmocka_unit_test(a_registry_that_changes_is_walked_again),
        cmocka_unit_test(what_cannot_be_asked_is_failed),
        cmocka_unit_test(two_gpus_and_only_who_they_are),
        cmocka_unit_test(the_table_of_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
