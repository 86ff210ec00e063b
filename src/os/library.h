/* Libraries that are looked for at run time. Used in helper processes only: a vendor library never
 * lives in the process that draws the screen. */
#ifndef OS_LIBRARY_H
#define OS_LIBRARY_H

#include <stdbool.h>

#include "base/problem.h"

struct library;

/* True for a file that can be a library, without opening it: a pipe or a device could block. Unlike
 * the rest, this may be asked anywhere. */
bool library_is_there(const char *path);
/* RTLD_NOW | RTLD_LOCAL. NULL with the loader's words in *problem. */
struct library *library_open(const char *path, struct problem *problem);
void library_close(struct library **library);
/* NULL when the library has no such symbol. */
void *library_symbol(struct library *library, const char *name);

#endif
