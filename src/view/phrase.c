#include "view/phrase.h"

#include <string.h>

struct phrase phrase_start(char *out, size_t size)
{
    if (size > 0)
        out[0] = '\0';
    return (struct phrase){.out = out, .size = size};
}

void phrase_text(struct phrase *phrase, struct text text)
{
    size_t fits = 0, at = 0;
    while (at < text.size) {
        text_next(text.utf8, text.size, &at);
        if (phrase->length + at + 1 > phrase->size)
            break;
        fits = at;
    }
    if (fits == 0)
        return;
    memcpy(phrase->out + phrase->length, text.utf8, fits);
    phrase->length += fits;
    phrase->out[phrase->length] = '\0';
}

void phrase_string(struct phrase *phrase, const char *string)
{
    phrase_text(phrase, (struct text){string, strlen(string)});
}
