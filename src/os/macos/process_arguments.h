/* What KERN_PROCARGS2 gives of a process: a count, the path of its program, padding, its arguments
 * and then its environment, each with a NUL behind it. Source: xnu bsd/kern/kern_sysctl.c
 * (sysctl_procargsx). */
#ifndef OS_MACOS_PROCESS_ARGUMENTS_H
#define OS_MACOS_PROCESS_ARGUMENTS_H

#include <stdbool.h>

#include "base/text.h"

struct process_arguments {
    struct raw_text program;
    struct raw_text command;     /* arguments, each followed by a NUL */
    struct raw_text environment; /* NAME=VALUE, each followed by a NUL; may be empty */
};

/* All point into `bytes`. False: it says nothing that makes sense. What is cut off at the end keeps
 * its whole words. */
bool process_arguments_parse(struct raw_text bytes, struct process_arguments *arguments);

#endif
