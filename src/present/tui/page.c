#include "present/tui/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "view/text_width.h"

enum { FORMAT_SIZE = 1024 };

void page_start(struct page *page, int width, bool ascii)
{
    page->byte_count = 0;
    page->span_count = 0;
    page->line_count = 0;
    page->x = 0;
    page->width = width;
    page->ascii = ascii;
}

void page_free(struct page *page)
{
    free(page->bytes);
    free(page->spans);
    *page = (struct page){0};
}

void page_line(struct page *page, int indent)
{
    page->line_count++;
    page->x = indent;
}

void page_column(struct page *page, int x)
{
    page->x = x > page->x ? x : page->x;
}

void page_text(struct page *page, enum style style, struct text text)
{
    if (text_is_none(text) || text.size == 0)
        return;
    if (page->line_count == 0)
        page_line(page, 0);
    size_t size = text.size;
    page->bytes = vector_reserve(page->bytes, &page->byte_capacity, page->byte_count + size, 1);
    page->spans = vector_reserve(page->spans, &page->span_capacity, page->span_count + 1,
                                 sizeof *page->spans);
    memcpy(page->bytes + page->byte_count, text.utf8, size);
    page->spans[page->span_count++] = (struct page_span){.line = page->line_count - 1,
                                                         .begin = page->byte_count,
                                                         .size = size,
                                                         .x = page->x,
                                                         .style = style};
    page->byte_count += size;
    page->x += (int)text_width(text, page->ascii);
}

void page_words(struct page *page, enum style style, const char *words)
{
    page_text(page, style, (struct text){words, strlen(words)});
}

void page_format(struct page *page, enum style style, const char *format, ...)
{
    char line[FORMAT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0)
        page_text(
            page, style,
            (struct text){line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1});
}

/* How many bytes of `text` fit in `columns`, preferably up to the end of a word. */
static size_t fitting(const struct page *page, struct text text, int columns)
{
    size_t at = 0, word_end = 0;
    int taken = 0;
    while (at < text.size) {
        size_t before = at;
        uint32_t point = text_next(text.utf8, text.size, &at);
        if (point == ' ')
            word_end = before;
        taken += (int)text_width_of(point, page->ascii);
        if (taken > columns)
            return word_end > 0 ? word_end : before > 0 ? before : at;
    }
    return text.size;
}

void page_wrap(struct page *page, enum style style, int indent, size_t lines, struct text text)
{
    if (text_is_none(text))
        return;
    for (size_t line = 0; text.size > 0 && (lines == 0 || line < lines); line++) {
        if (line > 0)
            page_line(page, indent);
        int columns = page->width - page->x > 8 ? page->width - page->x : 8;
        size_t size = line + 1 == lines ? text.size : fitting(page, text, columns);
        page_text(page, style, (struct text){text.utf8, size});
        text.utf8 += size;
        text.size -= size;
        while (text.size > 0 && text.utf8[0] == ' ') {
            text.utf8++;
            text.size--;
        }
    }
}

void page_bar(struct page *page, enum style style, int width, double share)
{
    double clipped = share < 0 ? 0 : share > 1 ? 1 : share;
    int eighths = (int)(clipped * width * 8 + 0.5);
    if (eighths == 0 && share > 0)
        eighths = 1;
    int begin = page->x;
    for (int i = 0; i < eighths / 8; i++)
        page_words(page, style, "\u2588");
    if (eighths % 8 != 0) {
        char utf8[4];
        size_t size = text_encode(0x2590 - (uint32_t)(eighths % 8), utf8);
        page_text(page, style, (struct text){utf8, size});
    }
    page->x = begin + width;
}

size_t page_draw(const struct page *page, struct screen *screen, struct rectangle area,
                 size_t first)
{
    size_t lines = (size_t)(area.height > 0 ? area.height : 0);
    size_t last = page->line_count > lines ? page->line_count - lines : 0;
    if (first > last)
        first = last;
    for (size_t i = 0; i < page->span_count; i++) {
        const struct page_span *span = &page->spans[i];
        if (span->line < first || span->line - first >= lines || span->x >= area.width)
            continue;
        screen_put_in(screen, area.x + span->x, area.y + (int)(span->line - first),
                      area.width - span->x, (struct text){page->bytes + span->begin, span->size},
                      span->style);
    }
    return last;
}
