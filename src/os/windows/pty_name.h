/* Ptys of MSYS2 and Cygwin (mintty, Git Bash): to a Windows program they are pipes with a name.
 * Pure. Names: \msys-DIGITS-ptyN-to-master, \cygwin-DIGITS-ptyN-from-master (winsup/cygwin,
 * fhandler_tty). */
#ifndef OS_WINDOWS_PTY_NAME_H
#define OS_WINDOWS_PTY_NAME_H

/* "MSYS2" or "Cygwin" for the name of a pipe that is such a pty, else NULL. */
const char *pty_family(const char *pipe_name);

#endif
