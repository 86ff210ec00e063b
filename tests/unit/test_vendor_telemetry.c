/* Expected values: reference windows.md sections 1.6, 2 and 3. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "rules/vendor_telemetry.h"

static struct adapter_reading reading(const char *id, uint32_t vendor, uint32_t device)
{
    struct adapter_reading made;
    memset(&made, 0, sizeof made);
    snprintf(made.id, sizeof made.id, "%s", id);
    made.has_pci_ids = vendor != 0;
    made.pci_vendor = vendor;
    made.pci_device = device;
    return made;
}

static void test_match(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct {
            const char *id;
            uint32_t vendor, device;
        } system[3], vendors[3];
        size_t system_count, vendor_count, vendor, found;
    } tables[] = {
        {"by address, whatever the order",
         {{"pci:0000:01:00.0", 0x10de, 1}, {"pci:0000:02:00.0", 0x10de, 1}},
         {{"pci:0000:02:00.0", 0x10de, 1}, {"pci:0000:01:00.0", 0x10de, 1}},
         2,
         2,
         0,
         1},
        {"by ids where the system has no address",
         {{"luid:0x00000000_0x00000001", 0x8086, 1}, {"luid:0x00000000_0x00000002", 0x10de, 2}},
         {{"pci:0000:01:00.0", 0x10de, 2}},
         2,
         1,
         0,
         1},
        {"two that are alike are not told apart by order",
         {{"luid:0x00000000_0x00000001", 0x10de, 2}, {"luid:0x00000000_0x00000002", 0x10de, 2}},
         {{"pci:0000:01:00.0", 0x10de, 2}},
         2,
         1,
         0,
         SIZE_MAX},
        {"nor are two of the library's",
         {{"luid:0x00000000_0x00000001", 0x10de, 2}},
         {{"pci:0000:01:00.0", 0x10de, 2}, {"pci:0000:02:00.0", 0x10de, 2}},
         1,
         2,
         0,
         SIZE_MAX},
        {"another address is another card",
         {{"pci:0000:01:00.0", 0x10de, 2}},
         {{"pci:0000:02:00.0", 0x10de, 2}},
         1,
         1,
         0,
         SIZE_MAX},
        {"without ids",
         {{"luid:0x00000000_0x00000001", 0, 0}},
         {{"pci:0000:01:00.0", 0, 0}},
         1,
         1,
         0,
         SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct adapter_reading system[3], vendors[3];
        for (size_t k = 0; k < tables[i].system_count; k++)
            system[k] = reading(tables[i].system[k].id, tables[i].system[k].vendor,
                                tables[i].system[k].device);
        for (size_t k = 0; k < tables[i].vendor_count; k++)
            vendors[k] = reading(tables[i].vendors[k].id, tables[i].vendors[k].vendor,
                                 tables[i].vendors[k].device);
        if (vendor_telemetry_match(system, tables[i].system_count, vendors, tables[i].vendor_count,
                                   tables[i].vendor) != tables[i].found)
            fail_msg("%s", tables[i].what);
    }
}

static void test_strip(void **state)
{
    (void)state;
    struct adapter_reading left, system = reading("luid:0x00000000_0x00000001", 0x10de, 2);
    struct adapter_reading vendor = reading("pci:0000:01:00.0", 0x10de, 2);
    system.kind = ADAPTER_DISCRETE;
    system.vram_used_bytes = measured_known(7);
    system.load_millipercent = said_measured(10000);
    vendor.vram_used_bytes = vendor.vram_total_bytes = measured_known(9);
    vendor.load_millipercent = said_measured(36000);
    vendor.power_microwatts = said_measured(5);
    vendor.lists_processes = true;
    vendor_telemetry_strip(&system, &vendor, &left);
    assert_string_equal(left.id, system.id);
    assert_false(left.vram_used_bytes.known || left.vram_total_bytes.known);
    assert_int_equal(left.load_millipercent.how, HOW_UNAVAILABLE);
    assert_int_equal(left.driver_load_millipercent.value, 36000);
    assert_int_equal(left.driver_load_millipercent.how, HOW_REPORTED);
    assert_int_equal(left.power_microwatts.value, 5);
    assert_int_equal(left.kind, ADAPTER_UNKNOWN);
    assert_false(left.lists_processes);

    /* A first sample has no load yet, and is counted all the same. */
    system.load_millipercent = said_unknown(REASON_need_two_samples);
    vendor_telemetry_strip(&system, &vendor, &left);
    assert_false(left.lists_processes);

    /* What the system does not count at all (TCC) is the library's own word. */
    system.vram_used_bytes = measured_unknown(REASON_no_instance);
    system.load_millipercent = said_unknown(REASON_no_instance);
    vendor_telemetry_strip(&system, &vendor, &left);
    assert_true(left.lists_processes && left.vram_used_bytes.value == 9);
    assert_int_equal(left.load_millipercent.value, 36000);
    assert_int_equal(left.driver_load_millipercent.how, HOW_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_strip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
