/* One bounded HTTP GET to a server on this machine: model servers answer what they hold. Nothing
 * but a loopback address is ever connected to; no redirect is followed, no proxy used, no name
 * looked up.
 *
 * Blocks for at most the time bound: for worker threads, never for the one that draws. SIGPIPE must
 * be ignored or blocked (os/signals.h, base/thread.h). */
#ifndef NET_HTTP_CLIENT_H
#define NET_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/problem.h"
#include "base/text.h"

struct arena;

enum {
    HTTP_TIME_MS = 300,            /* of the whole call */
    HTTP_BODY_BYTES = 1024 * 1024, /* of a reply's body */
    HTTP_HEADER_BYTES = 16 * 1024, /* of a reply's headers */
};

struct http_request {
    const char *address; /* "127.0.0.1" (or any 127.x.y.z) or "::1" */
    int port;            /* 1 to 65535 */
    const char *path;    /* "/v1/models?x=y": printable ASCII without blanks, beginning with '/' */
    const char *bearer;  /* a secret for the Authorization header, or NULL; it is not logged */
};

struct http_reply {
    int status;             /* 200, 404 ...; 0: no whole reply, and `problem` says why */
    struct raw_text body;   /* in the arena, NUL-terminated; unverified bytes from outside */
    struct problem problem; /* "" when there is a status */
};

/* False when there is no whole reply. Any status is a reply: redirects (3xx) and errors too. */
bool http_get(struct arena *arena, const struct http_request *request, struct http_reply *reply);

#endif
