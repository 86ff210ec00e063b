/* A manifest of the Ollama store: which blobs a name stands for. Pure. */
#ifndef INSPECT_STORES_OLLAMA_MANIFEST_H
#define INSPECT_STORES_OLLAMA_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

enum { OLLAMA_MANIFEST_BYTES = 1024 * 1024, OLLAMA_LAYERS_MAX = 4096 };

struct ollama_layer {
    struct raw_text role;   /* "model", "projector", "adapter", "draft", "template" ... */
    struct raw_text digest; /* 64 hexadecimal digits */
};

struct ollama_manifest {
    const struct ollama_layer *layers;
    size_t count; /* 0: a model of the cloud, nothing of it is here */
};

/* False when it is no manifest, or one layer of it is not what a layer must be: a digest that is
 * none could lead out of the store. */
bool ollama_manifest_parse(struct arena *arena, struct raw_text text,
                           struct ollama_manifest *manifest);
/* The digest in "sha256-HEX" or "sha256:HEX" (old stores); length 0: this is none. */
struct raw_text ollama_digest(struct raw_text name);

#endif
