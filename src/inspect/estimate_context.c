/* The context that a model is run with. */
#include <string.h>

#include "base/lines.h"
#include "inspect/estimate_parts.h"

/* Flash attention "auto" is on wherever the device can; builds before 2025-09 had it off. */
bool estimate_uses_flash_attention(const struct runtime_flags *flags,
                                   enum llama_generation generation)
{
    return flags->flash_attention == WISH_ON ||
           (flags->flash_attention != WISH_OFF && generation >= LLAMA_2025_12);
}

static bool speculates_by(const struct runtime_flags *flags, const char *word)
{
    size_t length = strlen(word);
    struct raw_text type = flags->speculative_type;
    for (size_t i = 0; i + length <= type.length; i++) {
        if (memcmp(type.bytes + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

bool estimate_has_mtp(const struct runtime_flags *flags)
{
    return speculates_by(flags, "mtp");
}

/* Drafts that a recurrent state is kept for, once for each token that may be taken back; and the
 * architectures whose state can be taken back (common_params_speculative::need_n_rs_seq(),
 * llm_arch_supports_rs_rollback()). */
static bool keeps_drafts(const struct estimate *estimate)
{
    static const char *const types[] = {"mtp", "eagle3", "dflash", "dspark"};
    static const char *const architectures[] = {
        "kimi-k3",    "qwen35",         "qwen35moe", "qwen4exp", "deepseek4",
        "nemotron_h", "nemotron_h_moe", "lfm2",      "lfm2moe",  "bailingmoe3"};
    bool type = false, architecture = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        type = type || speculates_by(estimate->flags, types[i]);
    }
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        architecture =
            architecture || text_equal_string(estimate->file->architecture, architectures[i]);
    }
    return type && architecture && estimate->input->role == ESTIMATE_MODEL;
}

/* Without -c the step that fits a model into memory gives each slot the trained context, where that
 * fits (2026-09; before, and with -fit off, all slots shared one). */
static bool multiplies_context(const struct estimate *estimate)
{
    enum { LAST_SHARED_BUILD = 10361 };
    int64_t build = estimate->input->build;
    return estimate->input->role == ESTIMATE_MODEL && estimate->load->context == 0 &&
           estimate->flags->fit != WISH_OFF && (build <= 0 || build > LAST_SHARED_BUILD) &&
           estimate->file->shape.context_trained > 0 &&
           estimate->file->shape.context_trained < INT32_MAX;
}

static struct context_wish context_wish_of(const struct estimate *estimate)
{
    const struct runtime_flags *flags = estimate->flags;
    bool old = estimate->generation < LLAMA_2026;
    struct context_wish wish = {
        .context = estimate->load->context,
        .slots = old && flags->slots == 0 ? 1 : runtime_flags_slots(flags),
        .unified = old ? flags->kv_unified == WISH_ON : runtime_flags_unified(flags),
        .swa_full = flags->swa_full,
        .flash_attention = estimate->flash_attention,
        .batch = flags->batch,
        .ubatch = flags->ubatch,
        .cache_k = estimate->load->cache_k,
        .cache_v = estimate->load->cache_v,
        .nextn = estimate_has_mtp(flags),
        .generation = estimate->generation,
    };
    if (estimate->load->context == 0 && flags->slot_context > 0 &&
        estimate->input->role == ESTIMATE_MODEL) {
        wish.context = flags->slot_context * wish.slots;
    } else if (multiplies_context(estimate)) {
        wish.context = estimate->file->shape.context_trained * wish.slots;
    }
    /* A draft runs over the main model's context. */
    if (estimate->input->role == ESTIMATE_DRAFT && wish.context == 0) {
        const struct model_file *base = estimate->input->base;
        wish.context = flags->model.context > 0 ? flags->model.context
                       : base                   ? base->shape.context_trained
                                                : 0;
    }
    if (keeps_drafts(estimate)) {
        wish.drafted = flags->draft_max;
    }
    return wish;
}

bool estimate_has_context(const struct estimate *estimate)
{
    enum estimate_role role = estimate->input->role;
    return (role == ESTIMATE_MODEL || role == ESTIMATE_DRAFT) &&
           estimate->file->role == ROLE_MODEL && estimate->file->format == FORMAT_GGUF;
}

bool estimate_make_context(struct estimate *estimate, struct model *model, struct problem *problem)
{
    const struct context_wish wish = context_wish_of(estimate);
    if (!context_memory(estimate->file, &wish, &estimate->memory, problem)) {
        return false;
    }
    if (estimate->memory.context > 0) {
        bool all_outputs = estimate->generation < LLAMA_2026 || estimate->flags->embedding ||
                           estimate->flags->reranking;
        estimate->compute = compute_buffers(estimate->file, &estimate->memory,
                                            estimate->flash_attention, all_outputs);
        model->context = figure_known((double)estimate->memory.context, HOW_ESTIMATED);
        model->slots = figure_known((double)wish.slots, HOW_ESTIMATED);
    }
    return true;
}
