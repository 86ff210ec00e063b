/* /proc/net/tcp and tcp6 (proc_pid_net(5)). */
#ifndef OS_LINUX_NET_TCP_H
#define OS_LINUX_NET_TCP_H

#include "base/text.h"
#include "os/listening_sockets.h"

/* One line of the table; false when it is no socket that is listened on. */
bool net_tcp_parse(struct raw_text line, bool is_v6, struct listening_socket *socket);

#endif
