/* The flags of llama-server v0.5.0 (2026-09) and older spellings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"
#include "inspect/runtime_flags.h"

enum { WORDS_MAX = 64 };

/* Arguments separated by blanks. */
static size_t split(const char *line, struct raw_text words[WORDS_MAX])
{
    size_t count = 0;
    while (*line) {
        size_t length = strcspn(line, " ");
        words[count++] = (struct raw_text){line, length};
        line += length + (line[length] != '\0');
    }
    return count;
}

static bool parse(const char *line, const char *environment, size_t environment_size, bool strict,
                  struct runtime_flags *flags, struct problem *problem)
{
    struct raw_text words[WORDS_MAX] = {{NULL, 0}};
    size_t count = split(line, words);
    problem->text[0] = '\0';
    return runtime_flags_parse(words, count, (struct raw_text){environment, environment_size},
                               strict, flags, problem);
}

static struct runtime_flags parsed(const char *line)
{
    struct runtime_flags flags;
    struct problem problem;
    if (!parse(line, NULL, 0, true, &flags, &problem)) {
        fail_msg("%s: %s", line, problem.text);
    }
    return flags;
}

static void defaults_are_the_servers(void **state)
{
    (void)state;
    struct runtime_flags flags = parsed("");
    assert_int_equal(flags.model.gpu_layers_wish, GPU_LAYERS_UNSET);
    assert_int_equal(flags.batch, 2048);
    assert_int_equal(flags.ubatch, 512);
    assert_int_equal(flags.port, 8080);
    assert_false(flags.port_given);
    assert_true(flags.mmproj_offload);
    assert_int_equal(flags.model.cache_k, CACHE_F16);
    assert_int_equal(runtime_flags_slots(&flags), 4); /* 2026: four slots on one cache */
    assert_true(runtime_flags_unified(&flags));
}

static void every_kind_of_value(void **state)
{
    (void)state;
    struct runtime_flags flags =
        parsed("-m a.gguf -ngl 20 --ctx-size=8192 -np 2 -ctk q8_0 --cache-type-v f32 -fa on "
               "-ts 3,1 -sm row -mg 1 -dev CUDA0,CUDA1 -ncmoe 5 -cmoe -ub 256 -b 1024 --swa-full "
               "-nkvo -ot exps=CPU,norm=CUDA1 -ot x=CPU --no-mmap --port 9000 --host 0.0.0.0 "
               "--api-key sesame --lora a,b --lora-scaled c 0.5 -md d.gguf -ngld 3 -fitt 512,256");
    assert_true(raw_equal_string(flags.model.path, "a.gguf"));
    assert_int_equal(flags.model.gpu_layers_wish, GPU_LAYERS_NUMBER);
    assert_int_equal(flags.model.gpu_layers, 20);
    assert_int_equal(flags.model.context, 8192);
    assert_int_equal(flags.slots, 2);
    assert_false(runtime_flags_unified(&flags)); /* slots given: each has its own */
    assert_int_equal(flags.model.cache_k, CACHE_Q8_0);
    assert_int_equal(flags.model.cache_v, CACHE_F32);
    assert_int_equal(flags.flash_attention, WISH_ON);
    assert_int_equal(flags.tensor_split_count, 2);
    assert_true(flags.tensor_split[0] > 2.9 && flags.tensor_split[0] < 3.1);
    assert_int_equal(flags.split_mode, SPLIT_ROW);
    assert_int_equal(flags.main_gpu, 1);
    assert_int_equal(flags.model.device_count, 2);
    assert_true(raw_equal_string(flags.model.devices[1], "CUDA1"));
    assert_true(flags.model.cpu_moe);
    assert_int_equal(flags.model.cpu_moe_layers, 5);
    assert_int_equal(flags.model.override_count, 3);
    assert_true(raw_equal_string(flags.model.overrides[1].pattern, "norm"));
    assert_true(raw_equal_string(flags.model.overrides[2].buffer, "CPU"));
    assert_int_equal(flags.load_mode, LOAD_NONE);
    assert_int_equal(flags.port, 9000);
    assert_true(flags.has_api_key);
    assert_int_equal(flags.lora_count, 3);
    assert_true(raw_equal_string(flags.draft.path, "d.gguf"));
    assert_int_equal(flags.draft.gpu_layers, 3);
    assert_int_equal(flags.fit_target_bytes, (int64_t)512 << 20);
    assert_true(flags.swa_full && flags.no_kv_offload);
}

static void spellings_mean_the_same(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum gpu_layers_wish wish;
        enum wish flash, unified;
    } rows[] = {
        {"-ngl auto", GPU_LAYERS_AUTO, WISH_UNSET, WISH_UNSET},
        {"-ngl -1", GPU_LAYERS_AUTO, WISH_UNSET, WISH_UNSET},
        {"--n-gpu-layers all", GPU_LAYERS_ALL, WISH_UNSET, WISH_UNSET},
        {"--gpu-layers=7", GPU_LAYERS_NUMBER, WISH_UNSET, WISH_UNSET},
        {"-fa", GPU_LAYERS_UNSET, WISH_ON, WISH_UNSET}, /* as it was until 2025 */
        {"-fa -kvu", GPU_LAYERS_UNSET, WISH_ON, WISH_ON},
        {"-fa off -no-kvu", GPU_LAYERS_UNSET, WISH_OFF, WISH_OFF},
        {"--flash-attn auto", GPU_LAYERS_UNSET, WISH_AUTO, WISH_UNSET},
        {"-fa on -fa 0", GPU_LAYERS_UNSET, WISH_OFF, WISH_UNSET}, /* the last one wins */
        {"--temp 0.7 --jinja -fa on", GPU_LAYERS_UNSET, WISH_ON, WISH_UNSET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct runtime_flags flags = parsed(rows[i].line);
        assert_int_equal(flags.model.gpu_layers_wish, rows[i].wish);
        assert_int_equal(flags.flash_attention, rows[i].flash);
        assert_int_equal(flags.kv_unified, rows[i].unified);
    }
}

static void the_runtime_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "--no-such-flag",
        "-ngl",
        "-ngl many",
        "-c -5",
        "-c x",
        "-ctk q7_0",
        "-sm diagonal",
        "-ot exps",
        "-ot exps=",
        "-np 0",
        "-b 0",
        "--port 70000",
        "-ts a,b",
        "-lm fast",
        "-ctv q8_0 -fa off", /* a quantized V cache needs flash attention */
        "-dev CUDA0,,CUDA1",
        "stray",
        "--flash-attn=maybe",
        "--cpu-moe=1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct runtime_flags flags;
        struct problem problem;
        if (parse(bad[i], NULL, 0, true, &flags, &problem)) {
            fail_msg("'%s' was taken", bad[i]);
        }
        assert_true(problem.text[0]);
        assert_null(strchr(problem.text, '\n'));
        /* A process that runs was accepted by its own runtime. */
        assert_true(parse(bad[i], NULL, 0, false, &flags, &problem));
    }
}

static void the_environment_stands_behind(void **state)
{
    (void)state;
    static const char environment[] = "PATH=/bin\0LLAMA_ARG_CTX_SIZE=4096\0LLAMA_ARG_N_PARALLEL=3\0"
                                      "LLAMA_ARG_NO_MMAP=1\0LLAMA_ARG_SWA_FULL=0\0"
                                      "LLAMA_ARG_CACHE_TYPE_K=bad\0LLAMA_API_KEY=open,more\0";
    struct runtime_flags flags;
    struct problem problem;
    assert_true(parse("-c 8192 --api-key sesame,other", environment, sizeof environment - 1, true,
                      &flags, &problem));
    assert_int_equal(flags.model.context, 8192); /* the flag wins */
    assert_int_equal(flags.slots, 3);
    assert_int_equal(flags.load_mode, LOAD_NONE);
    assert_false(flags.swa_full);
    assert_int_equal(flags.model.cache_k, CACHE_F16);
    assert_true(flags.has_api_key);
    struct raw_text words[WORDS_MAX] = {{NULL, 0}};
    struct raw_text whole = {environment, sizeof environment - 1};
    size_t count = split("-c 8192", words);
    assert_true(raw_equal_string(runtime_flags_api_key(words, count, whole), "open"));
    count = split("--api-key=sesame,other -c 1", words);
    assert_true(raw_equal_string(runtime_flags_api_key(words, count, whole), "sesame"));
    count = split("--alias --api-key x", words); /* the value of another flag */
    assert_int_equal(runtime_flags_api_key(words, count, (struct raw_text){NULL, 0}).length, 0);
}

static void arguments_are_split_at_nul(void **state)
{
    (void)state;
    struct raw_text argv[3];
    static const char command[] = "a\0\0b c\0d\0e";
    assert_int_equal(runtime_flags_split((struct raw_text){command, sizeof command}, argv, 3), 3);
    assert_int_equal(argv[1].length, 0);
    assert_true(raw_equal_string(argv[2], "b c"));
    assert_int_equal(runtime_flags_split((struct raw_text){NULL, 0}, argv, 3), 0);
}

/* Flags of v0.5.0 that take nothing, one or two values, none of which is another flag. */
static void others_are_passed_over(void **state)
{
    (void)state;
    struct runtime_flags flags =
        parsed("--control-vector-layer-range 1 31 -r -c --reverse-prompt x --mirostat 2 "
               "--lora-init-without-apply --spec-ngram-size-n 4 -ctxcp 8 --gpt-oss-20b-default "
               "-bs --tools all -lzm auto --cpu-strict 1 -c 512");
    assert_int_equal(flags.model.context, 512);
    flags = parsed("--ctx_size 1024 --n_gpu_layers 3 --cache_type_k q8_0 --no_kv_offload");
    assert_int_equal(flags.model.context, 1024);
    assert_int_equal(flags.model.gpu_layers, 3);
    assert_int_equal(flags.model.cache_k, CACHE_Q8_0);
    assert_true(flags.no_kv_offload);
    flags = parsed("--spec-draft-device CUDA1 --spec-draft-type-k q8_0 --spec-draft-type-v q4_0 "
                   "--spec-draft-n-cpu-moe 2 -mmdev none --mmproj-auto --op-offload");
    assert_int_equal(flags.draft.device_count, 1);
    assert_int_equal(flags.draft.cache_k, CACHE_Q8_0);
    assert_int_equal(flags.draft.cache_v, CACHE_Q4_0);
    assert_int_equal(flags.draft.cpu_moe_layers, 2);
    assert_true(raw_equal_string(flags.mmproj_device, "none"));
    struct problem problem;
    assert_false(parse("-c_tx 4", NULL, 0, true, &flags, &problem));
}

/* A variable of a flag that has an opposite may be off. */
static void twins_may_be_off(void **state)
{
    (void)state;
    static const char off[] = "LLAMA_ARG_KV_OFFLOAD=0\0LLAMA_ARG_MMAP=false\0"
                              "LLAMA_ARG_KV_UNIFIED=off\0LLAMA_ARG_ENDPOINT_SLOTS=0\0"
                              "LLAMA_ARG_SWA_FULL=0\0LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K=q8_0";
    static const char on[] = "LLAMA_ARG_KV_OFFLOAD=1\0LLAMA_ARG_MMAP=1\0LLAMA_ARG_NO_MMAP=0";
    struct runtime_flags flags;
    struct problem problem;
    assert_true(parse("", off, sizeof off, false, &flags, &problem));
    assert_true(flags.no_kv_offload && flags.no_slots && !flags.swa_full);
    assert_int_equal(flags.load_mode, LOAD_NONE);
    assert_int_equal(flags.kv_unified, WISH_OFF);
    assert_int_equal(flags.draft.cache_k, CACHE_Q8_0);
    assert_true(parse("", on, sizeof on, false, &flags, &problem));
    assert_false(flags.no_kv_offload);
    assert_int_equal(flags.load_mode, LOAD_MMAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_servers),
        cmocka_unit_test(others_are_passed_over),
        cmocka_unit_test(twins_may_be_off),
        cmocka_unit_test(every_kind_of_value),
        cmocka_unit_test(spellings_mean_the_same),
        cmocka_unit_test(the_runtime_refuses),
        cmocka_unit_test(the_environment_stands_behind),
        cmocka_unit_test(arguments_are_split_at_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
