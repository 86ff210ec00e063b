#include "os/listening_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { REPLY_SIZE = 16 * 1024, STATE_LISTEN = 10, PATIENCE_US = 100000 };

struct asking {
    bool (*take)(const struct listening_socket *socket, void *context);
    void *context;
    bool enough;
};

static bool ask(int netlink, int family)
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } message = {
        .header = {.nlmsg_len = sizeof message,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .request = {.sdiag_family = (uint8_t)family,
                    .sdiag_protocol = IPPROTO_TCP,
                    .idiag_states = 1U << STATE_LISTEN},
    };
    return send(netlink, &message, sizeof message, 0) == (ssize_t)sizeof message;
}

static void take_socket(struct asking *asking, const struct nlmsghdr *header)
{
    struct inet_diag_msg message;
    if (asking->enough || header->nlmsg_len < NLMSG_LENGTH(sizeof message))
        return;
    memcpy(&message, NLMSG_DATA(header), sizeof message);
    struct listening_socket socket = {
        .is_v6 = message.idiag_family == AF_INET6,
        .port = ntohs(message.id.idiag_sport),
        .inode = message.idiag_inode,
    };
    _Static_assert(sizeof socket.address == sizeof message.id.idiag_src, "an address fits");
    memcpy(socket.address, message.id.idiag_src, sizeof socket.address);
    asking->enough = !asking->take(&socket, asking->context);
}

enum part { PART_MORE, PART_LAST, PART_BAD };

static enum part take_part(struct asking *asking, const void *reply, size_t size)
{
    size_t left = size;
    for (const struct nlmsghdr *header = reply; NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
        if (header->nlmsg_type == NLMSG_ERROR || (header->nlmsg_flags & NLM_F_DUMP_INTR))
            return PART_BAD;
        if (header->nlmsg_type == NLMSG_DONE)
            return PART_LAST;
        if (header->nlmsg_type == SOCK_DIAG_BY_FAMILY)
            take_socket(asking, header);
    }
    return PART_MORE;
}

static bool take_all(struct asking *asking, int netlink)
{
    _Alignas(struct nlmsghdr) char reply[REPLY_SIZE];
    for (;;) {
        ssize_t got = recv(netlink, reply, sizeof reply, MSG_TRUNC);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || (size_t)got > sizeof reply)
            return false;
        enum part part = take_part(asking, reply, (size_t)got);
        if (part != PART_MORE)
            return part == PART_LAST;
    }
}

bool listening_sockets_each(bool (*take)(const struct listening_socket *socket, void *context),
                            void *context)
{
    struct asking asking = {.take = take, .context = context};
    const struct timeval patience = {.tv_usec = PATIENCE_US};
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0)
        return false;
    bool complete = setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
                    ask(netlink, AF_INET) && take_all(&asking, netlink) && ask(netlink, AF_INET6) &&
                    take_all(&asking, netlink);
    close(netlink);
    return complete;
}
