#include "inspect/llama_program.h"

#include "base/lines.h"
#include "inspect/path.h"

/* Of the llama.cpp in runners that are given their settings as flags: ollama_llama_server until
 * 0.5.7 (2025-01), "ollama runner" until 0.10 (2025-08). */
enum { BUILD_OF_SEPARATE_RUNNER = 4700, BUILD_OF_RUNNER = 5700 };

static bool has(const struct raw_text *arguments, size_t count, const char *word)
{
    for (size_t i = 1; i < count; i++)
        if (raw_equal_string(arguments[i], word))
            return true;
    return false;
}

/* "llama-server", "llama serve", a llamafile and the like; not llama-cli, llama-bench, main. */
static bool is_server(struct raw_text name, const struct raw_text *arguments, size_t count)
{
    static const char *const tools[] = {
        "llama-cli",         "llama-completion", "llama-run",           "llama-bench",
        "llama-embedding",   "llama-mtmd-cli",   "llama-tts",           "llama-perplexity",
        "llama-simple",      "llama-imatrix",    "llama-fit-params",    "llama-simple-chat",
        "llama-speculative", "llama-batched",    "llama-diffusion-cli", "main",
    };
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (raw_equal_string(name, tools[i]))
            return false;
    return !raw_equal_string(name, "llama") ||
           (count > 1 && raw_equal_string(arguments[1], "serve"));
}

static struct raw_text program_name(struct raw_text executable, const struct raw_text *arguments,
                                    size_t count)
{
    struct raw_text name = path_basename(executable);
    if (name.length == 0 && count > 0)
        name = path_basename(arguments[0]);
    if (path_ends_folded(name, " (deleted)"))
        name.length -= sizeof " (deleted)" - 1;
    if (path_ends_folded(name, ".exe"))
        name.length -= sizeof ".exe" - 1;
    return name;
}

void llama_program_adapt(struct raw_text executable, const struct raw_text *arguments, size_t count,
                         struct runtime_flags *flags)
{
    struct raw_text name = program_name(executable, arguments, count);
    bool separate =
        raw_equal_string(name, "ollama_llama_server") || raw_equal_string(name, "ollama-runner");
    bool runner =
        raw_equal_string(name, "ollama") && count > 1 && raw_equal_string(arguments[1], "runner");
    if (separate || runner) {
        bool told = separate || has(arguments, count, "--ctx-size");
        flags->sent_later = !told;
        flags->build = !told ? 0 : separate ? BUILD_OF_SEPARATE_RUNNER : BUILD_OF_RUNNER;
    } else if (flags->slots == 0 && !is_server(name, arguments, count)) {
        flags->slots = 1;
    }
}
