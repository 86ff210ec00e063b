/* A Windows command line in its words. Pure. Rules: those of CommandLineToArgvW, by which the C
 * library and most programs go: the first word ends at its closing quote or a blank and knows no
 * backslashes; later, backslashes count only before a quote, and a doubled quote inside quotes is
 * one. */
#ifndef OS_WINDOWS_COMMAND_LINE_H
#define OS_WINDOWS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/* Splits UTF-8 `line` into words that are written one after another, each with its NUL, into `out`,
 * which holds strlen(line) + 2 bytes; `words` gets at most `most` pointers to them. Returns the
 * number of words, which may be more than `most`. */
size_t command_line_split(const char *line, char *out, char **words, size_t most);
/* The same as arguments that are each followed by a NUL, in the arena. bytes NULL stays so; what
 * follows a NUL within the line is not looked at. */
struct raw_text command_line_arguments(struct arena *arena, struct raw_text line);
/* Appends one argument so that splitting gives it back, in quotes where it needs them: programs
 * that read their command line by rules of their own (cmd.exe) get it as plain as it can be. False
 * when it does not fit. */
bool command_line_append(char *line, size_t size, const char *argument);
/* The same, always in quotes. */
bool command_line_append_quoted(char *line, size_t size, const char *argument);

#endif
