/* Why something did not work, for a person: one line, what happened and what to do about it. Errors
 * travel as values: a function returns false (or an enum) and fills the problem it was given. */
#ifndef BASE_PROBLEM_H
#define BASE_PROBLEM_H

#include <stdbool.h>

enum { PROBLEM_SIZE = 512 };

struct problem {
    char text[PROBLEM_SIZE]; /* NUL-terminated; "" when there is none */
};

/* Fills the problem (NULL: nothing to fill) and returns false, so that callers can
 * `return problem_set(problem, "...")`. Control characters are replaced by '?'. */
bool problem_set(struct problem *problem, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
