#include "inspect/compute_buffer.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Widest feed-forward layer; of a mixture of experts, what is used at once. */
static int64_t feed_forward(const struct model_shape *shape)
{
    int64_t most = -1;
    for (int64_t layer = 0; layer < shape->layers; layer++) {
        int64_t width = layer_number(&shape->feed_forward, layer, -1);
        most = width > most ? width : most;
    }
    if (shape->experts_used > 0 && shape->expert_feed_forward > 0) {
        int64_t used = shape->experts_used * shape->expert_feed_forward;
        most = used > most ? used : most;
    }
    return most;
}

/* Values that a token has in the widest place of a layer, with `kept` more: a gate, the layer
 * behind it and their product, beside three rows of the model's width; BERT has no gate. Each
 * expert that is used has rows of its own, once more when they are weighted; nothing else is kept
 * by then. */
static int64_t values_a_token(const struct model_file *file, int64_t ffn, int64_t kept)
{
    const struct model_shape *shape = &file->shape;
    int64_t width = shape->embedding, used = shape->experts_used;
    int64_t expert = shape->expert_feed_forward > 0 ? shape->expert_feed_forward : ffn;
    if (text_equal_string(file->architecture, "bert")) {
        return ffn + 3 * width;
    }
    int64_t experts = used > 0 && used <= 1024 ? 2 * used * (width + expert) : 0;
    return larger(3 * (ffn + width) + kept, experts);
}

struct compute_buffers compute_buffers(const struct model_file *file,
                                       const struct context_memory *memory, bool flash_attention,
                                       bool all_outputs)
{
    enum { VALUE_BYTES = 4, MEBIBYTE = 1 << 20, WIDTH_MAX = 1 << 22, TOKENS_MAX = 1 << 20 };
    const struct model_shape *shape = &file->shape;
    struct compute_buffers buffers = {.known = false};
    int64_t width = shape->embedding, ffn = feed_forward(shape), vocabulary = shape->vocabulary;
    int64_t heads = layer_number(&shape->heads, 0, 0);
    int64_t kv_heads = layer_number(&shape->kv_heads, 0, heads);
    int64_t head = shape->key_length >= 0 ? shape->key_length : heads > 0 ? width / heads : 0;
    int64_t batch = memory->ubatch, cells = memory->attention_cells;
    if (width <= 0 || width > WIDTH_MAX || ffn > WIDTH_MAX || vocabulary > WIDTH_MAX ||
        heads > WIDTH_MAX || kv_heads > WIDTH_MAX || head > WIDTH_MAX || batch <= 0 ||
        batch > TOKENS_MAX) {
        return buffers;
    }
    /* 16 bits a cell with flash attention, else 32. */
    int64_t mask_value = flash_attention ? 2 : VALUE_BYTES;
    buffers.full_mask_bytes = mask_value * memory->attention_cells * batch;
    buffers.window_mask_bytes = mask_value * (memory->mask_cells - memory->attention_cells) * batch;
    int64_t queries = heads * head < WIDTH_MAX ? heads * head : 0;
    int64_t values = values_a_token(file, larger(ffn, 0), 0);
    buffers.output_bytes = VALUE_BYTES * batch * values;
    buffers.alone_bytes =
        VALUE_BYTES * batch * (values_a_token(file, larger(ffn, 0), queries) - values);
    buffers.host_bytes = 8 * width * batch;
    if (flash_attention) {
        buffers.device_bytes = buffers.output_bytes;
    } else {
        int64_t head_values = kv_heads * head < WIDTH_MAX ? kv_heads * head : WIDTH_MAX;
        double attention = (double)cells * (double)heads * VALUE_BYTES * (double)batch;
        if (attention > 1e15) {
            return buffers;
        }
        buffers.device_bytes = (int64_t)attention + VALUE_BYTES * batch * 4 * width +
                               2 * VALUE_BYTES * batch * head_values;
        buffers.host_bytes += 4 * MEBIBYTE;
    }
    if (all_outputs && vocabulary > 0) {
        buffers.least_bytes = VALUE_BYTES * batch * (vocabulary + width);
    }
    buffers.known = true;
    return buffers;
}
