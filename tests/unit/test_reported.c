/* Expected values: the log's own lines; what a report does to an estimate (SPEC section 6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/reported.h"

#define MIB(count) ((double)(count)*1048576)

static const char two_models[] =
    "srv    load_model: loading model '/models/big.gguf'\n"
    "x: using device CUDA0 (NVIDIA GeForce RTX 3090) (0000:01:00.0) - 8720 MiB free\n"
    "llama_model_loader: loaded meta data with 20 key-value pairs and 291 tensors from "
    "/models/big.gguf (version GGUF V3 (latest))\n"
    "print_info: arch = qwen3\nprint_info: file type   = Q4_K - Medium\n"
    "print_info: general.name = Big\nprint_info: model params = 8.03 B\nprint_info: n_layer = 36\n"
    "load_tensors: offloaded 37/37 layers to GPU\n"
    "load_tensors:   CPU_Mapped model buffer size =   300.00 MiB\n"
    "load_tensors:   CPU_REPACK model buffer size =   100.00 MiB\n"
    "load_tensors:        CUDA0 model buffer size =  4000.00 MiB\n"
    "llama_context: constructing llama_context\nllama_context: n_ctx = 8192\n"
    "llama_context:  CUDA_Host  output buffer size =     2.00 MiB\n"
    "llama_kv_cache:      CUDA0 KV buffer size =   500.00 MiB\n"
    "llama_memory_recurrent:      CUDA0 RS buffer size =    50.00 MiB\n"
    "sched_reserve:      CUDA0 compute buffer size =   258.50 MiB\n"
    "srv    load_model: loading draft model '/models/small.gguf'\n"
    "llama_model_loader: loaded meta data with 20 key-value pairs and 291 tensors from "
    "/models/small.gguf (version GGUF V3 (latest))\n"
    "load_tensors:        CUDA0 model buffer size =  200.00 MiB\n"
    "load_model: initializing, n_slots = 4, n_ctx_slot = 2048\n";

struct fixture {
    struct arena *arena;
    struct load_log *log;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = arena_new(), .log = load_log_new()};
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    load_log_free(&fixture->log);
    arena_free(&fixture->arena);
    return 0;
}

static const struct load_run *read_run(struct fixture *fixture, const char *text)
{
    load_log_feed(fixture->log, raw_from_string(text));
    load_log_end(fixture->log);
    return load_log_run(fixture->log, load_log_run_count(fixture->log) - 1);
}

static const struct model_device *device(const struct model *model, const char *name)
{
    for (size_t i = 0; i < model->device_count; i++) {
        if (text_equal_string(model->devices[i].device, name)) {
            return &model->devices[i];
        }
    }
    fail_msg("no device %s", name);
    return NULL;
}

static void assert_figure(struct figure figure, double value, enum how how)
{
    assert_int_equal(figure.how, how);
    assert_true(figure.value == value);
}

static void test_log_alone(void **state)
{
    struct fixture *fixture = *state;
    static const struct adapter adapters[] = {
        {.id = TEXT("pci:0000:01:00.0"), .vendor = TEXT("nvidia")},
        {.id = TEXT("pci:0000:02:00.0"), .vendor = TEXT("nvidia")}};
    const struct device_scene scene = {.adapters = adapters, .adapter_count = 2};
    const struct load_run *run = read_run(fixture, two_models);
    struct model_list list =
        reported_models(fixture->arena, run, &scene, TEXT("/var/log/x"), STRENGTH_STRONG);
    assert_int_equal(list.count, 2);
    const struct model *big = &list.items[0], *small = &list.items[1];
    assert_true(text_equal_string(big->name, "Big"));
    assert_true(text_equal_string(big->path, "/models/big.gguf"));
    assert_true(text_equal_string(big->quantization, "Q4_K_M"));
    assert_true(text_equal_string(big->architecture, "qwen3"));
    assert_int_equal(big->kind, MODEL_LLM);
    assert_figure(big->parameters, 8.03e9, HOW_REPORTED);
    assert_figure(big->layers, 36, HOW_REPORTED);
    assert_figure(big->layers_on_gpu, 37, HOW_REPORTED);
    assert_figure(big->context, 8192, HOW_REPORTED);
    assert_figure(big->slots, 4, HOW_REPORTED);
    assert_false(big->file_bytes.known); /* the log's size is rounded */
    assert_true(text_equal_string(big->evidence.items[0].kind, "log"));
    assert_true(text_equal_string(big->evidence.items[0].detail, "/var/log/x"));

    const struct model_device *host = device(big, "host"), *cuda = device(big, "CUDA0");
    assert_int_equal(big->device_count, 2);
    assert_true(text_is_none(host->adapter_id));
    assert_figure(host->weights_bytes, MIB(400), HOW_REPORTED);
    assert_figure(host->other_bytes, MIB(2), HOW_REPORTED);
    assert_int_equal(host->kv_cache_bytes.how, HOW_UNAVAILABLE);
    assert_true(text_equal_string(cuda->adapter_id, "pci:0000:01:00.0")); /* by its bus id */
    assert_figure(cuda->weights_bytes, MIB(4000), HOW_REPORTED);
    assert_figure(cuda->kv_cache_bytes, MIB(550), HOW_REPORTED);
    assert_figure(cuda->compute_bytes, MIB(258.5), HOW_REPORTED);

    assert_int_equal(small->kind, MODEL_DRAFT);
    assert_true(text_equal_string(small->name, "small"));
    assert_figure(device(small, "CUDA0")->weights_bytes, MIB(200), HOW_REPORTED);
    assert_false(figure_is_known(small->context));
}

static void test_labels(void **state)
{
    struct fixture *fixture = *state;
    static const char *const rows[][2] = {
        {"Q3_K - Large", "Q3_K_L"},
        {"Q5_K - Small", "Q5_K_S"},
        {"Q8_0", "Q8_0"},
        {"Q8_0 (guessed)", "Q8_0"},
        {"IQ3_S mix - 3.66 bpw", "IQ3_M"},
        {"IQ4_XS - 4.25 bpw", "IQ4_XS"},
        {"all F32", "F32"},
        {"BF16", "BF16"},
        {"MXFP4 MoE", "MXFP4_MOE"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct load_model model = {.path = raw_from_string("/m.gguf"),
                                   .quantization = raw_from_string(rows[i][0])};
        struct load_run run = {.models = &model, .model_count = 1};
        struct model_list list =
            reported_models(fixture->arena, &run, NULL, TEXT_NONE, STRENGTH_HINT);
        assert_true(text_equal_string(list.items[0].quantization, rows[i][1]));
    }
}

static void test_nothing_and_failure(void **state)
{
    struct fixture *fixture = *state;
    const struct load_run *run =
        read_run(fixture, "srv    load_model: loading model '/models/a.gguf'\n");
    struct model_list list = reported_models(fixture->arena, run, NULL, TEXT_NONE, STRENGTH_STRONG);
    assert_int_equal(list.count, 1); /* named, without sizes */
    assert_true(text_equal_string(list.items[0].path, "/models/a.gguf"));
    assert_int_equal(list.items[0].device_count, 0);

    run = read_run(fixture, "srv    load_model: failed to load model, '/models/a.gguf'\n");
    list = reported_models(fixture->arena, run, NULL, TEXT_NONE, STRENGTH_STRONG);
    assert_int_equal(list.count, 0);
}

/* One virtual device over all cards says what each of them holds at most. */
static void test_one_device_over_all(void **state)
{
    struct fixture *fixture = *state;
    const struct load_run *run =
        read_run(fixture, "x: using device CUDA0 (A) (0000:01:00.0) - 1 MiB free\n"
                          "x: using device CUDA1 (A) (0000:02:00.0) - 1 MiB free\n"
                          "llama_kv_cache: Meta() KV buffer size = 256.00 MiB\n");
    struct model_list list = reported_models(fixture->arena, run, NULL, TEXT_NONE, STRENGTH_STRONG);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].device_count, 2);
    assert_figure(device(&list.items[0], "CUDA0")->kv_cache_bytes, MIB(256), HOW_REPORTED);
    assert_figure(device(&list.items[0], "CUDA1")->kv_cache_bytes, MIB(256), HOW_REPORTED);
}

static void test_report_replaces_estimate(void **state)
{
    struct fixture *fixture = *state;
    struct model_device estimated[] = {
        {.device = TEXT("CUDA0"),
         .adapter_id = TEXT("pci:0000:01:00.0"),
         .weights_bytes = figure_known(100, HOW_ESTIMATED),
         .kv_cache_bytes = figure_known(200, HOW_ESTIMATED),
         .compute_bytes = figure_known(300, HOW_ESTIMATED)},
        {.device = TEXT("CUDA1"),
         .weights_bytes = figure_known(7, HOW_ESTIMATED),
         .compute_bytes = figure_known(8, HOW_ESTIMATED)},
    };
    struct model found[] = {
        {.name = TEXT("friendly:latest"),
         .kind = MODEL_LLM,
         .path = TEXT("/models/big.gguf"),
         .parameters = figure_known(8030261248, HOW_ESTIMATED),
         .context = figure_known(4096, HOW_ESTIMATED),
         .devices = estimated,
         .device_count = 2},
        {.name = TEXT("other"), .kind = MODEL_LLM, .path = TEXT("/models/other.gguf")},
    };
    const struct load_run *run =
        read_run(fixture, "llama_model_loader: loaded meta data with 2 key-value pairs and 2 "
                          "tensors from /models//big.gguf (version GGUF V3 (latest))\n"
                          "print_info: model params = 8.03 B\n"
                          "load_tensors:  CUDA0_Mapped model buffer size =  4.00 MiB\n"
                          "load_tensors:         CUDA0 model buffer size =  4.00 MiB\n"
                          "llama_context: constructing llama_context\nllama_context: n_ctx = 8192\n"
                          "llama_kv_cache:       CUDA0 KV buffer size =   5.00 MiB\n");
    struct model_list list = reported_merge(
        fixture->arena, run, NULL, (struct model_list){found, 2}, TEXT("l"), STRENGTH_STRONG);
    assert_int_equal(list.count, 2);
    const struct model *model = &list.items[0];
    assert_true(text_equal_string(model->name, "friendly:latest"));
    assert_true(model->parameters.value == 8030261248.0); /* exact before rounded */
    assert_figure(model->context, 8192, HOW_REPORTED);
    assert_int_equal(model->evidence.count, 1);
    assert_int_equal(model->device_count, 2);
    const struct model_device *first = device(model, "CUDA0"), *second = device(model, "CUDA1");
    assert_true(text_equal_string(first->adapter_id, "pci:0000:01:00.0"));
    assert_figure(first->weights_bytes, MIB(8), HOW_REPORTED);
    assert_figure(first->estimated_weights_bytes, 100, HOW_ESTIMATED);
    assert_figure(first->kv_cache_bytes, MIB(5), HOW_REPORTED);
    assert_figure(first->estimated_kv_cache_bytes, 200, HOW_ESTIMATED);
    assert_figure(first->compute_bytes, 300, HOW_ESTIMATED); /* the log says none */
    assert_false(figure_is_known(first->estimated_compute_bytes));
    /* The log would have named it: its weights are not there. */
    assert_false(figure_is_known(second->weights_bytes));
    assert_figure(second->estimated_weights_bytes, 7, HOW_ESTIMATED);
    assert_figure(second->compute_bytes, 8, HOW_ESTIMATED);
    assert_true(text_equal_string(list.items[1].name, "other"));
    assert_int_equal(list.items[1].evidence.count, 0);
}

/* What a flag calls RPC0 the log calls RPC0[HOST:PORT]: one device. */
static void test_remote_device_is_one(void **state)
{
    struct fixture *fixture = *state;
    struct model_device estimated[] = {
        {.device = TEXT("RPC0"), .weights_bytes = figure_known(100, HOW_ESTIMATED)},
        {.device = TEXT("RPC1"), .weights_bytes = figure_known(7, HOW_ESTIMATED)}};
    struct model found = {.kind = MODEL_LLM,
                          .path = TEXT("/models/big.gguf"),
                          .devices = estimated,
                          .device_count = 2};
    const struct load_run *run =
        read_run(fixture, "llama_model_loader: loaded meta data with 2 key-value pairs and 2 "
                          "tensors from /models/big.gguf (version GGUF V3 (latest))\n"
                          "load_tensors: RPC0[192.0.2.10:50052] model buffer size = 4.00 MiB\n"
                          "load_tensors: RPC10[192.0.2.10:50053] model buffer size = 1.00 MiB\n");
    struct model_list list = reported_merge(
        fixture->arena, run, NULL, (struct model_list){&found, 1}, TEXT("l"), STRENGTH_STRONG);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].device_count, 3);
    const struct model_device *first = device(&list.items[0], "RPC0[192.0.2.10:50052]");
    assert_figure(first->weights_bytes, MIB(4), HOW_REPORTED);
    assert_figure(first->estimated_weights_bytes, 100, HOW_ESTIMATED);
    assert_figure(device(&list.items[0], "RPC1")->estimated_weights_bytes, 7, HOW_ESTIMATED);
}

static void test_pairing(void **state)
{
    struct fixture *fixture = *state;
    struct model found[] = {
        {.name = TEXT("d"), .kind = MODEL_DRAFT, .path = TEXT("/models/small.gguf")},
        {.name = TEXT("m"), .kind = MODEL_LLM},
    };
    const struct load_run *run = read_run(fixture, two_models);
    struct model_list list = reported_merge(
        fixture->arena, run, NULL, (struct model_list){found, 2}, TEXT_NONE, STRENGTH_STRONG);
    assert_int_equal(list.count, 2);
    assert_figure(device(&list.items[0], "CUDA0")->weights_bytes, MIB(200), HOW_REPORTED);
    assert_figure(device(&list.items[1], "CUDA0")->weights_bytes, MIB(4000), HOW_REPORTED);
    assert_true(text_equal_string(list.items[1].path, "/models/big.gguf"));

    list = reported_merge(fixture->arena, run, NULL, (struct model_list){0}, TEXT_NONE,
                          STRENGTH_STRONG);
    assert_int_equal(list.count, 2); /* nothing was known: the log's own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_log_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_labels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_and_failure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_device_over_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_report_replaces_estimate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_remote_device_is_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pairing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
