#include <stdio.h>
#include <string.h>

#include "present/tui/inspector.h"
#include "view/reasons_text.h"
#include "view/truncate.h"
#include "view/units.h"

enum { BAR_X = 28, BAR_WIDE = 28, BAR_NARROW = 12, BAR_FROM = 64, SOURCE_LEAST = 24 };

/* "  weights   12.9 GiB ███████  estimated". */
void inspector_bytes(struct page *page, const char *name, double bytes, double whole,
                     const char *source, enum style style)
{
    char amount[UNITS_SIZE];
    units_bytes_long(bytes, amount);
    inspector_label(page, name);
    page_format(page, STYLE_NORMAL, "%10s", amount);
    page_column(page, BAR_X);
    if (page->width >= BAR_FROM) {
        page_bar(page, style, page->width >= 100 ? BAR_WIDE : BAR_NARROW,
                 whole > 0 ? bytes / whole : 0);
        page_words(page, STYLE_DIM, "  ");
    }
    /* A narrow rest of the line breaks no sentence into words. */
    if ((int)strlen(source) > page->width - page->x && page->width - page->x < SOURCE_LEAST)
        page_line(page, INSPECTOR_VALUE_X);
    page_wrap(page, STYLE_DIM, page->x, 0, (struct text){source, strlen(source)});
}

static const char *inferred_words(enum inferred_by by)
{
    return by == INFERRED_GUESS ? "inferred: a guess" : "inferred: matched to it";
}

/* macOS has two ways to measure: which it was is said. */
static const char *measured_words(const struct gpu_use *use)
{
    return text_equal_string(use->memory_source, "ledger")      ? "measured, by the ledger"
           : text_equal_string(use->memory_source, "footprint") ? "measured, by footprint"
                                                                : "measured";
}

/* Of macOS' graphics memory: what lies compressed beside it, and what never is in it. */
static void write_graphics(struct page *page, const struct gpu_use *use, double whole,
                           enum style style)
{
    if (use->vram_compressed_bytes.known && use->vram_compressed_bytes.value > 0)
        inspector_bytes(page, "compressed", (double)use->vram_compressed_bytes.value, whole,
                        "measured, beside it", style);
    if (!text_is_none(use->memory_source)) {
        inspector_label(page, "");
        page_wrap(page, STYLE_DIM, INSPECTOR_VALUE_X, 0,
                  TEXT("graphics memory only: buffers made over mapped files or other memory are "
                       "not in it"));
    }
}

static void write_memory(struct page *page, const struct row *row, const struct gpu_use *use,
                         double whole)
{
    enum style style = style_of_segment(segment_class_of(row->process, use));
    if (use->vram_bytes.known)
        inspector_bytes(page, "VRAM", (double)use->vram_bytes.value, whole, measured_words(use),
                        style);
    else if (figure_is_known(use->vram_inferred_bytes))
        inspector_bytes(page, "VRAM", use->vram_inferred_bytes.value, whole,
                        inferred_words(use->inferred_by), style);
    else {
        char words[REASON_TEXT_SIZE] = "", name[64];
        inspector_label(page, "VRAM n/a");
        truncate_text(row->process->name, 40, page->ascii, name, sizeof name);
        if (!reason_set_is_empty(use->vram_unattributed_reasons))
            reason_of_memory(use->vram_unattributed_reasons, name, false, words);
        if (words[0] == '\0')
            (void)snprintf(words, sizeof words, "%s",
                           reason_words_on(row->mode, use->vram_bytes.why_not));
        page_wrap(page, STYLE_NORMAL, INSPECTOR_VALUE_X, 0, (struct text){words, strlen(words)});
    }
    write_graphics(page, use, whole, style);
    if (use->spill_bytes.known && use->spill_bytes.value > 0)
        inspector_bytes(page, "spill", (double)use->spill_bytes.value, whole,
                        "measured, in system RAM", STYLE_MARK);
    else if (!use->spill_bytes.known && use->shared_bytes.known)
        inspector_bytes(page, "shared", (double)use->shared_bytes.value, whole,
                        "measured, memory shared with the CPU: no spill", style);
}

static void write_reachable(struct page *page, const struct gpu_use *use)
{
    char amount[UNITS_SIZE];
    if (use->vram_resident_bytes.known || use->gtt_resident_bytes.known) {
        inspector_label(page, "reachable");
        if (use->vram_resident_bytes.known) {
            units_bytes_long((double)use->vram_resident_bytes.value, amount);
            page_format(page, STYLE_NORMAL, "%s in VRAM  ", amount);
        }
        if (use->gtt_resident_bytes.known) {
            units_bytes_long((double)use->gtt_resident_bytes.value, amount);
            page_format(page, STYLE_NORMAL, "%s in system RAM  ", amount);
        }
        page_wrap(page, STYLE_DIM, INSPECTOR_VALUE_X, 0,
                  TEXT("buffers shared with others included: never summed"));
    }
    if (use->kfd_vram_bytes.known) {
        units_bytes_long((double)use->kfd_vram_bytes.value, amount);
        inspector_label(page, "KFD says");
        page_format(page, STYLE_NORMAL, "%s", amount);
        page_words(page, STYLE_DIM, "  a cross-check, never added");
    }
    if (figure_is_known(use->vram_proof_age_seconds) && use->vram_proof_age_seconds.value >= 1) {
        inspector_label(page, "proof");
        char words[REASON_TEXT_SIZE];
        (void)snprintf(words, sizeof words,
                       "no other process was seen to hold its buffers; the oldest look is %.0f s "
                       "old: a copy passed on since then would be missed",
                       use->vram_proof_age_seconds.value);
        page_wrap(page, STYLE_DIM, INSPECTOR_VALUE_X, 0, (struct text){words, strlen(words)});
    }
}

static void write_load(struct page *page, const struct gpu_use *use)
{
    inspector_label(page, figure_is_known(use->load_percent) ? "load" : "load n/a");
    if (!figure_is_known(use->load_percent)) {
        const char *words = reason_words(use->load_percent.why_not);
        page_wrap(page, STYLE_NORMAL, INSPECTOR_VALUE_X, 0, (struct text){words, strlen(words)});
        return;
    }
    char percent[UNITS_SIZE];
    units_percent(use->load_percent.value, percent);
    page_format(page, STYLE_NORMAL, "%s%s %%", use->load_lower_bound ? "at least " : "", percent);
    page_format(page, STYLE_DIM, " %s", how_name(use->load_percent.how));
    for (int engine = 0; engine < ENGINE_COUNT; engine++) {
        if (!figure_is_known(use->engines_percent[engine]))
            continue;
        units_percent(use->engines_percent[engine].value, percent);
        const char *name = engine_column((enum engine)engine);
        if (page->x + (int)(4 + strlen(name) + strlen(percent)) > page->width)
            page_line(page, INSPECTOR_VALUE_X - 3);
        page_format(page, STYLE_DIM, "   %s ", name);
        page_format(page, STYLE_NORMAL, "%s", percent);
    }
}

static void write_regions(struct page *page, const char *words, const struct named_bytes_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        char amount[UNITS_SIZE];
        if (list->items[i].bytes == 0)
            continue;
        units_bytes_long((double)list->items[i].bytes, amount);
        page_words(page, STYLE_DIM, words);
        page_text(page, STYLE_NORMAL, list->items[i].name);
        page_format(page, STYLE_NORMAL, " %s", amount);
    }
}

static void write_clients(struct page *page, const struct gpu_use *use)
{
    for (size_t i = 0; i < use->client_count; i++) {
        const struct gpu_client *client = &use->clients[i];
        inspector_label(page, i == 0 ? "clients" : "");
        page_text(page, STYLE_NORMAL, client->node);
        if (client->id.known)
            page_format(page, STYLE_NORMAL, " #%lld", (long long)client->id.value);
        write_regions(page, "  ", &client->resident_bytes);
        write_regions(page, "  shared ", &client->shared_bytes);
        if (client->holders.known && client->holders.count > 1)
            page_format(page, STYLE_NORMAL, "  %zu holders", client->holders.count);
        if (client->charged)
            page_words(page, STYLE_DIM, "  its own");
        else if (client->has_reason)
            page_format(page, STYLE_DIM, "  not charged: %s", reason_words(client->reason));
    }
}

/* What the parts of models are compared with: all that the process has here. */
static double bytes_of_use(const struct gpu_use *use)
{
    double bytes =
        use->vram_bytes.known ? (double)use->vram_bytes.value : use->vram_inferred_bytes.value;
    bool apart = use->spill_bytes.known || !use->shared_bytes.known;
    return bytes + (apart ? 0 : (double)use->shared_bytes.value);
}

/* The parts' own sum where the process's bytes are not known. */
static double parts_sum(const struct process *process, const struct gpu_use *use)
{
    double sum = 0;
    for (size_t i = 0; i < process->model_count; i++)
        for (size_t k = 0; k < process->models[i].device_count; k++) {
            const struct model_device *device = &process->models[i].devices[k];
            if (text_equal(device->adapter_id, use->adapter_id))
                sum += device->weights_bytes.value + device->kv_cache_bytes.value +
                       device->compute_bytes.value + device->other_bytes.value;
        }
    return sum;
}

static void write_share(struct page *page, double bytes, double whole)
{
    char amount[UNITS_SIZE];
    units_bytes_long(bytes, amount);
    page_format(page, STYLE_NORMAL, "%s", amount);
    if (whole > 0)
        page_format(page, STYLE_DIM, " %.0f %% of it", 100 * bytes / whole);
}

/* Behind the adapter's name, where lines are few: memory and load in words. */
static void write_summary(struct page *page, const struct gpu_use *use, double whole)
{
    if (use->vram_bytes.known) {
        page_words(page, STYLE_DIM, "   VRAM ");
        write_share(page, (double)use->vram_bytes.value, whole);
        page_words(page, STYLE_DIM, " measured");
    } else {
        page_words(page, STYLE_DIM, "   VRAM ");
        write_share(page, use->vram_inferred_bytes.value, whole);
        page_format(page, STYLE_DIM, " %s", inferred_words(use->inferred_by));
    }
    if (use->spill_bytes.known && use->spill_bytes.value > 0) {
        page_words(page, STYLE_DIM, "   spill ");
        write_share(page, (double)use->spill_bytes.value, 0);
    } else if (!use->spill_bytes.known && use->shared_bytes.known) {
        page_words(page, STYLE_DIM, "   shared ");
        write_share(page, (double)use->shared_bytes.value, 0);
    }
    if (figure_is_known(use->load_percent)) {
        char percent[UNITS_SIZE];
        units_percent(use->load_percent.value, percent);
        page_words(page, STYLE_DIM, "   load ");
        page_format(page, STYLE_NORMAL, "%s%s %%", use->load_lower_bound ? "at least " : "",
                    percent);
    }
}

void inspector_use(struct ui *ui, struct page *page, const struct row *row,
                   const struct gpu_use *use, bool full)
{
    const struct adapter *adapter = snapshot_adapter(ui->snapshot, use->adapter_id);
    page_line(page, 0);
    if (adapter != NULL) {
        page_format(page, STYLE_KEY, "%lld ", (long long)adapter->index);
        page_text(page, STYLE_TITLE, adapter->name);
    } else {
        page_words(page, STYLE_DIM, "an adapter that could not be paired");
    }
    double whole = 0;
    if (adapter != NULL && adapter->memory.vram_total_bytes.known)
        whole = (double)adapter->memory.vram_total_bytes.value;
    bool parts = inspector_has_parts(row->process, use);
    bool known = use->vram_bytes.known || figure_is_known(use->vram_inferred_bytes);
    if (parts && known && !full) {
        write_summary(page, use, whole);
    } else {
        write_memory(page, row, use, whole);
        write_load(page, use);
    }
    double held = bytes_of_use(use), sum = parts_sum(row->process, use);
    inspector_models(page, row, use, held > sum ? held : sum, full);
    if (full || !use->vram_bytes.known)
        write_reachable(page, use);
    if (full)
        write_clients(page, use);
}
