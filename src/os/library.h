/* Libraries that are looked for at run time. A vendor's are used in helper processes only: they
 * never live in the process that draws the screen. Those of the system itself (pdh.dll) may. */
#ifndef OS_LIBRARY_H
#define OS_LIBRARY_H

#include <stdbool.h>

#include "base/problem.h"

struct library;

/* True for a file that can be a library, without opening it: a pipe or a device could block. Unlike
 * the rest, this may be asked anywhere. */
bool library_is_there(const char *path);
/* The same for a file of this name among the system's own libraries (System32 on Windows); false
 * where there is no such folder. May be asked anywhere, too. */
bool library_of_system_is_there(const char *name);
/* RTLD_NOW | RTLD_LOCAL. On Windows a bare name is looked for in System32 only, and so is what a
 * library needs in turn. NULL with the loader's words in *problem. */
struct library *library_open(const char *path, struct problem *problem);
void library_close(struct library **library);
/* NULL when the library has no such symbol. */
void *library_symbol(struct library *library, const char *name);

#endif
