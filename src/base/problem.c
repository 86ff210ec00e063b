#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* What is printed may hold names from outside, and may have been cut within a character. */
static void problem_copy_safe(struct problem *problem, const char *line)
{
    size_t size = strlen(line), at = 0, out = 0;

    while (at < size) {
        size_t start = at;
        uint32_t code_point = text_next(line, size, &at);
        bool invalid = code_point == 0xFFFD && at == start + 1;

        if (invalid || text_is_unsafe(code_point)) {
            problem->text[out++] = '?';
        } else {
            memcpy(problem->text + out, line + start, at - start);
            out += at - start;
        }
    }
    problem->text[out] = '\0';
}

bool problem_set(struct problem *problem, const char *format, ...)
{
    if (!problem)
        return false;
    /* Printed beside it first: the arguments may name the problem's own text. */
    char line[PROBLEM_SIZE];
    va_list arguments;

    va_start(arguments, format);
    int printed = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (printed < 0)
        line[0] = '\0';
    problem_copy_safe(problem, line);
    return false;
}
