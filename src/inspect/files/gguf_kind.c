#include "inspect/files/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/files/tensor_type.h"

/* KIND(architecture, kind): those whose kind the name alone decides. */
static enum model_kind kind_of_architecture(const char *architecture)
{
    static const struct {
        const char *name;
        enum model_kind kind;
    } kinds[] = {
        {"whisper", MODEL_SPEECH},
        {"parakeet", MODEL_SPEECH},
        {"qwen3tts", MODEL_SPEECH},
        {"pockettts", MODEL_SPEECH},
        {"wavtokenizer-dec", MODEL_SPEECH},
        {"eagle3", MODEL_DRAFT},
        {"dflash", MODEL_DRAFT},
        {"gemma4-assistant", MODEL_DRAFT},
        {"dream", MODEL_LLM},
        {"llada", MODEL_LLM},
        {"llada-moe", MODEL_LLM},
        {"rnd1", MODEL_LLM},
        {"bert", MODEL_EMBEDDING},
        {"jina-bert-v2", MODEL_EMBEDDING},
        {"jina-bert-v3", MODEL_EMBEDDING},
        {"nomic-bert", MODEL_EMBEDDING},
        {"nomic-bert-moe", MODEL_EMBEDDING},
        {"neo-bert", MODEL_EMBEDDING},
        {"eurobert", MODEL_EMBEDDING},
        {"modern-bert", MODEL_EMBEDDING},
        {"gemma-embedding", MODEL_EMBEDDING},
        {"llama-embed", MODEL_EMBEDDING},
        {"t5encoder", MODEL_EMBEDDING},
        {"flux", MODEL_DIFFUSION},
        {"sd1", MODEL_DIFFUSION},
        {"sdxl", MODEL_DIFFUSION},
        {"sd3", MODEL_DIFFUSION},
        {"wan", MODEL_DIFFUSION},
        {"qwen_image", MODEL_DIFFUSION},
        {"lumina2", MODEL_DIFFUSION},
        {"hidream", MODEL_DIFFUSION},
        {"cosmos", MODEL_DIFFUSION},
        {"ltxv", MODEL_DIFFUSION},
        {"aura", MODEL_DIFFUSION},
        {"pig", MODEL_DIFFUSION},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, architecture) == 0) {
            return kinds[i].kind;
        }
    }
    return MODEL_UNKNOWN;
}

static enum model_role role_of(const struct gguf *gguf)
{
    if (strcmp(gguf->architecture, "clip") == 0 || strcmp(gguf->type, "mmproj") == 0) {
        return ROLE_PROJECTOR;
    }
    if (strcmp(gguf->architecture, "controlvector") == 0) {
        return ROLE_CONTROL_VECTOR;
    }
    if (strcmp(gguf->type, "adapter") == 0 || gguf->is_lora) {
        return ROLE_LORA;
    }
    if (strcmp(gguf->type, "imatrix") == 0) {
        return ROLE_IMATRIX;
    }
    bool no_tensors = gguf->tensor_count == 0 && gguf->parts <= 1 && !gguf->cut;
    return strcmp(gguf->type, "vocab") == 0 || (no_tensors && gguf->vocabulary > 0)
               ? ROLE_VOCABULARY
               : ROLE_MODEL;
}

static enum model_kind kind_of_model(const struct gguf *gguf)
{
    enum { POOLING_RANK = 4 };
    const struct model_shape *shape = &gguf->builder->file->shape;
    enum model_kind kind = kind_of_architecture(gguf->architecture);
    if (gguf->builder->has_diffusion) {
        return MODEL_DIFFUSION;
    }
    if ((kind == MODEL_UNKNOWN || kind == MODEL_EMBEDDING) &&
        (shape->pooling == POOLING_RANK || gguf->has_labels || gguf->builder->has_classifier)) {
        return MODEL_DECISION;
    }
    if (kind != MODEL_UNKNOWN) {
        return kind;
    }
    if (shape->causal == 0 || (shape->pooling > 0 && shape->pooling < POOLING_RANK)) {
        return MODEL_EMBEDDING;
    }
    return gguf->architecture_known ? MODEL_LLM : MODEL_UNKNOWN;
}

void gguf_decide_kind(const struct gguf *gguf)
{
    struct model_file *file = gguf->builder->file;
    file->role = role_of(gguf);
    switch (file->role) {
    case ROLE_MODEL:
        file->kind = kind_of_model(gguf);
        break;
    case ROLE_PROJECTOR:
        file->kind = MODEL_PROJECTOR;
        break;
    case ROLE_LORA:
    case ROLE_CONTROL_VECTOR:
        file->kind = MODEL_ADAPTER;
        break;
    case ROLE_IMATRIX:
        file->detail = TEXT("importance matrix for quantizing, no model");
        break;
    case ROLE_VOCABULARY:
        file->detail = TEXT("vocabulary only, no weights");
        break;
    }
    if (!gguf->architecture_known && file->role == ROLE_MODEL && file->kind == MODEL_UNKNOWN) {
        model_builder_warn(gguf->builder, "the file does not name its architecture");
    }
}

/* The first digit of a type's or a label's name: its bits a weight, roughly. */
static int bits_digit(const char *name)
{
    while (*name && (*name < '0' || *name > '9')) {
        name++;
    }
    return *name;
}

void gguf_decide_quantization(const struct gguf *gguf)
{
    struct model_builder *builder = gguf->builder;
    const char *label = gguf->file_type >= 0 ? file_type_label((uint64_t)gguf->file_type) : NULL;
    int most = -1;
    for (int type = 0; type < TENSOR_TYPE_LIMIT; type++) {
        if (builder->type_bytes[type] > (most < 0 ? 0 : builder->type_bytes[most])) {
            most = type;
        }
    }
    const struct tensor_type *type = most < 0 ? NULL : tensor_type((uint32_t)most);
    if (label && type && bits_digit(label) != bits_digit(type->name)) {
        model_builder_warn(builder, "the file says %s, but most bytes are %s", label, type->name);
    }
    const char *name = label ? label : type ? type->name : NULL;
    if (name) {
        builder->file->quantization = text_from_raw(builder->arena, raw_from_string(name));
    }
}
