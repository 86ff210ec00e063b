/* vLLM, 0.2 (2023) to 0.19: what each of its processes takes on its own GPU. All of them write to
 * one log; one that is not the first says who it is: (EngineCore_DP0 pid=271) INFO 10-01 09:12:31
 * [gpu_model_runner.py:2653] Model loading took ... Its GB are GiB. */
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "inspect/load_lines.h"
#include "inspect/load_workers.h"

/* "TP1" out of "Worker_TP1", "DP1" out of "EngineCore_DP1"; empty for whoever is the only one. */
static struct raw_text rank_in(struct raw_text role)
{
    static const char *const prefixes[] = {"EngineCore_", "EngineCore", "VllmWorker", "Worker_"};
    static const char *const alone[] = {"0", "DP0"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (raw_starts_with(role, prefixes[i])) {
            role = raw_trim((struct raw_text){role.bytes + length, role.length - length});
            break;
        }
    }
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        if (raw_equal_string(role, alone[i])) {
            return (struct raw_text){"", 0};
        }
    }
    return role;
}

/* "(Worker_TP1 pid=314) INFO ...", "(VllmWorker rank=1 pid=314)", "(VllmWorkerProcess pid=1786)".
 */
static struct load_device *writer_of(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text number, role, rest;
    struct measured pid = measured_unknown(REASON_not_reported);
    if (!log_find(line->text, " pid=", &number) || !log_count(number).known) {
        return worker_of(run, (struct raw_text){0}, pid);
    }
    pid = log_count(number);
    role = (struct raw_text){line->text.bytes, (size_t)(number.bytes - line->text.bytes) - 5};
    while (log_find(role, "(", &rest)) {
        role = rest;
    }
    char name[32]; /* of a worker that does not say its rank */
    int length = snprintf(name, sizeof name, "worker %lld", (long long)pid.value);
    bool nameless =
        raw_equal_string(role, "VllmWorkerProcess") || raw_equal_string(role, "RayWorkerWrapper");
    if (log_find(log_until(number, ')'), "ip=", &rest)) {
        pid = measured_unknown(REASON_not_reported); /* of Ray, perhaps on another machine */
    }
    return worker_of(run, nameless ? (struct raw_text){name, (size_t)length} : rank_in(role), pid);
}

/* "Initializing a V1 LLM engine (v0.11.0) with config: model='Qwen/Qwen3-8B', ...,
 * max_seq_len=...": once an engine. */
static void read_config(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text config = log_line_after(line, LOG_WORD_vllm_config), version;
    if (worker_has_bytes(run, writer_of(run, line))) {
        run_clear(run); /* the program makes another one */
    }
    struct load_model *model = workers_model(run, "vllm");
    if (!model->name.length && !model->path.length) {
        workers_name(run, model, worker_argument(config, "="));
    }
    run_text_once(run, &model->quantization, worker_argument(config, "quantization="));
    if (worker_argument(config, "pooler_config=").length > 0) {
        model->kind = MODEL_EMBEDDING;
    }
    workers_set_context(run, log_count(worker_argument(config, "max_seq_len=")));
    if (log_find(log_line_before(line, LOG_WORD_vllm_config), "(v", &version)) {
        run_text_once(run, &run->seen.version, log_until(version, ')'));
    }
}

/* "Starting to load model Qwen/Qwen3-8B..." */
static void read_name(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text name = raw_trim(log_line_after(line, LOG_WORD_vllm_model)), dots;
    struct load_model *model = workers_model(run, "vllm");
    if (log_find(name, "...", &dots)) {
        name.length = (size_t)(dots.bytes - name.bytes) - 3;
    }
    writer_of(run, line);
    if (!model->name.length && !model->path.length) {
        workers_name(run, model, name);
    }
}

/* A count with commas between its thousands. */
static struct measured read_count(struct raw_text text)
{
    int64_t count = 0;
    size_t digits = 0;
    for (text = raw_trim(text); text.length && digits < 15; text.bytes++, text.length--) {
        if (*text.bytes >= '0' && *text.bytes <= '9') {
            count = count * 10 + (*text.bytes - '0');
            digits++;
        } else if (*text.bytes != ',') {
            break;
        }
    }
    return digits ? measured_known(count) : measured_unknown(REASON_not_reported);
}

/* "13.62x" */
static double read_times(struct raw_text text)
{
    double value = 0, unit = 1;
    bool fraction = false;
    for (size_t i = 0; i < text.length && i < 12; i++) {
        char c = text.bytes[i];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (c >= '0' && c <= '9') {
            value = value * 10 + (c - '0');
            unit = fraction ? unit * 10 : unit;
        } else {
            break;
        }
    }
    return value / unit;
}

/* "Maximum concurrency for 32768 tokens per request: 13.62x": with the blocks of the line before it
 * the size of a block, a power of two. */
static void read_concurrency(struct load_device *writer, struct raw_text after)
{
    enum { BLOCK_TOKENS_MAX = 1024 };
    struct measured length = read_count(after);
    struct raw_text times;
    if (writer->pool_tokens.known || !writer->blocks.known || !length.known ||
        !log_find(after, "request: ", &times)) {
        return;
    }
    double tokens = (double)length.value * read_times(times);
    for (int64_t block = 1; block <= BLOCK_TOKENS_MAX; block *= 2) {
        double whole = (double)writer->blocks.value * (double)block;
        if (whole > tokens * 0.98 && whole < tokens * 1.02) {
            writer->pool_tokens = measured_known(writer->blocks.value * block);
        }
    }
}

static void take_size(struct load_run_reading *run, const struct load_device *writer,
                      enum load_buffer_kind kind, struct raw_text text)
{
    int64_t bytes;
    if (log_size(text, SIZE_BINARY, &bytes, NULL)) {
        workers_model(run, "vllm");
        worker_set_bytes(run, writer, kind, (struct raw_text){0}, bytes);
    }
}

/* "... reserved 4.25 GiB memory for KV Cache as specified by kv_cache_memory_bytes config ..." */
static void read_reserved(struct load_run_reading *run, const struct load_device *writer,
                          struct raw_text before)
{
    struct raw_text size, rest = before;
    while (log_find(rest, "reserved ", &size)) {
        rest = size;
    }
    take_size(run, writer, LOAD_KV_CACHE, rest);
}

static void read_profile(struct load_run_reading *run, const struct load_device *writer,
                         struct raw_text after)
{
    struct raw_text cache;
    take_size(run, writer, LOAD_WEIGHTS, after);
    if (log_find(after, "reserved for KV Cache is ", &cache)) {
        take_size(run, writer, LOAD_KV_CACHE, cache);
    }
}

/* What one process says of its own memory. False: nothing. */
static bool read_sizes(struct load_run_reading *run, const struct log_line *line)
{
    static const struct {
        enum log_word word;
        enum load_buffer_kind kind;
    } sizes[] = {{LOG_WORD_vllm_took, LOAD_WEIGHTS},
                 {LOG_WORD_vllm_weights, LOAD_WEIGHTS},
                 {LOG_WORD_vllm_cache, LOAD_KV_CACHE}};
    struct raw_text rest;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (log_line_has(line, sizes[i].word)) {
            take_size(run, writer_of(run, line), sizes[i].kind,
                      log_line_after(line, sizes[i].word));
            return true;
        }
    }
    if (log_line_has(line, LOG_WORD_vllm_profile)) {
        read_profile(run, writer_of(run, line), log_line_after(line, LOG_WORD_vllm_profile));
    } else if (log_line_has(line, LOG_WORD_vllm_reserved)) {
        read_reserved(run, writer_of(run, line), log_line_before(line, LOG_WORD_vllm_reserved));
    } else if (log_line_has(line, LOG_WORD_vllm_graphs)) {
        if (log_find(log_line_after(line, LOG_WORD_vllm_graphs), "took ", &rest)) {
            take_size(run, writer_of(run, line), LOAD_OTHER, rest);
        }
    } else if (log_line_has(line, LOG_WORD_vllm_slept)) {
        worker_forget_bytes(run, writer_of(run, line));
    } else {
        return false;
    }
    return true;
}

static bool read_pool(struct load_run_reading *run, const struct log_line *line)
{
    if (log_line_has(line, LOG_WORD_vllm_tokens)) {
        struct measured tokens = read_count(log_line_after(line, LOG_WORD_vllm_tokens));
        writer_of(run, line)->pool_tokens = tokens;
    } else if (log_line_has(line, LOG_WORD_vllm_blocks) ||
               log_line_has(line, LOG_WORD_vllm_cuda_blocks)) {
        enum log_word word = log_line_has(line, LOG_WORD_vllm_blocks) ? LOG_WORD_vllm_blocks
                                                                      : LOG_WORD_vllm_cuda_blocks;
        writer_of(run, line)->blocks = read_count(log_line_after(line, word));
    } else if (log_line_has(line, LOG_WORD_vllm_concurrency)) {
        read_concurrency(writer_of(run, line), log_line_after(line, LOG_WORD_vllm_concurrency));
    } else {
        return false;
    }
    return true;
}

bool load_lines_vllm(struct load_run_reading *run, const struct log_line *line)
{
    if (log_line_has(line, LOG_WORD_vllm_config)) {
        read_config(run, line);
    } else if (log_line_has(line, LOG_WORD_vllm_model)) {
        read_name(run, line);
    } else if (log_line_has(line, LOG_WORD_vllm_failed) && !run->seen.ready) {
        run_fail(run, line->text, true);
    } else if (log_line_has(line, LOG_WORD_startup) && run_has_content(run)) {
        run->seen.ready = true;
    } else if (!read_sizes(run, line) && !read_pool(run, line)) {
        return log_line_has(line, LOG_WORD_vllm_version);
    }
    run->is_shown = false;
    return true;
}
