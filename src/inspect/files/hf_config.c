#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "inspect/files/formats.h"
#include "inspect/files/json_scan.h"

enum { CONFIG_MAX = 256 * 1024, PATH_SIZE = 4096 };

static struct text scanned(const struct format_call *call, const struct json_scan *scan)
{
    return text_from_raw(call->arena, (struct raw_text){scan->text, scan->text_length});
}

static void number(const struct json_scan *scan, int64_t *out)
{
    if (scan->integer >= 0 && scan->integer <= INT32_MAX && *out < 0) {
        *out = scan->integer;
    }
}

static void layers(const struct json_scan *scan, struct layer_numbers *out)
{
    int64_t value = -1;
    number(scan, &value);
    if (value >= 0 && !out->known) {
        *out = (struct layer_numbers){.known = true, .all = value};
    }
}

static void store_number(const struct format_call *call, const char *key,
                         const struct json_scan *scan)
{
    struct model_shape *shape = &call->file->shape;
    const struct {
        const char *key;
        int64_t *number;
        struct layer_numbers *layers;
    } members[] = {
        {"num_hidden_layers", &shape->layers, NULL},
        {"n_layer", &shape->layers, NULL},
        {"max_position_embeddings", &shape->context_trained, NULL},
        {"n_positions", &shape->context_trained, NULL},
        {"hidden_size", &shape->embedding, NULL},
        {"vocab_size", &shape->vocabulary, NULL},
        {"head_dim", &shape->key_length, NULL},
        {"kv_lora_rank", &shape->kv_lora_rank, NULL},
        {"sliding_window", &shape->sliding_window, NULL},
        {"num_experts", &shape->experts, NULL},
        {"num_local_experts", &shape->experts, NULL},
        {"n_routed_experts", &shape->experts, NULL},
        {"num_experts_per_tok", &shape->experts_used, NULL},
        {"num_attention_heads", NULL, &shape->heads},
        {"num_key_value_heads", NULL, &shape->kv_heads},
        {"intermediate_size", NULL, &shape->feed_forward},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(members[i].key, key) == 0 && members[i].number) {
            number(scan, members[i].number);
        } else if (strcmp(members[i].key, key) == 0) {
            layers(scan, members[i].layers);
        }
    }
}

/* Words in the class name of transformers or diffusers; the first that fits. */
static enum model_kind kind_of_class(const char *name)
{
    static const struct {
        const char *part;
        enum model_kind kind;
    } parts[] = {
        {"Whisper", MODEL_SPEECH},
        {"SpeechSeq2Seq", MODEL_SPEECH},
        {"ForCTC", MODEL_SPEECH},
        {"Wav2Vec2", MODEL_SPEECH},
        {"SequenceClassification", MODEL_DECISION},
        {"TokenClassification", MODEL_DECISION},
        {"ImageClassification", MODEL_VISION},
        {"ObjectDetection", MODEL_VISION},
        {"CLIPModel", MODEL_VISION},
        {"SiglipModel", MODEL_VISION},
        {"Dinov2", MODEL_VISION},
        {"ViTModel", MODEL_VISION},
        {"UNet", MODEL_DIFFUSION},
        {"Transformer2D", MODEL_DIFFUSION},
        {"Transformer3D", MODEL_DIFFUSION},
        {"AutoencoderKL", MODEL_DIFFUSION},
        {"ForCausalLM", MODEL_LLM},
        {"LMHeadModel", MODEL_LLM},
        {"ForConditionalGeneration", MODEL_LLM},
        {"Bert", MODEL_EMBEDDING},
        {"Model", MODEL_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(name, parts[i].part)) {
            return parts[i].kind;
        }
    }
    return MODEL_UNKNOWN;
}

struct config {
    const struct format_call *call;
    char quant_method[32];
    int64_t quant_bits;
    bool has_class;
};

static void store_string(struct config *config, const char *key, const struct json_scan *scan,
                         bool in_list)
{
    struct model_file *file = config->call->file;
    bool is_class =
        (in_list && strcmp(key, "architectures") == 0) || strcmp(key, "_class_name") == 0;
    if (is_class && !config->has_class) {
        config->has_class = true;
        enum model_kind kind = kind_of_class(scan->text);
        if (file->kind == MODEL_UNKNOWN) {
            file->kind = kind;
        }
        if (text_is_none(file->architecture)) {
            file->architecture = scanned(config->call, scan);
        }
    } else if (strcmp(key, "model_type") == 0 && scan->depth == 1) {
        file->architecture = scanned(config->call, scan);
    } else if (strcmp(key, "quant_method") == 0 &&
               scan->text_length < sizeof config->quant_method) {
        memcpy(config->quant_method, scan->text, scan->text_length + 1);
    }
}

static bool scan_config(struct config *config, struct json_scan *scan)
{
    char key[JSON_TEXT_KEPT + 1] = "";
    enum json_token token = json_scan_next(scan);
    if (token != JSON_OBJECT) {
        return false;
    }
    while ((token = json_scan_next(scan)) != JSON_END) {
        switch (token) {
        case JSON_ERROR:
            return false;
        case JSON_KEY:
            memcpy(key, scan->text, scan->text_length + 1);
            break;
        case JSON_STRING:
            store_string(config, key, scan, scan->lists >> scan->depth & 1);
            break;
        case JSON_NUMBER:
            if (strcmp(key, "bits") == 0) {
                config->quant_bits = scan->integer;
            } else {
                store_number(config->call, key, scan);
            }
            break;
        default:
            break;
        }
    }
    return true;
}

static void apply_quantization(const struct config *config)
{
    struct model_file *file = config->call->file;
    if (!config->quant_method[0]) {
        return;
    }
    char label[64];
    size_t length = 0;
    for (const char *at = config->quant_method; *at && length < 40; at++) {
        label[length++] = *at >= 'a' && *at <= 'z' ? (char)(*at - 32) : *at;
    }
    label[length] = '\0';
    file->quantization =
        config->quant_bits > 0 && config->quant_bits <= 16
            ? text_format(config->call->arena, "%s %lld-bit", label, (long long)config->quant_bits)
            : text_format(config->call->arena, "%s", label);
    /* Several weights are packed into one element. */
    config->call->builder->parameters_known = false;
}

void hf_config_read(const struct format_call *call)
{
    char path[PATH_SIZE];
    struct byte_source source;
    struct problem problem;
    struct config config = {.call = call};
    if (!sibling_path(call->path, "config.json", path, sizeof path) ||
        !call->opener->open(call->opener, path, &source, &problem)) {
        return;
    }
    struct byte_stream *stream = memory_new(sizeof *stream);
    struct json_scan scan;
    byte_stream_start(stream, &source, 0);
    json_scan_start(&scan, stream);
    if (source.size > CONFIG_MAX || !scan_config(&config, &scan)) {
        model_builder_warn(call->builder, "config.json beside it is not readable");
    }
    apply_quantization(&config);
    free(stream);
    byte_source_close(&source);
}
