#include "settings/usage.h"

#include <string.h>

enum { USAGE_WIDTH = 79, INDENT = 2, GAP = 2 };

void usage_print(FILE *file, const char *name, int column, const char *words)
{
    int x = fprintf(file, "%*s%s", INDENT, "", name);
    if (x + GAP > column) {
        fputc('\n', file);
        x = 0;
    }
    fprintf(file, "%*s", column - x, "");
    x = column;
    while (*words != '\0') {
        int length = (int)strcspn(words, " ");
        if (x > column && x + 1 + length > USAGE_WIDTH) {
            fprintf(file, "\n%*s", column, "");
            x = column;
        }
        x += fprintf(file, "%s%.*s", x > column ? " " : "", length, words);
        words += length;
        words += strspn(words, " ");
    }
    fputc('\n', file);
}
