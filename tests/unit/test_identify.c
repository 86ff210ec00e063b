/* What servers say of the room of their KV cache, in models of the snapshot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/command_models.h"
#include "inspect/identify.h"
#include "inspect/servers/server.h"

static struct figure said(double value)
{
    return value < 0 ? figure_unknown(REASON_not_reported) : figure_known(value, HOW_REPORTED);
}

/* One model that a server names; the caller frees the arena. */
static struct model only_model(struct arena *arena, struct gathered *gathered, size_t uses)
{
    static struct adapter adapters[2] = {{.id = TEXT("pci:a")}, {.id = TEXT("pci:b")}};
    static struct gpu_use gpus[2] = {{.adapter_id = TEXT("pci:a")}, {.adapter_id = TEXT("pci:b")}};
    const struct identify_scene scene = {
        .adapters = adapters, .adapter_count = 2, .uses = gpus, .use_count = uses};
    struct model_list list = identify(arena, gathered, &scene);
    assert_int_equal(list.count, 1);
    return list.items[0];
}

static void test_llama_server(void **state)
{
    (void)state;
    static const struct {
        double slots, slot_context, trained;
        bool flags_known;
        int64_t flag_slots; /* 0: not given, which is four on one cache */
        enum wish unified;
        double pool; /* -1: not told */
    } rows[] = {
        {1, 8192, 40960, true, 1, WISH_UNSET, 8192},
        {1, 8192, 40960, false, 0, WISH_UNSET, 8192},
        {2, 4096, 40960, true, 2, WISH_UNSET, 8192},
        {2, 8192, 40960, true, 2, WISH_ON, 8192},
        {4, 8192, 40960, true, 0, WISH_UNSET, 8192},
        {4, 8192, 40960, false, 0, WISH_UNSET, -1}, /* unified or not */
        {4, 40960, 40960, true, 0, WISH_UNSET, -1}, /* perhaps cut to what it was trained for */
        {4, 8192, -1, true, 0, WISH_UNSET, -1},
        {-1, 8192, 40960, true, 0, WISH_UNSET, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_new();
        struct gathered *gathered = ARENA_NEW(arena, struct gathered);
        gathered->family = PROGRAM_LLAMA;
        gathered->is_llama_style = rows[i].flags_known;
        gathered->flags.slots = rows[i].flag_slots;
        gathered->flags.kv_unified = rows[i].unified;
        gathered->server.kind = SERVER_LLAMA;
        gathered->server.slots = said(rows[i].slots);
        gathered->server.slot_context = said(rows[i].slot_context);
        struct server_model *model = server_state_add(arena, &gathered->server);
        model->id = raw_from_string("m");
        model->loaded = true;
        model->context_trained = said(rows[i].trained);
        struct model found = only_model(arena, gathered, 0);
        double pool = figure_is_known(found.kv_pool_tokens) ? found.kv_pool_tokens.value : -1;
        if (pool != rows[i].pool) {
            fail_msg("row %zu: %g", i, pool);
        }
        arena_free(&arena);
    }
}

/* The pool's bytes are those on each GPU: on the only one that the process has. */
static void test_vllm_pool(void **state)
{
    (void)state;
    static const struct {
        size_t engines, uses;
        bool tokens, bytes;
    } rows[] = {{1, 1, true, true}, {2, 1, false, false}, {1, 2, true, false}, {1, 0, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *arena = arena_new();
        struct gathered *gathered = ARENA_NEW(arena, struct gathered);
        gathered->family = PROGRAM_VLLM_WORKER;
        gathered->parent_server.kind = SERVER_VLLM;
        gathered->parent_server.engines = rows[i].engines;
        gathered->parent_server.kv_tokens = said(100000);
        gathered->parent_server.kv_bytes = said(5e9);
        struct server_model *model = server_state_add(arena, &gathered->parent_server);
        model->id = raw_from_string("Qwen/Qwen3-8B");
        model->loaded = true;
        struct model found = only_model(arena, gathered, rows[i].uses);
        assert_int_equal(figure_is_known(found.kv_pool_tokens), rows[i].tokens);
        assert_int_equal(found.device_count, rows[i].bytes);
        if (rows[i].bytes) {
            assert_true(text_equal_string(found.devices[0].adapter_id, "pci:a"));
            assert_true(found.devices[0].kv_cache_bytes.value == 5e9);
            assert_int_equal(found.devices[0].kv_cache_bytes.how, HOW_REPORTED);
            assert_false(figure_is_known(found.devices[0].weights_bytes));
        }
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_llama_server),
        cmocka_unit_test(test_vllm_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
