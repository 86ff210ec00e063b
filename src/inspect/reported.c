#include "inspect/reported.h"

#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "inspect/log_text.h"
#include "inspect/path.h"
#include "inspect/reported_devices.h"

/* ---- one model */

static struct figure reported(struct measured count)
{
    return count.known ? figure_known((double)count.value, HOW_REPORTED)
                       : figure_unknown(REASON_not_reported);
}

static struct text text_or_none(struct arena *arena, struct raw_text raw)
{
    return raw.length ? text_from_raw(arena, raw) : TEXT_NONE;
}

static struct raw_text base_name(struct raw_text path)
{
    for (size_t i = path.length; i > 0; i--) {
        if (path.bytes[i - 1] == '/' || path.bytes[i - 1] == '\\') {
            return (struct raw_text){path.bytes + i, path.length - i};
        }
    }
    return path;
}

/* llama.cpp prints "Q4_K - Medium", "IQ3_S mix - 3.66 bpw", "all F32", "Q8_0 (guessed)", "MXFP4
 * MoE"; everybody else says Q4_K_M. */
static struct text quantization(struct arena *arena, struct raw_text said)
{
    struct raw_text rest, label = said;
    const char *ending = "";
    if (raw_starts_with(label, "all ")) {
        label = (struct raw_text){label.bytes + 4, label.length - 4};
    } else if (raw_starts_with(label, "mostly ")) { /* 2023 */
        label = (struct raw_text){label.bytes + 7, label.length - 7};
    }
    if (log_find(label, " - ", &rest)) {
        label.length = (size_t)(rest.bytes - label.bytes) - 3;
        ending = raw_starts_with(rest, "Small")    ? "_S"
                 : raw_starts_with(rest, "Medium") ? "_M"
                 : raw_starts_with(rest, "Large")  ? "_L"
                                                   : "";
    }
    label = log_until(label, '(');
    if (log_find(label, " mix", &rest)) { /* IQ3_S mix is IQ3_M */
        label.length = (size_t)(rest.bytes - label.bytes) - 4;
        if (label.length > 2 && label.bytes[label.length - 1] == 'S') {
            label.length -= 2;
            ending = "_M";
        }
    }
    if (log_find(label, " MoE", &rest)) {
        label.length = (size_t)(rest.bytes - label.bytes) - 4;
        ending = "_MOE";
    }
    label = raw_trim(label);
    return label.length ? text_format(arena, "%.*s%s", (int)label.length, label.bytes, ending)
                        : TEXT_NONE;
}

static struct text model_name(struct arena *arena, const struct load_run *run,
                              const struct load_model *model, bool is_first)
{
    struct raw_text name = model->name;
    struct raw_text path = model->path.length ? model->path
                           : is_first         ? run->main_path
                                              : model->path;
    if (!name.length) {
        name = base_name(path);
        if (name.length > 5 && memcmp(name.bytes + name.length - 5, ".gguf", 5) == 0) {
            name.length -= 5;
        }
    }
    return text_or_none(arena, name);
}

static const struct load_context *first_context(const struct load_run *run, size_t model)
{
    for (size_t i = 0; i < run->context_count; i++) {
        if (run->contexts[i].model == (int)model) {
            return &run->contexts[i];
        }
    }
    return NULL;
}

static enum model_kind kind_of(const struct load_model *model)
{
    bool llama = (raw_equal_string(model->format, "gguf") && model->architecture.length) ||
                 raw_equal_string(model->format, "ggml");
    return model->kind == MODEL_UNKNOWN && llama ? MODEL_LLM : model->kind;
}

static struct evidence_list evidence_of(struct arena *arena, struct evidence_list before,
                                        struct text log_name, enum strength strength)
{
    struct evidence *items = ARENA_ARRAY(arena, struct evidence, before.count + 1);
    if (before.count) {
        memcpy(items, before.items, before.count * sizeof *items);
    }
    items[before.count] =
        (struct evidence){.kind = TEXT("log"), .strength = strength, .detail = log_name};
    return (struct evidence_list){items, before.count + 1};
}

/* Room of the cache for all sequences together: of llama.cpp's layers that keep all of the context,
 * of a pool that vLLM and SGLang allocate beforehand. */
static struct figure pool_tokens(const struct load_run *run, size_t index)
{
    int64_t most = 0;
    const struct load_context *context = first_context(run, index);
    for (size_t i = 0; i < run->cache_count && context; i++) {
        const struct load_cache *cache = &run->caches[i];
        int64_t tokens;
        bool state = !cache->streams.known || &run->contexts[cache->context] != context;
        if (!state && cache->cells.known && cache->cells.value > cache->sequences.value &&
            number_multiply_i64(cache->cells.value, cache->streams.value, &tokens) &&
            tokens > most) {
            most = tokens;
        }
    }
    for (size_t i = 0; i < run->device_count && run->models[index].kind != MODEL_DRAFT; i++) {
        struct measured pool = run->devices[i].pool_tokens;
        most = pool.known && pool.value > most ? pool.value : most;
    }
    return most > 0 ? figure_known((double)most, HOW_REPORTED)
                    : figure_unknown(REASON_not_reported);
}

/* What the log says of the model itself. */
static struct model describe(struct arena *arena, const struct load_run *run, size_t index)
{
    const struct load_model *seen = &run->models[index];
    const struct load_context *context = first_context(run, index);
    bool is_first = index == 0;
    struct model model = {
        .name = model_name(arena, run, seen, is_first),
        .kind = kind_of(seen),
        .format = text_or_none(arena, seen->format),
        .path = text_or_none(arena, seen->path.length || !is_first ? seen->path : run->main_path),
        .architecture = text_or_none(arena, seen->architecture),
        .quantization = quantization(arena, seen->quantization),
        .parameters = reported(seen->parameters),
        .layers = reported(seen->layers),
        .layers_on_gpu = reported(seen->offloaded),
        .context_trained = reported(seen->context_trained),
        .context = figure_unknown(REASON_not_reported),
        .slots = figure_unknown(REASON_not_reported),
        .kv_pool_tokens = pool_tokens(run, index),
        .live = {.expires_at_ns = TIME_UNKNOWN},
    };
    if (context) {
        model.context = reported(context->context);
        model.slots = reported(is_first && run->slots.known ? run->slots : context->sequences);
    } else if (is_first) {
        model.slots = reported(run->slots);
    }
    return model;
}

/* A model of which the log says nothing but that there is one. */
static bool says_anything(const struct load_run *run, size_t index)
{
    const struct load_model *model = &run->models[index];
    if (model->path.length || model->name.length || model->offloaded.known) {
        return true;
    }
    for (size_t i = 0; i < run->buffer_count; i++) {
        if (run->buffers[i].model == (int)index) {
            return true;
        }
    }
    return false;
}

static bool has_failed(const struct load_run *run)
{
    return run->error.length > 0 && run->model_count == 0;
}

struct model_list reported_models(struct arena *arena, const struct load_run *run,
                                  const struct device_scene *scene, struct text log_name,
                                  enum strength strength)
{
    struct model_list list = {.items = ARENA_ARRAY(arena, struct model, run->model_count + 1)};
    for (size_t i = 0; i < run->model_count; i++) {
        if (says_anything(run, i)) {
            struct model *model = &list.items[list.count++];
            *model = describe(arena, run, i);
            model->evidence = evidence_of(arena, (struct evidence_list){0}, log_name, strength);
            reported_devices(arena, run, i, scene, model);
        }
    }
    /* Asked to load, and nothing said since: not at that verbosity, or not yet. */
    if (list.count == 0 && run->main_path.length && !has_failed(run)) {
        struct load_run one = *run;
        struct load_model model = {.path = run->main_path};
        one.models = &model;
        one.model_count = 1;
        list.items[0] = describe(arena, &one, 0);
        list.items[0].evidence = evidence_of(arena, (struct evidence_list){0}, log_name, strength);
        list.count = 1;
    }
    return list;
}

/* ---- merging */

static struct raw_text raw_of(struct text text)
{
    return (struct raw_text){text.utf8, text.size};
}

static bool same_file(struct text a, struct text b)
{
    return path_same_name(raw_of(a), raw_of(b));
}

static bool is_extra(enum model_kind kind)
{
    return kind == MODEL_DRAFT || kind == MODEL_ADAPTER || kind == MODEL_PROJECTOR;
}

static bool same_kind(enum model_kind a, enum model_kind b)
{
    return a == b || (!is_extra(a) && !is_extra(b));
}

enum pairing { PAIR_BY_PATH, PAIR_BY_FILE, PAIR_BY_KIND, PAIRING_COUNT };

static bool fits(const struct model *model, const struct model *said, enum pairing pairing)
{
    switch (pairing) {
    case PAIR_BY_PATH:
        return path_same(raw_of(model->path), raw_of(said->path)) &&
               same_kind(model->kind, said->kind);
    case PAIR_BY_FILE:
        return same_file(model->path, said->path) && same_kind(model->kind, said->kind);
    default:
        return same_kind(model->kind, said->kind) &&
               (text_is_none(model->path) || text_is_none(said->path));
    }
}

/* For each model that the log names the one it is, or -1. */
static void pair_models(struct model_list models, struct model_list said, int *pairs, bool *taken)
{
    for (int pairing = 0; pairing < PAIRING_COUNT; pairing++) {
        for (size_t i = 0; i < said.count; i++) {
            size_t count = 0, at = 0;
            for (size_t k = 0; k < models.count && pairs[i] < 0; k++) {
                if (!taken[k] && fits(&models.items[k], &said.items[i], (enum pairing)pairing)) {
                    at = count++ == 0 ? k : at;
                }
            }
            if (count == 1 || (count > 1 && pairing != PAIR_BY_KIND)) {
                pairs[i] = (int)at;
                taken[at] = true;
            }
        }
    }
}

static void take_text(struct text *place, struct text said)
{
    *place = text_is_none(*place) ? said : *place;
}

/* A report replaces an estimate or nothing, not a figure of the same worth. */
static void take_figure(struct figure *place, struct figure said)
{
    if (figure_is_known(said) &&
        (!figure_is_known(*place) || place->how == HOW_ESTIMATED || place->how == HOW_INFERRED)) {
        *place = said;
    }
}

static void take(struct model *model, const struct model *said)
{
    take_text(&model->name, said->name);
    take_text(&model->format, said->format);
    take_text(&model->path, said->path);
    take_text(&model->architecture, said->architecture);
    take_text(&model->quantization, said->quantization);
    model->kind = model->kind == MODEL_UNKNOWN ? said->kind : model->kind;
    if (!figure_is_known(model->parameters)) { /* a file's own count is exact, a log's is rounded */
        model->parameters = said->parameters;
    }
    take_figure(&model->layers, said->layers);
    take_figure(&model->layers_on_gpu, said->layers_on_gpu);
    take_figure(&model->context, said->context);
    take_figure(&model->context_trained, said->context_trained);
    take_figure(&model->slots, said->slots);
    take_figure(&model->kv_pool_tokens, said->kv_pool_tokens);
}

struct model_list reported_merge(struct arena *arena, const struct load_run *run,
                                 const struct device_scene *scene, struct model_list models,
                                 struct text log_name, enum strength strength)
{
    struct model_list said = reported_models(arena, run, scene, log_name, strength);
    struct model_list merged = {.items =
                                    ARENA_ARRAY(arena, struct model, models.count + said.count),
                                .count = models.count};
    int *pairs = ARENA_ARRAY(arena, int, said.count);
    bool *taken = ARENA_ARRAY(arena, bool, models.count);
    if (models.count) {
        memcpy(merged.items, models.items, models.count * sizeof *models.items);
    }
    for (size_t i = 0; i < said.count; i++) {
        pairs[i] = -1;
    }
    pair_models(models, said, pairs, taken);
    for (size_t i = 0; i < said.count; i++) {
        bool is_new = pairs[i] < 0;
        struct model *model = &merged.items[is_new ? merged.count++ : (size_t)pairs[i]];
        if (is_new) {
            *model = said.items[i];
            reported_fold_devices(arena, NULL, 0, model);
            continue;
        }
        const struct model_device *before = model->devices;
        size_t before_count = model->device_count;
        take(model, &said.items[i]);
        model->evidence = evidence_of(arena, model->evidence, log_name, strength);
        model->devices = said.items[i].devices;
        model->device_count = said.items[i].device_count;
        reported_fold_devices(arena, before, before_count, model);
    }
    return merged;
}
