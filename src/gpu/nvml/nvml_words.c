#include "gpu/nvml/nvml_words.h"

#include <stdio.h>
#include <string.h>

#include "base/lines.h"

/* "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build ...": the
 * first word made of digits and dots. */
void nvml_module_version_of(struct raw_text content, char *version, size_t size)
{
    struct raw_text line = {"", 0}, word;
    version[0] = '\0';
    if (!lines_next(&content, &line))
        return;
    while (words_next(&line, &word)) {
        size_t digits = 0, dots = 0;
        for (size_t i = 0; i < word.length; i++) {
            digits += word.bytes[i] >= '0' && word.bytes[i] <= '9';
            dots += word.bytes[i] == '.';
        }
        if (dots > 0 && digits > 1 && digits + dots == word.length && word.length < size) {
            memcpy(version, word.bytes, word.length);
            version[word.length] = '\0';
            return;
        }
    }
}

void nvml_module_version(const struct root *root, char *version, size_t size)
{
    char content[1024];
    size_t length = 0;
    version[0] = '\0';
    if (root == NULL)
        return;
    enum root_result result =
        root_read(root, "proc/driver/nvidia/version", content, sizeof content, &length, NULL);
    if (result == ROOT_OK || result == ROOT_TRUNCATED)
        nvml_module_version_of((struct raw_text){content, length}, version, size);
}

static void set_failure(struct reading *reading, enum source_state state, enum reason code)
{
    reading->state = state;
    reading->has_code = true;
    reading->code = code;
}

static void say_mismatch(const struct nvml_opening *opening, struct machine *machine,
                         struct reading *reading)
{
    char module[NVML_VERSION_TEXT_SIZE];
    nvml_module_version(machine->root, module, sizeof module);
    const char *library =
        opening->file_version[0] != '\0' ? opening->file_version : opening->driver_version;
    problem_set(&reading->problem,
                "NVIDIA kernel module %s is loaded but the library is %s%s%s%s: reboot, or wait "
                "for the driver update to finish",
                module[0] != '\0' ? module : "of an unknown version",
                library[0] != '\0' ? library : "of another version",
                opening->path[0] != '\0' ? " (" : "", opening->path,
                opening->path[0] != '\0' ? ")" : "");
}

static bool is_windows(const struct machine *machine)
{
    return machine->system != NULL && strcmp(machine->system, "windows") == 0;
}

static void say_absent(const struct nvml_opening *opening, const struct machine *machine,
                       const struct nvidia_functions *functions, bool expected,
                       struct reading *reading)
{
    bool driven = false;
    for (size_t i = 0; i < functions->count; i++)
        driven = driven || functions->items[i].has_driver;
    set_failure(reading, driven ? SOURCE_FAILED : SOURCE_ABSENT, REASON_call_failed);
    reading->has_code = driven;
    if (driven && !expected && is_windows(machine))
        problem_set(&reading->problem, "the NVIDIA driver is loaded but nvml.dll was not found: "
                                       "install the driver again");
    else if (driven && !expected)
        problem_set(&reading->problem,
                    "the NVIDIA driver is loaded but libnvidia-ml.so.1 was not found: install "
                    "the driver's libraries (a snap or flatpak cannot see the host's)");
    else
        problem_set(&reading->problem, "no NVML: %s", opening->words);
}

void nvml_words_of_failure(const struct nvml_opening *opening, struct machine *machine,
                           const struct nvidia_functions *functions, bool expected,
                           struct reading *reading)
{
    if (!opening->loaded) {
        say_absent(opening, machine, functions, expected, reading);
        return;
    }
    set_failure(reading, SOURCE_FAILED, nvml_reason(opening->code));
    switch (opening->code) {
    case NVML_DRIVER_NOT_LOADED:
        if (functions->count == 0 && !expected)
            set_failure(reading, SOURCE_ABSENT, REASON_call_failed);
        problem_set(&reading->problem, "the NVIDIA driver is not loaded (%s answers code 9): %s",
                    opening->path,
                    is_windows(machine) ? "see NVIDIA's device in Device Manager"
                                        : "load the nvidia module");
        break;
    case NVML_VERSION_MISMATCH:
        say_mismatch(opening, machine, reading);
        break;
    case NVML_UNKNOWN:
        if (machine_mode(machine) == MODE_CONTAINER) {
            problem_set(&reading->problem, "this container has lost access to the GPU (NVML "
                                           "answers code 999): restart the container");
            break;
        }
        /* fallthrough */
    default:
        problem_set(&reading->problem, "NVML cannot be used: %s (code %d, %s)", opening->words,
                    opening->code, opening->path);
        break;
    }
}
