#include "inspect/servers/listeners.h"

#include <stdio.h>
#include <string.h>

static bool set_v4(const unsigned char address[4], struct listener *listener)
{
    listener->any = (address[0] | address[1] | address[2] | address[3]) == 0;
    if (listener->any)
        snprintf(listener->address, sizeof listener->address, "127.0.0.1");
    else
        snprintf(listener->address, sizeof listener->address, "%u.%u.%u.%u", address[0], address[1],
                 address[2], address[3]);
    return listener->any || address[0] == 127;
}

static bool set_v6(const unsigned char address[16], struct listener *listener)
{
    static const unsigned char any[16] = {0}, loopback[16] = {[15] = 1};
    listener->any = memcmp(address, any, sizeof any) == 0;
    snprintf(listener->address, sizeof listener->address, "::1");
    return listener->any || memcmp(address, loopback, sizeof loopback) == 0;
}

bool listener_of(const struct listening_socket *socket, struct listener *listener)
{
    *listener = (struct listener){.port = socket->port, .inode = socket->inode};
    bool is_reached =
        socket->is_v6 ? set_v6(socket->address, listener) : set_v4(socket->address, listener);
    return is_reached && listener->port != 0 && listener->inode != 0;
}

static bool take_socket(const struct listening_socket *socket, void *context)
{
    struct listener_list *list = context;
    struct listener listener;
    if (!socket) {
        list->count = 0;
        list->cut = false;
        return true;
    }
    if (!listener_of(socket, &listener))
        return true;
    list->cut = list->count == LISTENERS_MAX;
    if (!list->cut)
        list->items[list->count++] = listener;
    return !list->cut;
}

bool listeners_read(const struct inside *inside, int64_t pid, struct listener_list *list)
{
    list->count = 0;
    list->cut = false;
    enum listening_answer answer = inside->ops->listening(inside, pid, take_socket, list);
    list->cut |= answer == LISTENING_CUT;
    return answer != LISTENING_UNKNOWN || list->cut;
}

const struct listener *listeners_find(const struct listener_list *list, uint64_t inode)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].inode == inode)
            return &list->items[i];
    return NULL;
}

static bool is_owned(uint64_t inode, const struct open_socket *owned, size_t owned_count)
{
    for (size_t i = 0; i < owned_count; i++)
        if (owned[i].inode == inode)
            return true;
    return false;
}

bool listener_is_exclusive(const struct listener_list *list, const struct listener *listener,
                           const struct open_socket *owned, size_t owned_count)
{
    if (list->cut)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct listener *other = &list->items[i];
        bool same_address = strcmp(other->address, listener->address) == 0;
        if (other->port == listener->port && (same_address || other->any || listener->any) &&
            !is_owned(other->inode, owned, owned_count))
            return false;
    }
    return true;
}
