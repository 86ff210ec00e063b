#include <string.h>

#include "inspect/command.h"
#include "inspect/identify_parts.h"
#include "inspect/path.h"

static struct text redacted(struct identifying *identifying, struct raw_text raw)
{
    return text_redact(identifying->arena, raw);
}

/* "b9999-de3ff81", "b4061 (hash)", "4061": the build of llama.cpp; 0: unknown. */
static int64_t build_of(struct raw_text version)
{
    int64_t build = 0;
    size_t at = version.length > 0 && version.bytes[0] == 'b' ? 1 : 0;
    for (; at < version.length && version.bytes[at] >= '0' && version.bytes[at] <= '9' &&
           build < 100000000;
         at++)
        build = build * 10 + (version.bytes[at] - '0');
    return build > 1 ? build : 0; /* one that was built without its history counts 0 or 1 */
}

static int64_t build(const struct gathered *gathered)
{
    int64_t found = build_of(gathered->server.version);
    for (size_t i = 0; i < gathered->log_count && found == 0; i++)
        found = build_of(gathered->logs[i].run->version);
    return found > 0 ? found : gathered->flags.build;
}

static enum estimate_role role_of(const struct gathered_file *file)
{
    if (file->use == FILE_FOR_DRAFT)
        return ESTIMATE_DRAFT;
    if (file->use == FILE_FOR_PROJECTOR || (file->model && file->model->role == ROLE_PROJECTOR))
        return ESTIMATE_PROJECTOR;
    if (file->use == FILE_FOR_ADAPTER || (file->model && file->model->role == ROLE_LORA))
        return ESTIMATE_ADAPTER;
    return ESTIMATE_MODEL;
}

static const struct model_file *base_file(const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->file_count; i++)
        if (gathered->files[i].model && role_of(&gathered->files[i]) == ESTIMATE_MODEL)
            return gathered->files[i].model;
    return NULL;
}

/* True when the runtime of these flags loads this file: then they say where its bytes go. */
static bool is_of_flags(const struct gathered *gathered, const struct gathered_file *file)
{
    return gathered->is_llama_style &&
           ((file->ways & FILE_NAMED) != 0 || gathered->flags.hf_repo.length > 0) && file->model &&
           file->model->format == FORMAT_GGUF;
}

static void forget_devices(struct model *model)
{
    model->devices = NULL;
    model->device_count = 0;
    model->layers_on_gpu = figure_unknown(REASON_not_reported);
}

static void estimate(struct identifying *identifying, struct identified *item)
{
    const struct gathered *gathered = identifying->gathered;
    const struct gathered_file *file = item->file;
    struct problem problem;
    bool by_flags = is_of_flags(gathered, file) && !gathered->flags.sent_later;
    bool has_gpu = identifying->scene->use_count > 0;
    struct estimate_input input = {
        .file = file->model,
        .base = role_of(file) == ESTIMATE_ADAPTER ? base_file(gathered) : NULL,
        .role = role_of(file),
        .flags = by_flags ? &gathered->flags : NULL,
        .devices = identifying->estimate_devices,
        .device_count = by_flags ? identifying->estimate_device_count : 0,
        .build = build(gathered),
    };
    if (!estimate_model(identifying->arena, &input, &item->model, &problem)) {
        /* It runs, whatever we think of its flags: the file alone, then. */
        input.flags = NULL;
        input.device_count = 0;
        by_flags = false;
        if (!estimate_model(identifying->arena, &input, &item->model, &problem))
            item->model = (struct model){.kind = file->model->kind};
    }
    /* A file that is there proves nothing about where its bytes are once a GPU may hold them. */
    if (!by_flags && has_gpu)
        forget_devices(&item->model);
}

static void set_kind(const struct gathered *gathered, struct identified *item)
{
    struct model *model = &item->model;
    switch (item->file->use) {
    case FILE_FOR_DRAFT:
        model->kind = MODEL_DRAFT;
        return;
    case FILE_FOR_PROJECTOR:
        model->kind = MODEL_PROJECTOR;
        return;
    case FILE_FOR_ADAPTER:
        model->kind = MODEL_ADAPTER;
        return;
    case FILE_FOR_SPEECH:
        model->kind = MODEL_SPEECH;
        return;
    case FILE_FOR_COMPONENT:
        model->kind = model->kind == MODEL_UNKNOWN ? MODEL_DIFFUSION : model->kind;
        return;
    case FILE_FOR_UNKNOWN:
    case FILE_FOR_MODEL:
        break;
    }
    if (gathered->family == PROGRAM_SD && model->kind == MODEL_UNKNOWN)
        model->kind = MODEL_DIFFUSION;
    if (gathered->is_llama_style && (item->file->ways & FILE_NAMED) &&
        (model->kind == MODEL_UNKNOWN || model->kind == MODEL_LLM))
        model->kind = gathered->flags.reranking   ? MODEL_DECISION
                      : gathered->flags.embedding ? MODEL_EMBEDDING
                                                  : MODEL_LLM;
}

static void set_name(struct identifying *identifying, struct identified *item)
{
    const struct gathered_file *file = item->file;
    struct raw_text alias = identifying->gathered->flags.alias;
    if (file->use == FILE_FOR_MODEL && alias.length > 0)
        item->model.name = redacted(identifying, alias);
    else if (file->name_count > 0)
        item->model.name = text_from_raw(identifying->arena, file->names[0].name);
    else if (text_is_none(item->model.name) || item->model.name.size == 0)
        item->model.name = text_from_raw(identifying->arena, path_model_name(file->path));
}

static struct text flag_detail(struct identifying *identifying, const struct gathered_file *file)
{
    static const char *const words[] = {
        [FILE_FOR_UNKNOWN] = "an argument",      [FILE_FOR_MODEL] = "given as its model",
        [FILE_FOR_DRAFT] = "given as its draft", [FILE_FOR_PROJECTOR] = "given as its projector",
        [FILE_FOR_ADAPTER] = "given as adapter", [FILE_FOR_COMPONENT] = "given as a component",
        [FILE_FOR_SPEECH] = "given as its model"};
    return text_format(identifying->arena, "%s", words[file->use]);
}

static void add_file_evidence(struct identifying *identifying, struct identified *item)
{
    const struct gathered_file *file = item->file;
    struct text path = text_from_raw(identifying->arena, file->path);
    struct text detail =
        file->deleted ? text_format(identifying->arena, "%.*s (deleted)", (int)path.size, path.utf8)
                      : path;
    if (file->ways & FILE_NAMED)
        identified_add_evidence(item, TEXT("cmdline"),
                                file->use == FILE_FOR_UNKNOWN ? STRENGTH_HINT : STRENGTH_STRONG,
                                flag_detail(identifying, file));
    if (file->ways & FILE_MAPPED)
        identified_add_evidence(item, TEXT("mapped"), STRENGTH_STRONG, detail);
    if (file->ways & FILE_OPEN)
        identified_add_evidence(item, TEXT("open_file"), STRENGTH_STRONG, detail);
    for (size_t i = 0; i < file->name_count && i < 4; i++) {
        struct text name = text_from_raw(identifying->arena, file->names[i].name);
        identified_add_evidence(item, TEXT("store"), STRENGTH_STRONG,
                                text_format(identifying->arena, "%s: %.*s", file->names[i].store,
                                            (int)name.size, name.utf8));
    }
}

/* Not a model, whatever its format: a tokenizer, an importance matrix. */
static bool is_no_model(const struct gathered_file *file)
{
    return file->model &&
           (file->model->role == ROLE_VOCABULARY || file->model->role == ROLE_IMATRIX);
}

void identify_files(struct identifying *identifying)
{
    const struct gathered *gathered = identifying->gathered;
    for (size_t i = 0; i < gathered->file_count; i++) {
        const struct gathered_file *file = &gathered->files[i];
        struct identified *item = is_no_model(file) ? NULL : identifying_add(identifying);
        if (!item)
            continue;
        item->file = file;
        if (file->model)
            estimate(identifying, item);
        item->model.path = text_from_raw(identifying->arena, file->path);
        if (!item->model.file_bytes.known)
            item->model.file_bytes = file->bytes;
        set_kind(gathered, item);
        set_name(identifying, item);
        add_file_evidence(identifying, item);
    }
}
