#include "snapshot/words.h"

#include <string.h>

#include "snapshot/snapshot.h"

static const char *word_at(const char *const *names, int count, int value)
{
    return value >= 0 && value < count && names[value] ? names[value] : "";
}

/* A name function over a table, and the words that use it. */
#define WORDS(noun, size, ...)                                                                     \
    static const char *noun##_word(int value)                                                      \
    {                                                                                              \
        static const char *const names[size] = {__VA_ARGS__};                                      \
        return word_at(names, size, value);                                                        \
    }                                                                                              \
    const struct words words_##noun = {noun##_word, size};

WORDS(origin, ORIGIN_COUNT, [ORIGIN_LIVE] = "live", [ORIGIN_RECORDED_MACHINE] = "recorded_machine",
      [ORIGIN_DEMO] = "demo")
WORDS(mode, SNAPSHOT_MODE_COUNT, [SNAPSHOT_NATIVE] = "native", [SNAPSHOT_CONTAINER] = "container",
      [SNAPSHOT_WSL] = "wsl", [SNAPSHOT_WINDOWS] = "windows", [SNAPSHOT_MACOS] = "macos")
WORDS(adapter_kind, ADAPTER_KIND_COUNT, [ADAPTER_UNKNOWN] = "unknown",
      [ADAPTER_DISCRETE] = "discrete", [ADAPTER_INTEGRATED] = "integrated",
      [ADAPTER_PARTITION] = "partition", [ADAPTER_MIG] = "mig", [ADAPTER_NPU] = "npu")
WORDS(power_state, POWER_STATE_COUNT, [POWER_UNKNOWN] = "unknown", [POWER_ACTIVE] = "active",
      [POWER_SUSPENDED] = "suspended", [POWER_LOST] = "lost")
WORDS(namespace, NAMESPACE_WINDOWS + 1, [NAMESPACE_LOCAL] = "local", [NAMESPACE_HOST] = "host",
      [NAMESPACE_WINDOWS] = "windows")
WORDS(class, CLASS_COUNT, [CLASS_OTHER] = "other", [CLASS_LLM] = "llm",
      [CLASS_EMBEDDING] = "embedding", [CLASS_DECISION] = "decision", [CLASS_SPEECH] = "speech",
      [CLASS_DIFFUSION] = "diffusion", [CLASS_VISION] = "vision", [CLASS_TRAINING] = "training",
      [CLASS_PYTHON_AI] = "python_ai", [CLASS_BROWSER] = "browser",
      [CLASS_COMPOSITOR] = "compositor", [CLASS_GAME] = "game", [CLASS_VIDEO] = "video",
      [CLASS_REMOTE_DESKTOP] = "remote_desktop", [CLASS_GPU_TOOL] = "gpu_tool")
WORDS(gpu_use, GPU_USE_COUNT, [GPU_USE_COMPUTE] = "compute", [GPU_USE_GRAPHICS] = "graphics",
      [GPU_USE_BOTH] = "both")
WORDS(inferred_by, INFERRED_COUNT, [INFERRED_MATCHED] = "matched", [INFERRED_GUESS] = "guess")
WORDS(strength, STRENGTH_COUNT, [STRENGTH_HINT] = "hint", [STRENGTH_STRONG] = "strong",
      [STRENGTH_PROOF] = "proof")
WORDS(model_kind, MODEL_KIND_COUNT, [MODEL_LLM] = "llm", [MODEL_EMBEDDING] = "embedding",
      [MODEL_DECISION] = "decision", [MODEL_SPEECH] = "speech", [MODEL_VISION] = "vision",
      [MODEL_DIFFUSION] = "diffusion", [MODEL_ADAPTER] = "adapter", [MODEL_PROJECTOR] = "projector",
      [MODEL_DRAFT] = "draft")

static const char *reason_word(int value)
{
    return value >= 0 && value < REASON_COUNT ? reason_code((enum reason)value) : "";
}
const struct words words_reason = {reason_word, REASON_COUNT};

static const char *how_word(int value)
{
    return value >= 0 && value < HOW_COUNT ? how_name((enum how)value) : "";
}
const struct words words_how = {how_word, HOW_COUNT};

static const char *source_state_word(int value)
{
    return value >= 0 && value < SOURCE_STATE_COUNT ? source_state_name((enum source_state)value)
                                                    : "";
}
const struct words words_source_state = {source_state_word, SOURCE_STATE_COUNT};

const char *origin_name(enum origin origin)
{
    return origin_word((int)origin);
}

const char *process_class_name(enum process_class class)
{
    return class_word((int)class);
}

const char *adapter_kind_name(enum adapter_kind kind)
{
    return adapter_kind_word((int)kind);
}

const char *power_state_name(enum power_state state)
{
    return power_state_word((int)state);
}

const char *snapshot_mode_name(enum snapshot_mode mode)
{
    return mode_word((int)mode);
}

bool words_find(const struct words *words, struct text text, int *value)
{
    for (int i = 0; i < words->count; i++) {
        const char *name = words->name(i);
        if (name[0] != '\0' && strlen(name) == text.size && text.size > 0 &&
            memcmp(name, text.utf8, text.size) == 0) {
            *value = i;
            return true;
        }
    }
    return false;
}
