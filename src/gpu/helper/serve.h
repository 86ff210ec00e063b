/* A helper's own side, whatever library it calls: `gputaskman --helper NAME`. */
#ifndef GPU_HELPER_SERVE_H
#define GPU_HELPER_SERVE_H

#include "gpu/helper/record.h"

enum { SERVE_REQUEST_SIZE = 512 };

/* Answers requests from standard input until it ends; the exit status. `answer` writes the lines of
 * one answer without the last, "end"; none for a request that it does not understand. `session` is
 * its own. */
int serve_requests(void (*answer)(void *session, const char *request, struct record_lines *lines),
                   void *session);

#endif
