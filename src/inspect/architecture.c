#include "inspect/architecture.h"

static const struct architecture architectures[] = {
#define ARCHITECTURE(name_, memory_, state_, window_, tokens, period, dense)                       \
    {.name = name_,                                                                                \
     .memory = MEMORY_##memory_,                                                                   \
     .state = STATE_##state_,                                                                      \
     .window = WINDOW_##window_,                                                                   \
     .default_window = tokens,                                                                     \
     .default_period = period,                                                                     \
     .dense_first = dense},
#include "inspect/architectures.def"
#undef ARCHITECTURE
};

const struct architecture *architecture_find(struct text name)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        if (text_equal_string(name, architectures[i].name)) {
            return &architectures[i];
        }
    }
    return NULL;
}

int64_t architecture_window(const struct architecture *architecture,
                            const struct model_shape *shape)
{
    int64_t key = shape->sliding_window;
    switch (architecture->window) {
    case WINDOW_IGNORED:
        return 0;
    case WINDOW_FIXED:
        return key == 0 ? 0 : architecture->default_window;
    case WINDOW_FIXED_WITH_KEY:
        return key > 0 ? architecture->default_window : 0;
    case WINDOW_OF_64_LAYERS:
        if (shape->layers != 64) {
            return 0;
        }
        break;
    default:
        break;
    }
    return key >= 0 ? key : architecture->default_window;
}

static bool is_windowed(const struct architecture *architecture, const struct model_shape *shape,
                        int64_t layer)
{
    const struct layer_numbers *pattern = &shape->sliding_pattern;
    if (architecture_window(architecture, shape) <= 0) {
        return false;
    }
    if (architecture->window == WINDOW_ALL_WITH_KEY) {
        return true;
    }
    if (pattern->known && pattern->items) {
        return layer_number(pattern, layer, 0) != 0;
    }
    int64_t period = pattern->known ? pattern->all : architecture->default_period;
    if (period <= 0) {
        return true;
    }
    return architecture->dense_first ? layer % period != 0 : layer % period < period - 1;
}

static bool is_recurrent(const struct architecture *architecture, const struct model_shape *shape,
                         int64_t layer)
{
    enum { INTERVAL = 4, MINIMAX_INTERVAL = 8 };
    int64_t kv_heads = layer_number(&shape->kv_heads, layer, -1);
    int64_t interval = shape->full_attention_interval;
    switch (architecture->memory) {
    case MEMORY_EVERY_RECURRENT:
    case MEMORY_BOTH:
        return true;
    case MEMORY_BY_KV_HEADS:
        return kv_heads == 0;
    case MEMORY_BY_KV_HEADS_AND_FFN:
        return kv_heads == 0 && layer_number(&shape->feed_forward, layer, -1) == 0;
    case MEMORY_BY_INTERVAL:
        if (shape->recurrent_layers.known) {
            return layer_number(&shape->recurrent_layers, layer, 0) != 0;
        }
        if (interval <= 0) {
            interval = architecture->state == STATE_MINIMAX ? MINIMAX_INTERVAL : INTERVAL;
        }
        return (layer + 1) % interval != 0;
    default:
        return false;
    }
}

static bool has_attention(const struct architecture *architecture, const struct model_shape *shape,
                          int64_t layer, bool recurrent)
{
    enum { GEMMA3N_CACHED = 20 };
    switch (architecture->memory) {
    case MEMORY_ATTENTION:
        return shape->shared_kv_layers <= 0 || layer < shape->layers - shape->shared_kv_layers;
    case MEMORY_FIRST_20:
        return layer < GEMMA3N_CACHED;
    case MEMORY_BOTH:
        return true;
    case MEMORY_BY_KV_HEADS_AND_FFN:
        return layer_number(&shape->kv_heads, layer, 0) > 0 &&
               layer_number(&shape->feed_forward, layer, 0) == 0;
    case MEMORY_BY_KV_HEADS:
    case MEMORY_BY_INTERVAL:
        return !recurrent;
    default:
        return false;
    }
}

struct layer_memory architecture_layer(const struct architecture *architecture,
                                       const struct model_shape *shape, int64_t layer, bool nextn)
{
    struct layer_memory memory = {false, false, false};
    bool is_nextn = layer >= shape->layers - shape->nextn_layers;
    if (is_nextn != nextn) {
        return memory;
    }
    if (nextn) {
        memory.attention = true;
        return memory;
    }
    memory.recurrent = is_recurrent(architecture, shape, layer);
    memory.attention = has_attention(architecture, shape, layer, memory.recurrent);
    memory.windowed = memory.attention && is_windowed(architecture, shape, layer);
    return memory;
}

bool architecture_is_complete(const struct architecture *architecture,
                              const struct model_shape *shape)
{
    if (architecture->window == WINDOW_LISTED && shape->sliding_window > 0 &&
        !shape->sliding_pattern.items) {
        return false;
    }
    if (architecture->memory == MEMORY_BY_KV_HEADS ||
        architecture->memory == MEMORY_BY_KV_HEADS_AND_FFN) {
        return shape->kv_heads.known;
    }
    return true;
}
