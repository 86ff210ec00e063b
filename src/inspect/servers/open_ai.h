/* What servers with OpenAI's interface have in common. Pure. */
#ifndef INSPECT_SERVERS_OPEN_AI_H
#define INSPECT_SERVERS_OPEN_AI_H

#include "inspect/servers/server.h"

/* /v1/models of vLLM and SGLang: one model, and further ids that are adapters of it. */
bool open_ai_read_models(struct arena *arena, struct raw_text body, struct server_state *state);

#endif
