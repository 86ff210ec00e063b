#include "inspect/files/tensor_group.h"

#include <string.h>

static bool starts(const char *name, size_t length, const char *prefix)
{
    size_t size = strlen(prefix);
    return length >= size && memcmp(name, prefix, size) == 0;
}

static bool is_one_of(const char *name, size_t length, const char *const *list, size_t count,
                      bool prefix)
{
    for (size_t i = 0; i < count; i++) {
        if (starts(name, length, list[i]) && (prefix || strlen(list[i]) == length)) {
            return true;
        }
    }
    return false;
}

/* Behind ".ffn_" at `at`: up, down, gate or gate_up, then `tail`. */
static bool is_ffn(const char *at, const char *const *tails, size_t tail_count)
{
    static const char *const words[] = {"gate_up", "gate", "down", "up"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if (strncmp(at, words[i], size) != 0) {
            continue;
        }
        for (size_t t = 0; t < tail_count; t++) {
            if (strncmp(at + size, tails[t], strlen(tails[t])) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool has_ffn(const char *name, const char *const *tails, size_t tail_count)
{
    for (const char *at = strstr(name, ".ffn_"); at; at = strstr(at + 1, ".ffn_")) {
        if (is_ffn(at + strlen(".ffn_"), tails, tail_count)) {
            return true;
        }
    }
    return false;
}

/* llama.cpp's own pattern for --cpu-moe: \.ffn_(up|down|gate|gate_up)_(ch|)exps */
static bool is_expert(const char *name)
{
    static const char *const tails[] = {"_exps", "_chexps"};
    return has_ffn(name, tails, sizeof tails / sizeof *tails);
}

bool tensor_is_dense_ffn(const char *name)
{
    static const char *const tails[] = {"."};
    return has_ffn(name, tails, 1);
}

/* "blk.12.", also behind "dec." or "enc."; -1: none. */
static int layer_of(const char *name, size_t length)
{
    if (starts(name, length, "dec.") || starts(name, length, "enc.")) {
        name += 4;
        length -= 4;
    }
    if (!starts(name, length, "blk.")) {
        return -1;
    }
    int layer = 0;
    size_t at = 4;
    for (; at < length && name[at] >= '0' && name[at] <= '9' && layer < MODEL_LAYERS_MAX; at++) {
        layer = layer * 10 + (name[at] - '0');
    }
    return at > 4 && at < length && name[at] == '.' && layer < MODEL_LAYERS_MAX ? layer : -1;
}

struct model_tensor tensor_classify(const char *name, size_t length, struct text architecture)
{
    static const char *const inputs[] = {"token_embd.weight", "position_embd.weight",
                                         "token_types.weight", "per_layer_token_embd.weight"};
    static const char *const outputs[] = {
        "output.",         "output_norm",     "cls",        "dense_2",    "dense_3",
        "dec.output_norm", "enc.output_norm", "altup_proj", "output_hc_", "altup_unembd_proj"};
    struct model_tensor tensor = {.layer = -1, .group = GROUP_SHARED};
    char copy[TENSOR_NAME_MAX + 1];
    size_t kept = length < sizeof copy - 1 ? length : sizeof copy - 1;
    memcpy(copy, name, kept);
    copy[kept] = '\0';
    tensor.expert = is_expert(copy);
    tensor.layer = (int16_t)layer_of(name, length);
    if (tensor.layer >= 0) {
        tensor.group = GROUP_LAYER;
    } else if (is_one_of(name, length, inputs, sizeof inputs / sizeof *inputs, false)) {
        tensor.group = GROUP_INPUT;
    } else if (is_one_of(name, length, outputs, sizeof outputs / sizeof *outputs, true)) {
        tensor.group = GROUP_OUTPUT;
    } else if (text_contains_folded(architecture, TEXT("lfm2")) &&
               starts(name, length, "token_embd_norm.")) {
        tensor.group = GROUP_OUTPUT; /* LFM2 calls its output norm so */
    }
    return tensor;
}
