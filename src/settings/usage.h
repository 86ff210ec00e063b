/* The lines of --help. */
#ifndef SETTINGS_USAGE_H
#define SETTINGS_USAGE_H

#include <stdio.h>

/* Prints `name` two columns in, and `words` from `column` on, broken between words so that no line
 * is wider than a terminal of 80 columns; a longer name has its line to itself. ASCII,
 * NUL-terminated. */
void usage_print(FILE *file, const char *name, int column, const char *words);

#endif
