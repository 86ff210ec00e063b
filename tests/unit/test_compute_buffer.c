/* What llama.cpp v0.5.0 logged as its CPU compute buffer for models of these shapes (two to eight
 * layers of the real ones, flash attention on), in MiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/compute_buffer.h"

struct row {
    const char *what, *architecture;
    int64_t embedding, heads, kv_heads, head, ffn, experts_used, expert_ffn;
    int64_t cells, window, batch;
    double mib;
};

static struct compute_buffers buffers_of(const struct row *row)
{
    struct model_file file = {.architecture = {row->architecture, strlen(row->architecture)}};
    struct model_shape *shape = &file.shape;
    shape->layers = 2;
    shape->embedding = row->embedding;
    shape->vocabulary = 288;
    shape->heads = (struct layer_numbers){.known = true, .all = row->heads};
    shape->kv_heads = (struct layer_numbers){.known = true, .all = row->kv_heads};
    shape->feed_forward = (struct layer_numbers){.known = true, .all = row->ffn};
    shape->key_length = shape->value_length = row->head;
    shape->experts_used = row->experts_used;
    shape->expert_feed_forward = row->expert_ffn;
    struct context_memory memory = {.known = true,
                                    .ubatch = row->batch,
                                    .attention_cells = row->cells,
                                    .mask_cells = row->cells + row->window};
    return compute_buffers(&file, &memory, true, false);
}

static void test_as_logged(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"Llama 3 8B", "llama", 4096, 32, 8, 128, 14336, -1, -1, 4096, 0, 512, 120.01},
        {"a longer context", "llama", 4096, 32, 8, 128, 14336, -1, -1, 32768, 0, 512, 148.01},
        {"a longer batch", "llama", 4096, 32, 8, 128, 14336, -1, -1, 4096, 0, 2048, 480.05},
        {"Qwen3 14B", "qwen3", 5120, 40, 8, 128, 17408, -1, -1, 8192, 0, 512, 150.01},
        {"Qwen2 7B", "qwen2", 3584, 28, 4, 128, 18944, -1, -1, 4096, 0, 512, 143.01},
        {"Gemma 3 4B", "gemma3", 2560, 8, 4, 256, 10240, -1, -1, 4096, 1536, 512, 84.52},
        {"Gemma 3 27B", "gemma3", 5376, 32, 16, 128, 21504, -1, -1, 32768, 1536, 512, 199.02},
        {"Gemma 2 9B", "gemma2", 3584, 16, 8, 256, 14336, -1, -1, 4096, 4096, 512, 121.02},
        {"Qwen3 30B A3B", "qwen3moe", 2048, 32, 4, 128, -1, 8, 768, 4096, 0, 512, 92.01},
        {"64 experts of 1536", "qwen3moe", 4096, 64, 4, 128, -1, 8, 1536, 8192, 0, 512, 184.01},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compute_buffers buffers = buffers_of(&rows[i]);
        double bytes = (double)(buffers.device_bytes + buffers.alone_bytes +
                                buffers.full_mask_bytes + buffers.window_mask_bytes);
        double off = bytes / (1 << 20) - rows[i].mib;
        if (!buffers.known || off > 0.2 || off < -0.2) {
            fail_msg("%s: %.2f MiB off %.2f", rows[i].what, off, rows[i].mib);
        }
    }
}

/* BERT has no gate, and a batch is compared with itself. */
static void test_bert(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"512", "bert", 1024, 16, 16, 64, 4096, -1, -1, 512, 0, 512, 14.50},
        {"2048", "bert", 1024, 16, 16, 64, 4096, -1, -1, 2048, 0, 2048, 64.02},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compute_buffers buffers = buffers_of(&rows[i]);
        double mib = (double)(buffers.device_bytes + buffers.full_mask_bytes) / (1 << 20);
        assert_true(mib > rows[i].mib - 0.1 && mib < rows[i].mib + 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_logged),
        cmocka_unit_test(test_bert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
