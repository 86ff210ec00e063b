/* Load logs of any runtime, in pieces, and the models made from them. */
#include <stdlib.h>
#include <string.h>

#include "inspect/load_share.h"
#include "inspect/log_place.h"
#include "inspect/reported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_run(struct arena *arena, const struct load_run *run)
{
    for (size_t i = 0; i < run->buffer_count; i++) {
        const struct load_buffer *buffer = &run->buffers[i];
        if (buffer->bytes < 0 || buffer->model < 0 || buffer->model >= (int)run->model_count ||
            buffer->context >= (int)run->context_count || !buffer->name.bytes) {
            abort();
        }
    }
    for (size_t i = 0; i < run->context_count; i++) {
        if (run->contexts[i].model < 0 || run->contexts[i].model >= (int)run->model_count) {
            abort();
        }
    }
    for (size_t i = 0; i < run->cache_count; i++) {
        if (run->caches[i].context < 0 || run->caches[i].context >= (int)run->context_count) {
            abort();
        }
    }
    const struct load_sharer sharer = {
        .pid = 271, .inner_pid = 1, .title = {"VLLM::Worker_TP1", 16}};
    const struct load_run *share = load_run_share(arena, run, &sharer);
    if (share->buffer_count > run->buffer_count || share->model_count != run->model_count) {
        abort();
    }
    reported_models(arena, share, NULL, TEXT_NONE, STRENGTH_HINT);
    struct model_list list = reported_models(arena, run, NULL, TEXT_NONE, STRENGTH_HINT);
    list = reported_merge(arena, load_run_copy(arena, run), NULL, list, TEXT_NONE, STRENGTH_HINT);
    for (size_t i = 0; i < list.count; i++) {
        for (size_t k = 0; k < list.items[i].device_count; k++) {
            if (list.items[i].devices[k].weights_bytes.value < 0) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t port = 8120;
    struct load_log *log = load_log_new();
    struct arena *arena = arena_new();
    /* The first byte says where the text is cut into pieces. */
    size_t step = size ? (size_t)data[0] + 1 : 1;
    for (size_t at = 1; at < size; at += step) {
        load_log_feed(
            log, (struct raw_text){(const char *)data + at, size - at < step ? size - at : step});
    }
    load_log_end(log);
    if (load_log_run_count(log) > LOAD_RUNS_MAX) {
        abort();
    }
    for (size_t i = 0; i < load_log_run_count(log); i++) {
        check_run(arena, load_log_run(log, i));
    }
    for (int source = LOG_OWN_OUTPUT; source <= LOG_APPLICATION; source++) {
        const struct log_place place = {.source = (enum log_source)source,
                                        .start_ns = 0,
                                        .ports = &port,
                                        .port_count = 1,
                                        .ports_known = true,
                                        .model_path = {"/m.gguf", 7}};
        if (!log_place_find(log, &place).reason) {
            abort();
        }
    }
    arena_free(&arena);
    load_log_free(&log);
    return 0;
}
