#include "os/macos/calls.h"

#include <libproc.h>
#include <sys/proc_info.h>
#include <sys/sysctl.h>

#include "os/macos/process_list.h"

#define AT(type, field, offset)                                                                    \
    _Static_assert(offsetof(struct type, field) == (offset), #type "." #field)
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)

SIZE(kinfo_proc, KINFO_BYTES);
AT(kinfo_proc, kp_proc.p_starttime, KINFO_START_SECONDS);
AT(kinfo_proc, kp_proc.p_starttime.tv_usec, KINFO_START_MICROSECONDS);
AT(kinfo_proc, kp_proc.p_stat, KINFO_STATE);
AT(kinfo_proc, kp_proc.p_pid, KINFO_PID);
AT(kinfo_proc, kp_proc.p_comm, KINFO_NAME);
AT(kinfo_proc, kp_eproc.e_ucred.cr_uid, KINFO_UID);
AT(kinfo_proc, kp_eproc.e_ppid, KINFO_PARENT);
_Static_assert(sizeof(((struct kinfo_proc *)0)->kp_proc.p_comm) == KINFO_NAME_BYTES, "p_comm");
_Static_assert(SZOMB == KINFO_STATE_ZOMBIE, "SZOMB");

SIZE(proc_bsdshortinfo, SHORT_BYTES);
SIZE(proc_regionwithpathinfo, REGION_BYTES);
AT(proc_regionwithpathinfo, prp_prinfo.pri_protection, REGION_PROTECTION);
AT(proc_regionwithpathinfo, prp_prinfo.pri_address, REGION_ADDRESS);
AT(proc_regionwithpathinfo, prp_prinfo.pri_size, REGION_SIZE);
AT(proc_regionwithpathinfo, prp_vip.vip_vi.vi_stat.vst_dev, REGION_DEVICE);
AT(proc_regionwithpathinfo, prp_vip.vip_vi.vi_stat.vst_ino, REGION_INODE);
AT(proc_regionwithpathinfo, prp_vip.vip_vi.vi_stat.vst_size, REGION_FILE_BYTES);
AT(proc_regionwithpathinfo, prp_vip.vip_path, REGION_PATH);

SIZE(proc_fdinfo, FD_BYTES);
AT(proc_fdinfo, proc_fd, FD_NUMBER);
AT(proc_fdinfo, proc_fdtype, FD_TYPE);
SIZE(vnode_fdinfowithpath, FD_FILE_BYTES);
AT(vnode_fdinfowithpath, pfi.fi_offset, FD_FILE_OFFSET);
AT(vnode_fdinfowithpath, pvip.vip_vi.vi_stat.vst_mode, FD_FILE_MODE);
AT(vnode_fdinfowithpath, pvip.vip_path, FD_FILE_PATH);
SIZE(socket_fdinfo, FD_SOCKET_BYTES);
AT(socket_fdinfo, psi.soi_so, FD_SOCKET_ID);
AT(socket_fdinfo, psi.soi_family, FD_SOCKET_FAMILY);
AT(socket_fdinfo, psi.soi_kind, FD_SOCKET_KIND);
AT(socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_ini.insi_lport, FD_SOCKET_LOCAL_PORT);
AT(socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_ini.insi_vflag, FD_SOCKET_VERSION);
AT(socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_ini.insi_laddr, FD_SOCKET_LOCAL_ADDRESS);
AT(socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_state, FD_SOCKET_STATE);
SIZE(proc_vnodepathinfo, FOLDERS_BYTES);
AT(proc_vnodepathinfo, pvi_cdir.vip_path, FOLDER_PATH);

_Static_assert((int)PID_FDS == PROC_PIDLISTFDS && (int)PID_SHORT_INFO == PROC_PIDT_SHORTBSDINFO &&
                   (int)PID_VNODE_PATH == PROC_PIDVNODEPATHINFO &&
                   (int)FD_VNODE_PATH == PROC_PIDFDVNODEPATHINFO &&
                   (int)FD_SOCKET == PROC_PIDFDSOCKETINFO &&
                   (int)FD_TYPE_VNODE == PROX_FDTYPE_VNODE &&
                   (int)FD_TYPE_SOCKET == PROX_FDTYPE_SOCKET &&
                   (int)SOCKET_KIND_TCP == SOCKINFO_TCP && (int)SOCKET_STATE_LISTEN == TSI_S_LISTEN,
               "flavors and kinds");

const struct macos_calls macos_calls = {.pid_info = proc_pidinfo, .fd_info = proc_pidfdinfo};
