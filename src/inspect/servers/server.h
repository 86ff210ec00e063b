/* Local model servers: what each is asked, and what its replies mean. One file a server; the
 * meaning (server_words.read) is pure. Prompts in replies are never kept. */
#ifndef INSPECT_SERVERS_SERVER_H
#define INSPECT_SERVERS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"
#include "inspect/gathered.h"

/* One server's vocabulary. */
struct server_words {
    enum server_kind kind;
    const char *name;         /* "llama-server": model.live.source */
    const char *const *paths; /* what is asked for, ends with NULL */
    /* A reply with status 200. False: malformed, nothing was taken from it. Everything kept is
     * copied into the arena. */
    bool (*read)(struct arena *arena, const char *path, struct raw_text body,
                 struct server_state *state);
};

/* NULL for SERVER_NONE. */
const struct server_words *server_words(enum server_kind kind);
const char *server_name(enum server_kind kind);

/* An empty state: every figure unknown. */
void server_state_clear(struct server_state *state);
/* One more model, cleared, in the arena; NULL when the list is full. */
struct server_model *server_state_add(struct arena *arena, struct server_state *state);

extern const struct server_words server_llama, server_ollama, server_lm_studio, server_vllm,
    server_sglang, server_tgi, server_tabby, server_kobold, server_whisper, server_comfy;

#endif
