/* The grammar of DRM fdinfo files, as drm-usage-stats.rst and the drivers write it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/drm/fdinfo.h"

#define UNKNOWN(why) -1 - REASON_##why
#define HEADER "pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t815\n"

static struct fdinfo info;
static struct drm_client_reading client;

static void parse(const char *text)
{
    memset(&client, 0x5a, sizeof client);
    fdinfo_parse(raw_from_string(text), &info, &client);
}

static void expect(const char *what, struct measured got, int64_t want)
{
    if (got.known != (want >= 0) || (want >= 0 ? got.value != want : got.why_not != -1 - want)) {
        fail_msg("%s: want %lld, got known %d value %lld reason %d", what, (long long)want,
                 got.known, (long long)got.value, (int)got.why_not);
    }
}

static const struct drm_region *region(const char *name)
{
    for (size_t i = 0; i < client.region_count; i++) {
        if (strcmp(client.regions[i].name, name) == 0) {
            return &client.regions[i];
        }
    }
    fail_msg("no region %s", name);
    return NULL;
}

static const struct drm_engine *engine(const char *name)
{
    for (size_t i = 0; i < client.engine_count; i++) {
        if (strcmp(client.engines[i].name, name) == 0) {
            return &client.engines[i];
        }
    }
    fail_msg("no engine %s", name);
    return NULL;
}

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {
        {"0", 0},
        {"4096", 4096},
        {"1025", 1025},
        {"60060 KiB", 61501440},
        {"7168 MiB", INT64_C(7516192768)},
        {"2 GiB", INT64_C(2147483648)},
        {"73216 kB", 74973184},
        {"\t 0 KiB ", 0},
        {"18446744073709551615", UNKNOWN(incredible_value)},
        {"99999999999999999999999", UNKNOWN(incredible_value)},
        {"9007199254740992 KiB", UNKNOWN(incredible_value)},
        {"8796093022208 MiB", UNKNOWN(incredible_value)},
        {"12 parsecs", UNKNOWN(call_failed)},
        {"12KiB", UNKNOWN(call_failed)},
        {"-4", UNKNOWN(call_failed)},
        {"", UNKNOWN(call_failed)},
        {"KiB", UNKNOWN(call_failed)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(cases[i].text, fdinfo_parse_size(raw_from_string(cases[i].text)), cases[i].bytes);
    }
}

static void test_modern_amdgpu(void **state)
{
    (void)state;
    parse(HEADER "drm-driver:\tamdgpu\ndrm-client-id:\t77\ndrm-pdev:\t0000:0C:00.0\n"
                 "drm-client-name:\tmy: game\npasid:\t32781\n"
                 "drm-total-vram:\t900 MiB\ndrm-shared-vram:\t0\ndrm-resident-vram:\t612 MiB\n"
                 "drm-purgeable-vram:\t4 MiB\ndrm-active-vram:\t1 MiB\ndrm-evicted-vram:\t1 MiB\n"
                 "drm-shared-gtt:\t0\ndrm-resident-gtt:\t0\ndrm-shared-cpu:\t0\n"
                 "drm-memory-vram:\t626688 KiB\ndrm-memory-gtt: \t0 KiB\n"
                 "amd-evicted-vram:\t16 KiB\ndrm-engine-gfx:\t90111222333 ns\n"
                 "drm-engine-dma:\t1200000 ns\n");
    assert_string_equal(info.driver, "amdgpu");
    assert_string_equal(info.pci_address, "0000:0c:00.0");
    assert_true(info.has_drm_keys && info.has_regions && info.has_engines);
    assert_false(info.is_legacy || info.overflowed);
    assert_true(client.has_client_id && client.has_shared_keys);
    assert_int_equal(client.client_id, 77);
    assert_int_equal(client.region_count, 3);
    expect("total", region("vram")->total, 943718400);
    expect("resident", region("vram")->resident, 641728512);
    expect("memory", region("vram")->memory, 641728512);
    expect("shared", region("vram")->shared, 0);
    expect("purgeable", region("vram")->purgeable, 4194304);
    expect("gtt total", region("gtt")->total, UNKNOWN(not_reported));
    expect("evicted", client.evicted_vram_bytes, 16384);
    expect("gfx", engine("gfx")->busy_ns, INT64_C(90111222333));
    expect("gfx cycles", engine("gfx")->cycles, UNKNOWN(not_reported));
    assert_int_equal(engine("dma")->capacity, 1);
}

/* Linux 6.5 and 6.6: the core's lines first, then amdgpu's own with another number. */
static void test_repeated_keys(void **state)
{
    (void)state;
    parse("drm-driver:\tamdgpu\ndrm-client-id:\t12\ndrm-pdev:\t0000:03:00.0\npasid:\t1\n"
          "drm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t4711\n"
          "drm-memory-vram:\t1 KiB\ndrm-memory-vram:\t2 KiB\n"
          "drm-engine-gfx:\t5 ns\ndrm-engine-gfx:\t7 ns\n");
    assert_int_equal(client.client_id, 12);
    expect("memory", region("vram")->memory, 2048);
    expect("gfx", engine("gfx")->busy_ns, 7);
    assert_false(client.has_shared_keys);
    /* A first id that is no number does not make the second one the identity. */
    parse("drm-client-id:\t99999999999999999999\ndrm-client-id:\t5\n");
    assert_false(client.has_client_id);
    parse("drm-client-id:\t18446744073709551615\n");
    assert_true(client.has_client_id && client.client_id == UINT64_MAX);
}

static void test_shared_keys(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool has;
    } cases[] = {
        {"drm-resident-vram:\t4 KiB\n", false},
        {"drm-memory-vram:\t4 KiB\ndrm-shared-vram:\t0 KiB\n", true},
        {"drm-resident-vram:\t4 KiB\ndrm-shared-gtt:\t0\n", false},
        {"drm-resident-vram:\t0\ndrm-shared-gtt:\t0\n", true},
        {"drm-total-memory:\t8 MiB\n", false},
        {"drm-resident-vram:\t4 KiB\ndrm-shared-vram:\t99999999999999999999\n", true},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parse(cases[i].text);
        if (client.has_shared_keys != cases[i].has) {
            fail_msg("case %zu", i);
        }
    }
}

static void test_capacity_and_cycles(void **state)
{
    (void)state;
    parse("drm-driver:\txe\ndrm-cycles-rcs:\t28257900\ndrm-total-cycles-rcs:\t8077280786690\n"
          "drm-engine-capacity-vcs:\t2\ndrm-cycles-vcs:\t0\ndrm-total-cycles-vcs:\t7655183225\n"
          "drm-total-vram0:\t1 MiB\n");
    assert_int_equal(client.engine_count, 2);
    expect("cycles", engine("rcs")->cycles, 28257900);
    expect("total", engine("rcs")->total_cycles, INT64_C(8077280786690));
    expect("ns", engine("rcs")->busy_ns, UNKNOWN(not_reported));
    assert_int_equal(engine("vcs")->capacity, 2);
    assert_int_equal(client.region_count, 1);
    parse("drm-engine-video:\t1 ns\ndrm-engine-capacity-video:\t0\n"
          "drm-engine-video-enhance:\t2 ns\ndrm-maxfreq-video:\t1 GHz\ndrm-curfreq-video:\t3 Hz\n");
    assert_int_equal(engine("video")->capacity, 1);
    expect("enhance", engine("video-enhance")->busy_ns, 2);
    expect("maxfreq", engine("video")->max_frequency_hz, 1000000000);
    /* panthor with profiling off: frequencies alone are no statistics of an engine. */
    parse("drm-driver:\tpanthor\ndrm-maxfreq-panthor:\t1000000000 Hz\n");
    assert_false(info.has_engines);
    expect("busy", engine("panthor")->busy_ns, UNKNOWN(not_reported));
}

static void test_legacy_amdgpu(void **state)
{
    (void)state;
    parse(HEADER "pdev:\t0000:08:00.0\npasid:\t32771\nvram mem:\t73216 kB\ngtt mem:\t4096 kB\n"
                 "gfx0:\t12.34%\n");
    assert_true(info.is_legacy);
    assert_false(info.has_drm_keys || client.has_client_id);
    assert_string_equal(info.pci_address, "0000:08:00.0");
    assert_int_equal(client.region_count, 0);
    parse("vram mem:\t1 kB\ndrm-driver:\tamdgpu\n");
    assert_false(info.is_legacy);
}

static void test_absurd(void **state)
{
    (void)state;
    parse(HEADER);
    assert_false(info.has_drm_keys);
    parse("drm-engine-gfx:\t18446744073709551615 ns\ndrm-engine-dma:\t5 s\ndrm-engine-:\t1 ns\n"
          "no colon\n:\n::\ndrm-:\t1\ndrm-total-:\t1\n");
    expect("gfx", engine("gfx")->busy_ns, UNKNOWN(incredible_value));
    expect("dma", engine("dma")->busy_ns, UNKNOWN(call_failed));
    assert_int_equal(client.engine_count, 2);
    assert_true(info.overflowed);
    char text[8192] = "";
    for (int i = 0; i < 40; i++) {
        char line[64];
        snprintf(line, sizeof line, "drm-total-r%d:\t1\ndrm-engine-e%d:\t1 ns\n", i, i);
        strcat(text, line);
    }
    parse(text);
    assert_true(info.overflowed);
    assert_int_equal(client.region_count, DRM_REGIONS_MAX);
    assert_int_equal(client.engine_count, DRM_ENGINES_MAX);
    parse("drm-driver:\ta-driver-name-that-is-much-longer-than-any-name-in-the-kernel\n");
    assert_string_equal(info.driver, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_modern_amdgpu),
        cmocka_unit_test(test_repeated_keys),
        cmocka_unit_test(test_shared_keys),
        cmocka_unit_test(test_capacity_and_cycles),
        cmocka_unit_test(test_legacy_amdgpu),
        cmocka_unit_test(test_absurd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
