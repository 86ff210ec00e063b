/* What decides whom the inspector believes and asks: command lines, sockets, paths, stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "inspect/classify.h"
#include "inspect/command_models.h"
#include "inspect/path.h"
#include "inspect/runtimes.h"
#include "inspect/servers/listeners.h"
#include "inspect/stores/ollama_manifest.h"
#include "inspect/stores/store.h"
#include "os/linux/net_tcp.h"

static void assert_raw(struct raw_text raw, const char *wanted)
{
    assert_int_equal(raw.length, strlen(wanted));
    assert_memory_equal(raw.bytes, wanted, raw.length);
}

static void test_paths(void **unused)
{
    (void)unused;
    static const struct {
        const char *folder, *path, *wanted; /* NULL: none */
    } rows[] = {
        {"/home/ann", "m.gguf", "/home/ann/m.gguf"},
        {"/home/ann", "./a/../m.gguf", "/home/ann/m.gguf"},
        {"/home/ann", "//srv///m.gguf", "/srv/m.gguf"},
        {"/home/ann", "../../../../m.gguf", "/m.gguf"},
        {"", "m.gguf", NULL},
        {"relative", "m.gguf", NULL},
        {"/home/ann", "", NULL},
        {"/", "C:\\models\\m.gguf", "C:\\models\\m.gguf"},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct raw_text path =
            path_absolute(arena, raw_from_string(rows[i].folder), raw_from_string(rows[i].path));
        if (rows[i].wanted)
            assert_raw(path, rows[i].wanted);
        else
            assert_null(path.bytes);
    }
    struct path_part part;
    struct raw_text second = raw_from_string("/m/big-00002-of-00003.gguf");
    assert_true(path_part_parse(second, &part));
    assert_int_equal(part.number, 2);
    assert_int_equal(part.count, 3);
    assert_raw(path_of_first_part(arena, second, &part), "/m/big-00001-of-00003.gguf");
    assert_raw(path_model_stem(second), "big");
    assert_raw(path_model_name(second), "big");
    assert_raw(path_model_name(raw_from_string("/m/Qwen3-8B/model-00002-of-00005.safetensors")),
               "Qwen3-8B");
    assert_raw(path_model_name(raw_from_string("/m/flux/diffusion_pytorch_model.safetensors")),
               "flux");
    assert_raw(path_model_name(raw_from_string("a/model.safetensors.index.json")), "a");
    assert_raw(path_model_name(raw_from_string("model.safetensors")), "model");
    assert_raw(path_model_name(raw_from_string("./model.safetensors")), "model");
    assert_raw(path_model_name(raw_from_string("/model.gguf")), "model");
    assert_raw(path_model_name(raw_from_string("/models/model.gguf")), "model");
    assert_raw(path_model_name(raw_from_string("models/model.gguf")), "model");
    assert_raw(path_model_name(raw_from_string("/srv/Qwen3-8B/weights/model.safetensors")),
               "Qwen3-8B");
    assert_raw(path_model_name(raw_from_string("/data/models/GLM-4/checkpoints/consolidated.pth")),
               "GLM-4");
    assert_raw(path_model_name(raw_from_string("/m/a-model.gguf")), "a-model");
    static const char *const no_parts[] = {"/m/big.gguf", "/m/big-2-of-3.gguf",
                                           "/m/big-00004-of-00003.gguf", "-00001-of-00001"};
    for (size_t i = 0; i < sizeof no_parts / sizeof *no_parts; i++)
        assert_false(path_part_parse(raw_from_string(no_parts[i]), &part));
    assert_int_equal(path_promises_model(raw_from_string("/x/A.GGUF")), PATH_MODEL);
    assert_int_equal(path_promises_model(raw_from_string("/x/snapshot_blob.bin")),
                     PATH_PERHAPS_MODEL);
    assert_int_equal(path_promises_model(raw_from_string("/x/notes.txt")), PATH_NO_MODEL);
    arena_free(&arena);
}

/* Arguments separated by '|'. */
static struct raw_text command_of(struct arena *arena, const char *words)
{
    char *bytes = arena_string(arena, words, strlen(words));
    for (char *at = bytes; *at; at++)
        if (*at == '|')
            *at = '\0';
    return (struct raw_text){bytes, strlen(words) + 1};
}

static void test_commands(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *command;
        enum program_family family;
        enum file_use use;
        const char *value; /* of the first model; NULL: none */
    } rows[] = {
        {"llama-server", "/opt/llama-server|-m|/m/a.gguf", PROGRAM_LLAMA, FILE_FOR_MODEL,
         "/m/a.gguf"},
        {"ollama", "/usr/bin/ollama|serve", PROGRAM_OLLAMA, 0, NULL},
        {"ollama", "/usr/bin/ollama|runner|--ollama-engine|--model|/b/sha256-x|--port|1",
         PROGRAM_LLAMA, FILE_FOR_MODEL, "/b/sha256-x"},
        {"ollama", "/usr/bin/ollama|runner|--ollama-engine|--port|1", PROGRAM_LLAMA, 0, NULL},
        {"ollama", "/usr/bin/ollama|runner|--mlx-engine|--model|qwen3.5:35b-mlx|--port|1",
         PROGRAM_OLLAMA_MLX, FILE_FOR_MODEL, "qwen3.5:35b-mlx"},
        {"python3", "python3|-m|vllm.entrypoints.openai.api_server|--model|Qwen/Qwen3-8B",
         PROGRAM_VLLM, FILE_FOR_MODEL, "Qwen/Qwen3-8B"},
        {"vllm", "/usr/bin/python3|/usr/bin/vllm|serve|Qwen/Qwen3-8B|--port|8000", PROGRAM_VLLM,
         FILE_FOR_MODEL, "Qwen/Qwen3-8B"},
        {"VLLM::EngineCor", "VLLM::EngineCore", PROGRAM_VLLM_WORKER, 0, NULL},
        {"python3", "sglang::scheduler_TP0   ", PROGRAM_SGLANG_WORKER, 0, NULL},
        {"python3", "python3|-m|sglang.launch_server|--model_path=/m/q", PROGRAM_SGLANG,
         FILE_FOR_MODEL, "/m/q"},
        {"koboldcpp", "./koboldcpp|--model|/m/a.gguf|--mmproj|/m/p.gguf", PROGRAM_KOBOLD,
         FILE_FOR_MODEL, "/m/a.gguf"},
        {"koboldcpp", "./koboldcpp|/m/a.gguf|5001", PROGRAM_KOBOLD, FILE_FOR_MODEL, "/m/a.gguf"},
        {"koboldcpp", "./koboldcpp|--port|5001", PROGRAM_KOBOLD, 0, NULL},
        {"whisper-server", "whisper-server|-m|/m/ggml-base.bin", PROGRAM_WHISPER, FILE_FOR_SPEECH,
         "/m/ggml-base.bin"},
        {"python3", "python3|/srv/ComfyUI/main.py", PROGRAM_COMFY, 0, NULL},
        {"python3", "python3|/srv/other/main.py", PROGRAM_OTHER, 0, NULL},
        {"rpc-server", "rpc-server|-p|50052", PROGRAM_RPC, 0, NULL},
        {"main", "./main|-m|/m/a.gguf", PROGRAM_OTHER, FILE_FOR_MODEL, "/m/a.gguf"},
        {"node", "node|x.mjs|/m/a.gguf", PROGRAM_OTHER, FILE_FOR_UNKNOWN, "/m/a.gguf"},
        {"vim", "vim|notes.txt", PROGRAM_OTHER, 0, NULL},
    };
    struct arena *arena = arena_new();
    const struct raw_text none = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct command_models models;
        command_models_read(raw_from_string(rows[i].name), none, none,
                            command_of(arena, rows[i].command), none, &models);
        assert_int_equal(models.family, rows[i].family);
        assert_int_equal(models.count > 0, rows[i].value != NULL);
        if (rows[i].value) {
            assert_raw(models.items[0].value, rows[i].value);
            assert_int_equal(models.items[0].use, rows[i].use);
        }
    }
    arena_free(&arena);
}

/* What the form of a command line tells of settings that it leaves open. */
static void test_llama_programs(void **unused)
{
    (void)unused;
    static const struct {
        const char *command;
        int64_t slots, build; /* slots as llama-server of today fills them in */
        bool sent_later;
    } rows[] = {
        {"/opt/llama-server|-m|/m/a.gguf", 4, 0, false},
        {"/opt/llama|serve|-m|/m/a.gguf", 4, 0, false},
        {"/opt/llama|cli|-m|/m/a.gguf", 1, 0, false},
        {"/opt/llama-cli|-m|/m/a.gguf", 1, 0, false},
        {"/opt/llama-bench|-m|/m/a.gguf|-np|3", 3, 0, false},
        {"./main|-m|/m/a.gguf", 1, 0, false},
        {"C:\\x\\llama-cli.exe|-m|/m/a.gguf", 1, 0, false},
        {"/tmp/o/ollama_llama_server|--model|/b/x|--ctx-size|8192|--parallel|2", 2, 4700, false},
        {"/usr/bin/ollama|runner|--model|/b/x|--ctx-size|8192", 4, 5700, false},
        {"/usr/bin/ollama|runner|--ollama-engine|--model|/b/x|--port|1", 4, 0, true},
        {"/usr/lib/ollama/llama-server|--model|/b/x|-c|8192|-np|1", 1, 0, false},
    };
    struct arena *arena = arena_new();
    const struct raw_text none = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct command_models models;
        command_models_read(none, none, none, command_of(arena, rows[i].command), none, &models);
        assert_true(models.is_llama_style);
        assert_int_equal(runtime_flags_slots(&models.flags), rows[i].slots);
        assert_int_equal(models.flags.build, rows[i].build);
        assert_int_equal(models.flags.sent_later, rows[i].sent_later);
    }
    struct command_models models;
    command_models_read(none, none, none,
                        command_of(arena, "ollama_llama_server|--model|/b/x|--ctx-size|1|"
                                          "--kv-cache-type|q8_0|--multiuser-cache|--flash-attn"),
                        none, &models);
    assert_int_equal(models.flags.model.cache_k, CACHE_Q8_0);
    assert_int_equal(models.flags.model.cache_v, CACHE_Q8_0);
    assert_int_equal(models.flags.flash_attention, WISH_ON);
    arena_free(&arena);
}

static void test_listeners(void **unused)
{
    (void)unused;
    static const struct {
        const char *line;
        bool is_v6, good;
        const char *address;
        int port;
    } rows[] = {
        {"   3: 0100007F:1FAC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        "
         "0 8590280 1 000000005d261258 100 0 0 10 0",
         false, true, "127.0.0.1", 8108},
        {"0: 00000000:1F90 00000000:0000 0A 0:0 00:0 0 0 0 77 1", false, true, "127.0.0.1", 8080},
        {"0: 0200007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 77 1", false, true, "127.0.0.2", 8080},
        {"0: 0100A8C0:1F90 00000000:0000 0A 0:0 00:0 0 0 0 77 1", false, false, NULL, 0},
        {"0: 0100007F:1F90 0100007F:9999 01 0:0 00:0 0 0 0 77 1", false, false, NULL, 0},
        {"0: 0100007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 0 1", false, false, NULL, 0},
        {"0: 00000000000000000000000001000000:1F90 0:0 0A 0:0 00:0 0 0 0 77 1", true, true, "::1",
         8080},
        {"0: 00000000000000000000000000000000:1F90 0:0 0A 0:0 00:0 0 0 0 77 1", true, true, "::1",
         8080},
        {"sl  local_address rem_address   st tx_queue rx_queue tr", false, false, NULL, 0},
        {"", false, false, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct listening_socket socket;
        struct listener listener;
        bool good = net_tcp_parse(raw_from_string(rows[i].line), rows[i].is_v6, &socket) &&
                    listener_of(&socket, &listener);
        assert_int_equal(good, rows[i].good);
        if (good) {
            assert_string_equal(listener.address, rows[i].address);
            assert_int_equal(listener.port, rows[i].port);
        }
    }
    static struct listener_list list;
    const struct open_socket owned[] = {{3, 1}, {4, 2}};
    list = (struct listener_list){.items = {{"127.0.0.1", false, 8080, 1},
                                            {"::1", true, 8080, 2},
                                            {"127.0.0.1", false, 9, 3}},
                                  .count = 3};
    assert_true(listener_is_exclusive(&list, &list.items[0], owned, 2));
    assert_false(listener_is_exclusive(&list, &list.items[0], owned, 1));
    list.cut = true;
    assert_false(listener_is_exclusive(&list, &list.items[0], owned, 2));
}

static void test_manifests(void **unused)
{
    (void)unused;
    static const char digest[] = "687fc425c0ce31cee2af3c4854a4f587ac0beb9176471434e8d677f125b49cdd";
    static const struct {
        const char *text; /* %s: the digest */
        bool good;
    } rows[] = {
        {"{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":"
         "\"sha256:%s\",\"size\":1}]}",
         true},
        {"{\"layers\":[]}", true},
        {"{\"layers\":null}", false},
        {"null", false},
        {"", false},
        {"{\"layers\":[{\"mediaType\":\"x\",\"digest\":\"sha256:../../etc/passwd\",\"size\":1}]}",
         false},
        {"{\"layers\":[{\"mediaType\":\"x\",\"digest\":\"sha256:%s\",\"size\":-1}]}", false},
        {"{\"layers\":[{\"mediaType\":\"x\",\"digest\":\"sha256:%s\"}]}", false},
        {"{\"layers\":[17]}", false},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ollama_manifest manifest;
        char text[512];
        snprintf(text, sizeof text, "%s", rows[i].text);
        char *at = strstr(text, "%s");
        if (at)
            snprintf(at, sizeof text - (size_t)(at - text), "%s%s", digest,
                     strstr(rows[i].text, "%s") + 2);
        assert_int_equal(ollama_manifest_parse(arena, raw_from_string(text), &manifest),
                         rows[i].good);
    }
    arena_free(&arena);
}

static void test_folder_stores(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *store, *name; /* NULL: in no store */
    } rows[] = {
        {"/home/ann/.lmstudio/models/lmstudio-community/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf",
         "LM Studio", "lmstudio-community/Qwen3-8B-GGUF"},
        {"/home/ann/.local/share/nomic.ai/GPT4All/Llama-3.2.gguf", "GPT4All", "Llama-3.2"},
        {"/home/ann/.config/Jan/data/llamacpp/models/janhq/Jan-v1-4B/model.gguf", "Jan",
         "janhq/Jan-v1-4B"},
        {"/home/ann/.local/share/com.pais.handy/models/ggml-small.bin", "Handy", "ggml-small"},
        {"/home/ann/models/x.gguf", NULL, NULL},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct store_name name;
        size_t count = folder_store_names(arena, raw_from_string(rows[i].path), &name, 1);
        assert_int_equal(count, rows[i].store ? 1 : 0);
        if (count > 0) {
            assert_string_equal(name.store, rows[i].store);
            assert_raw(name.name, rows[i].name);
        }
    }
    arena_free(&arena);
}

static void test_runtimes(void **unused)
{
    (void)unused;
    const struct raw_text libraries[] = {
        raw_from_string("/usr/lib/libcuda.so.550.54"), raw_from_string("/x/libtorch_cuda.so"),
        raw_from_string("/x/libvulkan.so.1"), raw_from_string("/x/libllama.b10361.so"),
        raw_from_string("/x/libllamafriend.so")};
    struct runtime_found found[RUNTIMES_FOUND_MAX];
    assert_int_equal(runtimes_find(libraries, 5, found), 3);
    assert_string_equal(found[0].name, "llama.cpp");
    assert_string_equal(found[1].name, "PyTorch");
    assert_string_equal(found[2].name, "CUDA");
    assert_int_equal(found[2].class, CLASS_OTHER);               /* browsers load it too */
    assert_int_equal(runtimes_find(libraries + 2, 1, found), 1); /* where there is no other */
    assert_string_equal(runtimes_ggml_backend(libraries, 1), "CUDA");
    assert_null(runtimes_ggml_backend(libraries + 3, 2));
}

/* A library proves a runtime; training takes more than a loaded PyTorch. */
static void test_classes(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *library, *training_file;
        bool has_rank;
        enum process_class class;
    } rows[] = {
        {"python3", "/x/libtorch_cuda.so", NULL, false, CLASS_PYTHON_AI},
        {"python3", "/x/libtorch_cuda.so", "/runs/events.out.tfevents.17", false, CLASS_TRAINING},
        {"python3", "/x/libtorch_cuda.so", NULL, true, CLASS_TRAINING},
        {"python3", "/usr/lib/libm.so.6", "/runs/events.out.tfevents.17", true, CLASS_OTHER},
        {"node", "/x/llama-addon.node", NULL, false, CLASS_LLM},
        {"firefox", "/usr/lib/libcuda.so.1", NULL, false, CLASS_BROWSER},
        {"firefox", "/x/libonnxruntime.so", NULL, false, CLASS_BROWSER},
        {"unknown", "/usr/lib/libcuda.so.1", NULL, false, CLASS_OTHER},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct raw_text library = raw_from_string(rows[i].library);
        struct runtime_found found[RUNTIMES_FOUND_MAX];
        const struct process_reading reading = {.name = raw_from_string(rows[i].name)};
        struct classify_seen seen = {.process = &reading,
                                     .runtimes = found,
                                     .runtime_count = runtimes_find(&library, 1, found),
                                     .has_rank = rows[i].has_rank};
        if (rows[i].training_file)
            seen.training_file = raw_from_string(rows[i].training_file);
        struct process process = {0};
        classify(arena, &seen, &process);
        assert_int_equal(process.class, rows[i].class);
        assert_int_equal(process.model_count, 0);
    }
    struct model models[2] = {{.kind = MODEL_PROJECTOR}, {.kind = MODEL_EMBEDDING}};
    struct process process = {.class = CLASS_LLM, .models = models, .model_count = 2};
    classify_by_models(&process);
    assert_int_equal(process.class, CLASS_EMBEDDING);
    process.class = CLASS_TRAINING;
    classify_by_models(&process);
    assert_int_equal(process.class, CLASS_TRAINING);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),          cmocka_unit_test(test_commands),
        cmocka_unit_test(test_llama_programs), cmocka_unit_test(test_listeners),
        cmocka_unit_test(test_manifests),      cmocka_unit_test(test_runtimes),
        cmocka_unit_test(test_folder_stores),  cmocka_unit_test(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
