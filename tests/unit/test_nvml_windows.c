/* NVML on a Windows machine as far as it is the same everywhere: addresses, words, what is asked of
 * a recorded machine. Expected values: reference windows.md section 3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

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
        bool good = nvidia_address_write(rows[i].bus, rows[i].device, rows[i].function, id);
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
        if (nvidia_is_off(i) != off[i])
            fail_msg("power state %u", i);
    assert_false(nvidia_is_off(UINT32_MAX));
    assert_true(nvidia_may_sleep_beside(0x8086) && nvidia_may_sleep_beside(0x1002));
    assert_false(nvidia_may_sleep_beside(NVIDIA_VENDOR) || nvidia_may_sleep_beside(0x1414));
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
    assert_false(backend_adl.should_ask(NULL, &machine, &pass, reading));
    assert_int_equal(reading->state, SOURCE_ABSENT);
    reading_free(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),   cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_adl_belongs),
    };
    return cmocka_run_group_tests_name("nvml on Windows", tests, NULL, NULL);
}
