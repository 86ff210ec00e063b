/* What can be seen inside processes of macOS (os/inside.h): own processes', and everybody's for
 * root. */
#ifndef OS_MACOS_INSIDE_H
#define OS_MACOS_INSIDE_H

#include "os/inside.h"

/* `root`: the real tree, whose protected folders are not entered (protected_path.h). */
struct inside macos_inside(const struct root *root);

#endif
