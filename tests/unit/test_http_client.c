/* The HTTP client against a server that answers, stalls, floods, lies and breaks off. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/thread.h"
#include "net/http_client.h"
#include "net/network_door.h"

#define MS INT64_C(1000000)

enum { REQUEST_SIZE = 2048 };

/* Serves one connection. */
struct server {
    int listener;
    int port;
    const char *answer; /* sent as it is */
    size_t flood_bytes; /* 'x' sent after it */
    int64_t stall_ms;   /* before closing, unless the client closes first */
    bool trickle;       /* the answer byte by byte, 20 ms apart */
    char request[REQUEST_SIZE];
    struct thread *thread;
};

static void read_request(struct server *server, int client)
{
    size_t length = 0;

    while (!strstr(server->request, "\r\n\r\n") && length < REQUEST_SIZE - 1) {
        ssize_t got = read(client, server->request + length, REQUEST_SIZE - 1 - length);

        if (got <= 0)
            break;
        length += (size_t)got;
        server->request[length] = '\0';
    }
}

static void send_answer(const struct server *server, int client)
{
    static const char flood[4096] = {[0 ... 4095] = 'x'};
    size_t length = strlen(server->answer), part = server->trickle ? 1 : length;

    for (size_t at = 0; at < length; at += part) {
        if (send(client, server->answer + at, part, MSG_NOSIGNAL) < 0)
            return;
        if (server->trickle)
            thread_sleep_until(thread_clock_ns() + 20 * MS);
    }
    for (size_t sent = 0; sent < server->flood_bytes; sent += sizeof flood) {
        size_t left = server->flood_bytes - sent;

        if (send(client, flood, left < sizeof flood ? left : sizeof flood, MSG_NOSIGNAL) < 0)
            return;
    }
}

static void serve(void *context)
{
    struct server *server = context;
    struct pollfd waiting = {.fd = server->listener, .events = POLLIN};

    if (poll(&waiting, 1, 5000) <= 0)
        return;
    int client = accept(server->listener, NULL, NULL);

    read_request(server, client);
    send_answer(server, client);
    if (server->stall_ms) {
        struct pollfd closed = {.fd = client, .events = POLLIN};

        poll(&closed, 1, (int)server->stall_ms);
    }
    close(client);
}

static void start_server(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    getsockname(server->listener, (struct sockaddr *)&address, &size);
    server->port = ntohs(address.sin_port);
    server->thread = thread_start("server", serve, server);
}

static void end_server(struct server *server)
{
    thread_join(&server->thread);
    close(server->listener);
}

/* Under an emulator a megabyte may not get through within the bound. */
static bool is_slow(void)
{
    return getenv("GPUTASKMAN_TEST_SLOW") != NULL;
}

static bool ask(struct arena *arena, int port, const char *bearer, struct http_reply *reply)
{
    struct http_request request = {"127.0.0.1", port, "/v1/models?a=b", bearer};

    return http_get(arena, &request, reply);
}

struct http_case {
    const char *name;
    struct server server;
    int status; /* 0: a problem is expected */
    const char *body, *problem;
};

#define OK "HTTP/1.1 200 OK\r\n"

static const struct http_case cases[] = {
    {"length", {.answer = OK "Content-Length: 5\r\n\r\nhello"}, 200, "hello", NULL},
    {"until close", {.answer = OK "\r\n{\"a\":1}"}, 200, "{\"a\":1}", NULL},
    {"chunked",
     {.answer = OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"},
     200,
     "abcde",
     NULL},
    {"no body", {.answer = "HTTP/1.1 204 No Content\r\n\r\n"}, 204, "", NULL},
    {"refused",
     {.answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"},
     401,
     "no",
     NULL},
    {"old", {.answer = "HTTP/1.0 200 OK\r\n\r\nold"}, 200, "old", NULL},
    /* Not followed: one connection, and the reply is what the server said. */
    {"redirect",
     {.answer = "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"},
     302,
     "",
     NULL},
    {"stalls at once", {.answer = "", .stall_ms = 5000}, 0, NULL, "no answer within 300 ms"},
    {"stalls in the headers",
     {.answer = OK "Content-Le", .stall_ms = 5000},
     0,
     NULL,
     "no answer within 300 ms"},
    {"stalls in the body",
     {.answer = OK "Content-Length: 50\r\n\r\nhalf", .stall_ms = 5000},
     0,
     NULL,
     "no answer within 300 ms"},
    /* Each byte in time, the whole not. */
    {"trickles",
     {.answer = OK "Content-Length: 5\r\n\r\nhello", .trickle = true},
     0,
     NULL,
     "no answer within 300 ms"},
    {"closes at once", {.answer = ""}, 0, NULL, "closed the connection"},
    {"closes in the body",
     {.answer = OK "Content-Length: 50\r\n\r\nhalf"},
     0,
     NULL,
     "closed the connection"},
    {"closes in a chunk",
     {.answer = OK "Transfer-Encoding: chunked\r\n\r\nff\r\nabc"},
     0,
     NULL,
     "closed the connection"},
    {"announces too much",
     {.answer = OK "Content-Length: 1000000000\r\n\r\n", .stall_ms = 5000},
     0,
     NULL,
     "larger than 1048576 bytes"},
    {"sends too much",
     {.answer = OK "\r\n", .flood_bytes = 3000000},
     0,
     NULL,
     "larger than 1048576 bytes"},
    {"chunk too large",
     {.answer = OK "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n", .flood_bytes = 3000000},
     0,
     NULL,
     ""},
    {"negative length", {.answer = OK "Content-Length: -5\r\n\r\nhello"}, 0, NULL, ""},
    {"endless headers", {.answer = OK "X: ", .flood_bytes = 3000000}, 0, NULL, ""},
    {"garbage", {.answer = "\x16\x03\x01\x02garbage\r\n\r\n"}, 0, NULL, ""},
    {"no HTTP", {.answer = "SSH-2.0-OpenSSH_9.2\r\n", .stall_ms = 5000}, 0, NULL, ""},
};

static void test_cases(void **state)
{
    struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct http_case *expected = &cases[i];
        struct server server = expected->server;
        struct http_reply reply;

        if (expected->server.flood_bytes > 0 && is_slow())
            continue;
        start_server(&server);
        int64_t began = thread_clock_ns();
        bool got = ask(arena, server.port, NULL, &reply);
        int64_t took = thread_clock_ns() - began;

        end_server(&server);
        if (got != (expected->status != 0) || reply.status != expected->status)
            fail_msg("%s: status %d, problem \"%s\"", expected->name, reply.status,
                     reply.problem.text);
        if (got)
            assert_true(raw_equal_string(reply.body, expected->body));
        if (got != (reply.problem.text[0] == '\0') ||
            (expected->problem && !strstr(reply.problem.text, expected->problem)))
            fail_msg("%s: problem \"%s\"", expected->name, reply.problem.text);
        if (took > 1500 * MS) /* the bound, and a busy machine */
            fail_msg("%s took %lld ms", expected->name, (long long)(took / MS));
        assert_non_null(strstr(server.request, "GET /v1/models?a=b HTTP/1.1\r\n"));
        assert_null(strstr(server.request, "Authorization"));
    }
    arena_free(&arena);
}

static void test_largest_body(void **state)
{
    struct arena *arena = arena_new();
    struct server server = {.answer = OK "Content-Length: 1048576\r\n\r\n",
                            .flood_bytes = HTTP_BODY_BYTES};
    struct http_reply reply;

    (void)state;
    if (is_slow()) {
        arena_free(&arena);
        skip();
    }
    start_server(&server);
    assert_true(ask(arena, server.port, NULL, &reply));
    end_server(&server);
    assert_int_equal(reply.body.length, HTTP_BODY_BYTES);
    arena_free(&arena);
}

static void test_headers(void **state)
{
    struct arena *arena = arena_new();
    struct server server = {.answer = OK "Content-Length: 0\r\n\r\n"};
    struct http_reply reply;
    char host[64];

    (void)state;
    setenv("http_proxy", "http://192.0.2.1:3128", 1); /* must change nothing */
    start_server(&server);
    assert_true(ask(arena, server.port, "sk-secret", &reply));
    end_server(&server);
    assert_non_null(strstr(server.request, "\r\nAuthorization: Bearer sk-secret\r\n"));
    snprintf(host, sizeof host, "\r\nHost: 127.0.0.1:%d\r\n", server.port);
    assert_non_null(strstr(server.request, host));
    assert_null(strstr(server.request, "Cookie"));
    arena_free(&arena);
}

/* Nothing but loopback literals, nothing that would become a second request. */
static void test_refusals(void **state)
{
    static const struct http_request refused[] = {
        {"192.0.2.1", 80, "/", NULL},
        {"0.0.0.0", 80, "/", NULL},
        {"localhost", 80, "/", NULL},
        {"127.0.0.1.example.com", 80, "/", NULL},
        {"127.1", 80, "/", NULL},
        {"::", 80, "/", NULL},
        {"::ffff:192.0.2.1", 80, "/", NULL},
        {"fe80::1", 80, "/", NULL},
        {"0127.0.0.1", 80, "/", NULL},
        {"127.0.0.01", 80, "/", NULL},
        {"127.0.0.256", 80, "/", NULL},
        {"127.0.0.1.", 80, "/", NULL},
        {"127.0.0.1 ", 80, "/", NULL},
        {" 127.0.0.1", 80, "/", NULL},
        {"::2", 80, "/", NULL},
        {"", 80, "/", NULL},
        {"128.0.0.1", 80, "/", NULL},
        {"127.0.0.1", 0, "/", NULL},
        {"127.0.0.1", 65536, "/", NULL},
        {"127.0.0.1", -1, "/", NULL},
        {"127.0.0.1", 80, "", NULL},
        {"127.0.0.1", 80, "v1", NULL},
        {"127.0.0.1", 80, "/a b", NULL},
        {"127.0.0.1", 80, "/a\r\nX: y", NULL},
        {"127.0.0.1", 80, "/", "a\r\nX: y"},
        {"127.0.0.1", 80, "/\xC3\xA4", NULL},
    };
    struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct http_reply reply;

        assert_false(http_get(arena, &refused[i], &reply));
        assert_int_equal(reply.status, 0);
        assert_true(reply.problem.text[0] != '\0');
        assert_null(strstr(reply.problem.text, "no connection"));
    }
    arena_free(&arena);
}

static void test_nobody_there(void **state)
{
    struct arena *arena = arena_new();
    struct server server = {.answer = ""};
    struct http_reply reply;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    (void)state;
    /* Bound and not listening: refused, and nobody else can take the port. */
    server.listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(server.listener, (struct sockaddr *)&address, sizeof address), 0);
    getsockname(server.listener, (struct sockaddr *)&address, &size);
    assert_false(ask(arena, ntohs(address.sin_port), NULL, &reply));
    assert_true(reply.problem.text[0] != '\0');
    close(server.listener);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),        cmocka_unit_test(test_largest_body),
        cmocka_unit_test(test_headers),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nobody_there),
    };

    signal(SIGPIPE, SIG_IGN);
    network_start();
    return cmocka_run_group_tests_name("http_client", tests, NULL, NULL);
}
