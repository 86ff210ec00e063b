/* What kind of terminal, if any, the standard streams are. */
#ifndef OS_TERMINAL_H
#define OS_TERMINAL_H

#include <stdbool.h>

bool terminal_is_output(void); /* standard output is a terminal */
bool terminal_is_input(void);
bool terminal_is_error(void);
/* Columns of the terminal at standard output; 0 when it is none. */
int terminal_columns(void);
/* Opens those of the three standard streams that were closed at the start, so that no file or pipe
 * of ours gets their numbers and, with them, what is meant for the user. Using such a stream fails
 * as using a closed one does. First thing in the program. */
void terminal_hold_streams(void);
/* What to do where a stream looks like a terminal and is none (a pty of MSYS or Cygwin on Windows);
 * NULL: nothing is known of that. */
const char *terminal_advice(void);
/* Whether `error` (errno) of a failed write to standard output means that its reader is gone. */
bool terminal_reader_is_gone(int error);
/* The locale's characters are UTF-8 (setlocale() was called). */
bool terminal_speaks_utf8(void);

#endif
