/* The calls of libSystem that look into one process, as a table: calls_door.c has the real ones, a
 * test its own. Records are the kernel's bytes; where their fields lie is below and asserted
 * against the system's headers in calls_door.c. Sources: xnu bsd/sys/proc_info.h, bsd/sys/sysctl.h.
 */
#ifndef OS_MACOS_CALLS_H
#define OS_MACOS_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct macos_calls {
    /* proc_pidinfo(): bytes filled in; 0 or less with errno. */
    int (*pid_info)(int pid, int flavor, uint64_t argument, void *buffer, int size);
    /* proc_pidfdinfo(), the same. */
    int (*fd_info)(int pid, int fd, int flavor, void *buffer, int size);
};

extern const struct macos_calls macos_calls; /* calls_door.c */

/* struct kinfo_proc: one record of KERN_PROC. */
enum {
    KINFO_BYTES = 648,
    KINFO_START_SECONDS = 0, /* int64 */
    KINFO_START_MICROSECONDS = 8,
    KINFO_STATE = 36, /* char; 5: zombie */
    KINFO_PID = 40,
    KINFO_NAME = 243, /* char[17] */
    KINFO_NAME_BYTES = 17,
    KINFO_UID = 420,
    KINFO_PARENT = 560,
    KINFO_STATE_ZOMBIE = 5
};

/* proc_pidinfo() and proc_pidfdinfo(): flavors and sizes. */
enum {
    PID_FDS = 1,           /* PROC_PIDLISTFDS */
    PID_SHORT_INFO = 13,   /* PROC_PIDT_SHORTBSDINFO: of anybody's process */
    PID_REGION_PATH2 = 22, /* PROC_PIDREGIONPATHINFO2: the next region that a file backs */
    PID_VNODE_PATH = 9,    /* PROC_PIDVNODEPATHINFO: current folder and root */
    FD_VNODE_PATH = 2,     /* PROC_PIDFDVNODEPATHINFO */
    FD_SOCKET = 3,         /* PROC_PIDFDSOCKETINFO */
};

/* struct proc_bsdshortinfo. */
enum { SHORT_BYTES = 64 };

/* struct proc_regionwithpathinfo. */
enum {
    REGION_BYTES = 1272,
    REGION_PROTECTION = 0,
    REGION_ADDRESS = 80,
    REGION_SIZE = 88,
    REGION_DEVICE = 96,
    REGION_INODE = 104,
    REGION_FILE_BYTES = 184,
    REGION_PATH = 248,
    PATH_BYTES = 1024,
    PROTECTION_EXECUTE = 4
};

/* struct proc_fdinfo; its types. */
enum { FD_BYTES = 8, FD_NUMBER = 0, FD_TYPE = 4, FD_TYPE_VNODE = 1, FD_TYPE_SOCKET = 2 };

/* struct vnode_fdinfowithpath. */
enum {
    FD_FILE_BYTES = 1200,
    FD_FILE_OFFSET = 8, /* int64 */
    FD_FILE_MODE = 28,  /* uint16: vst_mode */
    FD_FILE_PATH = 176
};

/* struct socket_fdinfo; TCP: struct in_sockinfo and the state behind it. */
enum {
    FD_SOCKET_BYTES = 792,
    FD_SOCKET_ID = 160, /* soi_so: the same number for everyone who holds this socket */
    FD_SOCKET_FAMILY = 184,
    FD_SOCKET_KIND = 256, /* soi_kind; 2: TCP */
    FD_SOCKET_LOCAL_PORT = 268,
    FD_SOCKET_VERSION = 288,       /* insi_vflag: 1 IPv4, 2 IPv6 */
    FD_SOCKET_LOCAL_ADDRESS = 312, /* 16 bytes; IPv4 in the last 4 */
    FD_SOCKET_STATE = 344,         /* tcpsi_state; 1: listening */
    SOCKET_KIND_TCP = 2,
    SOCKET_STATE_LISTEN = 1
};

/* struct proc_vnodepathinfo: the path of the current folder. */
enum { FOLDERS_BYTES = 2352, FOLDER_PATH = 152 };

#endif
