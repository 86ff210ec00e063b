#include "inspect/kv_cache.h"

#include <string.h>

#include "base/number.h"
#include "inspect/architecture.h"

enum { PAD = 256, OLD_PAD = 32, STATE_VALUE_BYTES = 4, CELLS_MAX = 1 << 30 };

enum llama_generation llama_generation_of(int64_t build)
{
    enum { FIRST_WINDOWS = 5432, FIRST_PAD_256 = 7000, FIRST_K_ONLY = 8000 };
    return build <= 0 || build >= FIRST_K_ONLY ? LLAMA_2026
           : build >= FIRST_PAD_256            ? LLAMA_2025_12
           : build >= FIRST_WINDOWS            ? LLAMA_2025_06
                                               : LLAMA_2024;
}

static int64_t pad(int64_t value, int64_t to)
{
    return (value + to - 1) / to * to;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What the bytes of a layer depend on. */
struct cache_call {
    const struct model_shape *shape;
    const struct architecture *architecture;
    const struct context_wish *wish;
    struct context_memory *memory;
    int64_t streams;
    int64_t key_length, value_length; /* of a head */
    bool key_only;                    /* MLA: one compressed row */
    int64_t value_most;               /* largest V row of all layers */
};

static bool unknown(struct context_memory *memory, struct text why_not)
{
    memory->known = false;
    memory->why_not = why_not;
    return true;
}

static void set_cells(struct cache_call *call)
{
    const struct context_wish *wish = call->wish;
    struct context_memory *memory = call->memory;
    int64_t slots = wish->slots > 0 ? wish->slots : 1;
    int64_t to = wish->generation >= LLAMA_2025_12 || wish->flash_attention ? PAD : OLD_PAD;
    int64_t asked = wish->context > 0 ? wish->context : call->shape->context_trained;
    int64_t context = pad(asked, to);
    memory->sequence = wish->unified ? context : pad(context / slots, to);
    call->streams = wish->unified ? 1 : slots;
    memory->context = memory->sequence * call->streams;
    /* A batch is no longer than the context that was asked for, whatever that is rounded up to; of
     * what looks both ways no longer than that. */
    bool causal = call->shape->causal != 0 &&
                  !(call->architecture && call->architecture->memory == MEMORY_NOTHING);
    int64_t batch = smaller(wish->batch, causal ? asked : memory->context);
    memory->ubatch = wish->ubatch > 0 ? smaller(batch, wish->ubatch) : batch;
}

static void set_window(struct cache_call *call)
{
    struct context_memory *memory = call->memory;
    const struct context_wish *wish = call->wish;
    int64_t window = architecture_window(call->architecture, call->shape);
    memory->window_cells = memory->sequence;
    if (window <= 0 || wish->swa_full || wish->generation == LLAMA_2024) {
        return;
    }
    int64_t slots = wish->slots > 0 ? wish->slots : 1;
    if (wish->generation == LLAMA_2025_06) {
        int64_t cells =
            pad(window * slots + memory->ubatch + 1, wish->flash_attention ? PAD : OLD_PAD);
        memory->window_cells = smaller(memory->sequence, cells);
        return;
    }
    int64_t cells = window * (wish->unified ? slots : 1) + memory->ubatch;
    memory->window_cells = pad(smaller(memory->sequence, cells), PAD);
}

static void set_masks(struct cache_call *call)
{
    struct context_memory *memory = call->memory;
    bool windowed = architecture_window(call->architecture, call->shape) > 0;
    switch (call->architecture->memory) {
    case MEMORY_EVERY_RECURRENT:
        memory->attention_cells = memory->mask_cells = 0;
        break;
    case MEMORY_NOTHING: /* a batch looks at itself */
        memory->attention_cells = memory->mask_cells = memory->ubatch;
        break;
    default:
        memory->attention_cells = memory->sequence;
        memory->mask_cells = memory->sequence + (windowed ? memory->window_cells : 0);
        break;
    }
}

/* Head sizes; false: a key is missing. */
static bool set_heads(struct cache_call *call)
{
    const struct model_shape *shape = call->shape;
    int64_t heads = layer_number(&shape->heads, 0, 0);
    int64_t derived = heads > 0 && shape->embedding > 0 ? shape->embedding / heads : 0;
    call->key_length = shape->key_length >= 0 ? shape->key_length : derived;
    call->value_length = shape->value_length >= 0 ? shape->value_length : derived;
    call->key_only = call->wish->generation == LLAMA_2026 && shape->key_length_mla >= 0 &&
                     shape->value_length_mla >= 0;
    return call->key_length > 0 || call->architecture->memory == MEMORY_NOTHING ||
           call->architecture->memory == MEMORY_EVERY_RECURRENT;
}

static int64_t kv_heads(const struct cache_call *call, int64_t layer)
{
    int64_t heads = layer_number(&call->shape->heads, layer, 0);
    return layer_number(&call->shape->kv_heads, layer, heads);
}

static int64_t key_values(const struct cache_call *call, int64_t layer, bool windowed)
{
    bool own = windowed && call->shape->key_length_swa >= 0;
    return kv_heads(call, layer) * (own ? call->shape->key_length_swa : call->key_length);
}

static int64_t value_values(const struct cache_call *call, int64_t layer, bool windowed)
{
    bool own = windowed && call->shape->value_length_swa >= 0;
    return call->key_only
               ? 0
               : kv_heads(call, layer) * (own ? call->shape->value_length_swa : call->value_length);
}

/* The V cache is transposed without flash attention: every layer gets the widest row. */
static void set_value_most(struct cache_call *call)
{
    for (int64_t layer = 0; layer < call->shape->layers; layer++) {
        struct layer_memory kind =
            architecture_layer(call->architecture, call->shape, layer, false);
        int64_t values = value_values(call, layer, kind.windowed);
        call->value_most = values > call->value_most ? values : call->value_most;
    }
}

static int64_t row_bytes(enum cache_type type, int64_t values)
{
    return values / cache_type_block(type) * cache_type_block_bytes(type);
}

static int64_t attention_bytes(const struct cache_call *call, int64_t layer, bool windowed)
{
    const struct context_wish *wish = call->wish;
    int64_t values = wish->flash_attention ? value_values(call, layer, windowed) : call->value_most;
    int64_t row = row_bytes(wish->cache_k, key_values(call, layer, windowed)) +
                  row_bytes(wish->cache_v, values);
    int64_t cells = windowed ? call->memory->window_cells : call->memory->sequence, bytes;
    return number_multiply_i64(row, cells * call->streams, &bytes) ? bytes : -1;
}

static int64_t at_least_0(int64_t value)
{
    return value > 0 ? value : 0;
}

/* Values of the recurrent state of one layer and sequence; -1: a key is missing. */
static int64_t state_values(const struct cache_call *call, int64_t layer)
{
    const struct model_shape *shape = call->shape;
    int64_t heads = layer_number(&shape->heads, layer, 0);
    int64_t kernel = shape->ssm_conv_kernel, shift = shape->token_shift_count;
    int64_t convolution = at_least_0(kernel - 1) *
                          (at_least_0(shape->ssm_inner_size) +
                           2 * at_least_0(shape->ssm_groups) * at_least_0(shape->ssm_state_size));
    switch (call->architecture->state) {
    case STATE_MAMBA:
        if (kernel < 0 || shape->ssm_inner_size < 0 || shape->ssm_state_size < 0) {
            return -1;
        }
        return convolution + shape->ssm_state_size * shape->ssm_inner_size;
    case STATE_RWKV:
        if (shape->embedding < 0 || shape->wkv_head_size < 0) {
            return -1;
        }
        return (shift >= 0 ? shift : 2) * shape->embedding +
               shape->embedding * shape->wkv_head_size;
    case STATE_LFM2:
        if (shape->embedding < 0 || shape->shortconv_cache < 1) {
            return -1;
        }
        return shape->embedding * (shape->shortconv_cache - 1);
    case STATE_KIMI:
        if (kernel < 0 || shape->kda_head_dim < 0 || heads <= 0) {
            return -1;
        }
        return 3 * at_least_0(kernel - 1) * heads * shape->kda_head_dim +
               shape->kda_head_dim * shape->kda_head_dim * heads;
    case STATE_MINIMAX:
        return heads > 0 ? convolution + call->key_length * call->key_length * heads : -1;
    case STATE_NONE:
        break;
    }
    return -1;
}

static int64_t state_bytes(const struct cache_call *call, int64_t layer)
{
    const struct context_wish *wish = call->wish;
    int64_t rows = (wish->slots > 0 ? wish->slots : 1) * (1 + wish->drafted);
    int64_t values = state_values(call, layer), bytes;
    return values >= 0 && number_multiply_i64(values, rows * STATE_VALUE_BYTES, &bytes) ? bytes
                                                                                        : -1;
}

static bool add_layer(struct cache_call *call, int64_t layer, bool nextn)
{
    struct layer_memory kind = architecture_layer(call->architecture, call->shape, layer, nextn);
    int64_t kv = kind.attention ? attention_bytes(call, layer, kind.windowed) : 0;
    int64_t state = kind.recurrent ? state_bytes(call, layer) : 0;
    int64_t *total = &call->memory->layers[layer];
    return kv >= 0 && state >= 0 && number_add_i64(*total, kv, total) &&
           number_add_i64(*total, state, total);
}

/* Without flash attention a row of all heads of a layer is enough. */
static bool has_whole_rows(const struct cache_call *call, int64_t block)
{
    enum { MOST = 1 << 20 };
    bool nothing = call->architecture && call->architecture->memory == MEMORY_NOTHING;
    for (int64_t layer = 0; layer < call->shape->layers && !nothing; layer++) {
        int64_t heads = layer_number(&call->shape->kv_heads, layer,
                                     layer_number(&call->shape->heads, layer, 1));
        if (heads < 0 || heads > MOST || call->key_length > MOST ||
            call->key_length * heads % block != 0) {
            return false;
        }
    }
    return true;
}

/* Flash attention reads whole blocks of a head. */
static bool has_whole_blocks(const struct cache_call *call)
{
    const struct model_shape *shape = call->shape;
    int64_t k = cache_type_block(call->wish->cache_k), v = cache_type_block(call->wish->cache_v);
    if (!call->wish->flash_attention) {
        return has_whole_rows(call, k);
    }
    return call->key_length % k == 0 && call->value_length % v == 0 &&
           at_least_0(shape->key_length_swa) % k == 0 &&
           at_least_0(shape->value_length_swa) % v == 0;
}

static bool check_types(const struct cache_call *call, struct problem *problem)
{
    const struct context_wish *wish = call->wish;
    bool latent = call->shape->key_length_mla > 0 && call->shape->value_length_mla > 0;
    if (latent && wish->cache_k != wish->cache_v && wish->generation == LLAMA_2026) {
        return problem_set(problem,
                           "llama.cpp refuses a %s/%s cache for this model: its keys and values "
                           "are one",
                           cache_type_name(wish->cache_k), cache_type_name(wish->cache_v));
    }
    if (!has_whole_blocks(call)) {
        return problem_set(problem,
                           "llama.cpp refuses a %s/%s cache for this model: its heads (%lld and "
                           "%lld values) are no multiples of 32",
                           cache_type_name(wish->cache_k), cache_type_name(wish->cache_v),
                           (long long)call->key_length, (long long)call->value_length);
    }
    return true;
}

/* Numbers beyond any model are a hostile file's; up to this bound no product below overflows. */
static bool is_sane(const struct model_shape *shape)
{
    enum { MOST = 1 << 20 };
    const int64_t numbers[] = {
        shape->embedding,      shape->key_length,        shape->value_length,
        shape->key_length_swa, shape->value_length_swa,  shape->ssm_conv_kernel,
        shape->ssm_inner_size, shape->ssm_state_size,    shape->ssm_groups,
        shape->wkv_head_size,  shape->token_shift_count, shape->shortconv_cache,
        shape->kda_head_dim,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i] > MOST) {
            return false;
        }
    }
    for (int64_t layer = 0; layer < shape->layers; layer++) {
        if (layer_number(&shape->heads, layer, 0) > MOST ||
            layer_number(&shape->kv_heads, layer, 0) > MOST) {
            return false;
        }
    }
    return true;
}

bool context_memory(const struct model_file *file, const struct context_wish *wish,
                    struct context_memory *memory, struct problem *problem)
{
    const struct model_shape *shape = &file->shape;
    struct cache_call call = {.shape = shape,
                              .architecture = architecture_find(file->architecture),
                              .wish = wish,
                              .memory = memory};
    memset(memory, 0, sizeof *memory);
    if (wish->context <= 0 && shape->context_trained <= 0) {
        return unknown(memory, TEXT("the file does not say its context"));
    }
    set_cells(&call);
    memory->attention_cells = memory->mask_cells = memory->sequence;
    if (memory->context > CELLS_MAX) {
        return unknown(memory, TEXT("the context is absurdly large"));
    }
    if (!call.architecture || call.architecture->memory == MEMORY_UNVERIFIED) {
        return unknown(memory, TEXT("no verified formula for this architecture"));
    }
    if (shape->layers <= 0 || shape->layers > MODEL_LAYERS_MAX ||
        shape->nextn_layers > shape->layers || !is_sane(shape)) {
        return unknown(memory, TEXT("the file's keys are not plausible"));
    }
    bool complete = set_heads(&call);
    if (!check_types(&call, problem)) {
        return false;
    }
    if (!complete || !architecture_is_complete(call.architecture, shape)) {
        return unknown(memory, TEXT("keys that the KV cache depends on are missing"));
    }
    set_window(&call);
    set_masks(&call);
    set_value_most(&call);
    memory->known = true;
    for (int64_t layer = 0; layer < shape->layers; layer++) {
        if (!add_layer(&call, layer, false) || (wish->nextn && !add_layer(&call, layer, true))) {
            return unknown(memory, TEXT("keys that the KV cache depends on are missing"));
        }
    }
    return true;
}
