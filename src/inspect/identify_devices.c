#include <string.h>

#include "base/lines.h"
#include "inspect/command.h"
#include "inspect/identify_parts.h"
#include "inspect/runtimes.h"

static struct raw_text variable(struct raw_text environment, const char *name)
{
    size_t length = strlen(name);
    while (environment.length > 0) {
        const char *end = memchr(environment.bytes, '\0', environment.length);
        size_t size = end ? (size_t)(end - environment.bytes) : environment.length;
        if (size > length && environment.bytes[length] == '=' &&
            memcmp(environment.bytes, name, length) == 0)
            return (struct raw_text){environment.bytes + length + 1, size - length - 1};
        size += end ? 1 : 0;
        environment.bytes += size;
        environment.length -= size;
    }
    return (struct raw_text){0};
}

static struct device_variables variables_of(const struct gathered *gathered)
{
    struct raw_text environment = gathered->environment;
    return (struct device_variables){
        .known = gathered->environment_known,
        .cuda_visible_devices = variable(environment, "CUDA_VISIBLE_DEVICES"),
        .cuda_device_order = variable(environment, "CUDA_DEVICE_ORDER"),
        .hip_visible_devices = variable(environment, "HIP_VISIBLE_DEVICES"),
        .rocr_visible_devices = variable(environment, "ROCR_VISIBLE_DEVICES"),
        .ggml_vk_visible_devices = variable(environment, "GGML_VK_VISIBLE_DEVICES"),
        .oneapi_device_selector = variable(environment, "ONEAPI_DEVICE_SELECTOR"),
    };
}

static void add_device(struct identifying *identifying, struct raw_text name,
                       struct measured free_bytes)
{
    if (identifying->estimate_device_count == IDENTIFY_DEVICES_MAX)
        return;
    struct device_found found = device_find(identifying->arena, &identifying->devices, name);
    struct estimate_device *device =
        &identifying->estimate_devices[identifying->estimate_device_count++];
    *device = (struct estimate_device){.name = text_from_raw(identifying->arena, name),
                                       .free_bytes = free_bytes,
                                       .adapter_id = TEXT_NONE};
    if (found.place != DEVICE_ADAPTER)
        return;
    device->adapter_id = text_copy(identifying->arena, found.adapter->id);
    device->total_bytes = found.adapter->memory.vram_total_bytes;
}

/* "RPC1" that is described as "192.0.2.11:50052" is "RPC0[192.0.2.11:50052]" in lines about its
 * buffers: where it is tells which. */
static struct raw_text logged_name(struct arena *arena, const struct load_device *device)
{
    struct raw_text name = device->name, where = device->description;
    if (!raw_starts_with(name, "RPC") || where.length == 0 || memchr(name.bytes, '[', name.length))
        return name;
    struct text full = text_format(arena, "%.*s[%.*s]", (int)name.length, name.bytes,
                                   (int)where.length, where.bytes);
    return (struct raw_text){full.utf8, full.size};
}

/* RPC servers come first, as llama.cpp lists them. */
static void add_remote_devices(struct identifying *identifying)
{
    struct raw_text rest = identifying->gathered->flags.rpc, endpoint;
    for (size_t i = 0; fields_next(&rest, ',', &endpoint); i++) {
        struct text name = text_redact(identifying->arena, endpoint);
        name = text_format(identifying->arena, "RPC%zu[%.*s]", i, (int)name.size, name.utf8);
        add_device(identifying, (struct raw_text){name.utf8, name.size},
                   measured_unknown(REASON_not_reported));
    }
}

/* One for each adapter that the process has to do with, under the name of the backend that it has
 * loaded; a program that has its backend built in shows none: then by the adapter's number. */
static void add_used_devices(struct identifying *identifying)
{
    const struct identify_scene *scene = identifying->scene;
    const char *backend = identifying->gathered->ggml_backend;
    for (size_t i = 0; i < scene->use_count; i++) {
        size_t count = identifying->estimate_device_count;
        struct measured index = scene->uses[i].adapter;
        int64_t number = backend || !index.known ? (int64_t)i : index.value;
        struct text name =
            text_format(identifying->arena, "%s%lld", backend ? backend : "GPU", (long long)number);
        add_device(identifying, (struct raw_text){name.utf8, name.size},
                   measured_unknown(REASON_not_reported));
        struct estimate_device *device = &identifying->estimate_devices[count];
        if (count < identifying->estimate_device_count && text_is_none(device->adapter_id) &&
            scene->use_count == 1)
            device->adapter_id = text_copy(identifying->arena, scene->uses[0].adapter_id);
    }
}

/* The devices that the runtime uses: as its own log lists them, else as its flags do, else those
 * that the process has to do with. */
void identify_find_devices(struct identifying *identifying)
{
    const struct gathered *gathered = identifying->gathered;
    const struct identify_scene *scene = identifying->scene;
    identifying->devices = (struct device_scene){
        .adapters = scene->adapters,
        .adapter_count = scene->adapter_count,
        .variables = variables_of(gathered),
        .only_adapter_id = scene->use_count == 1 ? scene->uses[0].adapter_id : TEXT_NONE,
    };
    const struct load_run *run = gathered->log_count > 0 ? gathered->logs[0].run : NULL;
    if (run && run->device_count > 0) {
        identifying->devices.logged = run->devices;
        identifying->devices.logged_count = run->device_count;
        for (size_t i = 0; i < run->device_count; i++)
            add_device(identifying, logged_name(identifying->arena, &run->devices[i]),
                       run->devices[i].free_bytes);
        return;
    }
    if (gathered->is_llama_style && gathered->flags.model.devices_none)
        return;
    if (gathered->is_llama_style && gathered->flags.model.device_count > 0) {
        for (size_t i = 0; i < gathered->flags.model.device_count; i++)
            add_device(identifying, gathered->flags.model.devices[i],
                       measured_unknown(REASON_not_reported));
        return;
    }
    add_remote_devices(identifying);
    add_used_devices(identifying);
}
