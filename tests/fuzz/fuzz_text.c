/* Raw bytes to text and to a terminal: the result is always valid UTF-8, and what text_out() writes
 * never holds a code point that is unsafe. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/problem.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

/* Walks the bytes by encoding each code point again: any difference is a byte that was not UTF-8.
 */
static void check_valid(const char *utf8, size_t size, bool must_be_safe)
{
    for (size_t at = 0; at < size;) {
        size_t start = at;
        uint32_t code_point = text_next(utf8, size, &at);
        char encoded[4];
        size_t length = text_encode(code_point, encoded);

        check(at > start && at <= size && length == at - start);
        check(memcmp(encoded, utf8 + start, length) == 0);
        check(code_point != 0);
        check(!must_be_safe || !text_is_unsafe(code_point));
    }
}

static void check_out(struct text text, bool ascii)
{
    static char written[4 * TEXT_LIMIT];
    FILE *file = fmemopen(written, sizeof written, "wb");

    text_out(file, text, ascii);
    fflush(file);
    long length = ftell(file);

    fclose(file);
    check(length >= 0);
    check_valid(written, (size_t)length, true);
    for (long i = 0; ascii && i < length; i++)
        check(written[i] >= ' ' && written[i] <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena *arena;
    struct problem problem = {""};

    if (!arena)
        arena = arena_new();
    arena_reset(arena);
    struct text text = text_from_raw(arena, (struct raw_text){(const char *)data, size});

    check(size == 0 || text.utf8);
    check(!text.utf8 || (text.utf8[text.size] == '\0' && text.size <= TEXT_LIMIT));
    check_valid(text.utf8, text.size, false);
    check(text_equal(text_from_raw(arena, (struct raw_text){text.utf8, text.size}), text));
    check_out(text, false);
    check_out(text, true);
    problem_set(&problem, "%.*s", (int)(size < 1000 ? size : 1000), (const char *)data);
    check_valid(problem.text, strlen(problem.text), true);
    return 0;
}
