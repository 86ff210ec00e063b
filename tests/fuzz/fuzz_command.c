/* command_redact() and text_redact() on any bytes: bounded, valid, and no value of --api-key left.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct text text)
{
    for (size_t at = 0; at < text.size;) {
        size_t before = at;
        text_next(text.utf8, text.size, &at);
        if (at <= before)
            abort();
    }
}

/* A known secret behind the bytes must never come through. */
static void check_secret(struct arena *arena, const uint8_t *data, size_t size)
{
    static const char tail[] = "\0--api-key\0Q9x7Kd2mWz";
    if (size > 4096 || memmem(data, size, "Q9x7Kd2mWz", 10))
        return;
    char *bytes = malloc(size + sizeof tail);
    if (size > 0)
        memcpy(bytes, data, size);
    memcpy(bytes + size, tail, sizeof tail);
    struct text_list list = command_redact(arena, (struct raw_text){bytes, size + sizeof tail});
    for (size_t i = 0; i < list.count; i++)
        if (memmem(list.items[i].utf8, list.items[i].size, "Q9x7Kd2mWz", 10))
            abort();
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct raw_text raw = {(const char *)data, size};
    struct text_list list = command_redact(arena, raw);
    if (list.count > 256)
        abort();
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].size > 3 * 4096)
            abort();
        check(list.items[i]);
    }
    check(text_redact(arena, raw));
    check_secret(arena, data, size);
    arena_free(&arena);
    return 0;
}
