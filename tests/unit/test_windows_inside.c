/* What is inside a process on Windows, as pure rules: paths, command lines, the table of sockets,
 * runtimes by their DLLs, classes by their names, stores in their places. They run on every system.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "inspect/classify.h"
#include "inspect/command.h"
#include "inspect/command_models.h"
#include "inspect/log_place.h"
#include "inspect/path.h"
#include "inspect/runtimes.h"
#include "inspect/servers/listeners.h"
#include "inspect/stores/store.h"
#include "os/windows/child_program.h"
#include "os/windows/command_line.h"
#include "os/windows/path_name.h"
#include "os/windows/tcp_table.h"

static int open_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int close_arena(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

static struct raw_text raw_of(const char *string)
{
    return string ? raw_from_string(string) : (struct raw_text){0};
}

/* NULL: bytes NULL. */
static void assert_raw(struct raw_text raw, const char *wanted)
{
    if (!wanted) {
        assert_null(raw.bytes);
        return;
    }
    assert_non_null(raw.bytes);
    if (raw.length != strlen(wanted) || memcmp(raw.bytes, wanted, raw.length) != 0)
        fail_msg("'%.*s' is not '%s'", (int)raw.length, raw.bytes, wanted);
}

static void test_device_paths(void **state)
{
    static const struct drive_device drives[] = {
        {'C', "\\Device\\HarddiskVolume3"},
        {'D', "\\Device\\HarddiskVolume31"},
        {'E', "\\Device\\HarddiskVolume3\\mounted"},
        {'X', ""},
        {'N', "\\Device\\LanmanRedirector\\;N:0000000000012345\\nas\\models"},
        {'M', "\\Device\\Mup\\;LanmanRedirector\\;M:1\\nas\\other"},
    };
    static const struct {
        const char *device, *wanted;
    } rows[] = {
        {"\\Device\\HarddiskVolume3\\models\\a.gguf", "C:\\models\\a.gguf"},
        {"\\DEVICE\\harddiskvolume3\\a.gguf", "C:\\a.gguf"},
        {"\\Device\\HarddiskVolume31\\a.gguf", "D:\\a.gguf"},
        {"\\Device\\HarddiskVolume3\\mounted\\a.gguf", "E:\\a.gguf"},
        {"\\Device\\HarddiskVolume3\\mountedelsewhere\\a.gguf", "C:\\mountedelsewhere\\a.gguf"},
        {"\\Device\\HarddiskVolume4\\a.gguf", NULL},
        {"\\Device\\HarddiskVolume3", "C:"},
        {"\\Device\\Mup\\nas\\share\\a.gguf", "\\\\nas\\share\\a.gguf"},
        {"\\Device\\Mup\\NAS\\models\\a.gguf", "N:\\a.gguf"},
        {"\\Device\\Mup\\nas\\models2\\a.gguf", "\\\\nas\\models2\\a.gguf"},
        {"\\Device\\Mup\\nas\\other\\a.gguf", "M:\\a.gguf"},
        {"\\Device\\MupX\\nas\\share\\a.gguf", NULL},
        {"\\??\\UNC\\nas\\share\\a.gguf", "\\\\nas\\share\\a.gguf"},
        {"\\\\?\\UNC\\nas\\share\\a.gguf", "\\\\nas\\share\\a.gguf"},
        {"\\??\\Z:\\tmp\\a.gguf", "Z:\\tmp\\a.gguf"},
        {"\\\\?\\Z:\\tmp\\a.gguf", "Z:\\tmp\\a.gguf"},
        {"\\??\\Volume{0}\\a.gguf", NULL},
        {"\\??\\", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_raw(windows_path_of_device(*state, raw_of(rows[i].device), drives,
                                          sizeof drives / sizeof *drives),
                   rows[i].wanted);
}

static void test_long_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path, *wanted; /* NULL: none */
    } rows[] = {
        {"C:/Users/ann/a.gguf", "\\\\?\\C:\\Users\\ann\\a.gguf"},
        {"c:\\a//b\\.\\c\\..\\d", "\\\\?\\c:\\a\\b\\d"},
        {"C:\\..\\..\\a", "\\\\?\\C:\\a"},
        {"C:\\", "\\\\?\\C:\\"},
        {"C:\\con", "\\\\?\\C:\\con"}, /* a file of that name, not the console */
        {"C:a", NULL},
        {"\\\\nas\\share\\a", NULL},
        {"\\\\.\\PhysicalDrive0", NULL},
        {"proc/self/stat", NULL},
        {"", NULL},
        {"1:\\a", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        bool is_path = windows_path_long(rows[i].path, out, sizeof out);
        assert_int_equal(is_path, rows[i].wanted != NULL);
        if (is_path)
            assert_string_equal(out, rows[i].wanted);
    }
    char small[16];
    assert_false(windows_path_long("C:\\0123456789", small, sizeof small));
}

static void test_paths(void **state)
{
    static const struct {
        const char *folder, *path, *wanted;
    } rows[] = {
        {"C:\\Users\\ann", "m.gguf", "C:\\Users\\ann\\m.gguf"},
        {"C:\\Users\\ann\\", ".\\a/..\\m.gguf", "C:\\Users\\ann\\m.gguf"},
        {"C:\\", "m.gguf", "C:\\m.gguf"},
        {"C:\\Users\\ann", "..\\..\\..\\..\\m.gguf", "C:\\m.gguf"},
        {"C:\\Users\\ann", "\\models\\m.gguf", "C:\\models\\m.gguf"},
        {"C:\\Users\\ann", "c:m.gguf", "C:\\Users\\ann\\m.gguf"},
        {"C:\\Users\\ann", "D:m.gguf", NULL},
        {"C:\\Users\\ann", "D:/models//m.gguf", "D:\\models\\m.gguf"},
        {"\\\\nas\\share\\ann", "..\\..\\..\\m.gguf", "\\\\nas\\share\\m.gguf"},
        {"\\\\nas\\share\\ann", "\\m.gguf", "\\\\nas\\share\\m.gguf"},
        {"C:\\Users", "\\\\nas\\share\\m.gguf", "\\\\nas\\share\\m.gguf"},
        {NULL, "m.gguf", NULL},
        {NULL, "C:\\", "C:\\"},
        /* On Linux a backslash is part of a name. */
        {"/home/ann", "a\\..\\m.gguf", "/home/ann/a\\..\\m.gguf"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_raw(path_absolute(*state, raw_of(rows[i].folder), raw_of(rows[i].path)),
                   rows[i].wanted);
}

static void test_same_paths(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool same, same_name;
    } rows[] = {
        {"C:\\Models\\A.gguf", "c:/models/a.GGUF", true, true},
        {"C:\\Models\\A.gguf", "D:\\Models\\A.gguf", false, true},
        {"C:\\Models\\A.gguf", "a.gguf", false, true},
        {"/models/A.gguf", "/models/a.gguf", false, false},
        {"/models/A.gguf", "/models/A.gguf", true, true},
        {"\\\\NAS\\share\\a", "\\\\nas\\share\\A", true, true},
        {"", "", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(path_same(raw_of(rows[i].a), raw_of(rows[i].b)), rows[i].same);
        assert_int_equal(path_same_name(raw_of(rows[i].a), raw_of(rows[i].b)), rows[i].same_name);
    }
}

/* The tree that a process in a container sees. */
#define IN_CONTAINER "proc/42/root"

static void test_tree(void **state)
{
    char place[32];
    assert_true(path_in_tree("", raw_of("C:\\m\\a.gguf"), place, sizeof place));
    assert_string_equal(place, "C:/m/a.gguf");
    assert_raw(path_from_tree(*state, "", place), "C:\\m\\a.gguf");
    assert_true(path_in_tree(IN_CONTAINER, raw_of("/m/a.gguf"), place, sizeof place));
    assert_string_equal(place, IN_CONTAINER "/m/a.gguf");
    assert_raw(path_from_tree(*state, IN_CONTAINER, place), "/m/a.gguf");
    assert_true(path_in_tree("", raw_of("/m/a.gguf"), place, sizeof place));
    assert_string_equal(place, "m/a.gguf");
    assert_raw(path_from_tree(*state, "", place), "/m/a.gguf");
    assert_false(path_in_tree("", raw_of("m/a.gguf"), place, sizeof place));
    assert_false(
        path_in_tree("", raw_of("/01234567890123456789012345678901"), place, sizeof place));
    assert_string_equal(place, "");
}

static void test_command_lines(void **state)
{
    static const struct {
        const char *line, *wanted; /* a '|' behind each argument */
    } rows[] = {
        {"llama-server.exe -m a.gguf", "llama-server.exe|-m|a.gguf|"},
        {"\"C:\\Program Files\\x.exe\" -m \"C:\\m y\\a.gguf\"",
         "C:\\Program Files\\x.exe|-m|C:\\m y\\a.gguf|"},
        {"x a\\\\\\\"b c:\\d\\ \"e\\\\\" f", "x|a\\\"b|c:\\d\\|e\\|f|"},
        {"x \"\" y", "x||y|"},
        {"x   y\t z  ", "x|y|z|"},
        {"x \"a\"\"b\" c", "x|a\"b|c|"},
        {"x \"unclosed and on", "x|unclosed and on|"},
        {"", ""},
        {NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct raw_text arguments = command_line_arguments(*state, raw_of(rows[i].line));
        for (size_t k = 0; k < arguments.length; k++)
            ((char *)arguments.bytes)[k] = arguments.bytes[k] ? arguments.bytes[k] : '|';
        assert_raw(arguments, rows[i].wanted);
    }
    /* What is put in comes out. */
    static const char *const words[] = {"x.exe", "a b", "", "c:\\d\\", "q\"r", "\\\"", "\\\\x y\\"};
    char line[256] = "", joined[256];
    size_t length = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_true(command_line_append(line, sizeof line, words[i]));
        memcpy(joined + length, words[i], strlen(words[i]) + 1);
        length += strlen(words[i]) + 1;
    }
    struct raw_text back = command_line_arguments(*state, raw_of(line));
    assert_int_equal(back.length, length);
    assert_memory_equal(back.bytes, joined, length);
    assert_non_null(strstr(line, " c:\\d\\ ")); /* as plain as it can be */
    char small[8] = "";
    assert_false(command_line_append(small, sizeof small, "too long"));
    assert_false(command_line_append(small, sizeof small, "too-long"));
    assert_true(command_line_append(small, sizeof small, "no-long"));
}

/* What cmd.exe would take apart is not given to it. */
static void test_commands_to_start(void **state)
{
    (void)state;
    char *const words[] = {"tool", "a b", "C:\\x\\", NULL}, *const bad[] = {"tool", "%PATH%", NULL};
    char line[128], small[24];
    struct problem problem;
    assert_true(child_program_is_script("C:\\x\\npm.CMD"));
    assert_true(child_program_is_script("a.bat"));
    assert_false(child_program_is_script("C:\\x.cmd\\tool.exe"));
    assert_true(child_program_line("C:\\t t\\tool.exe", words, line, sizeof line, &problem));
    assert_string_equal(line, "\"C:\\t t\\tool.exe\" \"a b\" C:\\x\\");
    assert_false(child_program_line("C:\\tool.exe", words, small, sizeof small, &problem));
    assert_true(child_program_script_line("C:\\t t\\npm.cmd", words, line, sizeof line, &problem));
    assert_string_equal(line,
                        "cmd.exe /d /s /v:off /c \"\"C:\\t t\\npm.cmd\" \"a b\" \"C:\\x\\\\\"\"");
    assert_false(child_program_script_line("C:\\npm.cmd", words, small, sizeof small, &problem));
    problem.text[0] = '\0';
    assert_false(child_program_script_line("C:\\npm.cmd", bad, line, sizeof line, &problem));
    assert_non_null(strstr(problem.text, "percent"));
}

static void test_secrets(void **state)
{
    struct raw_text command = command_line_arguments(
        *state, raw_of("\"C:\\x\\llama-server.exe\" --api-key \"geheim 1\" -m C:\\m\\a.gguf"));
    struct text_list list = command_redact(*state, command);
    assert_int_equal(list.count, 5);
    for (size_t i = 0; i < list.count; i++)
        assert_false(text_contains_folded(list.items[i], TEXT("geheim")));
    assert_true(text_equal_string(list.items[2], "[redacted]"));
    assert_true(text_equal_string(list.items[4], "C:\\m\\a.gguf"));
}

struct seen_sockets {
    struct listening_socket items[4];
    size_t count;
};

static bool take(const struct listening_socket *socket, void *context)
{
    struct seen_sockets *seen = context;
    seen->items[seen->count++] = *socket;
    return seen->count < 4;
}

static void put(unsigned char *at, uint32_t number)
{
    memcpy(at, &number, sizeof number);
}

static void test_tcp_tables(void **state)
{
    (void)state;
    enum { LISTEN = 2, ESTABLISHED = 5 };
    static const unsigned char loopback[4] = {127, 0, 0, 1}, port[2] = {0x2c, 0xaa};
    unsigned char v4[4 + 3 * 24] = {0}, v6[4 + 56] = {0};
    put(v4, 3);
    for (size_t i = 0; i < 3; i++) {
        unsigned char *row = v4 + 4 + i * 24;
        put(row, i == 1 ? ESTABLISHED : LISTEN);
        memcpy(row + 4, loopback, 4);
        memcpy(row + 8, port, 2);
        row[10] = 0xff; /* undefined */
        put(row + 20, 4242 + (uint32_t)i);
    }
    struct seen_sockets seen = {.count = 0};
    assert_true(tcp_table_each(v4, sizeof v4, false, take, &seen));
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.items[0].port, 11434);
    assert_memory_equal(seen.items[0].address, loopback, 4);
    assert_int_equal(tcp_table_owner(seen.items[0].inode), 4242);
    assert_int_equal(tcp_table_owner(seen.items[1].inode), 4244);
    struct listener listener;
    assert_true(listener_of(&seen.items[0], &listener));
    assert_string_equal(listener.address, "127.0.0.1");

    put(v6, 1);
    v6[4 + 15] = 1; /* ::1 */
    memcpy(v6 + 4 + 20, port, 2);
    put(v6 + 4 + 48, LISTEN);
    put(v6 + 4 + 52, 4242);
    assert_true(tcp_table_each(v6, sizeof v6, true, take, &seen));
    assert_int_equal(seen.count, 3);
    assert_true(listener_of(&seen.items[2], &listener));
    assert_string_equal(listener.address, "::1");
    /* One process, one port, two addresses: two sockets. */
    assert_int_not_equal(seen.items[0].inode, seen.items[2].inode);

    /* A count that lies, and a table that is none. */
    put(v6, 0xffffffff);
    seen.count = 0;
    assert_true(tcp_table_each(v6, sizeof v6, true, take, &seen));
    assert_int_equal(seen.count, 1);
    assert_true(tcp_table_each(v6, sizeof v6 - 1, true, take, &seen));
    assert_int_equal(seen.count, 1);
    assert_false(tcp_table_each(v6, 3, true, take, &seen));
}

static void test_modules(void **state)
{
    (void)state;
    static const struct {
        const char *module, *runtime, *backend; /* NULL: none */
        enum process_class class;
    } rows[] = {
        {"C:\\Windows\\System32\\nvcuda.dll", "CUDA", "CUDA", CLASS_OTHER},
        {"C:\\x\\cudart64_12.dll", "CUDA", "CUDA", CLASS_OTHER},
        {"C:\\x\\cublas64_12.dll", NULL, "CUDA", CLASS_OTHER},
        {"C:\\x\\GGML-CUDA.dll", "ggml", "CUDA", CLASS_OTHER},
        {"C:\\x\\ggml-vulkan.dll", "ggml", "Vulkan", CLASS_OTHER},
        {"C:\\x\\llama.dll", "llama.cpp", NULL, CLASS_LLM},
        {"C:\\x\\mtmd.dll", "llama.cpp", NULL, CLASS_LLM},
        {"C:\\x\\whisper.dll", "whisper.cpp", NULL, CLASS_SPEECH},
        {"C:\\Users\\ann\\.lmstudio\\extensions\\backends\\win-cuda\\x.node", "LM Studio", NULL,
         CLASS_LLM},
        {"C:\\x\\onnxruntime.dll", "ONNX Runtime", NULL, CLASS_OTHER},
        {"C:\\Windows\\System32\\DirectML.dll", "DirectML", NULL, CLASS_OTHER},
        {"C:\\x\\torch_cuda.dll", "PyTorch", NULL, CLASS_PYTHON_AI},
        {"C:\\x\\Lib\\site-packages\\ctranslate2\\ctranslate2.dll", "CTranslate2", NULL,
         CLASS_PYTHON_AI},
        {"C:\\Windows\\System32\\amdhip64_6.dll", "HIP", "ROCm", CLASS_OTHER},
        {"C:\\x\\openvino_intel_gpu_plugin.dll", "OpenVINO", NULL, CLASS_OTHER},
        {"C:\\x\\nvinfer_10.dll", "TensorRT", NULL, CLASS_OTHER},
        {"C:\\Windows\\System32\\ze_loader.dll", "Level Zero", "SYCL", CLASS_OTHER},
        {"C:\\Windows\\System32\\vulkan-1.dll", "Vulkan", "Vulkan", CLASS_OTHER},
        {"C:\\Windows\\System32\\kernel32.dll", NULL, NULL, CLASS_OTHER},
        {"C:\\x\\llamas.dll", NULL, NULL, CLASS_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct runtime_found found[RUNTIMES_FOUND_MAX];
        const struct raw_text module = raw_of(rows[i].module);
        size_t count = runtimes_find(&module, 1, found);
        const char *backend = runtimes_ggml_backend(&module, 1);
        if (count != (rows[i].runtime ? 1 : 0) || (backend == NULL) != (rows[i].backend == NULL))
            fail_msg("%s: %d runtimes, backend %s", rows[i].module, (int)count,
                     backend ? backend : "none");
        if (count) {
            assert_string_equal(found[0].name, rows[i].runtime);
            assert_int_equal(found[0].class, rows[i].class);
        }
        if (backend)
            assert_string_equal(backend, rows[i].backend);
    }
}

static void test_classes(void **state)
{
    static const struct {
        const char *name, *executable, *command; /* of arguments parted by '|' */
        const char *module;
        double graphics_percent;
        enum process_class class;
    } rows[] = {
        {"dwm.exe", NULL, NULL, NULL, 40, CLASS_COMPOSITOR},
        {"csrss.exe", NULL, NULL, NULL, 0, CLASS_COMPOSITOR},
        {"chrome.exe", "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
         "chrome.exe|--type=gpu-process", NULL, 50, CLASS_BROWSER},
        {"msedgewebview2.exe", NULL, NULL, NULL, 0, CLASS_BROWSER},
        {"Discord.exe", NULL, "Discord.exe|--type=gpu-process", NULL, 0, CLASS_BROWSER},
        {"ollama.exe", NULL, "C:\\x\\ollama.exe|serve", NULL, 0, CLASS_LLM},
        {"ollama app.exe", NULL, NULL, NULL, 0, CLASS_LLM},
        {"LM Studio.exe", NULL, NULL, NULL, 0, CLASS_LLM},
        {"llama-server.exe", NULL, NULL, NULL, 90, CLASS_LLM},
        {"koboldcpp_cu12.exe", NULL, NULL, NULL, 0, CLASS_LLM},
        {"chat.exe", "C:\\Users\\ann\\gpt4all\\bin\\chat.exe", NULL, NULL, 0, CLASS_LLM},
        {"chat.exe", "C:\\x\\chat.exe", NULL, NULL, 0, CLASS_OTHER},
        {"python.exe", NULL, "python.exe|train.py", NULL, 80, CLASS_TRAINING},
        {"python.exe", NULL, "python.exe|x.py", "C:\\x\\torch_cuda.dll", 80, CLASS_PYTHON_AI},
        /* CUDA's work may be counted as 3D. */
        {"python.exe", NULL, "python.exe|x.py", NULL, 80, CLASS_OTHER},
        {"Photo.exe", NULL, NULL, "C:\\x\\onnxruntime.dll", 80, CLASS_OTHER},
        {"Game.exe", NULL, NULL, NULL, 80, CLASS_GAME},
        {"Game.exe", NULL, NULL, "C:\\Windows\\System32\\nvcuda.dll", 80, CLASS_GAME},
        {"Game.exe", NULL, NULL, NULL, 10, CLASS_OTHER},
        {"Tool.exe", NULL, NULL, NULL, 0, CLASS_OTHER},
        {"thing.exe", "D:\\SteamLibrary\\steamapps\\common\\X\\thing.exe", NULL, NULL, 0,
         CLASS_GAME},
        {"Y-Win64-Shipping.exe", NULL, NULL, NULL, 0, CLASS_GAME},
        {"obs64.exe", NULL, NULL, NULL, 30, CLASS_VIDEO},
        {"Taskmgr.exe", NULL, NULL, NULL, 12, CLASS_GPU_TOOL},
        {"mstsc.exe", NULL, NULL, NULL, 12, CLASS_REMOTE_DESKTOP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[256] = "";
        struct runtime_found found[RUNTIMES_FOUND_MAX];
        const struct raw_text module = raw_of(rows[i].module);
        struct process_reading reading = {.name = raw_of(rows[i].name),
                                          .executable = raw_of(rows[i].executable)};
        if (rows[i].command) {
            strcpy(command, rows[i].command);
            for (char *at = command; (at = strchr(at, '|')); at++)
                *at = '\0';
            reading.command = (struct raw_text){command, strlen(rows[i].command) + 1};
        }
        struct classify_seen seen = {
            .process = &reading,
            .is_windows = true,
            .has_graphics_load = rows[i].graphics_percent > 0,
            .graphics_percent = rows[i].graphics_percent,
            .runtimes = found,
            .runtime_count = module.bytes ? runtimes_find(&module, 1, found) : 0,
        };
        struct process process = {0};
        classify(*state, &seen, &process);
        if (process.class != rows[i].class)
            fail_msg("%s: class %d, expected %d", rows[i].name, (int)process.class,
                     (int)rows[i].class);
        for (size_t k = 0; k < process.runtime_count; k++)
            assert_false(text_equal_string(process.runtimes[k].name, "Wine"));
    }
}

static void test_programs(void **state)
{
    static const struct {
        const char *line, *cwd;
        enum program_family family;
        const char *model; /* NULL: none */
    } rows[] = {
        {"\"C:\\x\\llama-server.exe\" -m C:\\m\\a.gguf", NULL, PROGRAM_LLAMA, "C:\\m\\a.gguf"},
        {"\"C:\\Users\\ann\\AppData\\Local\\Programs\\Ollama\\ollama.exe\" serve", NULL,
         PROGRAM_OLLAMA, NULL},
        {"C:\\o\\ollama.exe runner --model C:\\Users\\ann\\.ollama\\models\\blobs\\sha256-1 --port "
         "1",
         NULL, PROGRAM_LLAMA, "C:\\Users\\ann\\.ollama\\models\\blobs\\sha256-1"},
        {"\"C:\\x\\LM Studio.exe\"", NULL, PROGRAM_LM_STUDIO, NULL},
        {".\\python_embeded\\python.exe -s ComfyUI\\main.py", "C:\\c", PROGRAM_COMFY, NULL},
        {"koboldcpp.exe --model .\\a.gguf", "C:\\c", PROGRAM_KOBOLD, ".\\a.gguf"},
        {"notepad.exe a.txt", NULL, PROGRAM_OTHER, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct command_models models;
        struct raw_text command = command_line_arguments(*state, raw_of(rows[i].line));
        command_models_read(path_basename(raw_from_string(command.bytes)), (struct raw_text){0},
                            raw_of(rows[i].cwd), command, (struct raw_text){0}, &models);
        if (models.family != rows[i].family)
            fail_msg("%s: family %d", rows[i].line, (int)models.family);
        assert_int_equal(models.count, rows[i].model != NULL);
        if (rows[i].model)
            assert_raw(models.items[0].value, rows[i].model);
    }
}

static void test_stores(void **state)
{
    static const struct {
        const char *path, *store, *name; /* NULL: in no store */
    } rows[] = {
        {"C:\\Users\\ann\\.lmstudio\\models\\lmstudio-community\\Qwen3-8B-GGUF\\Q.gguf",
         "LM Studio", "lmstudio-community/Qwen3-8B-GGUF"},
        {"C:\\Users\\ann\\.cache\\lm-studio\\models\\a\\b\\Q.gguf", "LM Studio", "a/b"},
        {"C:\\Users\\ann\\AppData\\Local\\nomic.ai\\GPT4All\\Llama-3.2.gguf", "GPT4All",
         "Llama-3.2"},
        {"C:\\Users\\ann\\AppData\\Roaming\\Jan\\data\\llamacpp\\models\\janhq\\Jan-v1-4B\\model."
         "gguf",
         "Jan", "janhq/Jan-v1-4B"},
        {"C:\\Users\\ann\\AppData\\Roaming\\com.pais.handy\\models\\ggml-small.bin", "Handy",
         "ggml-small"},
        {"D:\\models\\x.gguf", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct store_name name;
        size_t count = folder_store_names(*state, raw_of(rows[i].path), &name, 1);
        assert_int_equal(count, rows[i].store != NULL);
        if (count) {
            assert_string_equal(name.store, rows[i].store);
            assert_raw(name.name, rows[i].name);
        }
    }
    struct store_name name;
    const struct store_place place = {.prefix = "", .scratch = *state};
    assert_int_equal(
        hugging_face_names(&place, *state,
                           raw_of("C:\\Users\\ann\\.cache\\huggingface\\hub\\models--some-org--"
                                  "Tiny--2\\snapshots\\0123\\sub\\model.safetensors"),
                           &name, 1),
        1);
    assert_raw(name.name, "some-org/Tiny--2");
    assert_raw(name.file, "sub/model.safetensors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_device_paths, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_long_paths, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_paths, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_same_paths, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_tree, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_command_lines, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_commands_to_start, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_secrets, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_tcp_tables, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_modules, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_classes, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_programs, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_stores, open_arena, close_arena),
    };
    return cmocka_run_group_tests_name("windows inside", tests, NULL, NULL);
}
