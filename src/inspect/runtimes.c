#include "inspect/runtimes.h"

#include <stdbool.h>
#include <string.h>

#include "inspect/path.h"

enum runtime_match { RUNTIME_MATCH_NAME, RUNTIME_MATCH_PATH };

struct runtime_entry {
    enum runtime_match match;
    const char *pattern, *name;
    enum process_class class;
    bool weak;
};

static const struct runtime_entry entries[] = {
#define RUNTIME(match, pattern, name, class)                                                       \
    {RUNTIME_MATCH_##match, pattern, name, CLASS_##class, false},
#define RUNTIME_WEAK(match, pattern, name, class)                                                  \
    {RUNTIME_MATCH_##match, pattern, name, CLASS_##class, true},
#include "inspect/runtimes.def"
#undef RUNTIME
#undef RUNTIME_WEAK
};

static bool begins(struct raw_text name, const char *pattern)
{
    size_t length = strlen(pattern);
    return name.length >= length &&
           path_ends_folded((struct raw_text){name.bytes, length}, pattern);
}

static bool fits(const struct runtime_entry *entry, struct raw_text library)
{
    return entry->match == RUNTIME_MATCH_PATH ? path_contains(library, entry->pattern)
                                              : begins(path_basename(library), entry->pattern);
}

static bool is_found(const struct runtime_found *found, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].name, name) == 0)
            return true;
    return false;
}

size_t runtimes_find(const struct raw_text *libraries, size_t count,
                     struct runtime_found found[RUNTIMES_FOUND_MAX])
{
    size_t found_count = 0;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct runtime_entry *entry = &entries[i];
        if (found_count == RUNTIMES_FOUND_MAX || (entry->weak && found_count > 0) ||
            is_found(found, found_count, entry->name))
            continue;
        for (size_t k = 0; k < count; k++)
            if (fits(entry, libraries[k])) {
                found[found_count++] =
                    (struct runtime_found){entry->name, entry->class, libraries[k]};
                break;
            }
    }
    return found_count;
}

const char *runtimes_ggml_backend(const struct raw_text *libraries, size_t count)
{
    static const struct {
        const char *begins, *backend;
    } backends[] = {
        {"libggml-cuda", "CUDA"},  {"ggml-cuda", "CUDA"},        {"libggml-hip", "ROCm"},
        {"ggml-hip", "ROCm"},      {"libggml-sycl", "SYCL"},     {"ggml-sycl", "SYCL"},
        {"libggml-metal", "MTL"},  {"libggml-vulkan", "Vulkan"}, {"ggml-vulkan", "Vulkan"},
        {"libcublas", "CUDA"},     {"cublas64_", "CUDA"},        {"libcudart", "CUDA"},
        {"cudart64_", "CUDA"},     {"libcuda.so", "CUDA"},       {"nvcuda.dll", "CUDA"},
        {"libamdhip64", "ROCm"},   {"amdhip64", "ROCm"},         {"libze_loader", "SYCL"},
        {"ze_loader.dll", "SYCL"}, {"libvulkan.", "Vulkan"},     {"vulkan-1.dll", "Vulkan"},
    };
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        for (size_t k = 0; k < count; k++)
            if (begins(path_basename(libraries[k]), backends[i].begins))
                return backends[i].backend;
    return NULL;
}
