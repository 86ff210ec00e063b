/* Expected values: SPEC section 6 (measured or matched memory, VRAM plus shared on unified, minus
 * what the models explain; never negative). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/reconcile.h"

static const struct adapter adapters[] = {
    {.id = TEXT("pci:a")},
    {.id = TEXT("pci:u"), .memory = {.unified = true}},
};

static struct model_device on(const char *device, const char *adapter, double weights, enum how how)
{
    struct model_device result = {.device = {device, strlen(device)},
                                  .weights_bytes = figure_known(weights, how)};
    if (adapter) {
        result.adapter_id = (struct text){adapter, strlen(adapter)};
    }
    return result;
}

struct row {
    const char *what;
    struct gpu_use use;
    struct model_device devices[3];
    size_t device_count;
    bool no_models;
    enum reconcile_verdict verdict;
    double explained, unexplained; /* -1: unavailable */
    enum how how;                  /* of unexplained */
    int64_t over;
};

static void test_rows(void **state)
{
    (void)state;
    const struct row rows[] = {
        {.what = "the rest",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(1000)},
         .devices = {on("CUDA0", "pci:a", 700, HOW_REPORTED), on("host", NULL, 900, HOW_REPORTED)},
         .device_count = 2,
         .verdict = RECONCILE_EXPLAINED,
         .explained = 700,
         .unexplained = 300,
         .how = HOW_REPORTED},
        {.what = "estimated parts make an estimated rest",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(1000)},
         .devices = {on("CUDA0", "pci:a", 700, HOW_ESTIMATED)},
         .device_count = 1,
         .verdict = RECONCILE_EXPLAINED,
         .explained = 700,
         .unexplained = 300,
         .how = HOW_ESTIMATED},
        {.what = "matched memory makes an inferred rest",
         .use = {.adapter_id = TEXT("pci:a"),
                 .vram_inferred_bytes = figure_known(1000, HOW_INFERRED),
                 .inferred_by = INFERRED_MATCHED},
         .devices = {on("CUDA0", "pci:a", 700, HOW_REPORTED)},
         .device_count = 1,
         .verdict = RECONCILE_EXPLAINED,
         .explained = 700,
         .unexplained = 300,
         .how = HOW_INFERRED},
        {.what = "never negative",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(1000)},
         .devices = {on("CUDA0", "pci:a", 1200, HOW_ESTIMATED)},
         .device_count = 1,
         .verdict = RECONCILE_OVER,
         .explained = 1000,
         .unexplained = 0,
         .how = HOW_ESTIMATED,
         .over = 200},
        {.what = "shared memory is not spill on a unified adapter",
         .use = {.adapter_id = TEXT("pci:u"),
                 .vram_bytes = measured_known(100),
                 .shared_bytes = measured_known(900)},
         .devices = {on("Vulkan0", "pci:u", 700, HOW_REPORTED)},
         .device_count = 1,
         .verdict = RECONCILE_EXPLAINED,
         .explained = 700,
         .unexplained = 300,
         .how = HOW_REPORTED},
        {.what = "on another one it is",
         .use = {.adapter_id = TEXT("pci:a"),
                 .vram_bytes = measured_known(1000),
                 .shared_bytes = measured_known(900)},
         .devices = {on("CUDA0", "pci:a", 700, HOW_REPORTED)},
         .device_count = 1,
         .verdict = RECONCILE_EXPLAINED,
         .explained = 700,
         .unexplained = 300,
         .how = HOW_REPORTED},
        {.what = "a unified pool told as shared memory",
         .use = {.adapter_id = TEXT("pci:u"), .shared_bytes = measured_known(900)},
         .devices = {on("MTL0", "pci:u", 700, HOW_REPORTED)},
         .device_count = 1,
         .verdict = RECONCILE_EXPLAINED,
         .explained = 700,
         .unexplained = 200,
         .how = HOW_REPORTED},
        {.what = "memory is unknown",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_unknown(REASON_shared_client)},
         .devices = {on("CUDA0", "pci:a", 700, HOW_REPORTED)},
         .device_count = 1,
         .verdict = RECONCILE_UNKNOWN_MEMORY,
         .explained = -1,
         .unexplained = -1},
        {.what = "a device that may be this adapter",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(1000)},
         .devices = {on("CUDA0", NULL, 700, HOW_REPORTED)},
         .device_count = 1,
         .verdict = RECONCILE_UNKNOWN_PARTS,
         .explained = -1,
         .unexplained = -1},
        {.what = "a model without sizes",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(1000)},
         .verdict = RECONCILE_UNKNOWN_PARTS,
         .explained = -1,
         .unexplained = -1},
        {.what = "a process without models",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(1000)},
         .no_models = true,
         .verdict = RECONCILE_NO_MODELS,
         .explained = -1,
         .unexplained = -1},
        {.what = "on the host by its flags: that nothing is explained here is an estimate too",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(300)},
         .devices = {on("host", NULL, 700, HOW_ESTIMATED)},
         .device_count = 1,
         .verdict = RECONCILE_NO_MODELS,
         .explained = 0,
         .unexplained = 300,
         .how = HOW_ESTIMATED},
        {.what = "all elsewhere: everything here is unexplained",
         .use = {.adapter_id = TEXT("pci:a"), .vram_bytes = measured_known(300)},
         .devices = {on("host", NULL, 700, HOW_REPORTED), on("RPC0[h:1]", NULL, 900, HOW_REPORTED),
                     on("CUDA1", "pci:b", 900, HOW_REPORTED)},
         .device_count = 3,
         .verdict = RECONCILE_NO_MODELS,
         .explained = 0,
         .unexplained = 300,
         .how = HOW_REPORTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_use use = rows[i].use;
        struct model model = {.devices = rows[i].devices, .device_count = rows[i].device_count};
        struct process process = {.gpus = &use,
                                  .gpu_count = 1,
                                  .models = &model,
                                  .model_count = rows[i].no_models ? 0 : 1};
        struct reconciled result;
        reconcile(adapters, 2, &process, &result);
        double explained = figure_is_known(use.explained_bytes) ? use.explained_bytes.value : -1;
        double rest = figure_is_known(use.unexplained_bytes) ? use.unexplained_bytes.value : -1;
        if (result.verdict != rows[i].verdict || explained != rows[i].explained ||
            rest != rows[i].unexplained || use.unexplained_bytes.how != rows[i].how ||
            result.over_bytes != rows[i].over) {
            fail_msg("%s: verdict %d explained %g rest %g how %d over %lld", rows[i].what,
                     (int)result.verdict, explained, rest, (int)use.unexplained_bytes.how,
                     (long long)result.over_bytes);
        }
        assert_memory_equal(&use.vram_bytes, &rows[i].use.vram_bytes, sizeof use.vram_bytes);
    }
}

static void test_reason_stays(void **state)
{
    (void)state;
    struct gpu_use use = {.adapter_id = TEXT("pci:a"),
                          .vram_bytes = measured_unknown(REASON_shared_client)};
    struct model_device device = on("CUDA0", "pci:a", 1, HOW_REPORTED);
    struct model model = {.devices = &device, .device_count = 1};
    struct process process = {.gpus = &use, .gpu_count = 1, .models = &model, .model_count = 1};
    reconcile(adapters, 2, &process, NULL);
    assert_int_equal(use.unexplained_bytes.why_not, REASON_shared_client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_reason_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
