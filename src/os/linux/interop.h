/* Starting Windows programs from WSL. Portable over os/root.h.
 *
 * Windows programs run through binfmt_misc's entry WSLInterop; with systemd it is called
 * WSLInterop-late (microsoft/WSL#13449). In a container of the same virtual machine there is none.
 */
#ifndef OS_LINUX_INTEROP_H
#define OS_LINUX_INTEROP_H

#include <stddef.h>

#include "os/root.h"

enum interop {
    INTEROP_ON,
    INTEROP_OFF,     /* switched off: every entry says "disabled", or binfmt_misc does */
    INTEROP_MISSING, /* there is no entry: off, unless WSL itself says where it listens */
};

enum interop interop_of(const struct root *root);

enum { INTEROP_PATH_SIZE = 512 };
/* Where Windows' own PowerShell is: on the mount of drive C:, else "powershell.exe" for PATH. */
void interop_powershell(const struct root *root, char path[INTEROP_PATH_SIZE]);

/* Where WSL listens for programs to be started: `named` (WSL_INTEROP; NULL: not set) when it is
 * there, else the newest socket in /run/WSL, whose session lives if there is one such. sudo keeps
 * no variable, and one that is kept may be of a shell that has gone. "": none. */
void interop_socket(const struct root *root, const char *named, char path[INTEROP_PATH_SIZE]);

#endif
