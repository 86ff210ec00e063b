/* The bytes a helper has sent so far, cut into lines until the one that says "end". */
#ifndef OS_HELPER_ANSWER_H
#define OS_HELPER_ANSWER_H

#include <stddef.h>

#include "base/problem.h"
#include "base/text.h"

struct helper_answer {
    char *items; /* free() with VECTOR_FREE */
    size_t count, capacity;
    size_t scanned; /* bytes already cut into lines */
};

enum helper_answer_state {
    HELPER_ANSWER_MORE,     /* no "end" yet */
    HELPER_ANSWER_COMPLETE, /* *lines holds what stands before it, as long as nothing is added */
    HELPER_ANSWER_BROKEN,   /* a limit was passed, or something follows the end; *why says it */
};

/* Room for `size` more bytes: written there, then counted by the caller in answer->count. */
char *helper_answer_room(struct helper_answer *answer, size_t size);
enum helper_answer_state helper_answer_scan(struct helper_answer *answer, size_t line_limit,
                                            size_t answer_limit, struct raw_text *lines,
                                            struct problem *why);
/* Forgets the bytes, keeps the memory. */
void helper_answer_clear(struct helper_answer *answer);

#endif
