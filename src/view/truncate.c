#include "view/truncate.h"

#include "view/text_width.h"
#include "view/phrase.h"

/* The end of the longest beginning that takes at most `width` cells, combining characters included.
 */
static size_t head_end(struct text text, size_t width, bool ascii)
{
    size_t at = 0, end = 0, taken = 0;
    while (at < text.size) {
        taken += text_width_of(text_next(text.utf8, text.size, &at), ascii);
        if (taken > width)
            break;
        end = at;
    }
    return end;
}

/* The start of the longest end that takes at most `width` cells and begins with a whole character.
 */
static size_t tail_start(struct text text, size_t width, bool ascii)
{
    size_t left = text_width(text, ascii), at = 0;
    while (at < text.size) {
        size_t start = at;
        size_t cells = text_width_of(text_next(text.utf8, text.size, &at), ascii);
        if (left <= width && cells > 0)
            return start;
        left -= cells;
    }
    return text.size;
}

size_t truncate_text(struct text text, size_t width, bool ascii, char *out, size_t size)
{
    if (size == 0)
        return 0;
    out[0] = '\0';
    if (text.size == 0)
        return 0;
    struct text dots = ascii ? TEXT("..") : TEXT("\u2026");
    size_t dots_width = text_width(dots, ascii);
    struct phrase phrase = phrase_start(out, size);
    if (text_width(text, ascii) <= width) {
        phrase_text(&phrase, text);
    } else if (width < dots_width + 3) {
        phrase_text(&phrase, (struct text){text.utf8, head_end(text, width, ascii)});
    } else {
        size_t tail = (width - dots_width) * 2 / 5;
        size_t start = tail_start(text, tail, ascii);
        phrase_text(&phrase,
                    (struct text){text.utf8, head_end(text, width - dots_width - tail, ascii)});
        phrase_text(&phrase, dots);
        phrase_text(&phrase, (struct text){text.utf8 + start, text.size - start});
    }
    return text_width((struct text){out, phrase.length}, ascii);
}
