#include "view/text_width.h"

#include "base/width.h"

size_t text_width_of(uint32_t code_point, bool ascii)
{
    if (ascii || (code_point >= 0x20 && code_point < 0x7F) || text_is_unsafe(code_point))
        return 1;
    return (size_t)width_of(code_point);
}

size_t text_width(struct text text, bool ascii)
{
    size_t width = 0, at = 0;
    for (; at < text.size && text.utf8[at] >= 0x20 && text.utf8[at] < 0x7F; at++)
        width++;
    while (at < text.size)
        width += text_width_of(text_next(text.utf8, text.size, &at), ascii);
    return width;
}
