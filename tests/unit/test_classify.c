/* Names and what they are: reference models.md section 12, "Process names", and the process names
 * of tests/cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/classify.h"

struct row {
    const char *comm, *executable, *command; /* arguments separated by '|' */
    enum process_class class;
    const char *runtime; /* NULL: none */
};

static const struct row rows[] = {
    {"llama-server", "/usr/bin/llama-server", "llama-server|-m|a.gguf", CLASS_LLM, "llama.cpp"},
    {"ollama", "/usr/bin/ollama", "ollama|serve", CLASS_LLM, "Ollama"},
    {"python3", "/usr/bin/python3.12", "python3|-u|-m|vllm.entrypoints.openai.api_server",
     CLASS_LLM, "vLLM"},
    {"VLLM::EngineCor", NULL, "VLLM::EngineCore", CLASS_LLM, "vLLM"},
    {"python", "/usr/bin/python3", "python|/opt/train.py|--lr|1", CLASS_TRAINING, NULL},
    {"python", "/usr/bin/python3", "python|-c|import train", CLASS_OTHER, NULL},
    {"RDD Process", "/usr/lib/firefox/firefox", "firefox|-contentproc", CLASS_BROWSER, NULL},
    {"GPU Process", NULL, NULL, CLASS_BROWSER, NULL},
    {"chromium", NULL, "/usr/lib/chromium/chromium|--type=gpu-process", CLASS_BROWSER, NULL},
    {"code", "/usr/share/code/code", "code|--type=gpu-process", CLASS_BROWSER, NULL},
    {"gnome-shell", "/usr/bin/gnome-shell", "gnome-shell", CLASS_COMPOSITOR, NULL},
    {"Xorg", "/usr/lib/xorg/Xorg", "/usr/lib/xorg/Xorg|:0", CLASS_COMPOSITOR, NULL},
    {"kwin_wayland", NULL, "kwin_wayland", CLASS_COMPOSITOR, NULL},
    {"dwm", NULL, NULL, CLASS_COMPOSITOR, NULL},
    {"dwm.exe", NULL, NULL, CLASS_COMPOSITOR, NULL},
    {"explorer", NULL, NULL, CLASS_COMPOSITOR, NULL},
    {"obs64", NULL, NULL, CLASS_VIDEO, NULL},
    {"obs", "/usr/bin/obs (deleted)", "obs", CLASS_VIDEO, NULL},
    {"ffmpeg", "/usr/bin/ffmpeg", "ffmpeg|-i|a", CLASS_VIDEO, NULL},
    {"DeadRising.exe", NULL, "Z:\\games\\DeadRising.exe", CLASS_GAME, "Wine"},
    {"hl2_linux", "/home/u/.steam/debian-installation/steamapps/common/Half-Life 2/hl2_linux",
     "./hl2_linux|-game|hl2", CLASS_GAME, NULL},
    {"Main", NULL, "Z:\\games\\SteamApps\\common\\Thing\\Main|-x", CLASS_GAME, NULL},
    {"obs", "/mnt/SteamLibrary/steamapps/common/OBS Studio/obs", "obs", CLASS_VIDEO, NULL},
    {"python3", "/usr/bin/python3", "python3|/x/steamapps/common/Proton 9.0/proton|run",
     CLASS_OTHER, NULL},
    {"steamwebhelper", NULL, "steamwebhelper|--type=gpu-process", CLASS_BROWSER, NULL},
    {"steamwebhelper", NULL, "./steamwebhelper|-nocrashdialog", CLASS_BROWSER, NULL},
    {"llama", NULL, "llama|serve|-m|a.gguf", CLASS_LLM, "llama.cpp"},
    {"llama-swap", NULL, "llama-swap|--config|a.yaml", CLASS_LLM, "llama-swap"},
    {"game.x86_64", NULL, "./game.x86_64", CLASS_GAME, NULL},
    {"nvtop", "/usr/bin/nvtop", "nvtop", CLASS_GPU_TOOL, NULL},
    /* macOS: the kernel cuts the short name after 16 bytes. */
    {"WindowServer", NULL, NULL, CLASS_COMPOSITOR, NULL},
    {"com.apple.WebKit", NULL, NULL, CLASS_BROWSER, NULL},
    {"Code Helper (GPU", NULL, NULL, CLASS_BROWSER, NULL},
    {"Google Chrome He", NULL, NULL, CLASS_BROWSER, NULL},
    {"Final Cut Pro", NULL, NULL, CLASS_VIDEO, NULL},
    {"VTDecoderXPCServ", NULL, NULL, CLASS_VIDEO, NULL},
    {"mediaanalysisd", NULL, NULL, CLASS_VISION, NULL},
    {"screensharingd", NULL, NULL, CLASS_REMOTE_DESKTOP, NULL},
    {"Activity Monitor", NULL, NULL, CLASS_GPU_TOOL, NULL},
    {"Handy", "/Applications/Handy.app/Contents/MacOS/Handy", NULL, CLASS_SPEECH, "Handy"},
    {"ollama", "/Applications/Ollama.app/Contents/Resources/ollama", "ollama|serve", CLASS_LLM,
     "Ollama"},
    {"python3.12", NULL, "python3.12|-m|mlx_vlm.server", CLASS_LLM, "MLX"},
    {"systemd", "/usr/lib/systemd/systemd", "/sbin/init", CLASS_OTHER, NULL},
    {"bash", "/usr/bin/bash", "bash", CLASS_OTHER, NULL},
};

static struct raw_text raw_of(const char *string)
{
    return string ? raw_from_string(string) : (struct raw_text){0};
}

static void test_names(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[256];
        struct process_reading reading = {.name = raw_of(rows[i].comm),
                                          .executable = raw_of(rows[i].executable)};
        if (rows[i].command) {
            size_t length = strlen(rows[i].command);
            memcpy(command, rows[i].command, length + 1);
            for (size_t k = 0; k < length; k++)
                if (command[k] == '|')
                    command[k] = '\0';
            reading.command = (struct raw_text){command, length + 1};
        }
        struct classify_seen seen = {.process = &reading};
        struct process process = {0};
        classify(*state, &seen, &process);
        if (process.class != rows[i].class)
            fail_msg("%s: class %d, expected %d", rows[i].comm, (int)process.class,
                     (int)rows[i].class);
        assert_int_equal(process.runtime_count, rows[i].runtime != NULL);
        if (rows[i].runtime)
            assert_string_equal(process.runtimes[0].name.utf8, rows[i].runtime);
        for (size_t k = 0; k < process.evidence.count; k++)
            assert_int_equal(process.evidence.items[k].strength, STRENGTH_HINT);
        assert_int_equal(process.evidence.count > 0, rows[i].class != CLASS_OTHER);
    }
}

/* On Windows ".exe" says nothing: no Wine, and the names count without it. */
static void test_windows_names(void **state)
{
    static const struct {
        const char *name, *command;
        enum process_class class;
        const char *runtime;
    } programs[] = {
        {"dwm.exe", NULL, CLASS_COMPOSITOR, NULL},
        {"Chrome.EXE", NULL, CLASS_BROWSER, NULL},
        {"msedgewebview2.exe", NULL, CLASS_BROWSER, NULL},
        {"llama-server.exe", "C:\\ai\\llama-server.exe", CLASS_LLM, "llama.cpp"},
        {"SandFall-Win64-Shipping.exe", NULL, CLASS_GAME, NULL},
        {"Taskmgr.exe", NULL, CLASS_GPU_TOOL, NULL},
        {"eldenring.exe", NULL, CLASS_OTHER, NULL},
        {"eldenring.exe", "C:\\Steam\\steamapps\\common\\er\\eldenring.exe", CLASS_GAME, NULL},
        {".exe", NULL, CLASS_OTHER, NULL},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct process_reading reading = {.name = raw_of(programs[i].name)};
        if (programs[i].command)
            reading.command =
                (struct raw_text){programs[i].command, strlen(programs[i].command) + 1};
        struct classify_seen seen = {.process = &reading, .is_windows = true};
        struct process process = {0};
        classify(*state, &seen, &process);
        if (process.class != programs[i].class)
            fail_msg("%s: class %d", programs[i].name, (int)process.class);
        assert_int_equal(process.runtime_count, programs[i].runtime != NULL);
        if (programs[i].runtime)
            assert_string_equal(process.runtimes[0].name.utf8, programs[i].runtime);
    }
}

static const struct {
    const char *what, *comm, *runtime;
    bool is_metal;
    double load_percent;
    enum process_class class;
} metal_rows[] = {
    {"above ten", "Stray-Mac", NULL, true, 10.5, CLASS_GAME},
    {"ten is not above it", "exactly-ten", NULL, true, 10, CLASS_OTHER},
    {"unknown load", "quiet", NULL, true, 0, CLASS_OTHER},
    {"a name says more", "Final Cut Pro", NULL, true, 90, CLASS_VIDEO},
    {"a runtime of models says more", "thing", "Core ML", true, 90, CLASS_OTHER},
    {"a Python program is no game", "python3.12", NULL, true, 90, CLASS_PYTHON_AI},
    {"elsewhere a load alone says nothing", "thing", NULL, false, 90, CLASS_OTHER},
};

static void test_metal_loads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof metal_rows / sizeof *metal_rows; i++) {
        struct arena *arena = arena_new();
        struct process process = {0};
        struct process_reading reading = {.name = raw_of(metal_rows[i].comm)};
        struct runtime_found found = {.name = metal_rows[i].runtime, .class = CLASS_OTHER};
        struct classify_seen seen = {
            .process = &reading,
            .is_metal = metal_rows[i].is_metal,
            .load_percent = metal_rows[i].load_percent,
            .runtimes = &found,
            .runtime_count = metal_rows[i].runtime != NULL,
        };
        print_message("# %s\n", metal_rows[i].what);
        classify(arena, &seen, &process);
        assert_int_equal(process.class, metal_rows[i].class);
        arena_free(&arena);
    }
}

static void test_kfd_proves_hip(void **state)
{
    const struct process_reading reading = {.name = raw_of("python3"),
                                            .executable = raw_of("/usr/bin/python3")};
    struct classify_seen seen = {.process = &reading, .holds_kfd = true};
    struct process process = {0};
    classify(*state, &seen, &process);
    assert_int_equal(process.class, CLASS_PYTHON_AI);
    assert_string_equal(process.runtimes[0].name.utf8, "HIP");
    assert_int_equal(process.evidence.items[0].strength, STRENGTH_PROOF);
}

static void test_nothing_known(void **state)
{
    struct classify_seen seen = {.use = GPU_USE_COMPUTE};
    struct process process = {0};
    classify(*state, &seen, &process);
    assert_int_equal(process.class, CLASS_OTHER);
    assert_int_equal(process.evidence.count, 0);
}

/* Every kind of evidence that a class can have is one of those that readers of snapshots know. */
static void test_kinds_of_evidence(void **state)
{
    static const char *const kinds[] = {"api", "mapped", "open_file", "cmdline",
                                        "log", "store",  "name"};
    struct runtime_found torch = {
        .name = "PyTorch", .class = CLASS_PYTHON_AI, .library = raw_of("/x/libtorch_cuda.so")};
    const struct process_reading python = {.name = raw_of("python3")};
    const struct process_reading unknown = {.name = raw_of("zz")};
    const struct classify_seen seen[] = {
        {.process = &python, .holds_kfd = true},
        {.process = &unknown, .has_video_load = true},
        {.process = &unknown, .runtimes = &torch, .runtime_count = 1},
        {.process = &python, .holds_kfd = true, .training_file = raw_of("events.out.tfevents.1")},
        {.process = &python, .runtimes = &torch, .runtime_count = 1, .has_rank = true},
    };
    static const size_t counts[] = {2, 1, 1, 3, 2};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        struct process process = {0};
        classify(*state, &seen[i], &process);
        assert_int_equal(process.evidence.count, counts[i]);
        for (size_t k = 0; k < process.evidence.count; k++) {
            size_t at = 0;
            while (at < sizeof kinds / sizeof *kinds &&
                   !text_equal_string(process.evidence.items[k].kind, kinds[at]))
                at++;
            assert_true(at < sizeof kinds / sizeof *kinds);
        }
    }
}

/* Evidence shows arguments: never their secrets. */
static void test_evidence_is_redacted(void **state)
{
    const struct process_reading reading = {.name = raw_of("x"),
                                            .command = raw_of("run --token abcdefgh game.exe")};
    struct classify_seen seen = {.process = &reading};
    struct process process = {.class = CLASS_COUNT};
    classify(*state, &seen, &process);
    for (size_t i = 0; i < process.evidence.count; i++)
        assert_null(strstr(process.evidence.items[i].detail.utf8, "abcdefgh"));
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
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_windows_names),
        cmocka_unit_test(test_metal_loads),
        cmocka_unit_test(test_kfd_proves_hip),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_kinds_of_evidence),
        cmocka_unit_test(test_evidence_is_redacted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
