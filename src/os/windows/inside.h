/* What Windows shows of the inside of a process: its program, command line and folder, its modules
 * and mapped files, the sockets it listens on; of our own user's processes the environment too. Not
 * which files it has open, nor where its output goes. */
#ifndef OS_WINDOWS_INSIDE_H
#define OS_WINDOWS_INSIDE_H

#include "os/inside.h"

/* `root` is the tree "/" (os/root.h), and must stay. */
struct inside windows_inside(const struct root *root);

#endif
