#include "inspect/servers/ask.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/servers/listeners.h"
#include "inspect/servers/server.h"
#include "net/http_client.h"

enum { SOCKETS_ASKED_MAX = 4, KEY_MAX = 1024 };

struct asking {
    const struct inside *inside;
    const struct server_target *target;
    const struct server_words *words;
    struct arena *arena, *scratch;
    struct listener_list *table;
    struct server_state *state;
    struct text *note;
};

/* The socket still is this process's, and it listens where we would reach it and nobody else. */
static const struct listener *prove(const struct asking *asking, const struct open_socket *socket)
{
    const struct inside *inside = asking->inside;
    if (!inside->ops->holds_socket(inside, asking->target->identity, socket) ||
        !listeners_read(inside, 0, asking->table))
        return NULL;
    const struct listener *listener = listeners_find(asking->table, socket->inode);
    return listener && listener_is_exclusive(asking->table, listener, asking->target->sockets,
                                             asking->target->socket_count)
               ? listener
               : NULL;
}

static void note_reply(const struct asking *asking, const char *path, const char *what)
{
    if (text_is_none(*asking->note))
        *asking->note = text_format(asking->arena, "%s: %s: %s", asking->words->name, path, what);
}

/* True when this request had an answer of any kind. */
static bool ask_one(const struct asking *asking, const struct open_socket *socket, const char *path,
                    bool *understood)
{
    char key[KEY_MAX];
    struct http_reply reply;
    const struct listener *listener = prove(asking, socket);
    if (!listener)
        return false;
    struct http_request request = {
        .address = listener->address, .port = listener->port, .path = path};
    if (asking->target->key.length > 0 && asking->target->key.length < sizeof key) {
        memcpy(key, asking->target->key.bytes, asking->target->key.length);
        key[asking->target->key.length] = '\0';
        request.bearer = key;
    }
    arena_reset(asking->scratch);
    if (!http_get(asking->scratch, &request, &reply)) {
        note_reply(asking, path, reply.problem.text);
        return false;
    }
    if (reply.status == 200) {
        bool read = asking->words->read(asking->arena, path, reply.body, asking->state);
        if (!read)
            note_reply(asking, path, "the reply could not be understood and is not used");
        *understood |= read;
        asking->state->port = listener->port;
    } else if (reply.status >= 300 && reply.status < 400) {
        note_reply(asking, path, "the reply leads elsewhere and is not followed");
    } else if (reply.status == 401 || reply.status == 403) {
        note_reply(asking, path, "the server wants a key that its command line does not give");
    }
    return true;
}

static bool ask_socket(const struct asking *asking, const struct open_socket *socket)
{
    bool understood = false;
    for (size_t i = 0; asking->words->paths[i]; i++)
        if (!ask_one(asking, socket, asking->words->paths[i], &understood))
            break;
    return understood;
}

/* The sockets of the process that listen, the one its flags name first. */
static size_t choose(const struct asking *asking, const struct open_socket *chosen[])
{
    size_t count = 0;
    for (int named = 1; named >= 0; named--)
        for (size_t i = 0; i < asking->target->socket_count && count < SOCKETS_ASKED_MAX; i++) {
            const struct open_socket *socket = &asking->target->sockets[i];
            const struct listener *listener = listeners_find(asking->table, socket->inode);
            bool is_named = listener && listener->port == asking->target->port;
            if (listener && is_named == (named != 0))
                chosen[count++] = socket;
        }
    return count;
}

bool server_ask(const struct inside *inside, struct arena *arena,
                const struct server_target *target, struct server_state *state, struct text *note)
{
    struct arena *scratch = arena_new(), *books = arena_new();
    const struct open_socket *chosen[SOCKETS_ASKED_MAX];
    struct asking asking = {
        .inside = inside,
        .target = target,
        .words = server_words(target->kind),
        .arena = arena,
        .scratch = scratch,
        .table = ARENA_NEW(books, struct listener_list),
        .state = state,
        .note = note,
    };
    bool answered = false;
    server_state_clear(state);
    if (asking.words && listeners_read(inside, 0, asking.table)) {
        size_t count = choose(&asking, chosen);
        for (size_t i = 0; i < count && !answered; i++)
            answered = ask_socket(&asking, chosen[i]);
    }
    if (answered)
        state->kind = target->kind;
    else
        server_state_clear(state);
    arena_free(&scratch);
    arena_free(&books);
    return answered;
}
