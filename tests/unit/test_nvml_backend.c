/* The program's side of NVML: which cards there are, whether they may be asked, and what an NVML
 * that refuses means. On trees of files made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/backend.h"
#include "gpu/helper/serve.h"
#include "gpu/nvml/nvidia_pci.h"
#include "gpu/nvml/nvml_lines.h"
#include "gpu/nvml/nvml_wake.h"
#include "gpu/nvml/nvml_words.h"
#include "gpu/nvml/tegra.h"

enum { PATH_SIZE = 256 };
static const int64_t second_ns = 1000000000;

/* ---- a small machine ---- */

struct tree {
    char folder[32];
    struct machine machine;
    struct machine_ops ops;
    struct pass pass;
    struct backend_state *state;
    struct reading *reading;
};

static enum machine_mode mode_now = MODE_NATIVE;
static enum machine_mode tell_mode(struct machine *machine)
{
    (void)machine;
    return mode_now;
}

static void make_parents(const char *path)
{
    char part[PATH_SIZE];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0755);
    }
}

static void put(const struct tree *tree, const char *name, const char *content)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", tree->folder, name);
    make_parents(path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void put_card(const struct tree *tree, const char *address, const char *class,
                     const char *status, const char *control, const char *driver)
{
    char name[PATH_SIZE], path[PATH_SIZE], target[PATH_SIZE];
    const char *const files[][2] = {{"vendor", "0x10de\n"},           {"class", class},
                                    {"device", "0x2684\n"},           {"revision", "0xa1\n"},
                                    {"power/runtime_status", status}, {"power/control", control}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(name, sizeof name, "sys/bus/pci/devices/%s/%s", address, files[i][0]);
        put(tree, name, files[i][1]);
    }
    if (driver == NULL)
        return;
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/driver", tree->folder, address);
    snprintf(target, sizeof target, "../../../bus/pci/drivers/%s", driver);
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
}

static void start(struct tree *tree)
{
    memset(tree, 0, sizeof *tree);
    snprintf(tree->folder, sizeof tree->folder, "/tmp/nvml_tree_XXXXXX");
    assert_non_null(mkdtemp(tree->folder));
    tree->ops.mode = tell_mode;
    tree->machine =
        (struct machine){.ops = &tree->ops, .system = "linux", .recorded = true, .self_pid = 77};
    tree->machine.root = root_open(tree->folder);
    tree->pass = (struct pass){.running_ns = 100 * second_ns, .interval_ns = second_ns};
    tree->state = backend_nvml.open(&tree->machine);
    tree->reading = reading_new("nvml");
    setenv("GPUTASKMAN_NVML", "/proc/self/exe", 1); /* some file that can be opened */
}

static void end(struct tree *tree)
{
    char command[64];
    backend_nvml.close(&tree->state);
    reading_free(&tree->reading);
    root_close(&tree->machine.root);
    snprintf(command, sizeof command, "rm -r %s", tree->folder);
    assert_int_equal(system(command), 0);
    unsetenv("GPUTASKMAN_NVML");
    mode_now = MODE_NATIVE;
}

static bool asks(struct tree *tree)
{
    reading_reset(tree->reading, "nvml");
    return backend_nvml.should_ask(tree->state, &tree->machine, &tree->pass, tree->reading);
}

static bool reads(struct tree *tree, const char *lines)
{
    reading_reset(tree->reading, "nvml");
    return backend_nvml.read_answer(tree->state, raw_from_string(lines), tree->reading);
}

/* ---- which cards ---- */

static void test_functions(void **state)
{
    (void)state;
    struct tree tree;
    struct nvidia_functions functions;
    start(&tree);
    put_card(&tree, "0000:02:00.0", "0x030200\n", "active\n", "on\n", "nvidia");
    put_card(&tree, "0000:01:00.0", "0x030000\n", "suspended\n", "auto\n", "nvidia");
    put_card(&tree, "0000:01:00.1", "0x040300\n", "active\n", "auto\n", "snd_hda_intel");
    put_card(&tree, "0000:03:00.0", "0x030000\n", "suspended\n", "auto\n", "nouveau");
    put_card(&tree, "0000:04:00.0", "0x030000\n", "unsupported\n", "auto\n", NULL);
    put(&tree, "sys/bus/pci/devices/0000:05:00.0/vendor", "0x1002\n");
    put(&tree, "sys/bus/pci/devices/0000:06:00.0/vendor", "garbage");
    nvidia_functions_read(tree.machine.root, &functions);
    assert_int_equal(functions.count, 3);
    assert_string_equal(functions.items[0].id, "pci:0000:01:00.0");
    assert_true(functions.items[0].is_suspended && functions.items[0].may_sleep);
    assert_int_equal(functions.items[0].device, 0x2684);
    assert_int_equal(functions.items[0].revision, 0xa1);
    assert_true(functions.items[0].has_driver);
    assert_string_equal(functions.items[1].id, "pci:0000:02:00.0");
    assert_false(functions.items[1].is_suspended || functions.items[1].may_sleep);
    assert_false(functions.items[2].may_sleep || functions.items[2].has_driver);
    nvidia_functions_read(NULL, &functions);
    assert_int_equal(functions.count, 0);
    end(&tree);
}

/* Lines as nv-procfs.c prints them. */
static void test_minor_of_information(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int minor; /* -1: not told */
    } rows[] = {
        {"Model: \t\t NVIDIA A100\nIRQ:   \t\t 160\nDevice Minor: \t 3\nGPU Excluded:\t No\n", 3},
        {"Device Minor: \t 0\n", 0},
        {"Bus Location: \t 0000:01:00.0\n", -1},
        {"Device Minor: \t ?\n", -1},
        {"Device Minor: \t 4294967296\n", -1},
        {"Device Minor: \t 255\n", -1}, /* nvidiactl's */
        {"", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t minor = 99;
        bool told = nvidia_minor_of(raw_from_string(rows[i].text), &minor);
        assert_int_equal(told ? (int)minor : -1, rows[i].minor);
    }
}

/* The driver asks the GPU for that file: only of one that is awake and the driver's own. */
static void test_minor_of_awake_cards(void **state)
{
    (void)state;
    struct tree tree;
    struct nvidia_functions functions;
    start(&tree);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "suspended\n", "auto\n", "nvidia");
    put_card(&tree, "0000:02:00.0", "0x030200\n", "active\n", "on\n", "nvidia");
    put_card(&tree, "0000:04:00.0", "0x030000\n", "active\n", "auto\n", NULL);
    put(&tree, "proc/driver/nvidia/gpus/0000:01:00.0/information", "Device Minor: \t 0\n");
    put(&tree, "proc/driver/nvidia/gpus/0000:02:00.0/information", "Device Minor: \t 1\n");
    put(&tree, "proc/driver/nvidia/gpus/0000:04:00.0/information", "Device Minor: \t 2\n");
    nvidia_functions_read(tree.machine.root, &functions);
    assert_int_equal(functions.count, 3);
    assert_false(functions.items[0].has_minor || functions.items[2].has_minor);
    assert_true(functions.items[1].has_minor);
    assert_int_equal(functions.items[1].minor, 1);
    end(&tree);
}

/* ---- whether to ask ---- */

static void test_a_tree_without_sys_is_asked(void **state)
{
    (void)state;
    struct tree tree;
    start(&tree);
    assert_true(asks(&tree));
    end(&tree);
}

static void test_nothing_to_load(void **state)
{
    (void)state;
    struct tree tree;
    start(&tree);
    setenv("GPUTASKMAN_NVML", "/nonexistent", 1);
    assert_false(asks(&tree));
    assert_int_equal(tree.reading->state, SOURCE_ABSENT);
    assert_non_null(strstr(tree.reading->problem.text, "/nonexistent"));
    unsetenv("GPUTASKMAN_NVML");
    assert_false(asks(&tree)); /* never the real library for a recorded machine */
    tree.machine.recorded = false;
    assert_false(asks(&tree));
    assert_int_equal(tree.reading->state, SOURCE_ABSENT);
    assert_int_equal(tree.reading->adapter_count, 0);
    put(&tree, "usr/lib/wsl/lib/libnvidia-ml.so.1", "");
    assert_false(asks(&tree)); /* looked for every 10 s */
    tree.pass.running_ns += 10 * second_ns;
    assert_true(asks(&tree));
    end(&tree);
}

static void test_a_sleeping_card_is_left_alone(void **state)
{
    (void)state;
    struct tree tree;
    start(&tree);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "suspended\n", "auto\n", "nvidia");
    put_card(&tree, "0000:02:00.0", "0x030000\n", "active\n", "on\n", "nvidia");
    assert_false(asks(&tree));
    assert_int_equal(tree.reading->state, SOURCE_OFF);
    assert_int_equal(tree.reading->code, REASON_device_suspended);
    assert_int_equal(tree.reading->adapter_count, 2);
    const struct adapter_reading *card = &tree.reading->adapters[0];
    assert_string_equal(card->id, "pci:0000:01:00.0");
    assert_int_equal(card->power_state, POWER_SUSPENDED);
    assert_int_equal(card->vram_total_bytes.why_not, REASON_device_suspended);
    assert_int_equal(card->pci_device, 0x2684);
    const char name[] = "NVIDIA 10de:2684 rev a1"; /* this tree has no list of ids */
    assert_int_equal(card->name.length, strlen(name));
    assert_memory_equal(card->name.bytes, name, strlen(name));
    strcpy(tree.pass.touch[0], "pci:0000:03:00.0");
    tree.pass.touch_count = 1;
    assert_false(asks(&tree));
    strcpy(tree.pass.touch[0], "pci:0000:01:00.0");
    assert_true(asks(&tree));
    end(&tree);
}

#define ONE_CARD                                                                                   \
    "nvml\tversion=1\tloaded=1\tdriver=550.1\nadapter\tid=pci:0000:01:00.0\tname=RTX\tkind=1\t"    \
    "power_state=1\tload="

static void test_an_unused_card_is_given_back(void **state)
{
    (void)state;
    struct tree tree;
    start(&tree);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "active\n", "auto\n", "nvidia");
    for (int i = 0; i < 5; i++, tree.pass.running_ns += second_ns) {
        assert_true(asks(&tree));
        assert_true(reads(&tree, ONE_CARD "0\nprocess\tadapter=pci:0000:01:00.0\tpid=77\n"));
    }
    assert_true(asks(&tree));
    assert_true(reads(&tree, ONE_CARD "0\n"));
    assert_false(asks(&tree)); /* idle for 5 s */
    assert_int_equal(tree.reading->state, SOURCE_OFF);
    assert_int_equal(tree.reading->adapters[0].name.length, 3); /* known from before */
    assert_int_equal(tree.reading->adapters[0].power_state, POWER_ACTIVE);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "suspended\n", "auto\n", "nvidia");
    tree.pass.running_ns += 60 * second_ns;
    assert_false(asks(&tree));
    assert_int_equal(tree.reading->adapters[0].power_state, POWER_SUSPENDED);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "active\n", "auto\n", "nvidia");
    assert_true(asks(&tree)); /* somebody else woke it */
    end(&tree);
}

static void test_wake(void **state)
{
    (void)state;
    struct nvml_wake_state wake = {0};
    struct nvml_wake_seen seen = {.all_may_sleep = true};
    for (int i = 0; i <= 5; i++, seen.running_ns += second_ns)
        nvml_wake_answered(&wake, &seen, i != 3);
    assert_int_equal(nvml_wake_step(&wake, &seen), NVML_WAKE_ASK); /* busy in between */
    for (int i = 0; i < 4; i++, seen.running_ns += second_ns)
        nvml_wake_answered(&wake, &seen, true);
    assert_int_equal(nvml_wake_step(&wake, &seen), NVML_WAKE_RELEASED);
    seen.running_ns += 29 * second_ns;
    assert_int_equal(nvml_wake_step(&wake, &seen), NVML_WAKE_ASK); /* others keep it awake */
    for (int i = 0; i < 20; i++, seen.running_ns += second_ns)
        nvml_wake_answered(&wake, &seen, true);
    assert_int_equal(nvml_wake_step(&wake, &seen), NVML_WAKE_ASK);
    seen.all_may_sleep = false;
    wake = (struct nvml_wake_state){0};
    for (int i = 0; i < 20; i++, seen.running_ns += second_ns)
        nvml_wake_answered(&wake, &seen, true);
    assert_int_equal(nvml_wake_step(&wake, &seen), NVML_WAKE_ASK); /* control is on */
}

/* ---- what an answer means ---- */

static void test_answers(void **state)
{
    (void)state;
    struct tree tree;
    start(&tree);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "active\n", "on\n", "nvidia");
    put_card(&tree, "0000:02:00.0", "0x030000\n", "active\n", "on\n", "nvidia");
    assert_true(asks(&tree));
    assert_false(reads(&tree, ""));
    assert_false(reads(&tree, "nvml\tversion=1\nadapter\tload=x\n"));
    assert_true(reads(&tree, ONE_CARD "5\n"));
    assert_int_equal(tree.reading->state, SOURCE_OK);
    assert_int_equal(tree.reading->adapters[0].pci_revision, 0xa1);
    assert_false(tree.reading->adapters[0].pci_revision_unknown);
    assert_string_equal(tree.reading->adapters[0].source, "nvml");
    /* A device that never answered is told from its place on the bus. */
    assert_true(reads(&tree, ONE_CARD "5\nadapter\tindex=1\tpower_state=3\t"
                                      "figures_why_not=device_lost\n"));
    assert_int_equal(tree.reading->state, SOURCE_PARTIAL);
    assert_int_equal(tree.reading->code, REASON_device_lost);
    assert_string_equal(tree.reading->adapters[1].id, "pci:0000:02:00.0");
    /* NVML tells no revision, and where the bus does not show the card nobody does. */
    assert_true(reads(&tree, ONE_CARD "5\nadapter\tid=pci:0000:09:00.0\tindex=1\tpower_state=1\t"
                                      "has_pci_ids=1\tpci_vendor=4318\n"));
    assert_true(tree.reading->adapters[1].pci_revision_unknown);
    assert_true(reads(&tree, ONE_CARD "5\tcompute_list_unknown=1\t"
                                      "compute_list_why_not=call_failed\n"));
    assert_int_equal(tree.reading->state, SOURCE_PARTIAL);
    end(&tree);
}

static void test_refusals(void **state)
{
    (void)state;
    struct tree tree;
    start(&tree);
    put(&tree, "proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build\n");
    assert_true(asks(&tree));
    assert_true(reads(&tree, "nvml\tversion=1\tloaded=1\tcode=18\tfile_version=570.124.04\n"));
    assert_int_equal(tree.reading->state, SOURCE_FAILED);
    assert_non_null(strstr(tree.reading->problem.text, "570.124.06"));
    assert_non_null(strstr(tree.reading->problem.text, "570.124.04"));
    assert_true(reads(&tree, "nvml\tversion=1\tloaded=1\tcode=9\n"));
    assert_int_equal(tree.reading->state, SOURCE_FAILED);
    mode_now = MODE_CONTAINER;
    assert_true(reads(&tree, "nvml\tversion=1\tloaded=1\tcode=999\n"));
    assert_non_null(strstr(tree.reading->problem.text, "container has lost access"));
    mode_now = MODE_NATIVE;
    assert_true(reads(&tree, "nvml\tversion=1\tloaded=1\tcode=999\n"));
    assert_null(strstr(tree.reading->problem.text, "container"));
    assert_true(reads(&tree, "nvml\tversion=1\tcode=12\twords=cannot open\n"));
    assert_int_equal(tree.reading->state, SOURCE_ABSENT);
    end(&tree);
}

static void test_module_version(void **state)
{
    (void)state;
    static const struct {
        const char *content, *version;
    } cases[] = {
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\n"
         "GCC version:  gcc version 12.2.0\n",
         "535.54.03"},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release",
         "570.124.06"},
        {"", ""},
        {"NVRM version: none\n1.2.3\n", ""},
        {"....", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char version[32];
        nvml_module_version_of(raw_from_string(cases[i].content), version, sizeof version);
        assert_string_equal(version, cases[i].version);
    }
}

static void test_version_of_file(void **state)
{
    (void)state;
    char version[32];
    nvml_version_of_file("/usr/lib/libnvidia-ml.so.570.124.04", version, sizeof version);
    assert_string_equal(version, "570.124.04");
    nvml_version_of_file("/usr/lib/libnvidia-ml.so.1", version, sizeof version);
    assert_string_equal(version, "");
    nvml_version_of_file("/opt/x.so.1/libnvidia-ml.so.bak.1", version, sizeof version);
    assert_string_equal(version, "");
    nvml_version_of_file("", version, sizeof version);
    assert_string_equal(version, "");
}

/* Per mille in nvgpu's file, thousandths of a degree in the zone: only where NVML has nothing. */
static void test_jetson(void **state)
{
    (void)state;
    static const struct {
        const char *what, *load, *type;
        bool unified;
        enum reason nvml_load, nvml_temperature;
        int64_t load_millipercent, millicelsius; /* -1: unknown */
    } rows[] = {
        {"Orin", "437\n", "gpu-thermal\n", true, REASON_not_supported, REASON_not_supported, 43700,
         51250},
        {"Xavier", "0\n", "GPU-therm\n", true, REASON_not_supported, REASON_not_supported, 0,
         51250},
        {"a value that cannot be", "65535\n", "CPU-therm\n", true, REASON_not_supported,
         REASON_not_supported, -1, -1},
        {"no file", NULL, NULL, true, REASON_not_supported, REASON_not_supported, -1, -1},
        {"a card of its own", "437\n", "gpu-thermal\n", false, REASON_not_supported,
         REASON_not_supported, -1, -1},
        {"a call that failed may answer again", "437\n", "gpu-thermal\n", true, REASON_call_failed,
         REASON_not_supported, -1, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tree tree;
        struct tegra tegra = {0};
        struct adapter_reading adapter = {.unified = rows[i].unified};
        struct said *edge = &adapter.temperature_millicelsius[TEMPERATURE_EDGE];
        adapter.load_millipercent = said_unknown(rows[i].nvml_load);
        *edge = said_unknown(rows[i].nvml_temperature);
        start(&tree);
        if (rows[i].load != NULL)
            put(&tree, "sys/devices/platform/bus@0/17000000.gpu/load", rows[i].load);
        if (rows[i].type != NULL) {
            put(&tree, "sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
            put(&tree, "sys/class/thermal/thermal_zone0/temp", "99000\n");
            put(&tree, "sys/class/thermal/thermal_zone1/type", rows[i].type);
            put(&tree, "sys/class/thermal/thermal_zone1/temp", "51250\n");
        }
        tegra_complete(&tegra, tree.machine.root, &adapter);
        struct said load = adapter.load_millipercent;
        if ((load.how == HOW_UNAVAILABLE ? -1 : load.value) != rows[i].load_millipercent ||
            (edge->how == HOW_UNAVAILABLE ? -1 : edge->value) != rows[i].millicelsius)
            fail_msg("%s", rows[i].what);
        if (load.how != HOW_UNAVAILABLE)
            assert_int_equal(load.how, HOW_REPORTED);
        end(&tree);
    }
}

static void put_display(const struct tree *tree, const char *compatible)
{
    static const char folder[] = "sys/devices/platform/bus@0/13800000.display";
    char name[PATH_SIZE], text[128], path[PATH_SIZE];
    snprintf(name, sizeof name, "%s/uevent", folder);
    snprintf(text, sizeof text, "DRIVER=nv_platform\nOF_COMPATIBLE_0=%s\n", compatible);
    put(tree, name, text);
    snprintf(name, sizeof name, "%s/drm/card0/dev", folder);
    put(tree, name, "226:0\n");
    put(tree, "sys/class/drm/version", "drm 1.1.0 20060810\n");
    snprintf(path, sizeof path, "%s/sys/class/drm/card0", tree->folder);
    assert_int_equal(symlink("../../devices/platform/bus@0/13800000.display/drm/card0", path), 0);
}

/* The GPU of an Orin has no PCI address, and is also a card of DRM. */
static void test_jetson_display(void **state)
{
    (void)state;
    static const struct {
        const char *what, *compatible; /* NULL: no DRM card */
        const char *id;
        bool unified;
        size_t adapters;
        const char *want;
    } rows[] = {
        {"Orin", "nvidia,tegra234-display", "uuid:GPU-1", true, 1, "platform:13800000.display"},
        {"no DRM driver", NULL, "uuid:GPU-1", true, 1, "uuid:GPU-1"},
        {"video only", "nvidia,tegra234-host1x", "uuid:GPU-1", true, 1, "uuid:GPU-1"},
        {"it has an address", "nvidia,tegra264-display", "pci:0000:01:00.0", true, 1,
         "pci:0000:01:00.0"},
        {"a card without address", "nvidia,tegra234-display", "uuid:GPU-1", false, 1, "uuid:GPU-1"},
        {"which of two", "nvidia,tegra234-display", "uuid:GPU-1", true, 2, "uuid:GPU-1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tree tree;
        struct adapter_reading adapters[2] = {{.unified = rows[i].unified}};
        struct nvml_listed_process listed = {.pid = 7};
        struct nvml_process_sample sample = {.pid = 7};
        struct nvml_answer answer = {.adapters = {adapters, rows[i].adapters, 2},
                                     .listed = {&listed, 1, 1},
                                     .samples = {&sample, 1, 1}};
        snprintf(adapters[0].id, sizeof adapters[0].id, "%s", rows[i].id);
        memcpy(listed.adapter_id, adapters[0].id, sizeof listed.adapter_id);
        memcpy(sample.adapter_id, adapters[0].id, sizeof sample.adapter_id);
        start(&tree);
        if (rows[i].compatible != NULL)
            put_display(&tree, rows[i].compatible);
        else
            put(&tree, "sys/class/drm/version", "drm 1.1.0 20060810\n");
        tegra_use_display_id(tree.machine.root, &answer);
        if (strcmp(adapters[0].id, rows[i].want) != 0 ||
            strcmp(listed.adapter_id, rows[i].want) != 0 ||
            strcmp(sample.adapter_id, rows[i].want) != 0)
            fail_msg("%s: %s", rows[i].what, adapters[0].id);
        end(&tree);
    }
}

static void test_request(void **state)
{
    (void)state;
    char line[SERVE_REQUEST_SIZE];
    struct nvml_request request;
    struct tree tree;
    start(&tree);
    put_card(&tree, "0000:01:00.0", "0x030000\n", "active\n", "on\n", "nvidia");
    put_card(&tree, "0000:02:00.0", "0x030000\n", "active\n", "on\n", NULL);
    assert_true(asks(&tree));
    const struct pass pass = {.number = 4,
                              .wall_ns = 1623157630200000500,
                              .running_ns = 5,
                              .interval_ns = 6,
                              .one_shot = true,
                              .wanted = {.pcie_rates = true}};
    backend_nvml.write_request(tree.state, &pass, line, sizeof line);
    assert_true(nvml_request_read(raw_from_string(line), &request));
    assert_true(request.wall_us == 1623157630200000);
    assert_true(request.number == 4 && request.everything && request.pcie_rates);
    assert_int_equal(request.bus_gpus, 1); /* those that the driver holds */
    end(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_minor_of_information),
        cmocka_unit_test(test_minor_of_awake_cards),
        cmocka_unit_test(test_a_tree_without_sys_is_asked),
        cmocka_unit_test(test_nothing_to_load),
        cmocka_unit_test(test_a_sleeping_card_is_left_alone),
        cmocka_unit_test(test_an_unused_card_is_given_back),
        cmocka_unit_test(test_wake),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_module_version),
        cmocka_unit_test(test_version_of_file),
        cmocka_unit_test(test_jetson),
        cmocka_unit_test(test_jetson_display),
        cmocka_unit_test(test_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
