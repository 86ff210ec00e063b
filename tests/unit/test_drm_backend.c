/* The DRM backend on recorded machines (tests/cases/drm): figures of adapters as their
 * expected.json gives them, and the facts about clients on which the ownership rules stand. The
 * cases' folder is in GPUTASKMAN_TEST_CASES. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/backend.h"

enum { FRAMES_MAX = 3, COMMAND_SIZE = 2048 };

#define UNKNOWN(why) -1 - REASON_##why
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One recorded machine, read sample by sample. */
struct run {
    char folder[64]; /* of the merged frames */
    char roots[FRAMES_MAX][600];
    int frames;
    int64_t deadline_ns;
    struct machine *machine;
    struct backend_state *backend;
    struct system_reading *system;
    struct reading *reading;
};

static void shell(const char *format, const char *a, const char *b)
{
    char command[COMMAND_SIZE];
    snprintf(command, sizeof command, format, a, b);
    assert_int_equal(system(command), 0);
}

/* Frame 0, or the only one, as it is, unless it is to be changed; later ones are laid over a copy
 * of the one before. */
static void build_frames(struct run *run, const char *case_folder, bool writable)
{
    strcpy(run->folder, "/tmp/gputaskman-drm-XXXXXX");
    assert_non_null(mkdtemp(run->folder));
    for (run->frames = 0; run->frames < FRAMES_MAX; run->frames++) {
        char from[600], removed[640], *to = run->roots[run->frames];
        snprintf(from, sizeof from, "%s/frame%d", case_folder, run->frames);
        if (run->frames == 0 && access(from, F_OK) != 0) {
            snprintf(from, sizeof from, "%s/root", case_folder);
        }
        if (access(from, F_OK) != 0) {
            break;
        }
        if (run->frames == 0 && !writable) {
            strcpy(to, from);
            continue;
        }
        char folder[sizeof run->folder];
        memcpy(folder, run->folder, sizeof folder);
        snprintf(to, sizeof run->roots[0], "%s/%d", folder, run->frames);
        if (run->frames > 0) {
            shell("cp -a %s %s", run->roots[run->frames - 1], to);
            snprintf(removed, sizeof removed, "%s.removed", from);
            if (access(removed, F_OK) == 0) {
                shell("cd %s && xargs rm -rf < %s", to, removed);
            }
        }
        shell("mkdir -p %2$s && cp -a --remove-destination %1$s/. %2$s", from, to);
    }
    assert_true(run->frames > 0);
}

static void run_open(struct run *run, const char *name, bool writable)
{
    char folder[512], roots[FRAMES_MAX * 640] = "";
    struct problem problem;
    const char *cases = getenv("GPUTASKMAN_TEST_CASES");
    *run = (struct run){.deadline_ns = INT64_MAX};
    snprintf(folder, sizeof folder, "%s/drm/%s", cases == NULL ? "tests/cases" : cases, name);
    build_frames(run, folder, writable);
    for (int i = 0; i < run->frames; i++) {
        snprintf(roots + strlen(roots), sizeof roots - strlen(roots), "%s%s", i > 0 ? ":" : "",
                 run->roots[i]);
    }
    setenv("GPUTASKMAN_SYSROOT", roots, 1);
    setenv("GPUTASKMAN_SAMPLE_TIMES", "100,102,104", 1);
    if (!machine_open(&run->machine, &problem)) {
        fail_msg("%s", problem.text);
    }
    run->backend = backend_drm.open(run->machine);
    run->system = system_reading_new();
    run->reading = reading_new("drm");
}

static void run_sample(struct run *run, int number)
{
    struct pass pass = {.number = (uint64_t)number,
                        .interval_ns = 1000000000,
                        .one_shot = true,
                        .deadline_ns = run->deadline_ns};
    machine_begin_sample(run->machine, (uint64_t)number, &pass);
    struct system_request request = {.walk = backend_drm.needs_walk(run->backend)};
    system_reading_reset(run->system);
    machine_read_system(run->machine, &pass, &request, run->system);
    reading_reset(run->reading, "drm");
    backend_drm.read(run->backend, run->machine, &pass, run->system, run->reading);
}

static void run_close(struct run *run)
{
    reading_free(&run->reading);
    system_reading_free(&run->system);
    backend_drm.close(&run->backend);
    assert_null(run->backend);
    machine_close(&run->machine);
    shell("rm -rf %s%s", run->folder, "");
}

/* All samples of a case, the last one in run->reading. */
static void run_case(struct run *run, const char *name)
{
    run_open(run, name, false);
    for (int i = 0; i < run->frames; i++) {
        run_sample(run, i);
    }
}

static const struct adapter_reading *adapter(const struct run *run, const char *id)
{
    for (size_t i = 0; i < run->reading->adapter_count; i++) {
        if (strcmp(run->reading->adapters[i].id, id) == 0) {
            return &run->reading->adapters[i];
        }
    }
    fail_msg("no adapter %s", id);
    return NULL;
}

static const struct drm_client_reading *client(const struct run *run, int64_t pid, int32_t fd)
{
    for (size_t i = 0; i < run->reading->client_count; i++) {
        const struct drm_client_reading *one = &run->reading->clients[i];
        if (one->holder.pid == pid && one->fd == fd) {
            return one;
        }
    }
    fail_msg("no client of %lld", (long long)pid);
    return NULL;
}

/* A figure of an adapter: a struct measured, or a struct said with how it came to be. */
struct figure_case {
    const char *name, *id, *what;
    size_t offset;
    int64_t value; /* or UNKNOWN(reason) */
    enum how how;  /* HOW_UNAVAILABLE: the figure is a struct measured */
};

#define AT(member) #member, offsetof(struct adapter_reading, member)

static void check_figure(const struct figure_case *want, const struct adapter_reading *got)
{
    const char *place = (const char *)got + want->offset;
    struct said said;
    if (want->how == HOW_UNAVAILABLE) {
        struct measured measured;
        memcpy(&measured, place, sizeof measured);
        said = measured.known ? said_measured(measured.value) : said_unknown(measured.why_not);
    } else {
        memcpy(&said, place, sizeof said);
    }
    bool known = said.how != HOW_UNAVAILABLE;
    bool right = known == (want->value >= 0) &&
                 (known ? said.value == want->value : said.why_not == -1 - want->value) &&
                 (!known || want->how == HOW_UNAVAILABLE || said.how == want->how);
    if (!right) {
        fail_msg("%s %s %s: want %lld, got %s %lld (%s)", want->name, want->id, want->what,
                 (long long)want->value, how_name(said.how), (long long)said.value,
                 reason_code(said.why_not));
    }
}

#define RDNA3 "amd-rdna3-private-client", "pci:0000:03:00.0"
#define STRIX "amd-apu-strix-llm", "pci:0000:c1:00.0"
#define ASLEEP "hybrid-suspended-dgpu", "pci:0000:03:00.0"
#define PHOENIX "hybrid-suspended-dgpu", "pci:0000:64:00.0"
#define THROTTLED "amd-mi300x-throttled", "pci:0000:05:00.0"
#define MI300 "amd-rocm-kfd-mi300x", "pci:0000:05:00.0"
#define ABSURD "amd-counter-anomalies", "pci:0000:03:00.0"
#define B580 "intel-xe-b580", "pci:0000:0b:00.0"
#define A380 "intel-xe-a380-absurd-values", "pci:0000:08:00.0"
#define I915 "intel-i915-igpu", "pci:0000:00:02.0"
#define PANTHOR "arm-panthor-profiling-off", "platform:fb000000.gpu"

/* Figures of the last sample. Rows of one machine stand together. */
static const struct figure_case figures[] = {
    {RDNA3, AT(vram_total_bytes), INT64_C(17163091968), 0},
    {RDNA3, AT(vram_used_bytes), INT64_C(9789517824), 0},
    {RDNA3, AT(vram_free_bytes), INT64_C(7373574144), 0},
    {RDNA3, AT(shared_total_bytes), INT64_C(16413585408), 0},
    {RDNA3, AT(shared_used_bytes), 289406976, 0},
    {RDNA3, AT(load_millipercent), 96000, HOW_REPORTED},
    {RDNA3, AT(memory_activity_millipercent), 41000, HOW_REPORTED},
    {RDNA3, AT(temperature_millicelsius[TEMPERATURE_EDGE]), 58000, HOW_MEASURED},
    {RDNA3, AT(temperature_millicelsius[TEMPERATURE_HOTSPOT]), 71000, HOW_MEASURED},
    {RDNA3, AT(temperature_millicelsius[TEMPERATURE_MEMORY]), 76000, HOW_MEASURED},
    {RDNA3, AT(power_microwatts), 214000000, HOW_MEASURED},
    {RDNA3, AT(power_limit_microwatts), 236000000, HOW_MEASURED},
    {RDNA3, AT(clock_hz[CLOCK_GRAPHICS]), INT64_C(2254000000), HOW_MEASURED},
    {RDNA3, AT(clock_hz[CLOCK_MEMORY]), 1218000000, HOW_MEASURED},
    {RDNA3, AT(fan_rpm), 1650, HOW_MEASURED},
    {RDNA3, AT(fan_millipercent), 50196, HOW_MEASURED},
    {RDNA3, AT(pcie_generation), 3, HOW_MEASURED},
    {RDNA3, AT(pcie_width), 8, HOW_MEASURED},
    {RDNA3, AT(pcie_max_generation), 4, HOW_MEASURED},
    {RDNA3, AT(pcie_max_width), 16, HOW_MEASURED},
    {RDNA3, AT(engine_millipercent[ENGINE_video]), UNKNOWN(not_reported), HOW_MEASURED},
    {STRIX, AT(vram_total_bytes), 536870912, 0},
    {STRIX, AT(shared_total_bytes), INT64_C(51002736640), 0},
    {STRIX, AT(shared_used_bytes), INT64_C(25868369920), 0},
    {STRIX, AT(power_microwatts), 38012000, HOW_MEASURED},
    {STRIX, AT(power_limit_microwatts), UNKNOWN(not_reported), HOW_MEASURED},
    {STRIX, AT(clock_hz[CLOCK_GRAPHICS]), INT64_C(2790000000), HOW_MEASURED},
    {STRIX, AT(clock_hz[CLOCK_MEMORY]), UNKNOWN(not_reported), HOW_MEASURED},
    {STRIX, AT(fan_rpm), UNKNOWN(not_reported), HOW_MEASURED},
    {STRIX, AT(pcie_generation), UNKNOWN(not_supported), HOW_MEASURED},
    {STRIX, AT(engine_millipercent[ENGINE_video]), 0, HOW_REPORTED},
    {ASLEEP, AT(vram_total_bytes), INT64_C(8573157376), 0},
    {ASLEEP, AT(vram_used_bytes), 24276992, 0},
    {ASLEEP, AT(load_millipercent), UNKNOWN(device_suspended), HOW_MEASURED},
    {ASLEEP, AT(power_microwatts), UNKNOWN(device_suspended), HOW_MEASURED},
    {ASLEEP, AT(fan_rpm), UNKNOWN(device_suspended), HOW_MEASURED},
    {ASLEEP, AT(clock_hz[CLOCK_GRAPHICS]), UNKNOWN(device_suspended), HOW_MEASURED},
    {ASLEEP, AT(pcie_width), UNKNOWN(device_suspended), HOW_MEASURED},
    {ASLEEP, AT(temperature_millicelsius[0]), UNKNOWN(device_suspended), HOW_MEASURED},
    {PHOENIX, AT(load_millipercent), 14000, HOW_REPORTED},
    {PHOENIX, AT(power_microwatts), 3103000, HOW_MEASURED},
    {THROTTLED, AT(ecc_corrected), 12, HOW_MEASURED},
    {THROTTLED, AT(ecc_uncorrected), 0, HOW_MEASURED},
    {THROTTLED, AT(energy_microjoules), 15869360, HOW_REPORTED},
    {THROTTLED, AT(engine_millipercent[ENGINE_jpeg]), 3000, HOW_REPORTED},
    {MI300, AT(ecc_corrected), UNKNOWN(not_reported), HOW_MEASURED},
    {MI300, AT(load_millipercent), 96000, HOW_REPORTED},
    {MI300, AT(vram_total_bytes), INT64_C(206141652992), 0},
    {MI300, AT(temperature_millicelsius[TEMPERATURE_EDGE]), UNKNOWN(not_reported), HOW_MEASURED},
    {MI300, AT(temperature_millicelsius[TEMPERATURE_HOTSPOT]), 49000, HOW_MEASURED},
    {MI300, AT(temperature_millicelsius[TEMPERATURE_MEMORY]), 43000, HOW_MEASURED},
    {MI300, AT(power_microwatts), 293000000, HOW_MEASURED},
    {MI300, AT(power_limit_microwatts), 750000000, HOW_MEASURED},
    {ABSURD, AT(load_millipercent), UNKNOWN(incredible_value), HOW_MEASURED},
    {ABSURD, AT(power_microwatts), UNKNOWN(incredible_value), HOW_MEASURED},
    {B580, AT(clock_hz[CLOCK_GRAPHICS]), INT64_C(2750000000), HOW_MEASURED},
    {B580, AT(max_clock_hz[CLOCK_GRAPHICS]), INT64_C(2850000000), HOW_MEASURED},
    {B580, AT(temperature_millicelsius[TEMPERATURE_EDGE]), 61000, HOW_MEASURED},
    {B580, AT(temperature_millicelsius[TEMPERATURE_MEMORY]), 62000, HOW_MEASURED},
    {B580, AT(power_microwatts), 40000000, HOW_MEASURED},
    {B580, AT(power_limit_microwatts), UNKNOWN(not_reported), HOW_MEASURED},
    {B580, AT(fan_rpm), 1120, HOW_MEASURED},
    {B580, AT(pcie_generation), 4, HOW_MEASURED},
    {B580, AT(pcie_width), 8, HOW_MEASURED},
    {B580, AT(vram_total_bytes), UNKNOWN(not_reported), 0},
    {A380, AT(clock_hz[CLOCK_GRAPHICS]), 0, HOW_MEASURED},
    {A380, AT(power_limit_microwatts), 55000000, HOW_MEASURED},
    {A380, AT(fan_rpm), 945, HOW_MEASURED},
    {A380, AT(pcie_generation), 4, HOW_MEASURED},
    {A380, AT(pcie_width), 8, HOW_MEASURED},
    {I915, AT(clock_hz[CLOCK_GRAPHICS]), 1050000000, HOW_MEASURED},
    {I915, AT(vram_total_bytes), UNKNOWN(unified_memory), 0},
    {I915, AT(pcie_width), UNKNOWN(not_supported), HOW_MEASURED},
    {PANTHOR, AT(clock_hz[CLOCK_GRAPHICS]), 1000000000, HOW_MEASURED},
    {PANTHOR, AT(vram_total_bytes), UNKNOWN(unified_memory), 0},
    {PANTHOR, AT(load_millipercent), UNKNOWN(not_reported), HOW_MEASURED},
};

static const struct identity_case {
    const char *name, *id, *product;
    enum adapter_kind kind;
    bool unified;
} identities[] = {
    {RDNA3, "AMD Radeon RX 7800 XT", ADAPTER_DISCRETE, false},
    {STRIX, "AMD Radeon 890M Graphics", ADAPTER_INTEGRATED, true},
    {ASLEEP, "AMD Radeon RX 7700S", ADAPTER_DISCRETE, false},
    {MI300, "AMD Instinct MI300X", ADAPTER_DISCRETE, false},
    {"amd-fork-shared-client", "pci:0000:0c:00.0", "Navi 21 [Radeon RX 6800/6800 XT / 6900 XT]",
     ADAPTER_DISCRETE, false},
    {"amd-shared-buffers", "pci:0000:04:00.0", "AMD Custom GPU 0405", ADAPTER_INTEGRATED, true},
    {"amd-legacy-5.15-percent", "pci:0000:08:00.0",
     "Ellesmere [Radeon RX 470/480/570/570X/580/580X/590]", ADAPTER_DISCRETE, false},
    {"amd-legacy-drm-memory", "pci:0000:08:00.0", "AMD Radeon RX 580 Series", ADAPTER_DISCRETE,
     false},
    {I915, "CometLake-U GT2 [UHD Graphics]", ADAPTER_INTEGRATED, true},
    {B580, "Battlemage G21 [Arc B580]", ADAPTER_DISCRETE, false},
    {PANTHOR, "rockchip,rk3588-mali", ADAPTER_INTEGRATED, true},
};

/* What is expected of the adapters of that machine besides figures. */
static void check_identities(const struct run *run, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(identities); i++) {
        const struct identity_case *want = &identities[i];
        if (strcmp(want->name, name) != 0) {
            continue;
        }
        const struct adapter_reading *got = adapter(run, want->id);
        if (!raw_equal_string(got->name, want->product) || got->kind != want->kind ||
            got->unified != want->unified) {
            fail_msg("%s: '%.*s' kind %d unified %d", name, (int)got->name.length, got->name.bytes,
                     got->kind, got->unified);
        }
    }
}

static void test_figures(void **state)
{
    (void)state;
    struct run run = {.frames = 0};
    const char *open = NULL;
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        if (open == NULL || strcmp(open, figures[i].name) != 0) {
            if (open != NULL) {
                run_close(&run);
            }
            open = figures[i].name;
            run_case(&run, open);
            check_identities(&run, open);
        }
        check_figure(&figures[i], adapter(&run, figures[i].id));
    }
    run_close(&run);
}

static bool has_figures(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        if (strcmp(figures[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The machines that test_figures does not open. */
static void test_identities(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(identities); i++) {
        struct run run;
        if (has_figures(identities[i].name)) {
            continue;
        }
        run_case(&run, identities[i].name);
        check_identities(&run, identities[i].name);
        run_close(&run);
    }
}

static void test_clients(void **state)
{
    (void)state;
    struct run run;
    run_case(&run, "amd-rdna3-private-client");
    const struct drm_client_reading *got = client(&run, 4242, 11);
    assert_int_equal(run.reading->client_count, 1);
    assert_string_equal(got->adapter_id, "pci:0000:03:00.0");
    assert_string_equal(got->node, "renderD128");
    assert_int_equal(got->state, DRM_CLIENT_READ);
    assert_true(got->has_client_id && got->has_shared_keys && got->missing_engine_is_zero);
    assert_false(got->primary_node);
    assert_int_equal(got->read_running_ns, INT64_C(102000000000));
    run_close(&run);

    run_case(&run, "amd-primary-node-compositor");
    size_t primary = 0;
    for (size_t i = 0; i < run.reading->client_count; i++) {
        primary += run.reading->clients[i].primary_node;
    }
    assert_true(primary >= 3);
    run_close(&run);

    run_case(&run, "amd-legacy-5.15-percent");
    assert_int_equal(client(&run, 2300, 41)->state, DRM_CLIENT_LEGACY);
    assert_false(client(&run, 2300, 41)->has_client_id);
    run_close(&run);

    run_case(&run, "amd-npu-accel-fd");
    assert_int_equal(run.reading->adapter_count, 1);
    assert_int_equal(run.reading->client_count, 1);
    assert_int_equal(run.reading->clients[0].holder.pid, 9200);
    run_close(&run);

    /* The display controller beside the GPU is none, so its client is no GPU client. */
    run_case(&run, "arm-panthor-profiling-off");
    assert_int_equal(run.reading->adapter_count, 1);
    assert_int_equal(run.reading->client_count, 1);
    assert_int_equal(run.reading->clients[0].regions[0].pool, DRM_POOL_SHARED);
    run_close(&run);
}

static void test_unified_video(void **state)
{
    (void)state;
    struct run run;
    run_case(&run, "amd-vcn4-unified-video");
    bool seen = false;
    for (size_t i = 0; i < run.reading->client_count; i++) {
        const struct drm_client_reading *got = &run.reading->clients[i];
        for (size_t k = 0; k < got->engine_count; k++) {
            if (strcmp(got->engines[k].name, "enc") == 0) {
                assert_int_equal(got->engines[k].column, ENGINE_video);
                seen = true;
            }
        }
        assert_int_equal(got->engine_columns >> ENGINE_decode & 1, 0);
    }
    assert_true(seen);
    assert_int_equal(adapter(&run, "pci:0000:03:00.0")->engine_millipercent[ENGINE_decode].why_not,
                     REASON_unified_ring);
    run_close(&run);
}

/* One package with eight nodes, not eight GPUs; KFD's word on its process. */
static void test_partitions(void **state)
{
    (void)state;
    struct run run;
    run_case(&run, "amd-mi300x-cpx-partition");
    assert_int_equal(run.reading->adapter_count, 1);
    assert_int_equal(run.reading->adapters[0].node_count, 9);
    assert_string_equal(client(&run, 31000, 9)->node, "renderD131");
    assert_string_equal(client(&run, 31000, 9)->adapter_id, "pci:0000:05:00.0");
    assert_int_equal(run.reading->kfd_process_count, 1);
    assert_int_equal(run.reading->kfd_processes[0].pid, 31000);
    assert_int_equal(run.reading->kfd_processes[0].vram_bytes.value, INT64_C(23622320128));
    run_close(&run);
}

/* A file cut short after its header is incomplete, not zero; one of a process that ended is
 * dropped. */
static void test_damaged_fdinfo(void **state)
{
    (void)state;
    struct run run;
    run_open(&run, "amd-rdna3-private-client", true);
    shell("printf 'pos:\\t0\\ndrm-driver:\\tamdgpu\\ndrm-client-id:\\t73\\n' > "
          "%s/0/proc/4242/fdinfo/11%s",
          run.folder, "");
    shell("rm %s/1/proc/4242/fdinfo/11%s", run.folder, "");
    run_sample(&run, 0);
    assert_int_equal(client(&run, 4242, 11)->state, DRM_CLIENT_INCOMPLETE);
    run_sample(&run, 1);
    assert_int_equal(run.reading->client_count, 0);
    shell("head -c 70000 /dev/zero | tr '\\0' 'x' > %s/1/proc/4242/fdinfo/11%s", run.folder, "");
    run_sample(&run, 2);
    assert_int_equal(client(&run, 4242, 11)->state, DRM_CLIENT_INCOMPLETE);
    run_close(&run);
}

/* "error": the device's power management gave up. It is not touched, and it does not sleep. */
static void test_unknown_power_state(void **state)
{
    (void)state;
    struct run run;
    run_open(&run, "amd-rdna3-private-client", true);
    shell("for f in $(find %s -name runtime_status -path '*0000:03:00.0*'); do echo error > $f; "
          "done%s",
          run.folder, "");
    run_sample(&run, 0);
    assert_int_equal(adapter(&run, "pci:0000:03:00.0")->power_state, POWER_UNKNOWN);
    assert_int_equal(adapter(&run, "pci:0000:03:00.0")->fan_rpm.why_not, REASON_call_failed);
    assert_true(adapter(&run, "pci:0000:03:00.0")->vram_used_bytes.known);
    assert_int_equal(client(&run, 4242, 11)->state, DRM_CLIENT_READ);
    run_close(&run);
}

/* The time asleep bounds the load where no counter may be read. A counter that stands still after
 * it has moved says that the GT was awake all the time; one that never moved says nothing. */
static void test_awake_all_the_time(void **state)
{
    (void)state;
    struct run run;
    run_open(&run, "intel-xe-b580", false);
    run_sample(&run, 0);
    run_sample(&run, 1);
    struct said load = adapter(&run, "pci:0000:0b:00.0")->load_millipercent;
    assert_true(load.how == HOW_ESTIMATED && load.value == 96750);
    run_sample(&run, 2); /* the files of sample 1 again, two seconds later */
    load = adapter(&run, "pci:0000:0b:00.0")->load_millipercent;
    assert_true(load.how == HOW_ESTIMATED && load.value == 100000);
    run_close(&run);
    run_open(&run, "intel-i915-igpu", false);
    run_sample(&run, 0);
    run_sample(&run, 1);
    run_sample(&run, 2);
    assert_int_equal(adapter(&run, "pci:0000:00:02.0")->load_millipercent.how, HOW_UNAVAILABLE);
    run_close(&run);
}

/* What would turn engine times on is said while they are off. */
static void test_profiling_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool said;
    } rows[] = {{"arm-panthor-profiling-off", true}, {"arm-panfrost-profiling-on", false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct run run;
        run_case(&run, rows[i].name);
        struct raw_text detail = run.reading->detail;
        char words[512];
        snprintf(words, sizeof words, "%.*s", (int)detail.length,
                 detail.bytes != NULL ? detail.bytes : "");
        assert_int_equal(strstr(words, "tee /sys/class/drm/renderD*/device/profiling") != NULL,
                         rows[i].said);
        run_close(&run);
    }
}

/* xe: reading the fdinfo of a sleeping card would wake it. */
static void test_sleeping_xe(void **state)
{
    (void)state;
    struct run run;
    run_open(&run, "intel-xe-b580", true);
    shell(
        "for f in $(find %s -name runtime_status -path '*0000:0b:00.0*'); do echo suspended > $f; "
        "done%s",
        run.folder, "");
    run_sample(&run, 0);
    assert_int_equal(run.reading->client_count, 2);
    assert_int_equal(client(&run, 8800, 9)->state, DRM_CLIENT_NOT_TOUCHED);
    assert_int_equal(adapter(&run, "pci:0000:0b:00.0")->power_state, POWER_SUSPENDED);
    assert_int_equal(adapter(&run, "pci:0000:0b:00.0")->fan_rpm.why_not, REASON_device_suspended);
    run_close(&run);
}

/* A driver that takes too long (a hung GPU's reservation) costs the rest of the clients, not the
 * pass. */
static void test_deadline(void **state)
{
    (void)state;
    struct run run;
    run_open(&run, "amd-rdna3-private-client", false);
    run.deadline_ns = 0;
    run_sample(&run, 0);
    assert_int_equal(client(&run, 4242, 11)->state, DRM_CLIENT_INCOMPLETE);
    assert_int_equal(run.reading->state, SOURCE_PARTIAL);
    assert_string_not_equal(run.reading->problem.text, "");
    assert_true(adapter(&run, "pci:0000:03:00.0")->vram_used_bytes.known);
    run_close(&run);
}

/* The walk is older than the read: a process that has ended meanwhile leaves without a word. */
static void test_ended_process(void **state)
{
    (void)state;
    struct run run;
    struct pass pass = {.deadline_ns = INT64_MAX, .one_shot = true};
    run_open(&run, "amd-rdna3-private-client", true);
    run_sample(&run, 0);
    assert_int_equal(run.reading->client_count, 1);
    shell("rm -rf %s/0/proc/4242%s", run.folder, "");
    reading_reset(run.reading, "drm");
    backend_drm.read(run.backend, run.machine, &pass, run.system, run.reading);
    assert_int_equal(run.reading->client_count, 0);
    assert_int_equal(run.reading->state, SOURCE_OK);
    run_close(&run);
}

static void test_no_gpu(void **state)
{
    (void)state;
    struct run run;
    run_open(&run, "amd-rdna3-private-client", true);
    shell("rm -rf %s/0/sys/class/drm%s", run.folder, "");
    run_sample(&run, 0);
    assert_int_equal(run.reading->adapter_count, 0);
    assert_int_equal(run.reading->state, SOURCE_ABSENT);
    assert_false(backend_drm.needs_walk(run.backend));
    run_sample(&run, 1);
    assert_int_equal(run.reading->adapter_count, 1);
    assert_true(backend_drm.needs_walk(run.backend));
    run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_clients),
        cmocka_unit_test(test_unified_video),
        cmocka_unit_test(test_partitions),
        cmocka_unit_test(test_damaged_fdinfo),
        cmocka_unit_test(test_unknown_power_state),
        cmocka_unit_test(test_awake_all_the_time),
        cmocka_unit_test(test_profiling_remedy),
        cmocka_unit_test(test_sleeping_xe),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_ended_process),
        cmocka_unit_test(test_no_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
