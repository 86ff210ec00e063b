/* amdgpu's firmware tables: three real ones against what was read beside them, and damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/amdgpu_throttle.h"
#include "gpu/drm/gpu_metrics.h"
#include "gpu_metrics_blobs.h"

#define UNKNOWN(why) -1 - REASON_##why

/* A value, or UNKNOWN(reason). */
struct metric_case {
    enum gpu_metric metric;
    int64_t value;
};

static void check(const unsigned char *blob, size_t size, const struct metric_case *cases,
                  size_t count)
{
    struct gpu_metrics metrics;
    assert_true(gpu_metrics_decode((struct raw_text){(const char *)blob, size}, &metrics));
    assert_int_equal(metrics.structure_size, size);
    for (size_t i = 0; i < count; i++) {
        struct measured got = metrics.values[cases[i].metric];
        int64_t want = cases[i].value;
        if (got.known != (want >= 0) ||
            (want >= 0 ? got.value != want : got.why_not != -1 - want)) {
            fail_msg("metric %d: want %lld, got known %d value %lld reason %d", cases[i].metric,
                     (long long)want, got.known, (long long)got.value, (int)got.why_not);
        }
    }
}

#define CHECK(blob, cases) check(blob, sizeof(blob), cases, sizeof(cases) / sizeof((cases)[0]))

static void test_phoenix(void **state)
{
    (void)state;
    static const struct metric_case cases[] = {
        {METRIC_TEMPERATURE_EDGE, 25000},
        {METRIC_TEMPERATURE_SOC, 27370},
        {METRIC_GFX_ACTIVITY_RAW, 79},
        {METRIC_GFX_ACTIVITY, UNKNOWN(not_reported)},
        {METRIC_MEDIA_ACTIVITY_RAW, 0},
        {METRIC_SOCKET_POWER, 3401000},
        {METRIC_CPU_POWER, UNKNOWN(not_reported)},
        {METRIC_SOC_POWER, 743000},
        {METRIC_GFX_POWER, 585000},
        {METRIC_AVERAGE_GFX_CLOCK, 800000000},
        {METRIC_CURRENT_GFX_CLOCK, UNKNOWN(not_reported)},
        {METRIC_THROTTLE_STATUS, 0},
        {METRIC_FAN_PWM, UNKNOWN(not_reported)},
    };
    CHECK(phoenix_v2_1, cases);
    static const int64_t cores[] = {25370, 23500, 25000, 23370, 25120, 23750, 25870, 23750};
    struct gpu_metrics metrics;
    gpu_metrics_decode((struct raw_text){(const char *)phoenix_v2_1, sizeof phoenix_v2_1},
                       &metrics);
    assert_int_equal(metrics.core_count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(metrics.core_temperature_millicelsius[i].value, cores[i]);
    }
}

static void test_strix(void **state)
{
    (void)state;
    static const struct metric_case cases[] = {
        {METRIC_TEMPERATURE_EDGE, 38120},
        {METRIC_TEMPERATURE_SOC, 40620},
        {METRIC_TEMPERATURE_SKIN, 35980},
        {METRIC_GFX_ACTIVITY, 3000},
        {METRIC_MEDIA_ACTIVITY, 0},
        {METRIC_SOCKET_POWER, 9839000},
        {METRIC_APU_POWER, 9839000},
        {METRIC_GFX_POWER, 1536000},
        {METRIC_DGPU_POWER, 0},
        {METRIC_CORES_POWER, 2499000},
        {METRIC_SYSTEM_POWER, UNKNOWN(incredible_value)},
        {METRIC_STAPM_POWER_LIMIT, UNKNOWN(not_reported)},
        {METRIC_AVERAGE_GFX_CLOCK, 849000000},
        {METRIC_RESIDENCY_PROCHOT, 28},
        {METRIC_RESIDENCY_SPL, 1868},
        {METRIC_RESIDENCY_FPPT, 92382},
        {METRIC_RESIDENCY_SPPT, 257},
        {METRIC_RESIDENCY_THM_CORE, 1795},
        {METRIC_FILTER_TIME, 1000000},
        {METRIC_IPU_POWER, 0},
    };
    CHECK(strix_v3_0, cases);
}

static void test_rx9070(void **state)
{
    (void)state;
    static const struct metric_case cases[] = {
        {METRIC_TEMPERATURE_EDGE, 48000},
        {METRIC_TEMPERATURE_HOTSPOT, 52000},
        {METRIC_TEMPERATURE_MEMORY, 72000},
        {METRIC_GFX_ACTIVITY, 25000},
        {METRIC_MEMORY_ACTIVITY, 0},
        {METRIC_MEDIA_ACTIVITY, 0},
        {METRIC_SOCKET_POWER, 49000000},
        {METRIC_ENERGY, UNKNOWN(not_reported)},
        {METRIC_AVERAGE_GFX_CLOCK, 900000000},
        {METRIC_AVERAGE_SOC_CLOCK, UNKNOWN(not_reported)},
        {METRIC_AVERAGE_MEMORY_CLOCK, 2238000000},
        {METRIC_CURRENT_GFX_CLOCK, 900000000},
        {METRIC_CURRENT_SOC_CLOCK, 1200000000},
        {METRIC_CURRENT_MEMORY_CLOCK, 1124000000},
        {METRIC_FAN_RPM, 1944},
        {METRIC_PCIE_WIDTH, 16},
        {METRIC_PCIE_GENERATION, 4},
        {METRIC_THROTTLE_STATUS, 0},
        {METRIC_VOLTAGE_SOC, 842},
        {METRIC_VOLTAGE_GFX, 790},
        {METRIC_VOLTAGE_MEMORY, 1345},
    };
    CHECK(rx9070_v1_3, cases);
}

/* A table of that revision and size with every byte `fill`. */
static bool decode_filled(size_t size, uint8_t format, uint8_t content, int fill,
                          struct gpu_metrics *metrics)
{
    unsigned char blob[GPU_METRICS_SIZE_MAX];
    memset(blob, fill, sizeof blob);
    blob[0] = (unsigned char)size;
    blob[1] = (unsigned char)(size >> 8);
    blob[2] = format;
    blob[3] = content;
    return gpu_metrics_decode((struct raw_text){(const char *)blob, size}, metrics);
}

/* Sizes of the kernel's structures; any other size of a revision is not decoded. */
static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        uint8_t format, content;
        uint16_t size;
    } known[] = {{1, 1, 96},  {1, 2, 104},  {1, 3, 120},  {1, 4, 288},  {1, 5, 360},
                 {1, 6, 384}, {1, 6, 1664}, {1, 7, 2208}, {1, 8, 3872}, {2, 0, 120},
                 {2, 1, 120}, {2, 2, 128},  {2, 3, 152},  {2, 4, 168},  {3, 0, 264}};
    struct gpu_metrics metrics;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(
            decode_filled(known[i].size, known[i].format, known[i].content, 0xff, &metrics));
        for (int metric = 0; metric < METRIC_COUNT; metric++) {
            assert_false(metrics.values[metric].known);
            assert_int_equal(metrics.values[metric].why_not, REASON_not_reported);
        }
        assert_false(
            decode_filled(known[i].size + 8u, known[i].format, known[i].content, 0, &metrics));
    }
    assert_false(decode_filled(80, 1, 0, 0, &metrics));
    assert_false(decode_filled(120, 1, 9, 0, &metrics));
    assert_false(decode_filled(120, 1, 10, 0, &metrics));
    assert_false(decode_filled(176, 2, 5, 0, &metrics));
    assert_false(decode_filled(272, 3, 1, 0, &metrics));
    assert_false(decode_filled(264, 4, 0, 0, &metrics));
    assert_int_equal(metrics.format_revision, 4);
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

/* Offsets of the structures of kgd_pp_interface.h, as a compiler lays them out. */
static void test_accelerators(void **state)
{
    (void)state;
    static const struct {
        uint8_t content;
        uint16_t size, energy, prochot, link, gfx_clock, memory_clock;
        uint16_t video, jpeg; /* of the last partition that is there */
    } rows[] = {
        {4, 288, 24, 0, 48, 240, 280, 18, 0},
        {5, 360, 88, 0, 112, 312, 352, 18, 30},
        {6, 384, 88, 108, 136, 336, 376, 18, 30},
        {6, 1664, 16, 36, 60, 264, 304, 312 + 168 + 96 + 2, 312 + 168 + 32 + 62},
        {7, 2208, 24, 44, 68, 296, 336, 344 + 232 + 96 + 2, 344 + 232 + 32 + 62},
        {8, 3872, 24, 44, 68, 296, 336, 344 + 440 + 112 + 2, 344 + 440 + 32 + 78},
    };
    static const struct metric_case cases[] = {
        {METRIC_TEMPERATURE_HOTSPOT, 61000},
        {METRIC_TEMPERATURE_MEMORY, 52000},
        {METRIC_SOCKET_POWER, 612000000},
        {METRIC_GFX_ACTIVITY, 97000},
        {METRIC_MEMORY_ACTIVITY, 44000},
        {METRIC_MEDIA_ACTIVITY, 37000},
        {METRIC_ENERGY, 15259000},
        {METRIC_PCIE_WIDTH, 16},
        {METRIC_PCIE_GENERATION, 5},
        {METRIC_CURRENT_GFX_CLOCK, 2100000000},
        {METRIC_CURRENT_MEMORY_CLOCK, 1300000000},
        {METRIC_TEMPERATURE_EDGE, UNKNOWN(not_reported)},
        {METRIC_JPEG_ACTIVITY, 12000}, /* from 1.5 on */
        {METRIC_RESIDENCY_PROCHOT, 3}, /* from 1.6 on */
        {METRIC_RESIDENCY_PPT, 700},
        {METRIC_RESIDENCY_THM_SOCKET, 0},
        {METRIC_RESIDENCY_THM_VR, UNKNOWN(not_reported)},
        {METRIC_RESIDENCY_THM_HBM, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char blob[GPU_METRICS_SIZE_MAX];
        memset(blob, 0xff, sizeof blob);
        put(blob, rows[i].size, 2);
        blob[2] = 1;
        blob[3] = rows[i].content;
        static const uint16_t first[] = {61, 52, 55, 612, 97, 44};
        for (size_t k = 0; k < 6; k++) {
            put(blob + 4 + 2 * k, first[k], 2);
        }
        put(blob + rows[i].energy, 1000000, 8);
        static const uint32_t residencies[] = {3, 700, 0, UINT32_MAX, 9};
        for (size_t k = 0; rows[i].prochot > 0 && k < 5; k++) {
            put(blob + rows[i].prochot + 4 * k, residencies[k], 4);
        }
        put(blob + rows[i].link, 16, 2);
        put(blob + rows[i].link + 2, 320, 2);
        put(blob + rows[i].gfx_clock, 132, 2);
        put(blob + rows[i].gfx_clock + 14, 2100, 2); /* the fastest of eight */
        put(blob + rows[i].memory_clock, 1300, 2);
        put(blob + rows[i].video, 37, 2);
        if (rows[i].jpeg > 0) {
            put(blob + rows[i].jpeg, 12, 2);
        }
        size_t count = sizeof cases / sizeof cases[0];
        check(blob, rows[i].size, cases,
              rows[i].prochot > 0 ? count
              : rows[i].jpeg > 0  ? count - 5
                                  : count - 6);
    }
}

enum { U8, S8, U16, S16, U32, S32, U64, S64 };
enum { NO_UNIT = 0, MEGAHERTZ = 1, CELSIUS = 2, WATTS = 3, TENTHS_OF_GT = 7, PER_CENT = 10 };

/* Appends one attribute as AMDGPU_METRICS_ENC_ATTR and the packed structure lay it out. */
static size_t attribute(unsigned char *at, unsigned unit, unsigned type, unsigned id,
                        unsigned count, uint64_t value)
{
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8};
    put(at, (uint64_t)unit << 24 | type << 20 | id << 10 | count, 8);
    for (unsigned i = 0; i < count; i++) {
        /* The last of a list has the value, the others are not reported. */
        put(at + 8 + i * sizes[type], i + 1 == count ? value : UINT64_MAX, sizes[type]);
    }
    return 8 + count * sizes[type];
}

static size_t self_describing(unsigned char *blob, uint8_t content)
{
    size_t at = 8;
    at += attribute(blob + at, CELSIUS, U16, 0, 1, 61);
    at += attribute(blob + at, CELSIUS, S16, 1, 1, 52);
    at += attribute(blob + at, WATTS, U16, 3, 1, 612);
    at += attribute(blob + at, PER_CENT, U16, 4, 1, 97);
    at += attribute(blob + at, NO_UNIT, U64, 7, 1, 1000000);
    at += attribute(blob + at, NO_UNIT, U32, 11, 1, 700);
    at += attribute(blob + at, NO_UNIT, U16, 16, 1, 16);
    at += attribute(blob + at, TENTHS_OF_GT, U16, 17, 1, 320);
    at += attribute(blob + at, MEGAHERTZ, U16, 33, 8, 2100);
    at += attribute(blob + at, PER_CENT, U8, 42, 4, 37);
    at += attribute(blob + at, WATTS, U16, 37, 1, 1300); /* a clock in watts */
    at += attribute(blob + at, 99, U32, 900, 3, 5);      /* of a later kernel */
    put(blob, at, 2);
    blob[2] = 1;
    blob[3] = content;
    put(blob + 4, 12, 4);
    return at;
}

static void test_self_describing(void **state)
{
    (void)state;
    static const struct metric_case cases[] = {
        {METRIC_TEMPERATURE_HOTSPOT, 61000},
        {METRIC_TEMPERATURE_MEMORY, 52000},
        {METRIC_SOCKET_POWER, 612000000},
        {METRIC_GFX_ACTIVITY, 97000},
        {METRIC_MEMORY_ACTIVITY, UNKNOWN(not_reported)},
        {METRIC_MEDIA_ACTIVITY, 37000},
        {METRIC_ENERGY, 15259000},
        {METRIC_RESIDENCY_PPT, 700},
        {METRIC_PCIE_WIDTH, 16},
        {METRIC_PCIE_GENERATION, 5},
        {METRIC_CURRENT_GFX_CLOCK, 2100000000},
        {METRIC_CURRENT_MEMORY_CLOCK, UNKNOWN(not_reported)},
    };
    unsigned char blob[512];
    struct gpu_metrics metrics;
    for (uint8_t content = 9; content < 12; content++) {
        size_t size = self_describing(blob, content);
        check(blob, size, cases, sizeof cases / sizeof cases[0]);
        for (size_t length = 0; length < size; length++) {
            assert_false(
                gpu_metrics_decode((struct raw_text){(const char *)blob, length}, &metrics));
        }
    }
    /* Attributes that end elsewhere, of no type, of no number, or that no number of bits can be. */
    static const struct {
        size_t at;
        unsigned char value;
    } damages[] = {{0, 200}, {4, 11}, {4, 13}, {4, 0}, {7, 0x80}, {10, 0x90}, {8, 0}, {12, 1}};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        size_t size = self_describing(blob, 9);
        blob[damages[i].at] = damages[i].value;
        assert_false(gpu_metrics_decode((struct raw_text){(const char *)blob, size}, &metrics));
        assert_false(metrics.values[METRIC_SOCKET_POWER].known);
    }
}

static void test_residencies(void **state)
{
    (void)state;
    struct gpu_metrics metrics = {.format_revision = 1, .content_revision = 8};
    struct amdgpu_residencies last = {0};
    static struct adapter_reading adapter;
    metrics.values[METRIC_INDEPENDENT_THROTTLE] = measured_unknown(REASON_not_reported);
    metrics.values[METRIC_RESIDENCY_PPT] = measured_known(700);
    metrics.values[METRIC_RESIDENCY_THM_HBM] = measured_known(9);
    amdgpu_throttle_read(&metrics, &last, &adapter);
    assert_int_equal(adapter.throttle_how, HOW_UNAVAILABLE);
    assert_int_equal(adapter.throttle_why_not, REASON_need_two_samples);
    metrics.values[METRIC_RESIDENCY_PPT] = measured_known(701);
    metrics.values[METRIC_RESIDENCY_PROCHOT] = measured_known(50); /* new in this sample */
    amdgpu_throttle_read(&metrics, &last, &adapter);
    assert_int_equal(adapter.throttle_how, HOW_REPORTED);
    assert_int_equal(adapter.throttle_count, 1);
    assert_true(raw_equal_string(adapter.throttle_reasons[0], "power_ppt"));
    amdgpu_throttle_read(&metrics, &last, &adapter);
    assert_int_equal(adapter.throttle_count, 0);
}

static void test_damage(void **state)
{
    (void)state;
    struct gpu_metrics metrics;
    for (size_t length = 0; length < sizeof rx9070_v1_3; length++) {
        assert_false(
            gpu_metrics_decode((struct raw_text){(const char *)rx9070_v1_3, length}, &metrics));
    }
    assert_false(gpu_metrics_decode((struct raw_text){NULL, 0}, &metrics));
    unsigned char torn[sizeof rx9070_v1_3];
    memcpy(torn, rx9070_v1_3, sizeof torn);
    torn[6] = 0x40; /* 2112 degrees, as a torn read gave */
    torn[7] = 0x08;
    static const struct metric_case cases[] = {
        {METRIC_TEMPERATURE_HOTSPOT, UNKNOWN(incredible_value)},
        {METRIC_TEMPERATURE_EDGE, 48000},
    };
    CHECK(torn, cases);
}

static void test_links(void **state)
{
    (void)state;
    static const int speeds[][2] = {{25, 1},  {50, 2},  {80, 3}, {160, 4},
                                    {320, 5}, {640, 6}, {0, 0},  {155, 0}};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        assert_int_equal(pcie_generation(speeds[i][0]), speeds[i][1]);
    }
    for (int64_t width = -1; width < 300; width++) {
        bool right = width == 1 || width == 2 || width == 4 || width == 8 || width == 12 ||
                     width == 16 || width == 32;
        assert_int_equal(pcie_width_is_credible(width), right);
    }
}

static void test_throttle_names(void **state)
{
    (void)state;
    assert_string_equal(gpu_metrics_throttle_name(36), "thermal_hotspot");
    assert_string_equal(gpu_metrics_throttle_name(0), "power_ppt0");
    assert_null(gpu_metrics_throttle_name(8));
    assert_null(gpu_metrics_throttle_name(64));
    assert_string_equal(gpu_metrics_residency_name(METRIC_RESIDENCY_THM_SOC), "thermal_soc");
    assert_null(gpu_metrics_residency_name(METRIC_ENERGY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phoenix),      cmocka_unit_test(test_strix),
        cmocka_unit_test(test_rx9070),       cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_accelerators), cmocka_unit_test(test_self_describing),
        cmocka_unit_test(test_residencies),  cmocka_unit_test(test_damage),
        cmocka_unit_test(test_links),        cmocka_unit_test(test_throttle_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
