#include "net/http_client.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "net/network_door.h"

/* One call's state, on the stack of http_get(). */
struct call {
    struct event_base *base;
    struct evhttp_connection *connection;
    struct arena *arena;
    struct http_reply *reply;
    bool done;
};

/* By the address itself: a name would have to be looked up, and could lead anywhere. Four plain
 * decimal numbers, for "0127.1" and its like mean something else to each system. */
static bool is_loopback(const char *address)
{
    struct raw_text rest = raw_from_string(address), field;
    uint64_t number;
    int fields = 0;

    if (strcmp(address, "::1") == 0)
        return true;
    while (fields_next(&rest, '.', &field)) {
        size_t used;

        if (!number_parse_u64(field, &number, &used) || used != field.length || number > 255 ||
            (used > 1 && field.bytes[0] == '0') || (fields == 0 && number != 127))
            return false;
        fields++;
    }
    return fields == 4;
}

/* Blanks and line ends would make another request of it. */
static bool is_plain(const char *string)
{
    for (; *string; string++)
        if (*string <= ' ' || *string > '~')
            return false;
    return true;
}

static bool check_request(const struct http_request *request, struct problem *problem)
{
    if (!is_loopback(request->address))
        return problem_set(problem,
                           "%s is no loopback address: only servers on this machine are asked",
                           request->address);
    if (request->port < 1 || request->port > 65535)
        return problem_set(problem, "%d is no port", request->port);
    if (request->path[0] != '/' || !is_plain(request->path))
        return problem_set(problem, "%s is no path of a request", request->path);
    if (request->bearer && !is_plain(request->bearer))
        return problem_set(problem, "the bearer token holds blanks or control characters");
    return true;
}

static void finish(struct call *call)
{
    call->done = true;
    event_base_loopbreak(call->base);
}

static void on_reply(struct evhttp_request *request, void *context)
{
    struct call *call = context;

    /* No status: the connection failed, and on_error() has said how, if there is more to say. */
    if (request && evhttp_request_get_response_code(request) > 0) {
        struct evbuffer *body = evhttp_request_get_input_buffer(request);
        size_t size = evbuffer_get_length(body);
        char *bytes = arena_alloc(call->arena, size + 1);

        evbuffer_copyout(body, bytes, size);
        call->reply->status = evhttp_request_get_response_code(request);
        call->reply->body = (struct raw_text){bytes, size};
    } else if (!call->reply->problem.text[0]) {
        problem_set(&call->reply->problem, "no connection");
    }
    finish(call);
}

static void on_error(enum evhttp_request_error error, void *context)
{
    struct call *call = context;
    struct problem *problem = &call->reply->problem;

    switch (error) {
    case EVREQ_HTTP_TIMEOUT:
        problem_set(problem, "no answer within %d ms", HTTP_TIME_MS);
        break;
    case EVREQ_HTTP_EOF:
        problem_set(problem, "the server closed the connection in mid-answer");
        break;
    case EVREQ_HTTP_INVALID_HEADER:
        problem_set(problem, "the answer is no HTTP");
        break;
    case EVREQ_HTTP_DATA_TOO_LONG:
        problem_set(problem, "the answer is larger than %d bytes", HTTP_BODY_BYTES);
        break;
    case EVREQ_HTTP_BUFFER_ERROR:
    case EVREQ_HTTP_REQUEST_CANCEL:
        problem_set(problem, "the connection broke");
        break;
    }
    finish(call);
}

static void on_deadline(evutil_socket_t descriptor, short what, void *context)
{
    struct call *call = context;

    (void)descriptor;
    (void)what;
    problem_set(&call->reply->problem, "no answer within %d ms", HTTP_TIME_MS);
    finish(call);
}

static struct evhttp_request *new_request(struct call *call, const struct http_request *wanted)
{
    struct evhttp_request *request = evhttp_request_new(on_reply, call);

    if (!request)
        fatal_out_of_memory(sizeof(void *));
    evhttp_request_set_error_cb(request, on_error);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    char host[64];
    bool is_v6 = strchr(wanted->address, ':') != NULL;

    snprintf(host, sizeof host, is_v6 ? "[%.40s]:%d" : "%.40s:%d", wanted->address, wanted->port);
    evhttp_add_header(headers, "Host", host);
    evhttp_add_header(headers, "Connection", "close");
    evhttp_add_header(headers, "Accept", "application/json, text/plain;q=0.5");
    if (wanted->bearer) {
        size_t size = strlen(wanted->bearer) + sizeof "Bearer ";
        char *value = arena_alloc(call->arena, size);

        snprintf(value, size, "Bearer %s", wanted->bearer);
        evhttp_add_header(headers, "Authorization", value);
    }
    return request;
}

static void run_call(struct call *call, const struct http_request *wanted)
{
    struct timeval bound = {.tv_usec = HTTP_TIME_MS * 1000};
    struct event *deadline = evtimer_new(call->base, on_deadline, call);

    call->connection =
        evhttp_connection_base_new(call->base, NULL, wanted->address, (ev_uint16_t)wanted->port);
    if (!deadline || !call->connection)
        fatal_out_of_memory(sizeof(void *));
    evhttp_connection_set_max_headers_size(call->connection, HTTP_HEADER_BYTES);
    evhttp_connection_set_max_body_size(call->connection, HTTP_BODY_BYTES);
    evtimer_add(deadline, &bound);
    /* The connection owns the request from here on. */
    int made = evhttp_make_request(call->connection, new_request(call, wanted), EVHTTP_REQ_GET,
                                   wanted->path);

    if (made == 0 && !call->done)
        event_base_dispatch(call->base);
    if (!call->reply->status && !call->reply->problem.text[0])
        problem_set(&call->reply->problem, "no connection");
    evhttp_connection_free(call->connection);
    event_free(deadline);
}

bool http_get(struct arena *arena, const struct http_request *request, struct http_reply *reply)
{
    *reply = (struct http_reply){.status = 0};
    if (!check_request(request, &reply->problem))
        return false;
    if (!network_start())
        return problem_set(&reply->problem, "there is no network here");
    struct event_config *config = event_config_new();

    if (!config)
        fatal_out_of_memory(sizeof(void *));
    /* One call, one thread; and nothing of the environment changes how it works. */
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
    struct call call = {.base = event_base_new_with_config(config), .arena = arena, .reply = reply};

    event_config_free(config);
    if (!call.base)
        return problem_set(&reply->problem, "no descriptors left for a connection");
    run_call(&call, request);
    event_base_free(call.base);
    if (reply->status)
        reply->problem.text[0] = '\0';
    return reply->status != 0;
}
