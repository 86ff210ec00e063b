/* NVML on a Windows machine as far as it is the same everywhere: addresses, words, what is asked of
 * a recorded machine. Expected values: reference windows.md section 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gpu/adl/adl_cards.h"
#include "gpu/backend.h"
#include "gpu/nvml/nvidia_pci.h"
#include "gpu/nvml/nvml_abi.h"
#include "gpu/nvml/nvml_words.h"

static enum machine_mode tell_mode(struct machine *machine)
{
    (void)machine;
    return MODE_WINDOWS;
}

static struct machine_ops ops = {.mode = tell_mode};
static struct machine machine = {.ops = &ops, .system = "windows", .recorded = true};

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        uint32_t bus, device, function;
        const char *id; /* NULL: none */
    } rows[] = {
        {1, 0, 0, "pci:0000:01:00.0"},
        {0xff, 0x1f, 7, "pci:0000:ff:1f.7"},
        {0x2d, 0, 1, "pci:0000:2d:00.1"},
        {0x100, 0, 0, NULL},
        {1, 0x20, 0, NULL},
        {1, 0, 8, NULL},
        {UINT32_MAX, 0, 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char id[ADAPTER_ID_SIZE] = "";
        const struct display_device device = {
            .bus = rows[i].bus, .device = rows[i].device, .function = rows[i].function};
        bool good = display_device_address(&device, id);
        if (good != (rows[i].id != NULL) || (good && strcmp(id, rows[i].id) != 0))
            fail_msg("address %zu: %s", i, id);
    }
}

/* DEVICE_POWER_STATE of wdm.h: 0 unspecified, 1 to 4 are D0 to D3, 5 the end of the enum. */
static void test_sleep(void **state)
{
    (void)state;
    static const bool off[] = {false, false, true, true, true, false};
    for (uint32_t i = 0; i < sizeof off / sizeof *off; i++)
        if (display_device_is_off(&(struct display_device){.power_state = i}) != off[i])
            fail_msg("power state %u", i);
    assert_false(display_device_is_off(&(struct display_device){.power_state = UINT32_MAX}));
}

/* A laptop: Intel's GPU, and one of NVIDIA's or AMD's that is off. */
static void test_devices(void **state)
{
    (void)state;
    static struct nvidia_functions functions;
    static struct display_devices devices = {
        .items = {{.id = {.vendor = 0x8086, .device = 0x9a49}, .device = 2, .power_state = 1},
                  {.id = {.vendor = 0x10de, .device = 0x2684, .revision = 0xa1},
                   .bus = 1,
                   .power_state = 4,
                   .service = "nvlddmkm"},
                  {.id = {.vendor = 0x10de}, .bus = 0x100}}, /* no address of a bus */
        .count = 3};
    nvidia_functions_of_devices(&devices, &functions);
    assert_int_equal(functions.count, 1);
    const struct nvidia_function *function = &functions.items[0];
    assert_string_equal(function->id, "pci:0000:01:00.0");
    assert_true(function->is_suspended && function->may_sleep && function->has_driver);
    assert_int_equal(function->revision, 0xa1);
    devices.items[0].id.vendor = 0x10de; /* a desktop: nothing is beside them */
    nvidia_functions_of_devices(&devices, &functions);
    assert_int_equal(functions.count, 2);
    assert_false(functions.items[0].may_sleep || functions.items[0].has_driver);

    struct pass pass = {.touch_count = 0};
    assert_false(adl_must_rest(&devices, &pass)); /* none is AMD's */
    devices.items[1].id.vendor = 0x1002;
    assert_true(adl_must_rest(&devices, &pass));
    strcpy(pass.touch[0], "pci:0000:01:00.0");
    pass.touch_count = 1;
    assert_false(adl_must_rest(&devices, &pass));
    strcpy(pass.touch[0], "pci:0000:02:00.0");
    assert_true(adl_must_rest(&devices, &pass));
    devices.items[1].power_state = 1;
    pass.touch_count = 0;
    assert_false(adl_must_rest(&devices, &pass));
}

static const char *words(int code, bool loaded, const struct nvidia_functions *functions,
                         struct reading *reading)
{
    struct nvml_opening opening = {
        .code = code, .loaded = loaded, .path = "C:\\Windows\\System32\\nvml.dll"};
    reading_reset(reading, "nvml");
    nvml_words_of_failure(&opening, &machine, functions, false, reading);
    return reading->problem.text;
}

static void test_words(void **state)
{
    (void)state;
    struct nvidia_functions none = {.count = 0}, driven = {.count = 1};
    driven.items[0].has_driver = true;
    struct reading *reading = reading_new("nvml");
    const char *said = words(NVML_DRIVER_NOT_LOADED, true, &driven, reading);
    assert_non_null(strstr(said, "Device Manager"));
    assert_null(strstr(said, "module"));
    assert_int_equal(reading->state, SOURCE_FAILED);
    said = words(NVML_LIBRARY_NOT_FOUND, false, &driven, reading);
    assert_non_null(strstr(said, "nvml.dll"));
    assert_null(strstr(said, "snap"));
    words(NVML_LIBRARY_NOT_FOUND, false, &none, reading);
    assert_int_equal(reading->state, SOURCE_ABSENT);
    reading_free(&reading);
}

/* Nothing of the machine that plays the recording is looked at. */
static void test_recorded(void **state)
{
    (void)state;
    const struct pass pass = {.running_ns = 1000000000};
    unsetenv("GPUTASKMAN_NVML");
    struct backend_state *backend = backend_nvml.open(&machine);
    struct reading *reading = reading_new("nvml");
    assert_false(backend_nvml.should_ask(backend, &machine, &pass, reading));
    assert_int_equal(reading->state, SOURCE_ABSENT);
    assert_int_equal(reading->adapter_count, 0);
    assert_non_null(strstr(reading->problem.text, "recorded"));
    backend_nvml.close(&backend);
    reading_free(&reading);
}

/* ADL is Windows' alone. */
static void test_adl_belongs(void **state)
{
    (void)state;
    const struct pass pass = {.running_ns = 1000000000};
    unsetenv("GPUTASKMAN_ADL");
    struct reading *reading = reading_new("adl");
    assert_true(backend_adl.belongs(&machine));
    struct backend_state *adl = backend_adl.open(&machine);
    assert_false(backend_adl.should_ask(adl, &machine, &pass, reading));
    backend_adl.close(&adl);
    assert_int_equal(reading->state, SOURCE_ABSENT);
    reading_free(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses), cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_devices),   cmocka_unit_test(test_words),
        cmocka_unit_test(test_recorded),  cmocka_unit_test(test_adl_belongs),
    };
    return cmocka_run_group_tests_name("nvml on Windows", tests, NULL, NULL);
}
