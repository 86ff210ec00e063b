/* Choosing adapters by what a person types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "snapshot/selection.h"
#include "snapshot/selector.h"

static struct adapter adapter(int64_t index, struct text id, struct text uuid, struct text name)
{
    return (struct adapter){.index = index, .id = id, .uuid = uuid, .name = name};
}

static void test_matches(void **state)
{
    (void)state;
    const struct adapter amd =
        adapter(1, TEXT("pci:0000:03:00.0"), TEXT_NONE, TEXT("AMD Radeon RX 7800 XT"));
    const struct adapter nvidia =
        adapter(0, TEXT("pci:000f:c3:00.0"), TEXT("GPU-7a1b2c3d-0000"), TEXT("NVIDIA GB10"));
    static const struct {
        const char *selector;
        bool amd, nvidia;
    } cases[] = {
        {"1", true, false},
        {"0", false, true},
        {"2", false, false},
        {"0000:03:00.0", true, false},
        {"03:00.0", true, false},
        {"3:00.0", false, false},
        {"00000000:03:00.0", true, false},
        {"pci:0000:03:00.0", true, false},
        {"0000000F:C3:00.0", false, true},
        {"000f:c3:00.0", false, true},
        {"c3:00.0", false, true},
        {"GPU-7a1b", false, true},
        {"gpu-7A1B", false, true},
        {"7a1b", false, false},
        {"radeon", true, false},
        {"7800", true, false},
        {"rx 7800", true, false},
        {"gb10", false, true},
        {"", false, false},
        {"pci:", true, true},
        {":", false, false},
        {"99999999999999999999", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (selector_matches(cases[i].selector, &amd) != cases[i].amd ||
            selector_matches(cases[i].selector, &nvidia) != cases[i].nvidia) {
            fail_msg("selector '%s'", cases[i].selector);
        }
    }
}

static void test_selection(void **state)
{
    (void)state;
    struct adapter adapters[] = {
        adapter(0, TEXT("pci:0000:01:00.0"), TEXT_NONE, TEXT("A")),
        adapter(1, TEXT("pci:0000:02:00.0"), TEXT_NONE, TEXT("B")),
        adapter(2, TEXT("uuid:MIG-1"), TEXT_NONE, TEXT("A MIG")),
    };
    adapters[2].parent = TEXT("pci:0000:01:00.0");
    struct gpu_use uses[] = {
        {.adapter_id = TEXT("pci:0000:01:00.0"), .vram_bytes = measured_known(5)},
        {.adapter_id = TEXT("pci:0000:02:00.0"), .vram_bytes = measured_known(0)},
    };
    struct process processes[] = {
        {.pid = 10, .gpus = uses, .gpu_count = 2},
        {.pid = 11, .gpus = uses + 1, .gpu_count = 1},
    };
    const struct snapshot snapshot = {
        .adapters = adapters, .adapter_count = 3, .processes = processes, .process_count = 2};
    static const char *const first[] = {"01:00.0"};
    static const char *const second[] = {"1"};
    static const int64_t pids[] = {11};
    const struct {
        struct selection selection;
        size_t adapters, processes, parts;
    } cases[] = {
        {{0}, 3, 2, 2},
        {{.selectors = first, .selector_count = 1}, 2, 1, 1}, /* with its MIG instance */
        {{.selectors = second, .selector_count = 1}, 1, 2, 1},
        {{.pids = pids, .pid_count = 1}, 3, 1, 1},
        {{.active_only = true}, 3, 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena *arena = arena_new();
        struct snapshot chosen = selection_apply(&cases[i].selection, &snapshot, arena);
        assert_int_equal(chosen.adapter_count, cases[i].adapters);
        assert_int_equal(chosen.process_count, cases[i].processes);
        assert_int_equal(chosen.processes[0].gpu_count, cases[i].parts);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_selection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
