/* Lines of styled text that scroll: what the inspector and the help are made of. Owns its memory,
 * which is used again. */
#ifndef PRESENT_TUI_PAGE_H
#define PRESENT_TUI_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "present/tui/layout.h"
#include "screen/screen.h"

struct page_span {
    size_t line, begin, size; /* bytes in page.bytes */
    int x;
    enum style style;
};

struct page {
    char *bytes;
    size_t byte_count, byte_capacity;
    struct page_span *spans;
    size_t span_count, span_capacity;
    size_t line_count;
    int x;     /* where the next span of the last line begins */
    int width; /* columns it is made for */
    bool ascii;
};

/* Empties it. */
void page_start(struct page *page, int width, bool ascii);
void page_free(struct page *page);
/* Begins a line, `indent` columns in. */
void page_line(struct page *page, int indent);
/* Goes on to column x of the line (never back). */
void page_column(struct page *page, int x);
/* Adds to the line; text is cut at the page's width when it is drawn. */
void page_text(struct page *page, enum style style, struct text text);
void page_words(struct page *page, enum style style, const char *words);
void page_format(struct page *page, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a text that continues on further lines, `indent` columns in, broken between words; at most
 * `lines` lines in all (0: no limit). */
void page_wrap(struct page *page, enum style style, int indent, size_t lines, struct text text);
/* A bar of `share` (0 to 1) of `width` columns. */
void page_bar(struct page *page, enum style style, int width, double share);

/* Draws lines from `first` on; returns the largest sensible `first`. */
size_t page_draw(const struct page *page, struct screen *screen, struct rectangle area,
                 size_t first);

#endif
