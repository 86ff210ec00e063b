/* Expected values: the lines themselves, and the summing rules of llama.cpp's scheduler and of the
 * programs around it (released sources; public reports named in tests/cases/models). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/load_log.h"

enum { SEEN_SIZE = 4096 };

static void add(char *seen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *seen, const char *format, ...)
{
    size_t used = strlen(seen);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(seen + used, SEEN_SIZE - used, format, arguments);
    va_end(arguments);
}

static const char *kind_name(enum load_buffer_kind kind)
{
    static const char *const names[LOAD_BUFFER_KIND_COUNT] = {
        [LOAD_WEIGHTS] = "weights", [LOAD_KV_CACHE] = "kv",   [LOAD_STATE] = "state",
        [LOAD_COMPUTE] = "compute", [LOAD_OUTPUT] = "output", [LOAD_LORA] = "lora",
        [LOAD_OTHER] = "other"};
    return names[kind];
}

/* What the log's end holds, one thing after another: "|" run, "M" model, then its buffers. Sizes in
 * hundredths of a MiB. */
static void describe(const struct load_log *log, char *seen)
{
    for (size_t i = 0; i < load_log_run_count(log); i++) {
        const struct load_run *run = load_log_run(log, i);
        if (!load_log_run_is_last(log, i)) {
            continue;
        }
        add(seen, "|");
        if (run->error.length) {
            add(seen, " failed");
        }
        for (size_t m = 0; m < run->model_count; m++) {
            const struct load_model *model = &run->models[m];
            add(seen, " M%d %.*s", (int)model->kind, (int)model->path.length,
                model->path.bytes ? model->path.bytes : "");
            for (size_t b = 0; b < run->buffer_count; b++) {
                const struct load_buffer *buffer = &run->buffers[b];
                if (buffer->model == (int)m) {
                    add(seen, " %.*s/%s=%.2f", (int)buffer->name.length, buffer->name.bytes,
                        kind_name(buffer->kind), (double)buffer->bytes / 1048576);
                }
            }
        }
    }
}

/* Fed in pieces of `step` bytes. */
static void read_in_steps(const char *text, size_t step, char seen[SEEN_SIZE])
{
    struct load_log *log = load_log_new();
    size_t size = strlen(text);
    for (size_t at = 0; at < size; at += step) {
        load_log_feed(log, (struct raw_text){text + at, size - at < step ? size - at : step});
    }
    load_log_end(log);
    seen[0] = '\0';
    describe(log, seen);
    load_log_free(&log);
    assert_null(log);
}

struct row {
    const char *what, *log, *seen;
};

static void check_rows(const struct row *rows, size_t count)
{
    static const size_t steps[] = {1, 7, 100000};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            char seen[SEEN_SIZE];
            read_in_steps(rows[i].log, steps[k], seen);
            if (strcmp(seen, rows[i].seen) != 0) {
                fail_msg("%s (steps of %zu):\n got  %s\n want %s", rows[i].what, steps[k], seen,
                         rows[i].seen);
            }
        }
    }
}

#define LOAD(path)                                                                                 \
    "llama_model_loader: loaded meta data with 20 key-value pairs and 291 tensors from " path      \
    " (version GGUF V3 (latest))\n"

static void test_prefixes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"none", "load_tensors:        CUDA0 model buffer size =  5434.38 MiB\n",
         "| M0  CUDA0/weights=5434.38"},
        {"clock", "0.00.141.220 I load_tensors:   CPU_Mapped model buffer size =     0.14 MiB\n",
         "| M0  CPU_Mapped/weights=0.14"},
        {"colours",
         "\033[34m1.14.608.918\033[0m \033[32mI \033[0mllama_kv_cache:      CUDA0 KV buffer size = "
         "  182.75 MiB\r\n",
         "| M0  CUDA0/kv=182.75"},
        {"journal",
         "Mar 12 07:01:05 box python[433748]: load_tensors:        CUDA1 model buffer size = "
         "43884.50 MiB\n",
         "| M0  CUDA1/weights=43884.50"},
        {"docker", "llama-1  | load_tensors:        ROCm0 model buffer size =   100.00 MiB\n",
         "| M0  ROCm0/weights=100.00"},
        {"LLamaSharp", "[llama Debug]: llm_load_tensors:      CUDA0 buffer size =  5434.38 MiB\n",
         "| M0  CUDA0/weights=5434.38"},
        {"LM Studio",
         "[2026-01-14 11:07:45][DEBUG] load_tensors:  Vulkan0 model buffer size =  10.00 MiB\n",
         "| M0  Vulkan0/weights=10.00"},
        {"quoted", "> load_tensors:  MTL0_Mapped model buffer size = 14803.73 MiB\n",
         "| M0  MTL0_Mapped/weights=14803.73"},
        {"stream",
         "data: [48429] 0.00.028.035 I load_tensors:   CPU_Mapped model buffer size =     0.21 "
         "MiB\n",
         "| M0  CPU_Mapped/weights=0.21"},
        {"dots before", "......load_tensors:        CUDA0 model buffer size =  1.00 MiB\n",
         "| M0  CUDA0/weights=1.00"},
        {"remote", "load_tensors: RPC0[192.0.2.10:50052] model buffer size =     0.18 MiB\n",
         "| M0  RPC0[192.0.2.10:50052]/weights=0.18"},
        {"torn in the number", "load_tensors: CUDA0 model buffer size = 54",
         ""
         "|"},
        {"torn in the unit", "load_tensors: CUDA0 model buffer size = 5434.38 M", "|"},
        {"at exit",
         "~llama_context:        CPU compute buffer size is  17.3321 MiB, matches expectation of  "
         "17.3321 MiB\n",
         "|"},
        {"wrapped around", "load_tensors: CUDA0 model buffer size = 17592186036877.00 MiB\n", "|"},
        {"GiB", "load_tensors: CUDA0 model buffer size = 1,5 GiB\n", "| M0  CUDA0/weights=1536.00"},
        {"a kind from the future", "llama_kv_cache: CUDA0 idx buffer size = 3.00 MiB\n",
         "| M0  CUDA0/other=3.00"},
        {"no name", "load_tensors: model buffer size = 3.00 MiB\n", "|"},
        {"other program", "the buffer size = 3.00 MiB\n", "|"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_summing(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"two equal KV lines of a sliding-window model both count",
         LOAD("/m.gguf") "llama_context: constructing llama_context\n"
                         "llama_kv_cache:        CPU KV buffer size =     2.00 MiB\n"
                         "llama_kv_cache:        CPU KV buffer size =     2.00 MiB\n",
         "| M0 /m.gguf CPU/kv=2.00 CPU/kv=2.00"},
        {"the last compute line of a context and buffer holds",
         LOAD("/m.gguf") "llama_context: constructing llama_context\n"
                         "sched_reserve:      CUDA0 compute buffer size =     9.27 MiB\n"
                         "sched_reserve:  CUDA_Host compute buffer size =     1.00 MiB\n"
                         "sched_reserve:      CUDA0 compute buffer size =     9.50 MiB\n",
         "| M0 /m.gguf CUDA0/compute=9.50 CUDA_Host/compute=1.00"},
        {"a second context of the same model, and its reservation anew",
         LOAD("/m.gguf") "llama_context: constructing llama_context\n"
                         "sched_reserve:        CPU compute buffer size =     9.27 MiB\n"
                         "common_speculative_init_result: creating MTP draft context against the "
                         "target model '/m.gguf'\n"
                         "llama_context: constructing llama_context\n"
                         "sched_reserve:        CPU compute buffer size =     8.00 MiB\n"
                         "sched_reserve:        CPU compute buffer size =     8.50 MiB\n",
         "| M0 /m.gguf CPU/compute=9.27 CPU/compute=8.50"},
        {"a draft model is a load of its own",
         "srv    load_model: loading model '/m.gguf'\n" LOAD(
             "/m.gguf") "load_tensors: CUDA0 model buffer size = 10.00 MiB\n"
                        "llama_context: constructing llama_context\n"
                        "llama_kv_cache: CUDA0 KV buffer size = 1.00 MiB\n"
                        "srv    load_model: loading draft model '/d.gguf'\n" LOAD(
                            "/d.gguf") "load_tensors: CUDA0 model buffer size = 2.00 MiB\n",
         "| M0 /m.gguf CUDA0/weights=10.00 CUDA0/kv=1.00 M9 /d.gguf CUDA0/weights=2.00"},
        {"without the lines that start them: an output after a compute line opens a context",
         "llama_context:  CUDA_Host  output buffer size =     0.58 MiB\n"
         "llama_kv_cache: CUDA0 KV buffer size = 100.00 MiB\n"
         "llama_context:  CUDA0 compute buffer size =   300.00 MiB\n"
         "llama_context:  CUDA_Host  output buffer size =     0.58 MiB\n"
         "llama_kv_cache: CUDA0 KV buffer size = 10.00 MiB\n"
         "llama_context:  CUDA0 compute buffer size =   30.00 MiB\n",
         "| M0  CUDA_Host/output=0.58 CUDA0/kv=100.00 CUDA0/compute=300.00 CUDA_Host/output=0.58 "
         "CUDA0/kv=10.00 CUDA0/compute=30.00"},
        {"weights after a compute line are of the next model",
         "load_tensors: CUDA0 model buffer size = 10.00 MiB\n"
         "llama_context:  CUDA0 compute buffer size =   300.00 MiB\n"
         "load_tensors: CUDA0 model buffer size = 2.00 MiB\n"
         "llama_context:  CUDA0 compute buffer size =   30.00 MiB\n",
         "| M0  CUDA0/weights=10.00 CUDA0/compute=300.00 M0  CUDA0/weights=2.00 "
         "CUDA0/compute=30.00"},
        {"a projector and an adapter",
         LOAD(
             "/m.gguf") "load_tensors: CPU model buffer size = 10.00 MiB\n"
                        "llama_adapter_lora_init: loading lora adapter from '/l.gguf' ...\n"
                        "llama_adapter_lora_init_impl: CPU_Mapped LoRA buffer size =     0.50 MiB\n"
                        "llama_context: constructing llama_context\n"
                        "sched_reserve: CPU compute buffer size = 4.00 MiB\n"
                        "clip_model_loader: model name:   Tiny CLIP projector\n"
                        "reserve_compute_meta:        CPU compute buffer size =     0.05 MiB\n"
                        "reserve_compute_meta:        CPU compute buffer size =     0.06 MiB\n"
                        "srv    load_model: loaded multimodal model, '/p.gguf'\n"
                        "sched_reserve: CPU compute buffer size = 4.50 MiB\n",
         "| M0 /m.gguf CPU/weights=10.00 CPU/compute=4.50 M7 /l.gguf CPU_Mapped/lora=0.50 "
         "M8 /p.gguf CPU/compute=0.06"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_runs(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"an older run in the same file is over",
         "0.00.000.581 I srv  llama_server: initializing ...\n" LOAD(
             "/old.gguf") "0.00.698.980 I load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                          "0.00.000.479 I srv  llama_server: initializing ...\n" LOAD(
                              "/new.gguf") "0.00.015.210 I load_tensors: CUDA0 model buffer size = "
                                           "2.00 MiB\n",
         "| M0 /new.gguf CUDA0/weights=2.00"},
        {"a newer run that has said nothing yet hides it too",
         "llama_server: initializing ...\n" LOAD(
             "/old.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\nllama_server: "
                          "initializing ...\n",
         "|"},
        {"the clock alone tells",
         "0.00.100.000 I load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
         "5.00.000.000 I srv  update_slots: all slots are idle\n"
         "0.00.000.001 I register_backend: registered backend CPU (1 devices)\n"
         "0.00.100.000 I load_tensors: CUDA0 model buffer size = 2.00 MiB\n",
         "| M0  CUDA0/weights=2.00"},
        {"threads whose clocks differ by little are one run",
         "0.00.100.000 I load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
         "0.00.099.000 I load_tensors: CPU model buffer size = 2.00 MiB\n",
         "| M0  CUDA0/weights=1.00 CPU/weights=2.00"},
        {"build lines of 2023 to 2025",
         "main: build = 1662 (328b83d)\nllm_load_tensors: CUDA0 buffer size = 1.00 MiB\n"
         "build: 4061 (abc) with cc\nllm_load_tensors: CUDA0 buffer size = 2.00 MiB\n"
         "{\"timestamp\":1700000000,\"level\":\"INFO\",\"function\":\"main\",\"message\":\"build "
         "info\",\"build\":1500,\"commit\":\"a\"}\n"
         "llm_load_tensors: CUDA0 buffer size = 3.00 MiB\n"
         "INFO [                    main] build info | tid=\"1\" timestamp=1 build=2500 "
         "commit=\"b\"\n"
         "llm_load_tensors: CUDA0 buffer size = 4.00 MiB\n",
         "| M0  CUDA0/weights=4.00"},
        {"system_info stands behind the load in llama-cli and starts nothing",
         "llm_load_tensors: CUDA0 buffer size = 1.00 MiB\nsystem_info: n_threads = 8\n",
         "| M0  CUDA0/weights=1.00"},
        {"children of a router, each with its own clock",
         "0.00.000.453 I srv  llama_server: initializing ...\n"
         "[48429] 0.00.000.710 I srv  llama_server: initializing ...\n"
         "[48429] " LOAD("/a.gguf") "[48430] 0.00.000.700 I srv  llama_server: initializing ...\n"
                                    "[48430] " LOAD(
                                        "/b.gguf") "[48429] 0.00.028.035 I load_tensors:   CUDA0 "
                                                   "model buffer size =     1.00 MiB\n"
                                                   "[48430] 0.00.028.035 I load_tensors:   CUDA0 "
                                                   "model buffer size =     2.00 MiB\n"
                                                   "0.01.000.000 I srv  operator(): idle\n",
         "|| M0 /a.gguf CUDA0/weights=1.00| M0 /b.gguf CUDA0/weights=2.00"},
        {"a router that starts anew has no children yet",
         "llama_server: initializing ...\n[48429] llama_server: initializing ...\n"
         "[48429] load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
         "llama_server: initializing ...\nllama_server: listening on http://127.0.0.1:8130\n",
         "|"},
        {"a service that systemd started again",
         "Aug 22 17:36:22 h s[100]: load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
         "Aug 22 17:40:22 h s[200]: load_tensors: CUDA0 model buffer size = 2.00 MiB\n"
         "Aug 22 17:40:23 h s[100]: load_tensors: CPU model buffer size = 4.00 MiB\n",
         "| M0  CUDA0/weights=2.00"},
        {"a server that loads another model has let the first go",
         "srv    load_model: loading model '/a.gguf'\n" LOAD(
             "/a.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                        "srv    load_model: loading model '/b.gguf'\n" LOAD(
                            "/b.gguf") "load_tensors: CUDA0 model buffer size = 2.00 MiB\n",
         "| M0 /b.gguf CUDA0/weights=2.00"},
        {"a program with llama.cpp inside says which backends it has when it starts",
         "load_backend: loaded CPU backend from /n/libggml-cpu.so\n" LOAD(
             "/old.gguf") "llama_kv_cache: CPU KV buffer size = 1.00 MiB\n"
                          "load_backend: loaded CPU backend from /n/libggml-cpu.so\n" LOAD(
                              "/new.gguf") "llama_kv_cache: CPU KV buffer size = 2.00 MiB\n",
         "| M0 /new.gguf CPU/kv=2.00"},
        {"a probe of Ollama's that has backends does not end the runner",
         "msg=\"starting runner\" cmd=\"ollama runner --model /b/sha256-1 --port 51234\"\n" LOAD(
             "/b/sha256-1") "llama_kv_cache: CPU KV buffer size = 1.00 MiB\n"
                            "load_backend: loaded CPU backend from /n/libggml-cpu.so\n",
         "| M0 /b/sha256-1 CPU/kv=1.00"},
        {"a sleeping server holds nothing",
         LOAD("/a.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                         "srv  handle_sleep: server is entering sleeping state\n",
         "|"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_what_does_not_count(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a load that failed holds nothing, and sizes of what failed are wishes",
         LOAD("/m.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                         "llama_context: constructing llama_context\n"
                         "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 5434.38 MiB on "
                         "device 0: cudaMalloc failed: out of memory\n"
                         "graph_reserve: failed to allocate compute buffers\n"
                         "srv    load_model: failed to load model, '/m.gguf'\n",
         "| failed"},
        {"a reservation that is tried again",
         LOAD("/m.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                         "llama_context: constructing llama_context\n"
                         "graph_reserve: failed to allocate compute buffers\n"
                         "llama_context: compute buffer allocation failed, retrying without "
                         "pipeline parallelism\n"
                         "llama_context: CUDA0 compute buffer size = 3.00 MiB\n",
         "| M0 /m.gguf CUDA0/weights=1.00 CUDA0/compute=3.00"},
        {"words about failures in a chat are only words",
         LOAD("/m.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n"
                         "srv  llama_server: model loaded\n"
                         "slot: prompt: why does it say unable to load model?\n",
         "| M0 /m.gguf CUDA0/weights=1.00"},
        {"loads of the fit step are projections",
         "common_params_fit_impl: getting device memory data for initial parameters:\n" LOAD(
             "/m.gguf") "load_tensors: CUDA0 model buffer size = 77.00 MiB\n"
                        "common_memory_breakdown_print: |   - Host  | 197 = 166 + 0 + 30 |\n"
                        "common_fit_params: fitting params to free memory took 0.00 seconds\n" LOAD(
                            "/m.gguf") "load_tensors: CUDA0 model buffer size = 1.00 MiB\n",
         "| M0 /m.gguf CUDA0/weights=1.00"},
        {"so is a load without allocation",
         LOAD("/m.gguf") "print_info: no_alloc              = 1\n"
                         "load_tensors: CUDA0 model buffer size = 77.00 MiB\n" LOAD(
                             "/m.gguf") "print_info: no_alloc              = 0\n"
                                        "load_tensors: CUDA0 model buffer size = 1.00 MiB\n",
         "| M0 /m.gguf CUDA0/weights=1.00"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_other_runtimes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"2023: sums, with a decimal comma",
         "llama_kv_cache_init: VRAM kv self = 400,00 MiB\n"
         "llama_new_context_with_model: kv self size  =  500,00 MiB\n"
         "llama_new_context_with_model: compute buffer total size = 78,07 MiB\n"
         "llama_new_context_with_model: VRAM scratch buffer: 75,00 MiB\n"
         "llama_new_context_with_model: total VRAM used: 9169,21 MiB (model: 8694,21 MiB, context: "
         "475,00 MiB)\n",
         "| M0  GPU/weights=8694.21 GPU/kv=400.00 CPU/kv=100.00 GPU/compute=75.00 "
         "CPU/compute=78.07"},
        {"2023-06: the total holds the scratch buffer",
         "ggml_init_cublas: found 1 CUDA devices:\n"
         "llama.cpp: loading model from /old/ggml-model-q4_0.bin\n"
         "llama_model_load_internal: mem required  = 100.00 MB (+ 3224.00 MB per state)\n"
         "llama_model_load_internal: allocating batch_size x 1 MB = 512 MB VRAM for the scratch "
         "buffer\n"
         "llama_model_load_internal: total VRAM used: 3217 MB\n",
         "| M0 /old/ggml-model-q4_0.bin CUDA0/weights=2705.00 CPU/other=100.00 "
         "CUDA0/compute=512.00"},
        {"a JSON object a line: its message counts",
         "{\"type\":\"log\",\"level\":\"info\",\"msg\":\"x: loaded meta data with 20 key-value "
         "pairs "
         "and 2 tensors from /m \\\"a\\\".gguf (version GGUF V3 (latest))\\n\"}\n"
         "{\"type\":\"log\",\"msg\":\"load_tensors: CUDA0 model buffer size = 1.00 MiB\\n\"}\n"
         "{\"msg\":\"load_tensors: CUDA0 model buffer size = 2.00 MiB",
         "| M0 /m \"a\".gguf CUDA0/weights=1.00 CUDA0/weights=2.00"},
        {"2023-09: VRAM used in whole MB holds the cache",
         LOAD("/m.gguf") "llm_load_tensors: mem required  =   70.40 MB (+  256.00 MB per state)\n"
                         "llm_load_tensors: offloading k cache to GPU\n"
                         "llm_load_tensors: VRAM used: 4107 MB\n"
                         "llama_new_context_with_model: kv self size  =  256.00 MB\n"
                         "llama_new_context_with_model: VRAM scratch buffer: 70.53 MB\n",
         "| M0 /m.gguf GPU/weights=3851.00 CPU/other=70.40 GPU/kv=256.00 GPU/compute=70.53"},
        {"2023-10: with decimals it does not",
         LOAD("/m.gguf") "llm_load_tensors: mem required  =   86.05 MB\n"
                         "llm_load_tensors: VRAM used: 4807.05 MB\n",
         "| M0 /m.gguf GPU/weights=4807.05 CPU/other=86.05"},
        {"2023-12: system memory used",
         LOAD("/m.gguf") "llm_load_tensors: system memory used  = 5506.41 MiB\n"
                         "llm_load_tensors: VRAM used           = 1701.95 MiB\n",
         "| M0 /m.gguf GPU/weights=1701.95 CPU/other=5506.41"},
        {"Ollama's engine: the last round before the start holds",
         "msg=\"starting runner\" cmd=\"/usr/bin/ollama runner --ollama-engine --model /b/sha256-1 "
         "--port 51234\"\n"
         "msg=\"model weights\" device=CUDA0 size=\"11.5 GiB\"\n"
         "msg=\"kv cache\" device=CUDA1 size=\"1.0 GiB\"\nmsg=\"total memory\" size=\"12.5 GiB\"\n"
         "msg=\"model weights\" buffer=CUDA0 size=\"11.0 GiB\"\n"
         "msg=\"kv cache\" device=CUDA0 size=\"936.0 MiB\"\nmsg=\"compute graph\" device=CPU "
         "size=\"8.0 MiB\"\n"
         "msg=\"total memory\" size=\"12.0 GiB\"\nmsg=\"llama runner started in 9.16 seconds\"\n",
         "| M0 /b/sha256-1 CUDA0/weights=11264.00 CUDA0/kv=936.00 CPU/compute=8.00"},
        {"a runner that is starting does not end the one before",
         "msg=\"kv cache\" device=CUDA0 size=\"936.0 MiB\"\nmsg=\"llama runner started in 9.16 "
         "seconds\"\n"
         "msg=\"starting runner\" cmd=\"ollama.exe runner --model O:\\\\m\\\\sha256-0 --port "
         "51234\"\n",
         "| M0  CUDA0/kv=936.00|"},
        {"once it says sizes, it counts alone",
         "msg=\"kv cache\" device=CUDA0 size=\"936.0 MiB\"\nmsg=\"llama runner started in 9.16 "
         "seconds\"\n"
         "msg=\"starting llama server\" cmd=\"ollama runner --model /b/2 --port 51234\"\n"
         "load_tensors: CUDA0 model buffer size = 1.00 MiB\n",
         "| M0  CUDA0/weights=1.00"},
        {"Ollama's server reads the words of a model without loading it",
         "msg=\"starting llama server\" cmd=\"ollama runner --model /b/2 --port 51234\"\n"
         "load_tensors: CUDA0 model buffer size = 1.00 MiB\n" LOAD(
             "/b/3") "print_info: vocab_only       = 1\n",
         "| M0  CUDA0/weights=1.00"},
        {"whisper.cpp: MB are 10^6, a new state replaces the one before",
         "whisper_init_from_file_with_params_no_state: loading model from '/w/ggml-base.bin'\n"
         "whisper_model_load: type          = 2 (base)\n"
         "whisper_model_load:        CUDA0 total size =   147.37 MB\n"
         "whisper_model_load: model size    =  147.37 MB\n"
         "whisper_backend_init_gpu: using CUDA0 backend\n"
         "whisper_init_state: kv self size  =    6.29 MB\nwhisper_init_state: kv cross size =   "
         "18.87 MB\n"
         "whisper_init_state: compute buffer (conv)   =   16.26 MB\n"
         "whisper_init_state: kv self size  =    6.29 MB\nwhisper_init_state: kv cross size =   "
         "18.87 MB\n"
         "whisper_init_state: compute buffer (conv)   =   16.26 MB\n",
         "| M4 /w/ggml-base.bin CUDA0/weights=140.54 CUDA0/kv=6.00 CUDA0/kv=18.00 "
         "CUDA0/compute=15.51"},
        {"whisper.cpp without a GPU",
         "whisper_init_with_params_no_state: use gpu    = 0\n"
         "whisper_model_load:          CPU total size =   147.37 MB\n"
         "whisper_init_state: kv self size  =    6.29 MB\n",
         "| M4  CPU/weights=140.54 CPU/kv=6.00"},
        {"stable-diffusion.cpp: the total stands for its parts",
         "stable-diffusion.cpp:157  - Using CUDA backend\n"
         "stable-diffusion.cpp:195  - loading model from '/sd/flux.safetensors'\n"
         "ggml_extend.hpp:1050 - clip params backend buffer size =  1346.53 MB(VRAM) (388 "
         "tensors)\n"
         "stable-diffusion.cpp:398  - total params memory size = 1500.00MB (VRAM 1400.00MB, RAM "
         "100.00MB): clip 1346.53MB(VRAM)\n"
         "ggml_extend.hpp:1550 - flux compute buffer size: 300.00 MB(VRAM)\n"
         "ggml_extend.hpp:1550 - flux compute buffer size: 398.50 MB(VRAM)\n",
         "| M6 /sd/flux.safetensors CUDA0/weights=1400.00 CPU/weights=100.00 CUDA0/compute=398.50"},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefixes),       cmocka_unit_test(test_summing),
        cmocka_unit_test(test_runs),           cmocka_unit_test(test_what_does_not_count),
        cmocka_unit_test(test_other_runtimes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
