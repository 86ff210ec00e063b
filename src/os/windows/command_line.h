/* A Windows command line in its words. Pure. Rules: those of CommandLineToArgvW, by which the C
 * library and most programs go: the first word ends at its closing quote or a blank and knows no
 * backslashes; later, backslashes count only before a quote, and a doubled quote inside quotes is
 * one. */
#ifndef OS_WINDOWS_COMMAND_LINE_H
#define OS_WINDOWS_COMMAND_LINE_H

#include <stddef.h>

/* Splits UTF-8 `line` into words that are written one after another, each with its NUL, into `out`,
 * which holds strlen(line) + 2 bytes; `words` gets at most `most` pointers to them. Returns the
 * number of words, which may be more than `most`. */
size_t command_line_split(const char *line, char *out, char **words, size_t most);

#endif
