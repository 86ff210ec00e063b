#include "os/macos/process_arguments.h"

#include <string.h>

/* Moves *at behind the NUL of a word; false where it has none. */
static bool skip_word(struct raw_text bytes, size_t *at)
{
    const char *end =
        *at < bytes.length ? memchr(bytes.bytes + *at, '\0', bytes.length - *at) : NULL;
    if (!end)
        return false;
    *at = (size_t)(end - bytes.bytes) + 1;
    return true;
}

bool process_arguments_parse(struct raw_text bytes, struct process_arguments *arguments)
{
    int32_t count;
    size_t at = sizeof count, begin;
    *arguments = (struct process_arguments){.program = {NULL, 0}};
    if (!bytes.bytes || bytes.length < sizeof count)
        return false;
    memcpy(&count, bytes.bytes, sizeof count);
    if (count < 0 || !skip_word(bytes, &at))
        return false;
    arguments->program = (struct raw_text){bytes.bytes + sizeof count, at - sizeof count - 1};
    while (at < bytes.length && bytes.bytes[at] == '\0')
        at++;
    begin = at;
    for (int32_t i = 0; i < count && skip_word(bytes, &at); i++)
        continue;
    arguments->command = (struct raw_text){bytes.bytes + begin, at - begin};
    begin = at;
    /* An empty word ends the environment; behind it are the loader's own words. */
    while (at < bytes.length && bytes.bytes[at] != '\0' && skip_word(bytes, &at))
        continue;
    arguments->environment = (struct raw_text){bytes.bytes + begin, at - begin};
    return true;
}
