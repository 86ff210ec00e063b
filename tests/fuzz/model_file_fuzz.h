/* One model file of any bytes, through the reader and the estimates. */
#ifndef TESTS_FUZZ_MODEL_FILE_FUZZ_H
#define TESTS_FUZZ_MODEL_FILE_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/estimate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz_bytes {
    const uint8_t *data;
    size_t size;
};

/* Every file that belongs to it (further parts, an index, config.json) has the same bytes. */
static bool fuzz_open(const struct byte_opener *opener, const char *path,
                      struct byte_source *source, struct problem *problem)
{
    const struct fuzz_bytes *bytes = opener->context;
    if (strchr(path, '#')) {
        return problem_set(problem, "no such file");
    }
    *source = byte_source_over_memory((const char *)bytes->data, bytes->size);
    return true;
}

static void fuzz_check(const struct model_file *file, const struct arena *arena)
{
    enum { MEMORY_MAX = 1024 * 1024 };
    int64_t sum = file->input_bytes + file->output_bytes + file->shared_bytes;
    for (size_t i = 0; i < file->layer_count; i++) {
        sum += file->layers[i].bytes;
        if (file->layers[i].expert_bytes > file->layers[i].bytes) {
            abort();
        }
    }
    bool by_group = file->format == FORMAT_GGUF || file->format == FORMAT_SAFETENSORS ||
                    file->format == FORMAT_ONNX;
    if (file->weights_known_bytes < 0 || (by_group && sum != file->weights_known_bytes) ||
        (file->weights_bytes.known && file->weights_bytes.value != file->weights_known_bytes) ||
        file->parts_missing > file->parts || arena_capacity(arena) > MEMORY_MAX) {
        abort();
    }
}

static void fuzz_estimate(struct arena *arena, const struct model_file *file, const char *line)
{
    const struct estimate_device devices[] = {
        {.name = TEXT("CUDA0"), .free_bytes = measured_known((int64_t)24 << 30)},
        {.name = TEXT("CUDA1"), .free_bytes = measured_known((int64_t)8 << 30)}};
    struct raw_text words[16];
    struct runtime_flags flags;
    struct problem problem;
    struct model model;
    size_t count = 0;
    while (*line) {
        size_t length = strcspn(line, " ");
        words[count++] = (struct raw_text){line, length};
        line += length + (line[length] != '\0');
    }
    if (!runtime_flags_parse(words, count, (struct raw_text){NULL, 0}, true, &flags, &problem)) {
        abort();
    }
    const struct estimate_input input = {
        .file = file, .flags = count ? &flags : NULL, .devices = devices, .device_count = 2};
    if (!estimate_model(arena, &input, &model, &problem)) {
        return;
    }
    double weights = 0;
    bool known = file->weights_bytes.known;
    for (size_t i = 0; i < model.device_count; i++) {
        struct figure figure = model.devices[i].weights_bytes;
        known = known && figure_is_known(figure);
        weights += figure.value;
        if (figure.value < 0 || model.devices[i].kv_cache_bytes.value < 0 ||
            model.devices[i].compute_bytes.value < 0) {
            abort();
        }
    }
    /* Nothing is lost between the devices; a tied matrix is there twice. */
    double most = (double)file->weights_known_bytes + (double)file->tied_bytes;
    if (known && flags.load_mode == LOAD_NONE && weights > most * 1.000001 + 8) {
        abort();
    }
}

static int fuzz_model_file(const char *path, const uint8_t *data, size_t size)
{
    static const char *const lines[] = {
        "",
        "-ngl 99 -c 8192 -np 2 -lm none -ts 3,1",
        "-ngl 3 -fa off -ctk q8_0 -ts 1,1 -lm none",
        "-c 4096 -np 1 -ngl 9 -ot blk.1=CUDA1,exps=CPU -ts 1,2 -lm none",
        "--spec-type draft-mtp -ngl 0",
        "-sm row -ngl 5 -lm none",
    };
    const struct fuzz_bytes bytes = {data, size};
    struct byte_opener opener = {.open = fuzz_open, .context = &bytes};
    struct arena *arena = arena_new();
    struct model_file *file = malloc(sizeof *file);
    struct problem problem = {""};
    if (model_file_read(&opener, path, arena, file, &problem)) {
        fuzz_check(file, arena);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            fuzz_estimate(arena, file, lines[i]);
        }
    } else if (!problem.text[0]) {
        abort();
    }
    free(file);
    arena_free(&arena);
    return 0;
}

#endif
