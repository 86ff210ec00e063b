#include "inspect/servers/open_ai.h"

#include "inspect/servers/reply.h"

bool open_ai_read_models(struct arena *arena, struct raw_text body, struct server_state *state)
{
    json_t *reply = reply_parse(body);
    const json_t *data = json_object_get(reply, "data");
    bool read = json_is_array(data);
    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *entry = json_array_get(data, i);
        struct raw_text parent = reply_text(arena, entry, "parent");
        struct server_model *model = json_is_object(entry) ? server_state_add(arena, state) : NULL;
        if (!model)
            continue;
        model->id = reply_text(arena, entry, "id");
        model->path = reply_text(arena, entry, "root");
        model->context = reply_figure(entry, "max_model_len");
        model->kind = parent.bytes ? raw_from_string("adapter") : (struct raw_text){0};
        model->loaded = true;
    }
    json_decref(reply);
    return read;
}
