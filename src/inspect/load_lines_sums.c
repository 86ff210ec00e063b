/* 2023, before buffers had names: "total VRAM used: 9169,21 MiB (model: 8694,21 MiB, context:
 * ...)", "mem required = 17714.58 MB", and the like. MB means MiB here. */
#include "inspect/load_lines.h"

static void read_sum(const struct log_line *line, enum log_word word, struct measured *sum)
{
    int64_t bytes;
    if (log_line_has(line, word) &&
        log_size(log_line_after(line, word), SIZE_BINARY, &bytes, NULL)) {
        *sum = measured_known(bytes);
    }
}

/* "VRAM used: 4107 MB" (2023-09) counts the cache in; with decimals, or "VRAM used = 6340.49 MiB"
 * (2023-12), it does not. */
static void read_used(const struct log_line *line, struct run_model *model)
{
    struct raw_text after, rest;
    int64_t bytes;
    if (!log_line_has(line, LOG_WORD_vram_used) || log_line_has(line, LOG_WORD_vram_total)) {
        return;
    }
    after = log_line_after(line, LOG_WORD_vram_used);
    if (!log_size(after, SIZE_BINARY, &bytes, NULL)) {
        return;
    }
    bool decimals = log_find(after, ".", &rest) || log_find(after, ",", &rest);
    *(decimals ? &model->vram_weights : &model->vram_with_kv) = measured_known(bytes);
}

void load_lines_sums(struct load_run_reading *run, const struct log_line *line)
{
    static const enum log_word words[] = {
        LOG_WORD_vram_kv,         LOG_WORD_vram_scratch,    LOG_WORD_vram_for_scratch,
        LOG_WORD_vram_total,      LOG_WORD_compute_total,   LOG_WORD_mem_required,
        LOG_WORD_offload_v_cache, LOG_WORD_offload_k_cache, LOG_WORD_vram_used,
        LOG_WORD_system_used,
    };
    bool any = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        any = any || log_line_has(line, words[i]);
    }
    if (!any) {
        return;
    }
    struct run_model *model = run_main_model(run);
    struct raw_text rest;
    int64_t bytes;
    run->is_shown = false;
    read_sum(line, LOG_WORD_vram_kv, &model->vram_kv);
    read_sum(line, LOG_WORD_vram_scratch, &model->vram_scratch);
    read_sum(line, LOG_WORD_vram_total, &model->vram_total);
    read_sum(line, LOG_WORD_compute_total, &model->host_compute);
    read_sum(line, LOG_WORD_mem_required, &model->host_other);
    read_sum(line, LOG_WORD_system_used, &model->host_other);
    read_used(line, model);
    model->kv_on_gpu = model->kv_on_gpu || log_line_has(line, LOG_WORD_offload_k_cache);
    if (log_line_has(line, LOG_WORD_vram_total) &&
        log_find(log_line_after(line, LOG_WORD_vram_total), "(model:", &rest) &&
        log_size(rest, SIZE_BINARY, &bytes, NULL)) {
        model->vram_weights = measured_known(bytes);
    }
    if (log_line_has(line, LOG_WORD_vram_for_scratch) &&
        log_find(log_line_before(line, LOG_WORD_vram_for_scratch), " MB = ", &rest)) {
        if (log_size(rest, SIZE_BINARY, &bytes, NULL)) {
            model->vram_scratch = measured_known(bytes);
        }
    }
}
