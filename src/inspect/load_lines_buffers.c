/* Buffer lines: "FUNC: NAME [model|KV|compute|output|RS|LoRA ]buffer size = X MiB", and the lines
 * about whole caches. */
#include <string.h>

#include "base/lines.h"
#include "inspect/load_lines.h"

static const struct {
    const char *word;
    enum load_buffer_kind kind;
} kinds[] = {
    {"model", LOAD_WEIGHTS}, {"KV", LOAD_KV_CACHE},  {"RS", LOAD_STATE},  {"compute", LOAD_COMPUTE},
    {"output", LOAD_OUTPUT}, {"input", LOAD_OUTPUT}, {"LoRA", LOAD_LORA},
};

static bool kind_from_word(struct raw_text word, enum load_buffer_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (raw_equal_string(word, kinds[i].word)) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

static bool is_function(struct raw_text word)
{
    return word.length > 1 && word.bytes[word.length - 1] == ':';
}

/* Names begin with a letter; one that is torn off or glued to something else does not count. */
static bool is_buffer_name(struct raw_text name)
{
    unsigned char first = name.length ? (unsigned char)(name.bytes[0] | 32) : 0;
    return first >= 'a' && first <= 'z' && name.length <= 128 && !is_function(name);
}

/* Name and kind in what stands before "buffer size". Until 2024-09 weights had no word for their
 * kind, but always their function before the name. */
static bool split_name(struct raw_text before, struct raw_text *name, enum load_buffer_kind *kind)
{
    struct raw_text last, previous, third;
    if (!log_last_word(&before, &last)) {
        return false;
    }
    bool has_previous = log_last_word(&before, &previous);
    if (kind_from_word(last, kind)) {
        *name = previous;
        return has_previous && is_buffer_name(previous);
    }
    if (has_previous && is_function(previous)) {
        *name = last;
        *kind = LOAD_WEIGHTS;
        return is_buffer_name(last);
    }
    if (has_previous && log_last_word(&before, &third) && is_function(third)) {
        *name = previous;
        *kind = LOAD_OTHER; /* a kind of a newer runtime */
        return is_buffer_name(previous);
    }
    return false;
}

static void read_buffer(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text after = log_line_after(line, LOG_WORD_buffer_size), name;
    struct raw_text value = raw_trim(after);
    enum load_buffer_kind kind;
    int64_t bytes;
    if (value.length == 0 || *value.bytes != '=' || /* "is X MiB, matches expectation": at exit */
        !split_name(log_line_before(line, LOG_WORD_buffer_size), &name, &kind) ||
        !log_size(after, SIZE_BINARY, &bytes, NULL)) {
        return;
    }
    if (log_line_has(line, LOG_WORD_compute_meta)) {
        struct load_buffer buffer = {.name = name,
                                     .kind = LOAD_COMPUTE,
                                     .bytes = bytes,
                                     .model = run_addition(run, MODEL_PROJECTOR),
                                     .context = LOAD_NO_CONTEXT};
        run_set_buffer(run, &buffer);
        return;
    }
    run_add_buffer(run, kind, name, bytes);
}

/* "K (f16): 2560.00 MiB": the type and the size behind `letter`. */
static void read_half(struct raw_text text, const char *letter, struct raw_text *type,
                      int64_t *bytes)
{
    struct raw_text rest;
    if (log_find(text, letter, &rest)) {
        struct raw_text inside = log_until(rest, ')');
        if (inside.length < rest.length) {
            *type = inside;
            rest.bytes += inside.length + 1;
            rest.length -= inside.length + 1;
            log_size(rest, SIZE_BINARY, bytes, NULL);
        }
    }
}

static void read_halves(struct raw_text text, struct load_cache *cache)
{
    read_half(text, " K (", &cache->type_k, &cache->k_bytes);
    read_half(text, " R (", &cache->type_k, &cache->k_bytes);
    read_half(text, " c^KV (", &cache->type_k, &cache->k_bytes); /* ik_llama.cpp */
    read_half(text, " V (", &cache->type_v, &cache->v_bytes);
    read_half(text, " S (", &cache->type_v, &cache->v_bytes);
}

static int cache_context(struct load_run_reading *run)
{
    if (run->context < 0) {
        run_begin_context(run);
    }
    return run->context;
}

/* "size = 576.00 MiB (  4096 cells,  36 layers,  1/ 1 seqs), K (f16): ..." */
static void read_cells(struct load_run_reading *run, const struct log_line *line)
{
    struct raw_text before = log_line_before(line, LOG_WORD_cells), number;
    struct raw_text after = log_line_after(line, LOG_WORD_cells), rest, sequences;
    struct load_cache cache = {.bytes = 0};
    if (!log_find(before, "size =", &rest) || !log_size(rest, SIZE_BINARY, &cache.bytes, NULL) ||
        !log_last_word(&before, &number)) {
        return;
    }
    if (number.length && *number.bytes == '(') {
        number.bytes++;
        number.length--;
    }
    cache.cells = log_count(number);
    cache.layers = log_count(after);
    if (log_find(after, "layers,", &rest)) {
        cache.sequences = log_count(rest);
        cache.streams = cache.sequences;
        sequences = log_until(rest, 's');
        if (log_find(sequences, "/", &rest)) {
            cache.streams = log_count(rest);
        }
    }
    read_halves(after, &cache);
    cache.context = cache_context(run);
    run_add_cache(run, &cache);
}

static void read_self_size(struct load_run_reading *run, struct raw_text after)
{
    struct load_cache cache = {.bytes = 0};
    if (!log_size(after, SIZE_BINARY, &cache.bytes, NULL)) {
        return;
    }
    read_halves(after, &cache);
    cache.context = cache_context(run);
    run_add_cache(run, &cache);
    struct measured *total = &run_main_model(run)->kv_total;
    *total = measured_known(total->value + cache.bytes);
}

void load_lines_buffers(struct load_run_reading *run, const struct log_line *line)
{
    if (log_line_has(line, LOG_WORD_buffer_size)) {
        read_buffer(run, line);
    }
    if (log_line_has(line, LOG_WORD_cells)) {
        read_cells(run, line);
    }
    if (log_line_has(line, LOG_WORD_self_size)) {
        read_self_size(run, log_line_after(line, LOG_WORD_self_size));
    } else if (log_line_has(line, LOG_WORD_self_size_lower)) {
        read_self_size(run, log_line_after(line, LOG_WORD_self_size_lower));
    }
}
