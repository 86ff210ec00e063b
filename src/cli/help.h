/* --help and --version. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

void help_print(FILE *file);
void version_print(FILE *file);

#endif
