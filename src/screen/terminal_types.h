/* Terminal types that can stand in for one whose description is not installed: a new terminal, or a
 * portable build on a machine without a terminfo database. Pure, but for what was built in. */
#ifndef SCREEN_TERMINAL_TYPES_H
#define SCREEN_TERMINAL_TYPES_H

#include <stddef.h>

/* The best stand-ins first, from 0; NULL behind the last. `term` may be NULL or anything. */
const char *terminal_type_stand_in(const char *term, size_t number);

/* The description of a type in the form of the variable TERMINFO ("b64:...") when it was built in
 * (the option portable); else NULL. */
const char *terminal_type_built_in(const char *type);

#endif
