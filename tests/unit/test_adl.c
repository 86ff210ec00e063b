/* Expected values: reference windows.md section 3: vendor ids in decimal words, adapter indexes of
 * one card by bus/device/function, plausible ranges, board power before that of the chip, memory
 * bounded by the card's. The calls are a table of functions here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "gpu/adl/adl_lines.h"
#include "gpu/adl/adl_sensors.h"
#include "gpu/helper/hardware_id.h"
#include "gpu/helper/serve.h"

static const struct {
    int supported, value;
    enum adl_unit unit;
    struct said expected;
} sensors[] = {
    {1, 55, ADL_CELSIUS, {.value = 55000, .how = HOW_MEASURED}},
    {1, -40, ADL_CELSIUS, {.value = -40000, .how = HOW_MEASURED}},
    {1, -41, ADL_CELSIUS, {.why_not = REASON_incredible_value}},
    {1, 150, ADL_CELSIUS, {.value = 150000, .how = HOW_MEASURED}},
    {1, 468, ADL_CELSIUS, {.why_not = REASON_incredible_value}},
    {1, 54000, ADL_CELSIUS, {.why_not = REASON_incredible_value}},
    {0, 55, ADL_CELSIUS, {.why_not = REASON_not_supported}},
    {1, 0, ADL_PERCENT, {.value = 0, .how = HOW_MEASURED}},
    {1, 100, ADL_PERCENT, {.value = 100000, .how = HOW_MEASURED}},
    {1, 101, ADL_PERCENT, {.why_not = REASON_incredible_value}},
    {1, -1, ADL_PERCENT, {.why_not = REASON_incredible_value}},
    {1, 1000, ADL_WATTS, {.value = 1000000000, .how = HOW_MEASURED}},
    {1, 1001, ADL_WATTS, {.why_not = REASON_incredible_value}},
    {1, 20000, ADL_RPM, {.value = 20000, .how = HOW_MEASURED}},
    {1, 20001, ADL_RPM, {.why_not = REASON_incredible_value}},
    {1, 2500, ADL_MEGAHERTZ, {.value = 2500000000, .how = HOW_MEASURED}},
    {1, 0, ADL_LANES, {.why_not = REASON_incredible_value}},
    {1, 16, ADL_LANES, {.value = 16, .how = HOW_MEASURED}},
    {1, INT32_MAX, ADL_MEGAHERTZ, {.why_not = REASON_incredible_value}},
};

static void test_sensors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sensors / sizeof *sensors; i++) {
        const struct adl_sensor sensor = {sensors[i].supported, sensors[i].value};
        struct said said = adl_sensor_said(&sensor, sensors[i].unit, HOW_MEASURED);
        if (said.how != sensors[i].expected.how || said.value != sensors[i].expected.value ||
            said.why_not != sensors[i].expected.why_not)
            fail_msg("sensor %zu", i);
    }
}

/* Board (73), chip (23), graphics (30): supported and value of each; what counts. */
static const struct {
    struct adl_sensor board, asic, graphics;
    bool is_apu;
    struct said expected;
    bool with_cpu;
} powers[] = {
    {{1, 300}, {1, 250}, {1, 200}, false, {.value = 300000000, .how = HOW_MEASURED}, false},
    {{0, 0}, {1, 250}, {1, 200}, false, {.value = 250000000, .how = HOW_MEASURED}, false},
    {{0, 0}, {1, 45}, {0, 0}, true, {.value = 45000000, .how = HOW_MEASURED}, true},
    {{1, 90}, {1, 45}, {0, 0}, true, {.value = 90000000, .how = HOW_MEASURED}, false},
    {{0, 0}, {0, 0}, {1, 12}, true, {.value = 12000000, .how = HOW_MEASURED}, false},
    {{1, 5000}, {1, 250}, {0, 0}, false, {.value = 250000000, .how = HOW_MEASURED}, false},
    {{1, 5000}, {0, 0}, {0, 0}, true, {.why_not = REASON_incredible_value}, false},
    {{0, 0}, {0, 0}, {0, 0}, true, {.why_not = REASON_not_supported}, false},
};

static void test_power(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        struct adl_log log = {0};
        struct adapter_reading said = {0};
        bool with_cpu = false;
        log.sensors[73] = powers[i].board;
        log.sensors[23] = powers[i].asic;
        log.sensors[30] = powers[i].graphics;
        adl_sensors_read(&log, powers[i].is_apu, &said, &with_cpu);
        if (said.power_microwatts.how != powers[i].expected.how ||
            said.power_microwatts.value != powers[i].expected.value ||
            said.power_microwatts.why_not != powers[i].expected.why_not ||
            with_cpu != powers[i].with_cpu)
            fail_msg("power %zu", i);
    }
}

static void test_table(void **state)
{
    (void)state;
    struct adl_log log = {0};
    struct adapter_reading said = {0};
    bool with_cpu;
    const int numbers[] = {1, 2, 7, 8, 9, 14, 15, 19, 20, 27, 41};
    const int values[] = {2500, 1250, 0, 61, 84, 1500, 40, 97, 33, 79, 16};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        log.sensors[numbers[i]] = (struct adl_sensor){1, values[i]};
    adl_sensors_read(&log, false, &said, &with_cpu);
    assert_true(said.clock_hz[CLOCK_GRAPHICS].value == 2500000000);
    assert_true(said.clock_hz[CLOCK_MEMORY].value == 1250000000);
    assert_int_equal(said.clock_hz[CLOCK_VIDEO].how, HOW_UNAVAILABLE); /* 0 MHz: asleep */
    assert_int_equal(said.temperature_millicelsius[TEMPERATURE_EDGE].value, 61000);
    assert_int_equal(said.temperature_millicelsius[TEMPERATURE_MEMORY].value, 84000);
    assert_int_equal(said.temperature_millicelsius[TEMPERATURE_HOTSPOT].value, 79000);
    assert_int_equal(said.fan_rpm.value, 1500);
    assert_int_equal(said.fan_millipercent.value, 40000);
    assert_int_equal(said.load_millipercent.value, 97000);
    assert_int_equal(said.load_millipercent.how, HOW_REPORTED);
    assert_int_equal(said.memory_activity_millipercent.value, 33000);
    assert_int_equal(said.pcie_width.value, 16);
    log.sensors[8] = (struct adl_sensor){0, 0};
    log.sensors[28] = (struct adl_sensor){1, 58};
    adl_sensors_read(&log, false, &said, &with_cpu);
    assert_int_equal(said.temperature_millicelsius[TEMPERATURE_EDGE].value, 58000);
}

static struct adl_adapter_info infos[ADL_INDEXES_MAX];

static void put(size_t at, int bus, int device, int function, int vendor)
{
    infos[at] = (struct adl_adapter_info){
        .index = (int)at, .bus = bus, .device = device, .function = function, .vendor = vendor};
}

static void test_groups(void **state)
{
    (void)state;
    struct adl_card cards[ADL_CARDS_MAX];
    /* Two equal cards, their outputs mixed; an Intel one; one without an address. */
    put(0, 3, 0, 0, 1002);
    put(1, 10, 0, 0, 1002);
    put(2, 3, 0, 0, 1002);
    put(3, 0, 2, 0, 8086);
    put(4, -1, -1, -1, 1002);
    put(5, 10, 0, 0, 0x1002);
    put(6, 3, 0, 0, 1002);
    assert_int_equal(adl_cards_group(infos, 7, cards), 2);
    assert_int_equal(cards[0].bus, 3);
    assert_int_equal(cards[0].index_count, 3);
    assert_int_equal(cards[0].indexes[1], 2);
    assert_int_equal(cards[0].indexes[2], 6);
    assert_ptr_equal(cards[0].info, &infos[0]);
    assert_int_equal(cards[1].bus, 10);
    assert_int_equal(cards[1].index_count, 2);
    assert_int_equal(adl_cards_group(infos, 0, cards), 0);
    for (int i = 0; i < ADL_INDEXES_MAX; i++)
        put((size_t)i, i, 0, 0, 1002);
    assert_int_equal(adl_cards_group(infos, ADL_INDEXES_MAX, cards), ADL_CARDS_MAX);
    for (int i = 0; i < ADL_INDEXES_MAX; i++)
        put((size_t)i, 1, 0, 0, 1002);
    assert_int_equal(adl_cards_group(infos, ADL_INDEXES_MAX, cards), 1);
    assert_int_equal(cards[0].index_count, ADL_CARD_INDEXES_MAX);
}

static void test_ids(void **state)
{
    (void)state;
    struct hardware_id ids;
    char full[256] = "PCI\\VEN_1002&DEV_744C&SUBSYS_0E3B1043&REV_C8\\6&1A2B";
    assert_true(hardware_id_parse(full, sizeof full, &ids));
    assert_int_equal(ids.vendor, 0x1002);
    assert_int_equal(ids.device, 0x744c);
    assert_int_equal(ids.subsystem_vendor, 0x1043);
    assert_int_equal(ids.subsystem_device, 0x0e3b);
    assert_true(ids.has_revision);
    assert_int_equal(ids.revision, 0xc8);
    char lower[] = "pci_ven_1002&dev_15bf";
    assert_true(hardware_id_parse(lower, sizeof lower, &ids));
    assert_int_equal(ids.device, 0x15bf);
    assert_false(ids.has_revision);
    static const char *const wrong[] = {"", "VEN_1002", "VEN_10&DEV_744C", "VEN_XXXX&DEV_744C"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(hardware_id_parse(wrong[i], strlen(wrong[i]), &ids));
    assert_false(hardware_id_parse(full, 20, &ids)); /* cut within the device */
}

static void test_memory(void **state)
{
    (void)state;
    const int64_t gib = (int64_t)1 << 30;
    static const struct {
        int code, mb, total_gib;
        struct measured expected;
    } table[] = {
        {0, 4096, 10, {.value = (int64_t)4 << 30, .known = true}},
        {0, 0, 10, {.value = 0, .known = true}},
        {0, 10240, 10, {.value = (int64_t)10 << 30, .known = true}},
        {0, 37888, 10, {.why_not = REASON_larger_than_adapter}}, /* 37 GB on a card with 10 */
        {0, -1, 10, {.why_not = REASON_not_reported}},
        {0, 4096, 0, {.why_not = REASON_not_reported}},
        {-8, 4096, 10, {.why_not = REASON_not_supported}},
        {-1000, 4096, 10, {.why_not = REASON_not_supported}},
        {-1, 4096, 10, {.why_not = REASON_call_failed}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct measured used = adl_vram_used(table[i].code, table[i].mb, table[i].total_gib * gib);
        if (used.known != table[i].expected.known || used.value != table[i].expected.value ||
            used.why_not != table[i].expected.why_not)
            fail_msg("memory %zu", i);
    }
}

/* ---- a card of four adapters, of which only the third answers ---- */

static int asked, answering = 2, fusion;

static int log_of(void *context, int index, struct adl_log *log)
{
    (void)context;
    asked++;
    if (index != answering)
        return index == 0 ? ADL_ERROR : ADL_NOT_SUPPORTED;
    log->sensors[8] = (struct adl_sensor){1, 50 + index};
    log->sensors[23] = (struct adl_sensor){1, 30};
    return ADL_OK;
}

static int memory_of(void *context, int index, struct adl_memory *memory)
{
    (void)context;
    memory->bytes = index == 1 ? (int64_t)16 << 30 : 0;
    return ADL_OK;
}

static int usage_of(void *context, int index, int *mb)
{
    (void)context;
    *mb = index == 1 ? 512 : 99999;
    return ADL_OK;
}

static int family_of(void *context, int index, int *types, int *valid)
{
    (void)context;
    (void)index;
    *types = fusion ? 1 << 5 : 1;
    *valid = 0xff;
    return ADL_OK;
}

static void start(struct adl_device *device, const struct adl_library *library)
{
    struct adl_card cards[ADL_CARDS_MAX];
    for (size_t i = 0; i < 4; i++)
        put(i, 0x2d, 0, 1, 1002);
    strcpy(infos[0].name, "Radeon RX 7900 XTX");
    strcpy(infos[0].pnp, "PCI\\VEN_1002&DEV_744C&SUBSYS_0E3B1002&REV_C8");
    assert_int_equal(adl_cards_group(infos, 4, cards), 1);
    adl_device_start(device, library, &cards[0], 0);
}

static void test_device(void **state)
{
    (void)state;
    static struct adl_device device;
    const struct adl_library library = {
        .log = log_of, .memory = memory_of, .vram_usage = usage_of, .family = family_of};
    start(&device, &library);
    assert_string_equal(device.said.id, "pci:0000:2d:00.1");
    assert_true(raw_equal_string(device.said.name, "Radeon RX 7900 XTX"));
    assert_int_equal(device.said.pci_device, 0x744c);
    assert_int_equal(device.said.kind, ADAPTER_DISCRETE);
    asked = 0;
    adl_device_read(&device, &library, 1, false);
    assert_int_equal(asked, 3);
    assert_int_equal(device.said.temperature_millicelsius[TEMPERATURE_EDGE].value, 52000);
    /* Memory is said in words only: the system's counter is what counts. */
    assert_false(device.said.vram_used_bytes.known);
    assert_false(device.said.vram_total_bytes.known);
    assert_non_null(strstr(device.note, "512 MiB"));
    assert_null(strstr(device.note, "CPU"));
    asked = 0;
    adl_device_read(&device, &library, 2, false); /* the one that answered is asked first */
    assert_int_equal(asked, 1);
    answering = 3;
    asked = 0;
    adl_device_read(&device, &library, 3, false);
    assert_int_equal(asked, 2);
    assert_int_equal(device.said.temperature_millicelsius[TEMPERATURE_EDGE].value, 53000);
    answering = -1;
    adl_device_read(&device, &library, 4, false);
    assert_int_equal(device.said.temperature_millicelsius[TEMPERATURE_EDGE].how, HOW_UNAVAILABLE);
    assert_int_equal(device.said.figures_why_not, REASON_not_supported);
    answering = 2;
}

static void test_apu(void **state)
{
    (void)state;
    static struct adl_device device;
    struct adl_library library = {.log = log_of, .family = family_of};
    fusion = 1;
    start(&device, &library);
    adl_device_read(&device, &library, 1, true);
    assert_int_equal(device.said.kind, ADAPTER_INTEGRATED);
    assert_non_null(strstr(device.note, "includes the CPU"));
    fusion = 0;
    library.family = NULL; /* an older driver: what it is, is unknown */
    start(&device, &library);
    assert_int_equal(device.said.kind, ADAPTER_UNKNOWN);
}

static void test_lines(void **state)
{
    (void)state;
    const struct adl_request request = {.running_ns = INT64_MAX, .everything = true};
    struct adl_request got;
    char line[SERVE_REQUEST_SIZE];
    adl_request_write(&request, line, sizeof line);
    assert_true(adl_request_read(raw_from_string(line), &got));
    assert_true(got.running_ns == INT64_MAX && got.everything);
    assert_false(adl_request_read(raw_from_string("rocdxg\tversion=1"), &got));

    static struct adl_device devices[2];
    const struct adl_library library = {.log = log_of, .memory = memory_of, .vram_usage = usage_of};
    start(&devices[0], &library);
    start(&devices[1], &library);
    adl_device_read(&devices[0], &library, 1, true);
    const struct adl_opening opening = {.loaded = true, .fits = true, .path = "atiadlxx.dll"};
    struct record_lines lines = {0};
    adl_answer_write(&opening, devices, 2, &lines);
    struct arena *arena = arena_new();
    struct adl_answer answer;
    assert_true(adl_answer_read((struct raw_text){lines.items, lines.count}, arena, &answer));
    assert_int_equal(answer.adapter_count, 2);
    assert_int_equal(answer.note_count, 1);
    assert_true(raw_equal_string(answer.notes[0], devices[0].note));
    assert_string_equal(answer.opening.path, "atiadlxx.dll");
    assert_int_equal(answer.adapters[0].temperature_millicelsius[TEMPERATURE_EDGE].value, 52000);
    VECTOR_FREE(&lines);

    static char many[4096] = "adl\tversion=1\n";
    for (int i = 0; i < ADL_CARDS_MAX; i++)
        strcat(many, "adapter\tid=x\nnote\ttext=y\n");
    assert_true(adl_answer_read(raw_from_string(many), arena, &answer));
    assert_int_equal(answer.note_count, ADL_CARDS_MAX);
    size_t length = strlen(many);
    strcat(many, "note\ttext=y\n");
    assert_false(adl_answer_read(raw_from_string(many), arena, &answer));
    strcpy(many + length, "adapter\tid=x\n");
    assert_false(adl_answer_read(raw_from_string(many), arena, &answer));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sensors), cmocka_unit_test(test_power), cmocka_unit_test(test_table),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_ids),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_device),  cmocka_unit_test(test_apu),   cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests_name("adl", tests, NULL, NULL);
}
