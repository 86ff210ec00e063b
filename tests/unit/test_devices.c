/* Expected values: how CUDA, HIP and Vulkan count devices (CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER,
 * ROCR_ and HIP_VISIBLE_DEVICES in the vendors' manuals), and the bus ids of load logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/devices.h"

enum { A, B, C, AMD, IGPU, MIG_A, MIG_B, ADAPTERS };

/* Two equal NVIDIA cards, one unlike them, a Radeon, its processor's graphics, two MIG instances.
 */
static const struct adapter all[ADAPTERS] = {
    [A] = {.index = 0,
           .id = TEXT("pci:0000:01:00.0"),
           .uuid = TEXT("GPU-aaaaaaaa-1111"),
           .vendor = TEXT("nvidia"),
           .name = TEXT("NVIDIA GeForce RTX 3090"),
           .kind = ADAPTER_DISCRETE},
    [B] = {.index = 1,
           .id = TEXT("pci:0000:41:00.0"),
           .uuid = TEXT("GPU-bbbbbbbb-2222"),
           .vendor = TEXT("nvidia"),
           .name = TEXT("NVIDIA GeForce RTX 3090"),
           .kind = ADAPTER_DISCRETE},
    [C] = {.index = 2,
           .id = TEXT("pci:0000:0a:00.0"),
           .uuid = TEXT("GPU-cccccccc-3333"),
           .vendor = TEXT("nvidia"),
           .name = TEXT("NVIDIA GeForce RTX 5090"),
           .kind = ADAPTER_DISCRETE},
    [AMD] = {.index = 3,
             .id = TEXT("pci:0000:c3:00.0"),
             .uuid = TEXT("GPU-9f8e7d6c"),
             .vendor = TEXT("amd"),
             .name = TEXT("AMD Radeon RX 7900 XTX"),
             .kind = ADAPTER_DISCRETE},
    [IGPU] = {.index = 4,
              .id = TEXT("pci:0000:c4:00.0"),
              .vendor = TEXT("amd"),
              .name = TEXT("AMD Radeon 780M"),
              .kind = ADAPTER_INTEGRATED},
    [MIG_A] = {.index = 5,
               .id = TEXT("uuid:MIG-1"),
               .uuid = TEXT("MIG-11111111-a"),
               .vendor = TEXT("nvidia"),
               .name = TEXT("NVIDIA A100 MIG 1g.5gb"),
               .kind = ADAPTER_MIG,
               .parent = TEXT("pci:0000:0a:00.0")},
    [MIG_B] = {.index = 6,
               .id = TEXT("uuid:MIG-2"),
               .uuid = TEXT("MIG-22222222-b"),
               .vendor = TEXT("nvidia"),
               .name = TEXT("NVIDIA A100 MIG 1g.5gb"),
               .kind = ADAPTER_MIG,
               .parent = TEXT("pci:0000:0a:00.0")},
};

#define RAW(literal)                                                                               \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }
static const struct load_device logged[] = {
    {.name = RAW("CUDA0"),
     .description = RAW("NVIDIA GeForce RTX 3090"),
     .bus_id = RAW("00000000:41:00.0")},
    {.name = RAW("Vulkan0"), .description = RAW("AMD Radeon RX 7900 XTX (RADV NAVI31)")},
    {.name = RAW("Vulkan1"), .description = RAW("llvmpipe (LLVM 15.0.6, 256 bits)")},
    {.name = RAW("CUDA7"), .bus_id = RAW("0000:99:00.0")},
};

enum { NOBODY = -1, HOST = -2, REMOTE = -3 };
#define SET(...)                                                                                   \
    (const int[])                                                                                  \
    {                                                                                              \
        __VA_ARGS__, NOBODY                                                                        \
    }
#define KNOWN .known = true

static const struct row {
    const char *what, *name;
    const int *adapters; /* indices, ended by NOBODY */
    struct device_variables variables;
    bool has_log;
    int want; /* index, or NOBODY (ambiguous), HOST, REMOTE */
} rows[] = {
    {"host", "CPU_Mapped", SET(A), {KNOWN}, false, HOST},
    {"pinned", "CUDA_Host", SET(A), {KNOWN}, false, HOST},
    {"our word for it", "host", SET(A), {KNOWN}, false, HOST},
    {"remote", "RPC0[192.0.2.10:50052]", SET(A), {KNOWN}, false, REMOTE},
    {"remote without address", "RPC0", SET(A), {KNOWN}, false, REMOTE},
    {"the only card", "CUDA0", SET(A, AMD), {KNOWN}, false, A},
    {"the only card, environment unknown", "CUDA0", SET(A), {.known = false}, false, A},
    {"of another vendor", "CUDA0", SET(AMD), {KNOWN}, false, NOBODY},
    {"more than there are", "CUDA1", SET(A), {KNOWN}, false, NOBODY},
    {"no such family", "FOO0", SET(A), {KNOWN}, false, NOBODY},
    {"nothing", "", SET(A), {KNOWN}, false, NOBODY},
    {"equal cards, by address", "CUDA1", SET(B, A), {KNOWN}, false, B},
    {"equal cards, environment unknown", "CUDA1", SET(A, B), {.known = false}, false, NOBODY},
    {"unlike cards: fastest first, whichever that is", "CUDA0", SET(A, C), {KNOWN}, false, NOBODY},
    {"unlike cards by address",
     "CUDA1",
     SET(A, C),
     {KNOWN, .cuda_device_order = RAW("PCI_BUS_ID")},
     false,
     C},
    {"renumbered", "CUDA0", SET(A, B), {KNOWN, .cuda_visible_devices = RAW("1")}, false, B},
    {"renumbered, second",
     "CUDA1",
     SET(A, B),
     {KNOWN, .cuda_visible_devices = RAW("1, 0")},
     false,
     A},
    {"renumbered among unlike cards",
     "CUDA0",
     SET(A, C),
     {KNOWN, .cuda_visible_devices = RAW("1")},
     false,
     NOBODY},
    {"beyond the list",
     "CUDA1",
     SET(A, B),
     {KNOWN, .cuda_visible_devices = RAW("1")},
     false,
     NOBODY},
    {"a list that ends early",
     "CUDA1",
     SET(A, B),
     {KNOWN, .cuda_visible_devices = RAW("0,-1,1")},
     false,
     NOBODY},
    {"hidden", "CUDA0", SET(A), {KNOWN, .cuda_visible_devices = RAW("")}, false, NOBODY},
    {"an index that is not here",
     "CUDA0",
     SET(A),
     {KNOWN, .cuda_visible_devices = RAW("3")},
     false,
     NOBODY},
    {"by id",
     "CUDA0",
     SET(A, C),
     {KNOWN, .cuda_visible_devices = RAW("GPU-cccccccc-3333")},
     false,
     C},
    {"by the start of an id",
     "CUDA1",
     SET(A, C),
     {KNOWN, .cuda_visible_devices = RAW("GPU-aaaa,GPU-cccc")},
     false,
     C},
    {"a start too short to tell",
     "CUDA0",
     SET(A, C),
     {KNOWN, .cuda_visible_devices = RAW("GPU-")},
     false,
     NOBODY},
    {"an instance by id",
     "CUDA0",
     SET(C, MIG_A, MIG_B),
     {KNOWN, .cuda_visible_devices = RAW("MIG-22222222-b")},
     false,
     MIG_B},
    {"a card cut into instances", "CUDA0", SET(C, MIG_A, MIG_B), {KNOWN}, false, NOBODY},
    {"a card with one instance", "CUDA0", SET(C, MIG_A), {KNOWN}, false, MIG_A},
    {"HIP", "ROCm0", SET(A, AMD), {KNOWN}, false, AMD},
    {"HIP beside processor graphics", "ROCm0", SET(AMD, IGPU), {KNOWN}, false, NOBODY},
    {"HIP filtered by id",
     "ROCm0",
     SET(AMD, IGPU),
     {KNOWN, .rocr_visible_devices = RAW("GPU-9f8e7d6c")},
     false,
     AMD},
    {"HIP counts what ROCR leaves",
     "ROCm0",
     SET(AMD, IGPU),
     {KNOWN, .hip_visible_devices = RAW("0"), .rocr_visible_devices = RAW("GPU-9f8e7d6c")},
     false,
     AMD},
    {"HIP counts beyond what ROCR leaves",
     "ROCm0",
     SET(AMD, IGPU),
     {KNOWN, .hip_visible_devices = RAW("1"), .rocr_visible_devices = RAW("GPU-9f8e7d6c")},
     false,
     NOBODY},
    {"Vulkan, one card", "Vulkan0", SET(AMD), {KNOWN}, false, AMD},
    {"Vulkan, two cards", "Vulkan0", SET(A, AMD), {KNOWN}, false, NOBODY},
    {"Vulkan, by the name in the log", "Vulkan0", SET(A, AMD), {KNOWN}, true, AMD},
    {"a software renderer", "Vulkan1", SET(A, AMD), {KNOWN}, true, HOST},
    {"a bus id wins over any order",
     "CUDA0",
     SET(A, B),
     {KNOWN, .cuda_visible_devices = RAW("0")},
     true,
     B},
    {"a bus id of another machine", "CUDA7", SET(A, B), {KNOWN}, true, NOBODY},
    {"rows over all cards", "CUDA_Split", SET(A, B), {KNOWN}, false, NOBODY},
    {"rows over the only card", "CUDA_Split", SET(A), {KNOWN}, false, A},
    {"our own index", "GPU3", SET(A, AMD), {KNOWN}, false, AMD},
    {"our own index, absent", "GPU9", SET(A, AMD), {KNOWN}, false, NOBODY},
    {"a card without a number", "GPU", SET(AMD), {KNOWN}, false, AMD},
};

static void test_find(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct adapter adapters[ADAPTERS];
        struct arena *arena = arena_new();
        struct device_scene scene = {.adapters = adapters, .variables = rows[i].variables};
        for (const int *at = rows[i].adapters; *at != NOBODY; at++) {
            adapters[scene.adapter_count++] = all[*at];
        }
        if (rows[i].has_log) {
            scene.logged = logged;
            scene.logged_count = sizeof logged / sizeof *logged;
        }
        struct device_found found = device_find(arena, &scene, raw_from_string(rows[i].name));
        int got = found.place == DEVICE_HOST     ? HOST
                  : found.place == DEVICE_REMOTE ? REMOTE
                                                 : NOBODY;
        for (int k = 0; found.place == DEVICE_ADAPTER && k < ADAPTERS; k++) {
            got = text_equal(found.adapter->id, all[k].id) ? k : got;
        }
        if (got != rows[i].want) {
            fail_msg("%s: got %d (%s), want %d", rows[i].what, got, found.reason.utf8,
                     rows[i].want);
        }
        assert_true(found.reason.size > 0);
        arena_free(&arena);
    }
}

static void test_remote_says_where(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    const struct device_scene scene = {.adapters = all, .adapter_count = 1};
    struct device_found found =
        device_find(arena, &scene, raw_from_string("RPC0[192.0.2.10:50052]"));
    assert_true(text_equal_string(found.reason, "192.0.2.10:50052"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_remote_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
