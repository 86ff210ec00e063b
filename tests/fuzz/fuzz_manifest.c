/* Manifests of the Ollama store: a digest that is believed can't lead out of blobs/. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/stores/ollama_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct ollama_manifest manifest;
    bool read =
        ollama_manifest_parse(arena, (struct raw_text){(const char *)data, size}, &manifest);
    if (!read && manifest.count > 0)
        abort();
    for (size_t i = 0; i < manifest.count; i++) {
        struct raw_text digest = manifest.layers[i].digest;
        if (digest.length != 64 || memchr(digest.bytes, '/', digest.length) ||
            memchr(digest.bytes, '.', digest.length))
            abort();
    }
    arena_free(&arena);
    return 0;
}
