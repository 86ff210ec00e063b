/* Replies of every known server at every path that it is asked: whatever comes, figures stay
 * possible and texts within their bounds. The first byte chooses server and path. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct figure figure)
{
    if (figure_is_known(figure) &&
        (!isfinite(figure.value) || figure.value < 0 || figure.how != HOW_REPORTED))
        abort();
}

static void check_text(struct raw_text text)
{
    if (text.length > REPLY_TEXT_MAX || (text.length > 0 && !text.bytes))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct server_state state;
    if (size < 1)
        return 0;
    enum server_kind kind = (enum server_kind)(1 + data[0] % (SERVER_KIND_COUNT - 1));
    const struct server_words *words = server_words(kind);
    size_t paths = 0;
    while (words->paths[paths])
        paths++;
    struct arena *arena = arena_new();
    struct raw_text body = {(const char *)data + 1, size - 1};
    server_state_clear(&state);
    words->read(arena, words->paths[data[0] / 16 % paths], body, &state);
    words->read(arena, words->paths[0], body, &state);
    if (state.model_count > SERVER_MODELS_MAX)
        abort();
    const struct figure figures[] = {state.slots,
                                     state.slots_busy,
                                     state.slot_context,
                                     state.context_used,
                                     state.requests_running,
                                     state.requests_waiting,
                                     state.kv_used_percent,
                                     state.prompt_tokens_per_second,
                                     state.generation_tokens_per_second,
                                     state.kv_tokens};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        check(figures[i]);
    if (figure_is_known(state.kv_used_percent) && state.kv_used_percent.value > 100)
        abort();
    for (size_t i = 0; i < state.model_count; i++) {
        check(state.models[i].context);
        check(state.models[i].parameters);
        check_text(state.models[i].id);
        check_text(state.models[i].path);
        check_text(state.models[i].quantization);
    }
    arena_free(&arena);
    return 0;
}
