/* The small parsers and rules of the DRM backend: id lists, clock tables, link speeds, uevent, KFD
 * properties, sensor guards, the kind of an AMD GPU, when to leave an idle card alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"
#include "gpu/drm/adapter_identity.h"
#include "gpu/drm/adapters.h"
#include "gpu/drm/amdgpu_kind.h"
#include "gpu/drm/amdgpu_ras.h"
#include "gpu/drm/dpm.h"
#include "gpu/drm/driver.h"
#include "gpu/drm/ids_file.h"
#include "gpu/drm/kfd.h"
#include "gpu/drm/pci_link.h"
#include "gpu/drm/runtime_pm.h"
#include "gpu/drm/sysfs.h"
#include "gpu/drm/uevent.h"

#define UNKNOWN(why) -1 - REASON_##why
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void expect(const char *what, struct measured got, int64_t want)
{
    if (got.known != (want >= 0) || (want >= 0 ? got.value != want : got.why_not != -1 - want)) {
        fail_msg("%s: want %lld, got known %d value %lld reason %d", what, (long long)want,
                 got.known, (long long)got.value, (int)got.why_not);
    }
}

static void expect_said(const char *what, struct said got, int64_t want)
{
    expect(what,
           got.how == HOW_UNAVAILABLE ? measured_unknown(got.why_not) : measured_known(got.value),
           want);
}

static void test_amdgpu_ids(void **state)
{
    (void)state;
    static const char file[] =
        "# List of AMDGPU IDs\n#\n1.0.0\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n"
        "744C,\tCC,\tAMD Radeon RX 7900 XT\r\n,,\n744C\n744C,CE,\n"
        "zz,\tC8,\tx\n747E,\tC8,\tAMD, with a comma\n";
    static const struct {
        uint32_t device, revision;
        const char *name;
    } cases[] = {{0x744c, 0xc8, "AMD Radeon RX 7900 XTX"},
                 {0x744c, 0xcc, "AMD Radeon RX 7900 XT"},
                 {0x744c, 0xce, NULL},
                 {0x744c, 0x00, NULL},
                 {0x747e, 0xc8, "AMD, with a comma"},
                 {0x1234, 0xc8, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct raw_text rest = raw_from_string(file), line, name = {NULL, 0};
        bool found = false;
        while (!found && lines_next(&rest, &line)) {
            found = amdgpu_ids_line(line, cases[i].device, cases[i].revision, &name) == IDS_FOUND;
        }
        assert_int_equal(found, cases[i].name != NULL);
        assert_true(!found || raw_equal_string(name, cases[i].name));
    }
}

static void test_pci_ids(void **state)
{
    (void)state;
    static const char file[] =
        "# comment\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
        "\t9b41  wrong vendor entry\n\t15bf  Phoenix1\n"
        "8086  Intel Corporation\n\t9b40  Other\n\t\t1028 9b41  A subsystem\n"
        "\t9b41  CometLake-U GT2 [UHD Graphics]\n"
        "ffff  Illegal\n\t0001  Nothing\nC 00  Unclassified\n\t9b42  No device\n";
    static const struct {
        uint32_t vendor, device;
        const char *name;
    } cases[] = {{0x8086, 0x9b41, "CometLake-U GT2 [UHD Graphics]"},
                 {0x1002, 0x15bf, "Phoenix1"},
                 {0x8086, 0x15bf, NULL},
                 {0x8086, 0x9b42, NULL},
                 {0x10de, 0x9b41, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct raw_text rest = raw_from_string(file), line, name = {NULL, 0};
        struct pci_ids_search search = {.vendor = cases[i].vendor, .device = cases[i].device};
        enum ids_answer answer = IDS_GO_ON;
        while (answer == IDS_GO_ON && lines_next(&rest, &line)) {
            answer = pci_ids_line(&search, line, &name);
        }
        assert_int_equal(answer == IDS_FOUND, cases[i].name != NULL);
        assert_true(answer != IDS_FOUND || raw_equal_string(name, cases[i].name));
        /* The rest of a megabyte is not looked at. */
        assert_true(answer != IDS_GO_ON || cases[i].vendor == 0x10de);
    }
}

static void test_dpm(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        int64_t current, highest;
    } cases[] = {
        {"0: 500Mhz\n1: 77Mhz *\n2: 2254Mhz\n", 77, 2254},
        {"S: 132Mhz *\n0: 500Mhz \n1: 2100Mhz \n", 132, 2100},
        {"0: 400Mhz \n1: 800Mhz \n", UNKNOWN(not_reported), 800},
        {"0: 400Mhz \n2: 687Mhz *\n3: 687Mhz *\n", 687, 687},
        {"0: 400Mhz *\n1: 687Mhz *\n2: 687Mhz *\n", UNKNOWN(not_reported), 687},
        {"", UNKNOWN(not_reported), UNKNOWN(not_reported)},
        {"0: 2.5GT/s, x1 78Mhz *\n", UNKNOWN(not_reported), UNKNOWN(not_reported)},
        {"0: 99999999999999999999Mhz *\nx\n:\n1: *\n", UNKNOWN(not_reported),
         UNKNOWN(not_reported)},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct dpm dpm;
        dpm_parse(raw_from_string(cases[i].table), &dpm);
        expect(cases[i].table, dpm.current_mhz, cases[i].current);
        expect(cases[i].table, dpm.highest_mhz, cases[i].highest);
    }
}

static void test_link_speed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t tenths;
    } cases[] = {{"16.0 GT/s PCIe\n", 160},
                 {"8 GT/s", 80},
                 {"2.5 GT/s PCIe", 25},
                 {"64.0 GT/s PCIe", 640},
                 {"Unknown", UNKNOWN(not_reported)},
                 {"", UNKNOWN(not_reported)},
                 {"16.0", UNKNOWN(not_reported)},
                 {"99999999999999999999 GT/s", UNKNOWN(not_reported)}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        expect(cases[i].text, pci_link_parse_speed(raw_from_string(cases[i].text)),
               cases[i].tenths);
    }
}

static void test_uevent(void **state)
{
    (void)state;
    struct uevent uevent;
    uevent_parse(raw_from_string("DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:747E\n"
                                 "PCI_SUBSYS_ID=148C:2427\nPCI_SLOT_NAME=0000:03:00.0\nnothing\n"),
                 &uevent);
    assert_true(raw_equal_string(uevent.driver, "amdgpu"));
    assert_true(raw_equal_string(uevent.slot, "0000:03:00.0"));
    assert_true(uevent.has_pci_id && uevent.has_subsystem);
    assert_int_equal(uevent.vendor, 0x1002);
    assert_int_equal(uevent.device, 0x747e);
    assert_int_equal(uevent.subsystem_device, 0x2427);
    uevent_parse(raw_from_string("PCI_ID=10020:747E\nPCI_SUBSYS_ID=x\nOF_COMPATIBLE_0=arm,mali\n"),
                 &uevent);
    assert_false(uevent.has_pci_id || uevent.has_subsystem);
    assert_true(raw_equal_string(uevent.compatible, "arm,mali"));
    assert_null(uevent.driver.bytes);
}

static void test_kfd_properties(void **state)
{
    (void)state;
    struct kfd_device device;
    assert_true(kfd_parse_properties(
        raw_from_string("simd_count 152\nlocation_id 805307648\ndomain 0\ndrm_render_minor 131\n"),
        &device));
    assert_int_equal(device.render_minor, 131);
    assert_string_equal(device.pci_id, "pci:0000:05:00.0");
    assert_true(kfd_parse_properties(
        raw_from_string("location_id 49410\ndomain 65537\ndrm_render_minor 128\n"), &device));
    assert_string_equal(device.pci_id, "pci:10001:c1:00.2");
    assert_false(
        kfd_parse_properties(raw_from_string("cpu_cores_count 96\ndrm_render_minor 0\n"), &device));
    assert_false(kfd_parse_properties(raw_from_string("drm_render_minor x\n\n \n"), &device));
}

static void test_names(void **state)
{
    (void)state;
    static const char *const addresses[] = {"0000:03:00.0", "10000:e1:00.0", "00012345:01:1f.7"};
    static const char *const others[] = {
        "fb000000.gpu", "000:03:00.0", "0000:03:00.", "0000:03:00.0x", "", "0000:03:00:0"};
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        assert_true(pci_address_is_valid(addresses[i]));
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_false(pci_address_is_valid(others[i]));
    }
    assert_true(drm_node_name_is_valid("card10") && drm_node_name_is_valid("renderD128"));
    assert_false(drm_node_name_is_valid("card1-DP-1") || drm_node_name_is_valid("card") ||
                 drm_node_name_is_valid("version") || drm_node_name_is_valid("renderD"));
}

static void test_guards(void **state)
{
    (void)state;
    expect("load", sysfs_parse_number(raw_from_string("4294967295\n")), INT64_C(4294967295));
    expect("text", sysfs_parse_number(raw_from_string("TRAP 99\n")), UNKNOWN(call_failed));
    expect("empty", sysfs_parse_number(raw_from_string("\n")), UNKNOWN(not_reported));
    expect("huge", sysfs_parse_number(raw_from_string("99999999999999999999")),
           UNKNOWN(incredible_value));
    expect_said("load", sysfs_percent(measured_known(INT64_C(4294967295)), HOW_REPORTED),
                UNKNOWN(incredible_value));
    expect_said("load 100", sysfs_percent(measured_known(100), HOW_REPORTED), 100000);
    expect_said("-273 C", sysfs_temperature(measured_known(-273150)), UNKNOWN(incredible_value));
    expect_said("65535 C", sysfs_temperature(measured_known(65535000)), UNKNOWN(incredible_value));
    expect_said("0xFFFF", sysfs_temperature(measured_known(65535)), UNKNOWN(incredible_value));
    expect_said("2112 C", sysfs_temperature(measured_known(2112000)), UNKNOWN(incredible_value));
    expect_said("71 C", sysfs_temperature(measured_known(71000)), 71000);
    expect_said("65535 W", sysfs_power(measured_known(INT64_C(65535000000))),
                UNKNOWN(incredible_value));
    expect_said("65535 mW", sysfs_power(measured_known(65535000)), UNKNOWN(incredible_value));
    expect_said("0 W", sysfs_power(measured_known(0)), 0);
    expect_said("627200 MHz", sysfs_frequency(measured_known(627200), 1000000),
                UNKNOWN(incredible_value));
    expect_said("0xFFFFFFFF Hz", sysfs_frequency(measured_known(UINT32_MAX), 1),
                UNKNOWN(incredible_value));
    expect_said("26 MHz", sysfs_frequency(measured_known(26000000), 1), 26000000);
    expect_said("fan", sysfs_fan(measured_known(65535)), UNKNOWN(incredible_value));
    expect_said("stopped", sysfs_fan(measured_known(0)), 0);
    expect_said("reason", sysfs_fan(measured_unknown(REASON_device_suspended)),
                UNKNOWN(device_suspended));
}

/* The form of Documentation/gpu/amdgpu/ras.rst; newer kernels print deferred errors too. */
static void test_amdgpu_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t corrected, uncorrected;
    } cases[] = {
        {"ue: 0\nce: 1\n", 1, 0},
        {"ue: 2\nce: 0\nde: 7\n", 0, 2},
        {"ue: 3\n", UNKNOWN(not_reported), 3},
        {"", UNKNOWN(not_reported), UNKNOWN(not_reported)},
        {"ue: x\nce: -1\n", UNKNOWN(incredible_value), UNKNOWN(call_failed)},
        {"ue: 99999999999999999999\nce\n", UNKNOWN(not_reported), UNKNOWN(incredible_value)},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct said corrected, uncorrected;
        amdgpu_ras_parse(raw_from_string(cases[i].text), &corrected, &uncorrected);
        expect_said(cases[i].text, corrected, cases[i].corrected);
        expect_said(cases[i].text, uncorrected, cases[i].uncorrected);
    }
}

static void test_amdgpu_kind(void **state)
{
    (void)state;
    static const struct {
        const char *what, *vendor;
        struct amdgpu_signs signs;
        enum adapter_kind kind;
    } cases[] = {
        {"dGPU", "samsung", {.has_vram_files = true, .sensors_known = true}, ADAPTER_DISCRETE},
        {"RX 580 of an old kernel",
         "unknown",
         {.has_vram_files = true,
          .has_memory_activity = true,
          .sensors_known = true,
          .has_power_limit = true,
          .has_fan = true},
         ADAPTER_DISCRETE},
        {"a card of an old kernel with few files",
         "unknown",
         {.has_vram_files = true, .sensors_known = true},
         ADAPTER_DISCRETE},
        {"an accelerator's virtual function in a guest: no sensors",
         "unknown",
         {.has_vram_files = true,
          .sensors_known = true,
          .lacks_sensors = true,
          .is_accelerator = true},
         ADAPTER_DISCRETE},
        {"the accelerator that is an APU, on a kernel that counts VRAM there",
         "unknown",
         {.has_vram_files = true,
          .has_memory_activity = true,
          .sensors_known = true,
          .has_power_limit = true,
          .is_accelerator = true,
          .is_mi300a = true},
         ADAPTER_INTEGRATED},
        {"APU of an old kernel",
         "unknown",
         {.has_vram_files = true, .sensors_known = true, .has_northbridge_voltage = true},
         ADAPTER_INTEGRATED},
        {"APU of an old kernel without hwmon",
         "unknown",
         {.has_vram_files = true, .sensors_known = true, .lacks_sensors = true},
         ADAPTER_INTEGRATED},
        {"card of an old kernel without hwmon",
         "unknown",
         {.has_vram_files = true,
          .has_memory_activity = true,
          .sensors_known = true,
          .lacks_sensors = true},
         ADAPTER_DISCRETE},
        {"Steam Deck: it has a power limit",
         NULL,
         {.has_vram_files = true,
          .sensors_known = true,
          .has_northbridge_voltage = true,
          .has_power_limit = true},
         ADAPTER_INTEGRATED},
        {"APU", NULL, {.has_vram_files = true, .sensors_known = true}, ADAPTER_INTEGRATED},
        {"passive card, vendor hidden",
         NULL,
         {.has_vram_files = true, .sensors_known = true, .has_power_limit = true},
         ADAPTER_DISCRETE},
        {"asleep", NULL, {.has_vram_files = true}, ADAPTER_DISCRETE},
        {"MI300A: VRAM is system memory",
         NULL,
         {.sensors_known = true, .has_power_limit = true},
         ADAPTER_INTEGRATED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct amdgpu_signs signs = cases[i].signs;
        if (cases[i].vendor != NULL) {
            signs.vram_vendor = raw_from_string(cases[i].vendor);
        }
        if (amdgpu_kind(&signs) != cases[i].kind) {
            fail_msg("%s", cases[i].what);
        }
    }
    assert_true(amdgpu_device_has_unified_video(0x744c));
    assert_true(amdgpu_device_has_unified_video(0x150e));
    assert_false(amdgpu_device_has_unified_video(0x73bf));
    assert_false(amdgpu_device_has_unified_video(0x163f));
}

static void test_power_state(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum power_state want;
    } cases[] = {{"active\n", POWER_ACTIVE},
                 {"unsupported\n", POWER_ACTIVE},
                 {"suspended\n", POWER_SUSPENDED},
                 {"suspending", POWER_SUSPENDED},
                 {"resuming", POWER_SUSPENDED},
                 {"error\n", POWER_UNKNOWN},
                 {"", POWER_UNKNOWN}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(runtime_power_state(raw_from_string(cases[i].text)), cases[i].want);
    }
}

/* How many of `seconds` refreshes, one a second from `from` on, leave the card alone. */
static int pauses(struct idle_watch *watch, struct idle_seen seen, int from, int seconds)
{
    int paused = 0;
    for (int i = 0; i < seconds; i++) {
        seen.now_ns = (int64_t)(from + i) * 1000000000;
        paused += idle_watch_step(watch, &seen);
    }
    return paused;
}

static void test_idle_watch(void **state)
{
    (void)state;
    struct idle_seen idle = {.interval_ns = 1000000000,
                             .autosuspend_delay_ns = INT64_C(5000000000),
                             .can_suspend = true};
    struct idle_watch watch = {0};
    assert_int_equal(pauses(&watch, idle, 0, 10), 0);
    assert_int_equal(pauses(&watch, idle, 10, 7), 7);  /* longer than the delay of 5 s */
    assert_int_equal(pauses(&watch, idle, 17, 20), 0); /* it did not sleep: wait twice as long */
    assert_int_equal(pauses(&watch, idle, 37, 7), 7);
    struct idle_seen used = idle;
    used.in_use = true;
    watch = (struct idle_watch){0};
    assert_int_equal(pauses(&watch, used, 0, 100), 0);
    struct idle_seen slow = idle;
    slow.interval_ns = INT64_C(6000000000);
    assert_int_equal(pauses(&watch, slow, 0, 100), 0);
    struct idle_seen fixed = idle;
    fixed.can_suspend = false;
    assert_int_equal(pauses(&watch, fixed, 0, 100), 0);
    /* A client that appears ends a pause at once. */
    watch = (struct idle_watch){0};
    assert_int_equal(pauses(&watch, idle, 0, 12), 2);
    assert_int_equal(pauses(&watch, used, 12, 1), 0);
    assert_int_equal(pauses(&watch, idle, 13, 10), 0);
}

static void test_drivers(void **state)
{
    (void)state;
    const struct drm_driver *amdgpu = drm_driver_find("amdgpu"), *xe = drm_driver_find("xe");
    assert_int_equal(drm_driver_pool(amdgpu, "vram"), DRM_POOL_VRAM);
    assert_int_equal(drm_driver_pool(amdgpu, "gtt"), DRM_POOL_SHARED);
    assert_int_equal(drm_driver_pool(amdgpu, "doorbell"), DRM_POOL_OTHER);
    assert_int_equal(drm_driver_pool(xe, "vram1"), DRM_POOL_VRAM);
    assert_int_equal(drm_driver_pool(xe, "vramx"), DRM_POOL_OTHER);
    assert_int_equal(drm_driver_pool(drm_driver_find("i915"), "stolen-local0"), DRM_POOL_VRAM);
    assert_int_equal(drm_driver_column(amdgpu, "enc_1"), ENGINE_encode);
    assert_int_equal(drm_driver_column(amdgpu, "dma"), ENGINE_copy);
    assert_int_equal(drm_driver_column(xe, "ccs"), ENGINE_compute);
    assert_int_equal(drm_driver_column(xe, "other"), ENGINE_other);
    assert_int_equal(drm_driver_column(drm_driver_find("v3d"), "bin"), ENGINE_other);
    assert_true(amdgpu->missing_engine_is_zero && !xe->missing_engine_is_zero);
    assert_true(xe->fdinfo_wakes && !amdgpu->fdinfo_wakes);
    uint32_t split = drm_driver_columns(amdgpu, false), one = drm_driver_columns(amdgpu, true);
    assert_true((split >> ENGINE_decode & 1) != 0 && (split >> ENGINE_video & 1) == 0);
    assert_true((one >> ENGINE_decode & 1) == 0 && (one >> ENGINE_encode & 1) == 0 &&
                (one >> ENGINE_video & 1) != 0);
    assert_string_equal(drm_driver_find("nobody")->name, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amdgpu_ids),    cmocka_unit_test(test_pci_ids),
        cmocka_unit_test(test_dpm),           cmocka_unit_test(test_link_speed),
        cmocka_unit_test(test_uevent),        cmocka_unit_test(test_kfd_properties),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_guards),
        cmocka_unit_test(test_amdgpu_errors), cmocka_unit_test(test_amdgpu_kind),
        cmocka_unit_test(test_power_state),   cmocka_unit_test(test_idle_watch),
        cmocka_unit_test(test_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
