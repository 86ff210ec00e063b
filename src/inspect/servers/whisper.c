/* whisper.cpp's server: it says that it is there, and nothing about its model. */
#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/health", NULL};

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    (void)arena;
    (void)path;
    (void)state;
    json_t *reply = reply_parse(body);
    bool read = json_is_object(reply);
    json_decref(reply);
    return read;
}

const struct server_words server_whisper = {SERVER_WHISPER, "whisper.cpp", paths, read_reply};
