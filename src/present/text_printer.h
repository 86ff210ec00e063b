/* Lines of plain text: no trailing blanks, folded at the width, everything through text_out(). */
#ifndef PRESENT_TEXT_PRINTER_H
#define PRESENT_TEXT_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

struct printer {
    FILE *file;
    bool ascii;
    size_t width;   /* 0: no limit */
    size_t column;  /* where the line is, blanks still owed included */
    size_t pending; /* blanks owed before the next character */
    bool begun;     /* the line has something beside blanks */
    bool gap;       /* an empty line is owed before the next text, if any follows */
};

enum { PRINTER_WIDE = 100 }; /* what bars and pieces take where there is no limit */

/* The width to lay out for. */
size_t printer_width(const struct printer *printer);
void printer_text(struct printer *printer, struct text text);
void printer_string(struct printer *printer, const char *string);
/* Blanks up to a column; at least none. */
void printer_to(struct printer *printer, size_t column);
void printer_line(struct printer *printer); /* ends the line */

/* A sentence at the current column, folded between words; later lines begin at `indent`. Ends the
 * line. */
void printer_sentence(struct printer *printer, struct text sentence, size_t indent);

/* Pieces between separators, folded between pieces. */
struct printer_flow {
    struct printer *printer;
    const char *separator; /* " | " */
    size_t indent;
    bool begun;
};
void printer_piece(struct printer_flow *flow, struct text piece);
/* Ends the line if there was any piece. */
void printer_flow_end(struct printer_flow *flow);

#endif
