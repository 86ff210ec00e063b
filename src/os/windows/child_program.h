/* How a command is started on Windows: which file its name means, and its command line. */
#ifndef OS_WINDOWS_CHILD_PROGRAM_H
#define OS_WINDOWS_CHILD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/problem.h"

/* ".bat" and ".cmd" are run by cmd.exe. */
bool child_program_is_script(const char *path);
/* The command line for the program at `path`, quoted so that it gets exactly these arguments. */
bool child_program_line(const char *path, char *const *argv, char *line, size_t size,
                        struct problem *problem);
/* The same for a script at `path`: cmd.exe reads the line first, and knows no way to pass a quote,
 * a percent sign or a line's end on unharmed: with those it is refused. */
bool child_program_script_line(const char *path, char *const *argv, char *line, size_t size,
                               struct problem *problem);

#endif
