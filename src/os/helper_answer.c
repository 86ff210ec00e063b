#include "os/helper_answer.h"

#include <stdbool.h>
#include <string.h>

#include "base/lines.h"
#include "base/vector.h"

enum { END_BYTES_MAX = sizeof "end\r\n" - 1 };

char *helper_answer_room(struct helper_answer *answer, size_t size)
{
    answer->items = vector_reserve(answer->items, &answer->capacity, answer->count + size, 1);
    return answer->items + answer->count;
}

void helper_answer_clear(struct helper_answer *answer)
{
    answer->count = answer->scanned = 0;
}

static enum helper_answer_state broken_by(struct problem *why, const char *what, size_t limit)
{
    problem_set(why, "it sent %s of more than %llu bytes", what, (unsigned long long)limit);
    return HELPER_ANSWER_BROKEN;
}

enum helper_answer_state helper_answer_scan(struct helper_answer *answer, size_t line_limit,
                                            size_t answer_limit, struct raw_text *lines,
                                            struct problem *why)
{
    if (answer->count == 0)
        return HELPER_ANSWER_MORE;
    struct raw_text rest = {answer->items + answer->scanned, answer->count - answer->scanned};
    struct raw_text line;

    while (lines_next(&rest, &line)) {
        bool is_whole = rest.bytes[-1] == '\n';

        /* A '\r' may be half of the line's end. */
        if (!is_whole && line.bytes[line.length - 1] == '\r')
            line.length--;
        if (line.length > line_limit)
            return broken_by(why, "a line", line_limit);
        if (!is_whole)
            break;
        if (raw_equal_string(line, "end")) {
            *lines = (struct raw_text){answer->items, answer->scanned};
            if (rest.length == 0 && answer->scanned <= answer_limit)
                return HELPER_ANSWER_COMPLETE;
            if (rest.length == 0)
                break;
            problem_set(why, "it went on after the end of its answer");
            return HELPER_ANSWER_BROKEN;
        }
        answer->scanned = answer->count - rest.length;
    }
    /* The limit is of what stands before the "end", however the pipe cuts it. */
    if (answer->scanned > answer_limit || answer->count > answer_limit + END_BYTES_MAX)
        return broken_by(why, "an answer", answer_limit);
    return HELPER_ANSWER_MORE;
}
