/* The first thing that the program does: what it may not be tricked into is ruled out before
 * anything is read. */
#ifndef OS_STARTUP_H
#define OS_STARTUP_H

/* Windows: libraries are looked for in System32 alone. A program that was downloaded lies in a
 * folder full of other downloads, which Windows would otherwise search first; and a damaged heap
 * ends the program. Elsewhere there is nothing to do. */
void startup_harden(void);

#endif
