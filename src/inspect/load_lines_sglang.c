/* SGLang, 0.2 (2024) to 2026: what each rank takes on its GPU. All ranks write to one log:
 *     [2025-11-11 04:05:43 TP0] Load weight end. type=LlamaForCausalLM, ..., mem usage=15.09 GB.
 * Its GB are GiB. A rank that loads a second time loads a draft model. */
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "inspect/load_lines.h"
#include "inspect/load_workers.h"

/* "TP0", "DP1 TP0 EP0": what stands behind the time; empty where there is one rank only. In 2024
 * "[gpu=0]", too. */
static struct raw_text rank_in(struct raw_text text)
{
    struct raw_text stamp, word, rest;
    if (!log_find(text, "[", &stamp)) {
        return (struct raw_text){"", 0};
    }
    stamp = log_until(stamp, ']');
    if (raw_starts_with(stamp, "gpu_id=") || raw_starts_with(stamp, "gpu=")) {
        return stamp;
    }
    for (rest = stamp; rest.length > 2;) {
        bool is_rank = rest.bytes[0] >= 'A' && rest.bytes[0] <= 'Z' && rest.bytes[1] == 'P' &&
                       rest.bytes[2] >= '0' && rest.bytes[2] <= '9';
        if (is_rank) {
            return raw_trim(rest);
        }
        if (!raw_split(rest, ' ', &word, &rest)) {
            break;
        }
    }
    return (struct raw_text){"", 0};
}

static struct load_device *writer_of(struct load_run_reading *run, const struct log_line *line)
{
    return worker_of(run, rank_in(line->text), measured_unknown(REASON_not_reported));
}

/* The model of a rank's n-th load: the main one, then its draft. */
static void take_turn(struct load_run_reading *run, int64_t load)
{
    workers_model(run, "sglang");
    run->model = 0;
    if (load < 2) {
        return;
    }
    for (size_t i = 0; i < run->models.count; i++) {
        if (run->models.items[i].seen.kind == MODEL_DRAFT) {
            run->model = (int)i;
            return;
        }
    }
    run_begin_model(run, MODEL_DRAFT, (struct raw_text){0});
}

/* "server_args=ServerArgs(model_path='Qwen/Qwen3-8B', ...)" */
static void read_arguments(struct load_run_reading *run, struct raw_text after)
{
    struct load_model *model = workers_model(run, "sglang");
    workers_name(run, model, worker_argument(after, "model_path="));
    run_text_once(run, &model->quantization, worker_argument(after, "quantization="));
    struct raw_text draft = worker_argument(after, "speculative_draft_model_path=");
    if (draft.length > 0) {
        workers_name(run, &run_begin_model(run, MODEL_DRAFT, (struct raw_text){0})->seen, draft);
        run->model = 0;
    }
}

static void set(struct load_run_reading *run, const struct load_device *writer,
                enum load_buffer_kind kind, const char *part, struct raw_text size)
{
    int64_t bytes;
    if (log_size(size, SIZE_BINARY, &bytes, NULL)) {
        worker_set_bytes(run, writer, kind, raw_from_string(part), bytes);
    }
}

static void read_weights(struct load_run_reading *run, const struct log_line *line)
{
    struct load_device *writer = writer_of(run, line);
    struct raw_text usage;
    writer->loads++;
    writer->pools = 0;
    take_turn(run, writer->loads);
    if (log_find(log_line_after(line, LOG_WORD_sglang_weights), "mem usage=", &usage)) {
        set(run, writer, LOAD_WEIGHTS, "", usage);
    }
}

/* "KV Cache is allocated. #tokens: 183133, K size: 11.18 GB, V size: 11.18 GB", or "KV size: ..."
 * where both are one: a line each pool. */
static void read_cache(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text text = log_line_after(line, LOG_WORD_sglang_cache), part;
    struct load_device *writer = writer_of(run, line);
    char name[16];
    take_turn(run, writer->loads);
    snprintf(name, sizeof name, "%lld", (long long)writer->pools++);
    if (log_find(text, " K size: ", &part)) {
        char name_v[20];
        snprintf(name_v, sizeof name_v, "%s v", name);
        set(run, writer, LOAD_KV_CACHE, name, part);
        if (log_find(text, " V size: ", &part)) {
            set(run, writer, LOAD_KV_CACHE, name_v, part);
        }
    } else if (log_find(text, " KV size: ", &part)) {
        set(run, writer, LOAD_KV_CACHE, name, part);
    }
    if (log_find(text, "#tokens: ", &part) && !writer->pool_tokens.known) {
        writer->pool_tokens = log_count(part);
    }
}

/* "Mamba Cache is allocated. max_mamba_cache_size: 153, conv_state size: 0.55GB, ssm_state size:
 * 20.90GB ..." */
static void read_state(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text rest = log_line_after(line, LOG_WORD_sglang_state);
    struct load_device *writer = writer_of(run, line);
    int64_t bytes, sum = 0;
    take_turn(run, writer->loads);
    while (log_find(rest, " size: ", &rest)) {
        sum += log_size(rest, SIZE_BINARY, &bytes, NULL) ? bytes : 0;
    }
    if (sum > 0) {
        worker_set_bytes(run, writer, LOAD_STATE, (struct raw_text){"", 0}, sum);
    }
}

bool load_lines_sglang(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text usage;
    if (log_line_has(line, LOG_WORD_sglang_arguments)) {
        read_arguments(run, log_line_after(line, LOG_WORD_sglang_arguments));
    } else if (log_line_has(line, LOG_WORD_sglang_weights)) {
        read_weights(run, line);
    } else if (log_line_has(line, LOG_WORD_sglang_cache)) {
        read_cache(run, line);
    } else if (log_line_has(line, LOG_WORD_sglang_state)) {
        read_state(run, line);
    } else if (log_line_has(line, LOG_WORD_sglang_tokens)) {
        struct raw_text after = log_line_after(line, LOG_WORD_sglang_tokens);
        struct load_device *writer = writer_of(run, line);
        writer->pool_tokens = log_count(after);
        take_turn(run, 1);
        workers_set_context(run, log_count(worker_argument(after, "context_len=")));
    } else if (log_line_has(line, LOG_WORD_sglang_graphs)) {
        struct load_device *writer = writer_of(run, line);
        take_turn(run, writer->loads);
        if (log_find(log_line_after(line, LOG_WORD_sglang_graphs), "mem usage=", &usage)) {
            set(run, writer, LOAD_OTHER, "", usage);
        }
    } else if (log_line_has(line, LOG_WORD_sglang_ready)) {
        run->seen.ready = true;
    } else {
        return false;
    }
    run->is_shown = false;
    return true;
}
