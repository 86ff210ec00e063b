/* Cutting raw text into lines and fields without copying. */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>

#include "base/text.h"

/* Takes the next line (without its '\n' or "\r\n") off `rest`; false at the end. */
bool lines_next(struct raw_text *rest, struct raw_text *line);
/* Takes the next field, cut at `separator`; false at the end. An empty last field is given. */
bool fields_next(struct raw_text *rest, char separator, struct raw_text *field);
/* Takes the next word (runs of blanks and tabs separate); false at the end. */
bool words_next(struct raw_text *rest, struct raw_text *word);
/* Without blanks, tabs and line ends at both sides. */
struct raw_text raw_trim(struct raw_text raw);
bool raw_starts_with(struct raw_text raw, const char *prefix);
/* Splits at the first `separator`; false when there is none. */
bool raw_split(struct raw_text raw, char separator, struct raw_text *before,
               struct raw_text *after);

#endif
