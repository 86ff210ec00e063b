/* Ollama's own engine: msg="kv cache" device=CUDA0 size="936.0 MiB". It prints them in every round
 * of its fit loop; the last round before the runner has started holds. */
#include "inspect/load_lines.h"

static bool kind_of(const struct log_line *line, enum load_buffer_kind *kind)
{
    static const struct {
        enum log_word word;
        enum load_buffer_kind kind;
    } kinds[] = {{LOG_WORD_ollama_weights, LOAD_WEIGHTS},
                 {LOG_WORD_ollama_cache, LOAD_KV_CACHE},
                 {LOG_WORD_ollama_graph, LOAD_COMPUTE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (log_line_has(line, kinds[i].word)) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    return false;
}

void load_lines_ollama(struct load_run_reading *run, const struct log_line *line)
{
    struct load_buffer buffer = {.context = LOAD_NO_CONTEXT};
    struct raw_text size;
    if (log_line_has(line, LOG_WORD_ollama_total)) {
        run->group_ended = true;
    } else if (log_line_has(line, LOG_WORD_ollama_started)) {
        run->seen.ready = true;
    }
    if (run->seen.ready || !kind_of(line, &buffer.kind) || !log_value(line->text, " size", &size) ||
        !log_size(size, SIZE_BINARY, &buffer.bytes, NULL) ||
        (!log_value(line->text, " device", &buffer.name) &&
         !log_value(line->text, " buffer", &buffer.name))) {
        return;
    }
    if (run->group_ended) {
        run->buffers.count = 0;
        run->group_ended = false;
    }
    run->seen.runtime = raw_from_string("ollama");
    struct run_model *model = run_main_model(run);
    if (!model->seen.path.length && run->seen.main_path.length) {
        model->seen.path = run->seen.main_path;
    }
    model->seen.format = raw_from_string("gguf");
    buffer.model = run->model;
    run_set_buffer(run, &buffer);
    run->is_shown = false;
}
