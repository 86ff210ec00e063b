/* The environment of another process, and the variables in it that choose devices. */
#include <stdint.h>
#include <stdlib.h>

#include "os/linux/proc_environ.h"
#include "rules/visible_devices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct adapter_reading adapters[] = {
        {.name = raw_from_string("A100"), .uuid = raw_from_string("GPU-aaaa")},
        {.name = raw_from_string("A100"), .uuid = raw_from_string("GPU-aabb")},
    };
    struct raw_text text = {(const char *)data, size}, value = {NULL, 0};
    if (environ_find(text, "CUDA_VISIBLE_DEVICES", &value) &&
        (value.bytes < text.bytes || value.bytes + value.length > text.bytes + size))
        abort();
    for (int ours = 0; ours < 2; ours++) {
        uint64_t of_value = visible_devices(value, adapters, 2, ours != 0);
        uint64_t of_text = visible_devices(text, adapters, 2, ours != 0);
        if (of_value == 0 || (of_text != UINT64_MAX && of_text > 3))
            abort();
    }
    return 0;
}
