/* Where a Linux system runs: on its own, in a container, in WSL. Portable over os/root.h. */
#ifndef OS_LINUX_MODE_H
#define OS_LINUX_MODE_H

#include "os/machine.h"

/* `self` is the folder in /proc of the program itself: "self", a pid, or "" when the recorded tree
 * does not say who we are. `environment_says_wsl`: WSL's own variables are set (the real machine
 * only). */
enum machine_mode mode_detect(const struct root *root, const char *self, bool environment_says_wsl);

#endif
