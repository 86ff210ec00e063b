/* ComfyUI: server.py. /system_stats holds the command line, /queue whole workflows with prompts:
 * only figures and counts are taken. */
#include <string.h>

#include "inspect/servers/reply.h"
#include "inspect/servers/server.h"

static const char *const paths[] = {"/system_stats", "/queue", NULL};

static bool read_reply(struct arena *arena, const char *path, struct raw_text body,
                       struct server_state *state)
{
    json_t *reply = reply_parse(body);
    bool read = json_is_object(reply);
    if (strcmp(path, "/queue") == 0) {
        const json_t *running = json_object_get(reply, "queue_running");
        const json_t *pending = json_object_get(reply, "queue_pending");
        read = json_is_array(running) && json_is_array(pending);
        if (read) {
            state->requests_running = figure_reported((double)json_array_size(running));
            state->requests_waiting = figure_reported((double)json_array_size(pending));
        }
    } else if (read) {
        state->version = reply_text(arena, json_object_get(reply, "system"), "comfyui_version");
    }
    json_decref(reply);
    return read;
}

const struct server_words server_comfy = {SERVER_COMFY, "ComfyUI", paths, read_reply};
