#include "inspect/servers/server.h"

static const struct server_words *const all_words[SERVER_KIND_COUNT] = {
    [SERVER_LLAMA] = &server_llama,         [SERVER_OLLAMA] = &server_ollama,
    [SERVER_LM_STUDIO] = &server_lm_studio, [SERVER_VLLM] = &server_vllm,
    [SERVER_SGLANG] = &server_sglang,       [SERVER_TGI] = &server_tgi,
    [SERVER_TABBY] = &server_tabby,         [SERVER_KOBOLD] = &server_kobold,
    [SERVER_WHISPER] = &server_whisper,     [SERVER_COMFY] = &server_comfy,
};

const struct server_words *server_words(enum server_kind kind)
{
    return all_words[kind];
}

const char *server_name(enum server_kind kind)
{
    return all_words[kind] ? all_words[kind]->name : "";
}

void server_state_clear(struct server_state *state)
{
    *state = (struct server_state){.kind = SERVER_NONE};
}

struct server_model *server_state_add(struct arena *arena, struct server_state *state)
{
    if (state->model_count == SERVER_MODELS_MAX)
        return NULL;
    if (!state->models)
        state->models = ARENA_ARRAY(arena, struct server_model, SERVER_MODELS_MAX);
    struct server_model *model = &state->models[state->model_count++];
    *model = (struct server_model){.expires_at_ns = TIME_UNKNOWN};
    return model;
}
