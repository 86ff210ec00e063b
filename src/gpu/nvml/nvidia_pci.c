#include "gpu/nvml/nvidia_pci.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/lines.h"
#include "base/number.h"

static const char bus[] = "sys/bus/pci/devices";
static const char cards[] = "sys/class/drm";

enum {
    PATH_SIZE = 512,
    WORD_SIZE = 64,
    INFORMATION_SIZE = 2048,
    MINOR_LARGEST = 253,
    NAMES_MAX = 4096,
    CLASS_DISPLAY = 0x03
};

static const int64_t bus_patience_ns = 10000000000;

static bool read_hex(const struct root *root, const char *folder, const char *file, uint64_t *value)
{
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    *value = 0;
    return length > 0 && length < (int)sizeof path &&
           root_read_hex(root, path, value, NULL) == ROOT_OK;
}

/* The content of a small file, without white space around it; NULL when it cannot be read. */
static struct raw_text read_word(const struct root *root, const char *folder, const char *file,
                                 char content[WORD_SIZE])
{
    char path[PATH_SIZE];
    size_t size = 0;
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (length < 0 || length >= (int)sizeof path ||
        root_read(root, path, content, WORD_SIZE, &size, NULL) != ROOT_OK)
        return (struct raw_text){NULL, 0};
    return raw_trim((struct raw_text){content, size});
}

enum driver { DRIVER_NONE, DRIVER_NVIDIA, DRIVER_OTHER };

/* Which driver holds the device. */
static enum driver driver_of(const struct root *root, const char *folder)
{
    char path[PATH_SIZE], target[PATH_SIZE];
    size_t length = 0;
    int used = snprintf(path, sizeof path, "%s/driver", folder);
    if (used < 0 || used >= (int)sizeof path ||
        root_read_link(root, path, target, sizeof target, &length) != ROOT_OK)
        return DRIVER_NONE;
    const char *slash = strrchr(target, '/');
    return strcmp(slash != NULL ? slash + 1 : target, "nvidia") == 0 ? DRIVER_NVIDIA : DRIVER_OTHER;
}

static bool is_address(const char *name)
{
    unsigned domain, number, device, function;
    char rest;
    return strlen(name) < 24 &&
           sscanf(name, "%x:%x:%x.%x%c", &domain, &number, &device, &function, &rest) == 4;
}

static bool is_listed(const struct nvidia_functions *functions, const char *id)
{
    for (size_t i = 0; i < functions->count; i++)
        if (strcmp(functions->items[i].id, id) == 0)
            return true;
    return false;
}

static void read_power(const struct root *root, const char *folder,
                       struct nvidia_function *function)
{
    char content[WORD_SIZE];
    struct raw_text status = read_word(root, folder, "power/runtime_status", content);
    bool supported = !raw_equal_string(status, "unsupported");
    function->is_suspended =
        raw_equal_string(status, "suspended") || raw_equal_string(status, "suspending");
    function->may_sleep =
        raw_equal_string(read_word(root, folder, "power/control", content), "auto") && supported;
}

bool nvidia_minor_of(struct raw_text information, uint32_t *minor)
{
    struct raw_text line;
    while (lines_next(&information, &line)) {
        struct raw_text key, value;
        uint64_t number;
        if (!raw_split(line, ':', &key, &value) || !raw_equal_string(raw_trim(key), "Device Minor"))
            continue;
        if (!number_parse_u64(raw_trim(value), &number, NULL) || number > MINOR_LARGEST)
            return false;
        *minor = (uint32_t)number;
        return true;
    }
    return false;
}

/* The driver asks the GPU for some of that file's lines: not of one that sleeps. */
static void read_minor(const struct root *root, const char *address,
                       struct nvidia_function *function)
{
    char path[PATH_SIZE], content[INFORMATION_SIZE];
    size_t size = 0;
    int length = snprintf(path, sizeof path, "proc/driver/nvidia/gpus/%s/information", address);
    function->has_minor = function->has_driver && !function->is_suspended && length > 0 &&
                          length < (int)sizeof path &&
                          root_read(root, path, content, sizeof content, &size, NULL) == ROOT_OK &&
                          nvidia_minor_of((struct raw_text){content, size}, &function->minor);
}

static void add_function(const struct root *root, const char *folder, const char *address,
                         struct nvidia_functions *functions)
{
    struct nvidia_function function = {0};
    uint64_t value = 0, class = 0;
    if (functions->count == NVIDIA_FUNCTIONS_MAX || !is_address(address) ||
        !read_hex(root, folder, "vendor", &value) || value != NVIDIA_VENDOR ||
        !read_hex(root, folder, "class", &class) || class >> 16 != CLASS_DISPLAY)
        return;
    enum driver driver = driver_of(root, folder);
    if (driver == DRIVER_OTHER)
        return;
    snprintf(function.id, sizeof function.id, "pci:%s", address);
    if (is_listed(functions, function.id))
        return;
    function.has_driver = driver == DRIVER_NVIDIA;
    read_hex(root, folder, "device", &value);
    function.device = (uint32_t)value & 0xffff;
    read_hex(root, folder, "subsystem_vendor", &value);
    function.subsystem_vendor = (uint32_t)value & 0xffff;
    read_hex(root, folder, "subsystem_device", &value);
    function.subsystem_device = (uint32_t)value & 0xffff;
    read_hex(root, folder, "revision", &value);
    function.revision = (uint32_t)value & 0xff;
    read_power(root, folder, &function);
    read_minor(root, address, &function);
    functions->items[functions->count++] = function;
}

static void read_bus(const struct root *root, struct arena *arena,
                     struct nvidia_functions *functions)
{
    char **names = NULL;
    size_t count = 0;
    if (root_list(root, arena, bus, NAMES_MAX, &names, &count) != ROOT_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        char folder[PATH_SIZE];
        int length = snprintf(folder, sizeof folder, "%s/%s", bus, names[i]);
        if (length > 0 && length < (int)sizeof folder)
            add_function(root, folder, names[i], functions);
    }
}

/* A recorded tree may hold only the part of sysfs that DRM tools read. */
static void read_cards(const struct root *root, struct arena *arena,
                       struct nvidia_functions *functions)
{
    char **names = NULL;
    size_t count = 0;
    if (root_list(root, arena, cards, NAMES_MAX, &names, &count) != ROOT_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        char link[PATH_SIZE], folder[PATH_SIZE];
        int length = snprintf(link, sizeof link, "%s/%s/device", cards, names[i]);
        if (length < 0 || length >= (int)sizeof link ||
            !root_resolve(root, link, folder, sizeof folder))
            continue;
        const char *slash = strrchr(folder, '/');
        if (slash != NULL)
            add_function(root, folder, slash + 1, functions);
    }
}

void nvidia_functions_read(const struct root *root, struct nvidia_functions *functions)
{
    functions->count = 0;
    if (root == NULL)
        return;
    struct arena *arena = arena_new();
    read_bus(root, arena, functions);
    if (functions->count == 0)
        read_cards(root, arena, functions);
    arena_free(&arena);
}

static bool is_integrated_vendor(uint32_t vendor)
{
    enum { INTEL = 0x8086, AMD = 0x1002 };
    return vendor == INTEL || vendor == AMD;
}

void nvidia_functions_of_devices(const struct display_devices *devices,
                                 struct nvidia_functions *functions)
{
    bool is_hybrid = false;
    functions->count = 0;
    for (size_t i = 0; i < devices->count; i++)
        is_hybrid = is_hybrid || is_integrated_vendor(devices->items[i].id.vendor);
    for (size_t i = 0; i < devices->count && functions->count < NVIDIA_FUNCTIONS_MAX; i++) {
        const struct display_device *device = &devices->items[i];
        struct nvidia_function function = {
            .device = device->id.device,
            .subsystem_vendor = device->id.subsystem_vendor,
            .subsystem_device = device->id.subsystem_device,
            .revision = device->id.revision,
            .is_suspended = display_device_is_off(device),
            .may_sleep = is_hybrid,
            .has_driver = strcmp(device->service, "nvlddmkm") == 0,
        };
        if (device->id.vendor == NVIDIA_VENDOR && display_device_address(device, function.id))
            functions->items[functions->count++] = function;
    }
}

void nvidia_functions_refresh(const struct root *root, struct nvidia_functions *functions,
                              int64_t running_ns)
{
    int64_t age_ns = running_ns - functions->looked_at_ns;
    bool kept = functions->looked_at_ns != 0 && age_ns >= 0 && age_ns < bus_patience_ns;
    if (root == NULL) {
        display_devices_refresh(&functions->devices, running_ns);
        nvidia_functions_of_devices(&functions->devices, functions);
        return;
    }
    if (!kept || root_is_recorded(root)) {
        nvidia_functions_read(root, functions);
        functions->looked_at_ns = running_ns;
        return;
    }
    for (size_t i = 0; i < functions->count; i++) {
        char folder[PATH_SIZE];
        snprintf(folder, sizeof folder, "%s/%s", bus, functions->items[i].id + strlen("pci:"));
        read_power(root, folder, &functions->items[i]);
    }
}
