/* The inspector's part on models: what each holds on an adapter, as bars, and what its runtime says
 * of it now. */
#include <stdio.h>
#include <string.h>

#include "present/tui/inspector.h"
#include "view/units.h"

enum { DETAIL_SIZE = 160 };

/* How a part is known: "estimated: 65 of 65 layers", "reported by its runtime (estimated 4.0 GiB)".
 */
static void part_source(const struct figure *figure, const struct figure *estimate,
                        const char *detail, char out[DETAIL_SIZE])
{
    const char *how =
        figure->how == HOW_REPORTED ? "reported by its runtime" : how_name(figure->how);
    char amount[UNITS_SIZE];
    if (figure->how == HOW_REPORTED && figure_is_known(*estimate)) {
        units_bytes_long(estimate->value, amount);
        snprintf(out, DETAIL_SIZE, "%s (estimated %s)", how, amount);
    } else {
        snprintf(out, DETAIL_SIZE, "%s%s%s", how, detail[0] != '\0' ? ": " : "", detail);
    }
}

/* The output layer counts as one, as llama.cpp counts it. */
static void layer_words(const struct model *model, char out[DETAIL_SIZE])
{
    out[0] = '\0';
    if (figure_is_known(model->layers_on_gpu) && figure_is_known(model->layers))
        snprintf(out, DETAIL_SIZE, "%.0f of %.0f layers on the GPU", model->layers_on_gpu.value,
                 model->layers.value + 1);
    else if (figure_is_known(model->layers))
        snprintf(out, DETAIL_SIZE, "%.0f layers", model->layers.value);
}

static void context_words(const struct model *model, char out[DETAIL_SIZE])
{
    char tokens[UNITS_SIZE];
    out[0] = '\0';
    if (!figure_is_known(model->context))
        return;
    units_count((int64_t)model->context.value, tokens);
    if (figure_is_known(model->slots) && model->slots.value > 1)
        snprintf(out, DETAIL_SIZE, "%s tokens, %.0f slots", tokens, model->slots.value);
    else
        snprintf(out, DETAIL_SIZE, "%s tokens", tokens);
}

static void write_parts(struct page *page, const struct model *model,
                        const struct model_device *device, double whole, enum style style)
{
    char layers[DETAIL_SIZE], context[DETAIL_SIZE];
    layer_words(model, layers);
    context_words(model, context);
    const struct {
        const char *name, *detail;
        const struct figure *figure, *estimate;
    } parts[] = {
        {"  weights", layers, &device->weights_bytes, &device->estimated_weights_bytes},
        {"  KV cache", context, &device->kv_cache_bytes, &device->estimated_kv_cache_bytes},
        {"  compute", "", &device->compute_bytes, &device->estimated_compute_bytes},
        {"  other", "", &device->other_bytes, &device->estimated_other_bytes},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char source[DETAIL_SIZE];
        if (!figure_is_known(*parts[i].figure) || !(parts[i].figure->value > 0))
            continue;
        part_source(parts[i].figure, parts[i].estimate, parts[i].detail, source);
        inspector_bytes(page, parts[i].name, parts[i].figure->value, whole, source, style);
    }
}

static void write_heading(struct page *page, const struct model *model,
                          const struct model_device *device, bool full)
{
    page_line(page, INSPECTOR_LABEL_X);
    page_text(page, STYLE_TITLE, model->name);
    inspector_text(page, " ", model->quantization, STYLE_NORMAL);
    inspector_text(page, " on ", device->device, STYLE_NORMAL);
    if (!full)
        return;
    inspector_text(page, "   ", model->format, STYLE_NORMAL);
    inspector_text(page, " ", model->architecture, STYLE_NORMAL);
    if (figure_is_known(model->parameters))
        page_format(page, STYLE_NORMAL, " %.1f B parameters", model->parameters.value / 1e9);
    if (text_is_none(model->path))
        return;
    inspector_label(page, "  file");
    page_text(page, STYLE_NORMAL, model->path);
    if (model->file_bytes.known) {
        char amount[UNITS_SIZE];
        units_bytes_long((double)model->file_bytes.value, amount);
        page_format(page, STYLE_DIM, "  %s", amount);
    }
}

/* One after the other, parted by dots; the first begins the line. */
static void live_add(struct page *page, size_t *count, const char *words)
{
    if ((*count)++ == 0)
        inspector_label(page, "  now");
    else
        page_words(page, STYLE_DIM, " \u00B7 ");
    page_words(page, STYLE_NORMAL, words);
}

static void live_requests(struct page *page, size_t *count, const struct model *model)
{
    const struct model_live *live = &model->live;
    char words[DETAIL_SIZE];
    if (figure_is_known(live->slots_busy)) {
        if (figure_is_known(model->slots))
            snprintf(words, sizeof words, "%.0f of %.0f slots busy", live->slots_busy.value,
                     model->slots.value);
        else
            snprintf(words, sizeof words, "%.0f slots busy", live->slots_busy.value);
        live_add(page, count, words);
    }
    if (figure_is_known(live->requests_running)) {
        snprintf(words, sizeof words, "%.0f running", live->requests_running.value);
        live_add(page, count, words);
    }
    if (figure_is_known(live->requests_waiting)) {
        snprintf(words, sizeof words, "%.0f waiting", live->requests_waiting.value);
        live_add(page, count, words);
    }
}

/* What a cache has room for that all requests share; its server or its log says so. */
static void live_room(struct page *page, size_t *count, const struct model *model)
{
    char tokens[UNITS_SIZE], words[DETAIL_SIZE];
    if (!figure_is_known(model->kv_pool_tokens))
        return;
    units_count((int64_t)model->kv_pool_tokens.value, tokens);
    snprintf(words, sizeof words, "KV cache for %s tokens", tokens);
    live_add(page, count, words);
}

static void live_rates(struct page *page, size_t *count, const struct model_live *live)
{
    char words[DETAIL_SIZE];
    if (figure_is_known(live->prompt_tokens_per_second)) {
        snprintf(words, sizeof words, "%.0f tok/s in", live->prompt_tokens_per_second.value);
        live_add(page, count, words);
    }
    if (figure_is_known(live->generation_tokens_per_second)) {
        snprintf(words, sizeof words, "%.0f tok/s out", live->generation_tokens_per_second.value);
        live_add(page, count, words);
    }
    if (figure_is_known(live->kv_used_percent)) {
        snprintf(words, sizeof words, "KV %.0f %% used", live->kv_used_percent.value);
        live_add(page, count, words);
    }
}

void inspector_live(struct page *page, const struct model *model)
{
    const struct model_live *live = &model->live;
    size_t count = 0;
    if (live->present && figure_is_known(live->context_used)) {
        char used[UNITS_SIZE], most[UNITS_SIZE], words[DETAIL_SIZE];
        units_count((int64_t)live->context_used.value, used);
        units_count((int64_t)model->context.value, most);
        snprintf(words, sizeof words, "context %.40s%s%.40s", used,
                 figure_is_known(model->context) ? " of " : " used",
                 figure_is_known(model->context) ? most : "");
        live_add(page, &count, words);
    }
    live_room(page, &count, model);
    if (live->present) {
        live_requests(page, &count, model);
        live_rates(page, &count, live);
    }
    if (count > 0)
        inspector_text(page, "   reported by ", live->present ? live->source : TEXT("its log"),
                       STYLE_DIM);
}

bool inspector_has_parts(const struct process *process, const struct gpu_use *use)
{
    for (size_t i = 0; i < process->model_count; i++)
        for (size_t k = 0; k < process->models[i].device_count; k++)
            if (text_equal(process->models[i].devices[k].adapter_id, use->adapter_id))
                return true;
    return false;
}

void inspector_models(struct page *page, const struct row *row, const struct gpu_use *use,
                      double whole, bool full)
{
    const struct process *process = row->process;
    enum style style = style_of_segment(SEGMENT_MODEL);
    for (size_t i = 0; i < process->model_count; i++) {
        const struct model *model = &process->models[i];
        bool written = false;
        for (size_t k = 0; k < model->device_count; k++) {
            const struct model_device *device = &model->devices[k];
            if (!text_equal(device->adapter_id, use->adapter_id))
                continue;
            write_heading(page, model, device, full);
            write_parts(page, model, device, whole, style);
            written = true;
        }
        if (written)
            inspector_live(page, model);
    }
    if (figure_is_known(use->unexplained_bytes))
        inspector_bytes(page, "  unexplained", use->unexplained_bytes.value, whole,
                        "its memory minus the above: mostly the driver's context",
                        STYLE_UNATTRIBUTED);
}

/* One line for what is on no GPU here: "Qwen3 14B on host  weights 417.3 MiB estimated". */
static void write_beside(struct page *page, const struct model *model,
                         const struct model_device *device)
{
    const struct {
        const char *name;
        const struct figure *figure;
    } parts[] = {{"weights", &device->weights_bytes},
                 {"KV cache", &device->kv_cache_bytes},
                 {"compute", &device->compute_bytes},
                 {"other", &device->other_bytes}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char amount[UNITS_SIZE];
        if (!figure_is_known(*parts[i].figure) || !(parts[i].figure->value > 0))
            continue;
        if (count++ == 0)
            write_heading(page, model, device, false);
        units_bytes_long(parts[i].figure->value, amount);
        page_format(page, STYLE_DIM, "   %s ", parts[i].name);
        page_words(page, STYLE_NORMAL, amount);
        page_format(page, STYLE_DIM, " %s", how_name(parts[i].figure->how));
    }
}

/* What stays with the CPU, and models of which no device is an adapter here. */
void inspector_models_elsewhere(struct page *page, const struct process *process)
{
    for (size_t i = 0; i < process->model_count; i++) {
        const struct model *model = &process->models[i];
        bool on_adapter = false;
        for (size_t k = 0; k < model->device_count; k++)
            on_adapter = on_adapter || !text_is_none(model->devices[k].adapter_id);
        if (model->device_count == 0) {
            page_line(page, INSPECTOR_LABEL_X);
            page_text(page, STYLE_TITLE, model->name);
            inspector_text(page, " ", model->quantization, STYLE_NORMAL);
            page_words(page, STYLE_DIM, "   where it lies is not known");
        }
        for (size_t k = 0; k < model->device_count; k++) {
            if (text_is_none(model->devices[k].adapter_id))
                write_beside(page, model, &model->devices[k]);
        }
        if (!on_adapter)
            inspector_live(page, model);
    }
}
