#include "inspect/stores/ollama_manifest.h"

#include <string.h>

#include "base/lines.h"
#include "inspect/servers/reply.h"

enum { DIGEST_LENGTH = 64 };

struct raw_text ollama_digest(struct raw_text name)
{
    static const char prefix[] = "sha256";
    size_t start = sizeof prefix; /* and its '-' or ':' */
    if (name.length != start + DIGEST_LENGTH || memcmp(name.bytes, prefix, start - 1) != 0 ||
        (name.bytes[start - 1] != '-' && name.bytes[start - 1] != ':'))
        return (struct raw_text){0};
    for (size_t i = start; i < name.length; i++) {
        char c = name.bytes[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return (struct raw_text){0};
    }
    return (struct raw_text){name.bytes + start, DIGEST_LENGTH};
}

static bool read_layer(struct arena *arena, const json_t *entry, struct ollama_layer *layer)
{
    static const char prefix[] = "application/vnd.ollama.image.";
    struct raw_text type = reply_text(arena, entry, "mediaType");
    const json_t *size = json_object_get(entry, "size");
    layer->digest = ollama_digest(reply_text(arena, entry, "digest"));
    if (layer->digest.length == 0 || !json_is_integer(size) || json_integer_value(size) < 0 ||
        type.length == 0)
        return false;
    layer->role = (struct raw_text){0};
    if (raw_starts_with(type, prefix))
        layer->role = (struct raw_text){type.bytes + strlen(prefix), type.length - strlen(prefix)};
    return true;
}

bool ollama_manifest_parse(struct arena *arena, struct raw_text text,
                           struct ollama_manifest *manifest)
{
    json_t *object = reply_parse(text);
    const json_t *layers = json_object_get(object, "layers");
    size_t count = json_array_size(layers);
    bool read = json_is_array(layers) && count <= OLLAMA_LAYERS_MAX;
    struct ollama_layer *items = ARENA_ARRAY(arena, struct ollama_layer, read ? count : 0);
    for (size_t i = 0; i < count && read; i++)
        read = read_layer(arena, json_array_get(layers, i), &items[i]);
    json_decref(object);
    *manifest = (struct ollama_manifest){.layers = items, .count = read ? count : 0};
    return read;
}
