/* Names of runtime devices and the variables that renumber them: lines of name, environment values,
 * bus id. */
#include <stdlib.h>

#include "base/lines.h"
#include "inspect/devices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct adapter adapters[] = {
    {.index = 0,
     .id = TEXT("pci:0000:01:00.0"),
     .uuid = TEXT("GPU-aaaaaaaa"),
     .vendor = TEXT("nvidia"),
     .name = TEXT("NVIDIA A")},
    {.index = 1,
     .id = TEXT("pci:0000:02:00.0"),
     .uuid = TEXT("GPU-bbbbbbbb"),
     .vendor = TEXT("nvidia"),
     .name = TEXT("NVIDIA A")},
    {.index = 2, .id = TEXT("pci:0000:03:00.0"), .vendor = TEXT("amd"), .name = TEXT("AMD B")},
    {.index = 3,
     .id = TEXT("uuid:MIG-c"),
     .uuid = TEXT("MIG-cccccccc"),
     .vendor = TEXT("nvidia"),
     .parent = TEXT("pci:0000:02:00.0")},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text rest = {(const char *)data, size}, fields[7] = {0};
    for (size_t i = 0; i < 7; i++) {
        lines_next(&rest, &fields[i]);
    }
    const struct load_device logged = {
        .name = fields[0], .description = fields[5], .bus_id = fields[6]};
    const struct device_scene scene = {.adapters = adapters,
                                       .adapter_count = size % 5,
                                       .logged = &logged,
                                       .logged_count = fields[6].length ? 1 : 0,
                                       .variables = {.known = true,
                                                     .cuda_visible_devices = fields[1],
                                                     .cuda_device_order = fields[2],
                                                     .hip_visible_devices = fields[3],
                                                     .rocr_visible_devices = fields[4]}};
    struct arena *arena = arena_new();
    struct device_found found = device_find(arena, &scene, fields[0]);
    bool on_adapter = found.place == DEVICE_ADAPTER;
    if (on_adapter != (found.adapter != NULL) || text_is_none(found.reason)) {
        abort();
    }
    arena_free(&arena);
    return 0;
}
