#include "inspect/servers/listeners.h"

#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "os/listening_sockets.h"

enum { TABLE_LIMIT = 4 * 1024 * 1024, PATH_SIZE = 64, TARGET_SIZE = 64, STATE_LISTEN = 0x0A };

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

static bool parse_v4(struct raw_text address, struct listener *listener)
{
    uint64_t value;
    /* The kernel prints the address as a number of the machine: first byte last. */
    if (address.length != 8 || !number_parse_hex(address, &value, NULL))
        return false;
    const unsigned char bytes[4] = {value & 0xff, value >> 8 & 0xff, value >> 16 & 0xff,
                                    value >> 24 & 0xff};
    return set_v4(bytes, listener);
}

static bool set_v6(bool any, bool loopback, struct listener *listener)
{
    listener->any = any;
    snprintf(listener->address, sizeof listener->address, "::1");
    return any || loopback;
}

static bool parse_v6(struct raw_text address, struct listener *listener)
{
    return set_v6(raw_equal_string(address, "00000000000000000000000000000000"),
                  raw_equal_string(address, "00000000000000000000000001000000"), listener);
}

bool listener_parse(struct raw_text line, bool is_v6, struct listener *listener)
{
    struct raw_text words[10], address, port;
    size_t count = 0;
    uint64_t number, state;
    while (count < sizeof words / sizeof *words && words_next(&line, &words[count]))
        count++;
    *listener = (struct listener){.port = 0};
    /* sl local remote state queues timer retransmits uid timeout inode */
    if (count < 10 || !raw_split(words[1], ':', &address, &port) ||
        !number_parse_hex(words[3], &state, NULL) || state != STATE_LISTEN ||
        !number_parse_hex(port, &number, NULL) || number == 0 || number > 65535 ||
        !number_parse_u64(words[9], &listener->inode, NULL) || listener->inode == 0)
        return false;
    listener->port = (int)number;
    return is_v6 ? parse_v6(address, listener) : parse_v4(address, listener);
}

struct table_reader {
    struct listener_list *list;
    bool is_v6;
};

static bool take_line(struct raw_text line, void *context)
{
    struct table_reader *reader = context;
    struct listener listener;
    if (!listener_parse(line, reader->is_v6, &listener))
        return true;
    reader->list->cut = reader->list->count == LISTENERS_MAX;
    if (!reader->list->cut)
        reader->list->items[reader->list->count++] = listener;
    return !reader->list->cut;
}

static bool take_socket(const struct listening_socket *socket, void *context)
{
    static const unsigned char any[16] = {0}, loopback[16] = {[15] = 1};
    struct listener_list *list = context;
    struct listener listener = {.port = socket->port, .inode = socket->inode};
    bool is_reached = socket->is_v6
                          ? set_v6(memcmp(socket->address, any, sizeof any) == 0,
                                   memcmp(socket->address, loopback, sizeof any) == 0, &listener)
                          : set_v4(socket->address, &listener);
    if (!is_reached || listener.port == 0 || listener.inode == 0)
        return true;
    list->cut = list->count == LISTENERS_MAX;
    if (!list->cut)
        list->items[list->count++] = listener;
    return !list->cut;
}

/* The kernel may be asked instead of the files where they would tell of our own namespace. */
static bool is_own_namespace(const struct root *root, const char *folder)
{
    char path[PATH_SIZE], own[TARGET_SIZE], its[TARGET_SIZE];
    size_t own_length, its_length;
    if (root_is_recorded(root))
        return false;
    if (strcmp(folder, "proc/self") == 0)
        return true;
    snprintf(path, sizeof path, "%s/ns/net", folder);
    return root_read_link(root, path, its, sizeof its, &its_length) == ROOT_OK &&
           root_read_link(root, "proc/self/ns/net", own, sizeof own, &own_length) == ROOT_OK &&
           its_length == own_length && memcmp(its, own, own_length) == 0;
}

bool listeners_read(const struct root *root, const char *folder, struct listener_list *list)
{
    char path[PATH_SIZE];
    bool read = false;
    list->count = 0;
    list->cut = false;
    if (is_own_namespace(root, folder) && listening_sockets_each(take_socket, list))
        return true;
    list->count = 0;
    list->cut = false;
    for (int is_v6 = 0; is_v6 <= 1 && !list->cut; is_v6++) {
        struct table_reader reader = {list, is_v6 != 0};
        snprintf(path, sizeof path, "%s/net/tcp%s", folder, is_v6 ? "6" : "");
        enum root_result result = root_each_line(root, path, TABLE_LIMIT, take_line, &reader, NULL);
        read |= result == ROOT_OK;
        list->cut |= result == ROOT_TRUNCATED;
    }
    return read || list->cut;
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
