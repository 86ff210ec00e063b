#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "rules/container_rows.h"
#include "rules/visible_devices.h"

#define DEVICE "pci:0000:01:00.0"
#define VRAM INT64_C(5393874944)

enum { PROCESSES_MAX = 8 };

/* What one refresh shows: local processes and NVML's words about one device. */
struct scene {
    struct adapter_reading adapter;
    struct process_reading processes[PROCESSES_MAX];
    struct walked_process walked[PROCESSES_MAX];
    struct nvml_listed_process listed[PROCESSES_MAX];
    struct nvml_process_sample samples[PROCESSES_MAX];
    struct system_reading system;
    struct nvml_seen nvml;
    struct nvml_rows rows;
    bool native;
};

static const struct device_file device_file = {.class = DEVICE_NVIDIA,
                                               .device_number = UINT64_C(195) << 32};
static const struct device_file control_file = {.class = DEVICE_NVIDIA_CONTROL,
                                                .device_number = UINT64_C(195) << 32 | 255};

static void scene_start(struct scene *scene, const char *driver)
{
    memset(scene, 0, sizeof *scene);
    strcpy(scene->adapter.id, DEVICE);
    scene->adapter.process_load_answered = true;
    scene->adapter.driver_version = raw_from_string(driver);
    scene->system.walk.ran = scene->system.walk.complete = true;
    scene->system.walk.processes = scene->walked;
    scene->system.processes = scene->processes;
    scene->nvml.adapters = &scene->adapter;
    scene->nvml.adapter_count = 1;
    scene->nvml.listed = scene->listed;
    scene->nvml.samples = scene->samples;
}

enum what { CUDA, TOOL, NOTHING, REFUSED };

static void add(struct scene *scene, int64_t pid, uint64_t stamp, enum what what)
{
    struct identity identity = identity_make(NAMESPACE_LOCAL, pid, stamp);
    scene->processes[scene->system.process_count++] = (struct process_reading){
        .identity = identity, .maps_gpu_runtime = what == CUDA, .maps_readable = what != REFUSED};
    if (what == NOTHING)
        return;
    scene->walked[scene->system.walk.process_count++] = (struct walked_process){
        .identity = identity,
        .access = what == REFUSED ? WALK_REFUSED : WALK_LISTED,
        .device_files = what == CUDA ? &device_file : &control_file,
        .device_file_count = what != REFUSED,
    };
}

static void list(struct scene *scene, int64_t pid, int64_t bytes, enum nvml_list where)
{
    struct nvml_listed_process *entry = &scene->listed[scene->nvml.listed_count++];
    *entry = (struct nvml_listed_process){
        .pid = pid, .list = where, .memory_bytes = measured_known(bytes)};
    strcpy(entry->adapter_id, DEVICE);
}

static void sample(struct scene *scene, int64_t pid, int64_t percent)
{
    struct nvml_process_sample *entry = &scene->samples[scene->nvml.sample_count++];
    *entry = (struct nvml_process_sample){.pid = pid, .sm = measured_known(percent)};
    strcpy(entry->adapter_id, DEVICE);
}

static const struct owned_row *step(struct container_rows *rows, struct arena *arena,
                                    struct scene *scene)
{
    nvml_processes(arena, &scene->nvml, &scene->rows);
    const struct container_seen seen = {
        .in_container = !scene->native,
        .system = &scene->system,
        .nvml = &scene->nvml,
        .rows = &scene->rows,
        .lists_answered = true,
    };
    return container_rows_step(rows, arena, &seen);
}

static const struct owned_row *row_of(const struct owned_row *owned, const struct scene *scene,
                                      int64_t pid)
{
    for (size_t i = 0; i < scene->rows.count; i++)
        if (owned[i].row.pid == pid)
            return &owned[i];
    return NULL;
}

static void assert_owner(const struct owned_row *row, enum pid_namespace space, int64_t pid,
                         uint64_t stamp, enum pair_mark mark)
{
    assert_non_null(row);
    assert_true(identity_equal(row->identity, identity_make(space, pid, stamp)));
    assert_int_equal(row->mark, mark);
}

static void test_outside_a_container(void **state)
{
    struct container_rows *rows = container_rows_new();
    struct scene scene;
    scene_start(&scene, "525.147.05");
    scene.native = true;
    add(&scene, 57, 570, NOTHING);
    list(&scene, 57, 0, NVML_LIST_COMPUTE);
    list(&scene, 31337, VRAM, NVML_LIST_COMPUTE);
    const struct owned_row *owned = step(rows, *state, &scene);
    assert_owner(row_of(owned, &scene, 57), NAMESPACE_LOCAL, 57, 570, PAIR_NONE);
    assert_true(row_of(owned, &scene, 57)->row.memory_bytes.known);
    assert_owner(row_of(owned, &scene, 31337), NAMESPACE_LOCAL, 31337, IDENTITY_NO_STAMP,
                 PAIR_NONE);
    container_rows_free(&rows);
}

/* A number that exists here by chance is not ours; a graphics-only pid is never paired. */
static void test_host_pids(void **state)
{
    struct container_rows *rows = container_rows_new();
    struct scene scene;
    scene_start(&scene, "440.33.01");
    add(&scene, 57, 610000, CUDA);
    add(&scene, 212, 720000, CUDA);
    add(&scene, 250, 800000, TOOL);
    add(&scene, 9980, 850000, NOTHING);
    list(&scene, 10121, 2, NVML_LIST_COMPUTE);
    list(&scene, 9980, 1, NVML_LIST_COMPUTE);
    list(&scene, 250, 3, NVML_LIST_GRAPHICS);
    sample(&scene, 9980, 55);
    const struct owned_row *owned = step(rows, *state, &scene);
    assert_owner(row_of(owned, &scene, 9980), NAMESPACE_LOCAL, 57, 610000, PAIR_MATCHED);
    assert_int_equal(row_of(owned, &scene, 9980)->row.load.value, 55);
    assert_int_equal(row_of(owned, &scene, 9980)->load_mark, PAIR_MATCHED);
    assert_owner(row_of(owned, &scene, 10121), NAMESPACE_LOCAL, 212, 720000, PAIR_MATCHED);
    assert_owner(row_of(owned, &scene, 250), NAMESPACE_HOST, 250, IDENTITY_NO_STAMP, PAIR_NONE);
    assert_null(row_of(owned, &scene, 250)->process);
    container_rows_free(&rows);
}

static void test_what_may_not_be_read_forbids_a_match(void **state)
{
    struct container_rows *rows = container_rows_new();
    struct scene scene;
    scene_start(&scene, "440.33.01");
    add(&scene, 57, 610000, CUDA);
    add(&scene, 60, 620000, REFUSED);
    list(&scene, 9980, VRAM, NVML_LIST_COMPUTE);
    const struct owned_row *owned = step(rows, *state, &scene);
    assert_owner(row_of(owned, &scene, 9980), NAMESPACE_LOCAL, 57, 610000, PAIR_GUESS);
    container_rows_free(&rows);
}

/* 535 to 565: no memory, and samples of the host. */
static void test_translated_lists(void **state)
{
    struct container_rows *rows = container_rows_new();
    struct scene scene;
    scene_start(&scene, "560.35.03");
    add(&scene, 324, 640000, CUDA);
    list(&scene, 324, 0, NVML_LIST_COMPUTE);
    sample(&scene, 645400, 13);
    const struct owned_row *owned = step(rows, *state, &scene);
    assert_owner(&owned[0], NAMESPACE_LOCAL, 324, 640000, PAIR_NONE);
    assert_int_equal(owned[0].row.memory_bytes.why_not, REASON_driver_hides);
    assert_int_equal(owned[0].load_mark, PAIR_MATCHED);
    assert_int_equal(owned[0].row.load.value, 13);
    /* A second host pid busy: one of the two is somebody else's. */
    sample(&scene, 645500, 20);
    owned = step(rows, *state, &scene);
    assert_int_equal(owned[0].load_mark, PAIR_GUESS);
    /* Nobody busy at all: idle for certain. */
    scene.nvml.sample_count = 0;
    owned = step(rows, *state, &scene);
    assert_int_equal(owned[0].load_mark, PAIR_NONE);
    assert_true(owned[0].row.load.known && owned[0].row.load.value == 0);
    container_rows_free(&rows);
}

/* 570 and later: samples of the listed are theirs, all others are strangers. */
static void test_translated_samples(void **state)
{
    struct container_rows *rows = container_rows_new();
    struct scene scene;
    scene_start(&scene, "570.86.15");
    add(&scene, 41, 640000, CUDA);
    add(&scene, 52, 650000, CUDA);
    list(&scene, 41, VRAM, NVML_LIST_COMPUTE);
    list(&scene, 52, VRAM, NVML_LIST_COMPUTE);
    sample(&scene, 1203344, 50);
    const struct owned_row *owned = step(rows, *state, &scene);
    assert_int_equal(row_of(owned, &scene, 52)->row.load.value, 0);
    assert_int_equal(row_of(owned, &scene, 52)->load_mark, PAIR_NONE);
    assert_int_equal(row_of(owned, &scene, 41)->row.memory_bytes.value, VRAM);
    container_rows_free(&rows);
}

/* A process of a translated list that ends between two reads turns nothing into host pids. */
static void test_an_end_is_no_host_pid(void **state)
{
    struct container_rows *rows = container_rows_new();
    struct scene scene;
    scene_start(&scene, "");
    add(&scene, 41, 640000, CUDA);
    add(&scene, 52, 650000, CUDA);
    list(&scene, 41, VRAM, NVML_LIST_COMPUTE);
    list(&scene, 52, VRAM, NVML_LIST_COMPUTE);
    step(rows, *state, &scene);
    scene.system.process_count = scene.system.walk.process_count = 1;
    const struct owned_row *owned = step(rows, *state, &scene);
    assert_owner(row_of(owned, &scene, 41), NAMESPACE_LOCAL, 41, 640000, PAIR_NONE);
    assert_owner(row_of(owned, &scene, 52), NAMESPACE_LOCAL, 52, IDENTITY_NO_STAMP, PAIR_NONE);
    container_rows_free(&rows);
}

/* An instance is named by its own UUID, or, before R470, by its parent's and two numbers (CUDA
 * documentation of MIG): the process is on that parent. */
static void test_visible_instances(void **state)
{
    (void)state;
    const struct adapter_reading adapters[] = {
        {.id = "pci:1", .name = raw_from_string("A100"), .uuid = raw_from_string("GPU-aaaa-1")},
        {.id = "pci:2", .name = raw_from_string("A100"), .uuid = raw_from_string("GPU-bbbb-2")},
        {.id = "uuid:MIG-cc", .parent_id = "pci:2", .uuid = raw_from_string("MIG-cccc-3")},
        {.id = "uuid:MIG-cd", .parent_id = "pci:1", .uuid = raw_from_string("MIG-cdcd-4")},
        {.id = "uuid:MIG-lost", .parent_id = "pci:9", .uuid = raw_from_string("MIG-eeee-5")},
    };
    static const struct {
        const char *value;
        uint64_t expected;
    } cases[] = {
        {"MIG-cccc-3", 2},
        {"MIG-cccc", 2},
        {"MIG-cdcd-4,MIG-cccc-3", 3},
        {"MIG-c", UINT64_MAX}, /* the beginning of two */
        {"MIG-zzzz", UINT64_MAX},
        {"MIG-eeee-5", UINT64_MAX}, /* its parent is not here */
        {"MIG-GPU-bbbb-2/3/0", 2},
        {"MIG-GPU-bbbb-2", UINT64_MAX},
        {"MIG-GPU-zzzz/3/0", UINT64_MAX},
        {"GPU-aaaa", 1},
        {"MIG-", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (visible_devices(raw_from_string(cases[i].value), adapters, 5, true) !=
            cases[i].expected)
            fail_msg("%s", cases[i].value);
}

static void test_visible_devices(void **state)
{
    (void)state;
    const struct adapter_reading adapters[] = {
        {.name = raw_from_string("Tesla T4"), .uuid = raw_from_string("GPU-aaaa-1")},
        {.name = raw_from_string("Tesla T4"), .uuid = raw_from_string("GPU-aabb-2")},
    };
    const struct adapter_reading mixed[] = {
        {.name = raw_from_string("Tesla T4"), .uuid = raw_from_string("GPU-aaaa-1")},
        {.name = raw_from_string("A100"), .uuid = raw_from_string("GPU-aabb-2")},
    };
    static const struct {
        const char *value;
        bool indexes_are_ours;
        uint64_t same, other; /* expected with both sets of adapters */
    } cases[] = {
        {"0", true, 1, UINT64_MAX},
        {" 1 , 0 ", true, 3, UINT64_MAX},
        {"1", false, UINT64_MAX, UINT64_MAX},
        {"1,7,0", true, 2, UINT64_MAX}, /* the first invalid one ends it */
        {"GPU-aabb", false, 2, 2},
        {"GPU-aa", true, UINT64_MAX, UINT64_MAX}, /* the beginning of two */
        {"all", false, UINT64_MAX, UINT64_MAX},
        {"", true, UINT64_MAX, UINT64_MAX},
        {"-1", true, UINT64_MAX, UINT64_MAX},
        {"none", false, UINT64_MAX, UINT64_MAX},
        {"MIG-1234", true, UINT64_MAX, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct raw_text value = raw_from_string(cases[i].value);
        assert_true(visible_devices(value, adapters, 2, cases[i].indexes_are_ours) ==
                    cases[i].same);
        assert_true(visible_devices(value, mixed, 2, cases[i].indexes_are_ours) == cases[i].other);
    }
}

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside_a_container),
        cmocka_unit_test(test_host_pids),
        cmocka_unit_test(test_what_may_not_be_read_forbids_a_match),
        cmocka_unit_test(test_translated_lists),
        cmocka_unit_test(test_translated_samples),
        cmocka_unit_test(test_an_end_is_no_host_pid),
        cmocka_unit_test(test_visible_devices),
        cmocka_unit_test(test_visible_instances),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
