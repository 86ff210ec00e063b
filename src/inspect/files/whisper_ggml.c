#include <stdio.h>
#include <string.h>

#include "inspect/files/byte_stream.h"
#include "inspect/files/formats.h"
#include "inspect/files/tensor_type.h"

/* whisper.cpp's model files: the magic and eleven numbers (convert-pt-to-ggml.py). */
enum whisper_number {
    WHISPER_VOCABULARY,
    WHISPER_AUDIO_CONTEXT,
    WHISPER_AUDIO_STATE,
    WHISPER_AUDIO_HEADS,
    WHISPER_AUDIO_LAYERS,
    WHISPER_TEXT_CONTEXT,
    WHISPER_TEXT_STATE,
    WHISPER_TEXT_HEADS,
    WHISPER_TEXT_LAYERS,
    WHISPER_MELS,
    WHISPER_FILE_TYPE,
    WHISPER_NUMBERS
};
enum { ENGLISH_VOCABULARY = 51864, V3_VOCABULARY = 51866, VERSION_FACTOR = 1000 };

static bool is_whisper(const uint32_t numbers[WHISPER_NUMBERS])
{
    return numbers[WHISPER_VOCABULARY] >= ENGLISH_VOCABULARY &&
           numbers[WHISPER_VOCABULARY] <= V3_VOCABULARY && numbers[WHISPER_AUDIO_CONTEXT] == 1500 &&
           numbers[WHISPER_AUDIO_LAYERS] > 0 && numbers[WHISPER_AUDIO_LAYERS] <= 64 &&
           numbers[WHISPER_TEXT_LAYERS] > 0 && numbers[WHISPER_TEXT_LAYERS] <= 64 &&
           (numbers[WHISPER_MELS] == 80 || numbers[WHISPER_MELS] == 128);
}

static const char *size_name(uint32_t layers)
{
    switch (layers) {
    case 4:
        return " tiny";
    case 6:
        return " base";
    case 12:
        return " small";
    case 24:
        return " medium";
    case 32:
        return " large";
    default:
        return "";
    }
}

static void fill(const struct format_call *call, const uint32_t numbers[WHISPER_NUMBERS])
{
    struct model_file *file = call->file;
    bool large = numbers[WHISPER_AUDIO_LAYERS] == 32;
    const char *variant = "";
    if (numbers[WHISPER_VOCABULARY] == ENGLISH_VOCABULARY) {
        variant = ".en";
    } else if (large && numbers[WHISPER_TEXT_LAYERS] == 4) {
        variant = "-v3-turbo";
    } else if (large && numbers[WHISPER_VOCABULARY] == V3_VOCABULARY) {
        variant = numbers[WHISPER_TEXT_LAYERS] == 2 ? "-v3 (distilled)" : "-v3";
    } else if (numbers[WHISPER_TEXT_LAYERS] == 2) {
        variant = " (distilled)";
    }
    file->name =
        text_format(call->arena, "whisper%s%s", size_name(numbers[WHISPER_AUDIO_LAYERS]), variant);
    file->architecture = TEXT("whisper");
    file->kind = MODEL_SPEECH;
    file->shape.layers = numbers[WHISPER_AUDIO_LAYERS] + numbers[WHISPER_TEXT_LAYERS];
    file->shape.vocabulary = numbers[WHISPER_VOCABULARY];
    const char *label = file_type_label(numbers[WHISPER_FILE_TYPE] % VERSION_FACTOR);
    if (label) {
        file->quantization = text_from_raw(call->arena, raw_from_string(label));
    }
    file->weights_known_bytes = file->file_bytes;
    call->builder->parameters_known = false;
}

/* The voice activity detector shares the magic: a short word with its length follows. */
static bool is_silero(const struct byte_source *source)
{
    unsigned char bytes[4 + 4 + 6];
    return byte_source_read(source, 0, bytes, sizeof bytes) && little_u32(bytes + 4) < 64 &&
           memcmp(bytes + 8, "silero", 6) == 0;
}

bool whisper_ggml_read(const struct format_call *call, struct problem *problem)
{
    unsigned char bytes[4 + 4 * WHISPER_NUMBERS];
    uint32_t numbers[WHISPER_NUMBERS];
    struct model_file *file = call->file;
    file->format = FORMAT_WHISPER_GGML;
    file->file_bytes = call->source->size;
    if (is_silero(call->source)) {
        file->name = TEXT("silero voice activity detector");
        file->kind = MODEL_SPEECH;
        file->weights_known_bytes = file->file_bytes;
        call->builder->parameters_known = false;
        return true;
    }
    if (byte_source_read(call->source, 0, bytes, sizeof bytes)) {
        for (int i = 0; i < WHISPER_NUMBERS; i++) {
            numbers[i] = little_u32(bytes + 4 + 4 * i);
        }
        if (is_whisper(numbers)) {
            fill(call, numbers);
            return true;
        }
    }
    return problem_set(problem, "a ggml file from before GGUF (2023) or of another program: its "
                                "layout is not known; convert it to GGUF");
}

bool ctranslate2_read(const struct format_call *call, struct problem *problem)
{
    struct model_file *file = call->file;
    unsigned char head[6];
    char name[33] = "";
    if (!byte_source_read(call->source, 0, head, sizeof head)) {
        return problem_set(problem, "%s is too short for a model", call->path);
    }
    size_t length = little_u16(head + 4);
    if (length >= sizeof name || !byte_source_read(call->source, 6, name, length)) {
        return problem_set(problem, "%s is no CTranslate2 model", call->path);
    }
    file->format = FORMAT_CTRANSLATE2;
    file->file_bytes = file->weights_known_bytes = call->source->size;
    file->kind = strstr(name, "Whisper") ? MODEL_SPEECH : MODEL_UNKNOWN;
    file->detail = text_from_raw(call->arena, raw_from_string(name));
    call->builder->parameters_known = false;
    hf_config_read(call);
    return true;
}
