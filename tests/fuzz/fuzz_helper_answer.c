/* What a helper sends, cut by the pipe at any place: the verdict is the same as for the whole. The
 * first byte chooses the size of the parts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "os/helper_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_LIMIT = 16, ANSWER_LIMIT = 64 };

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* Stops at the first complete or broken state, as the reader of a pipe does. */
static enum helper_answer_state feed(struct helper_answer *answer, const uint8_t *data, size_t size,
                                     size_t part, struct raw_text *lines)
{
    enum helper_answer_state state = HELPER_ANSWER_MORE;
    struct problem why;

    for (size_t at = 0; at < size && state == HELPER_ANSWER_MORE; at += part) {
        size_t now = size - at < part ? size - at : part;

        memcpy(helper_answer_room(answer, now), data + at, now);
        answer->count += now;
        state = helper_answer_scan(answer, LINE_LIMIT, ANSWER_LIMIT, lines, &why);
        check(answer->scanned <= answer->count);
    }
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct helper_answer whole = {0}, parts = {0};
    struct raw_text whole_lines = {NULL, 0}, part_lines = {NULL, 0};

    if (size < 2)
        return 0;
    size_t part = data[0] % 8 + 1u;
    enum helper_answer_state at_once = feed(&whole, data + 1, size - 1, size, &whole_lines);
    enum helper_answer_state bit_by_bit = feed(&parts, data + 1, size - 1, part, &part_lines);

    if (at_once == HELPER_ANSWER_COMPLETE) {
        check(bit_by_bit == HELPER_ANSWER_COMPLETE);
        check(whole_lines.length == part_lines.length && whole_lines.length <= ANSWER_LIMIT);
        check(memcmp(whole_lines.bytes, part_lines.bytes, whole_lines.length) == 0);
    }
    if (at_once == HELPER_ANSWER_MORE)
        check(bit_by_bit == HELPER_ANSWER_MORE);
    /* Broken at once may be complete in parts: what follows the end has not arrived yet. */
    VECTOR_FREE(&whole);
    VECTOR_FREE(&parts);
    return 0;
}
