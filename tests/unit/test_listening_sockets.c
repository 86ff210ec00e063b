/* The kernel's answer about listening sockets, on this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "inspect/servers/listeners.h"
#include "os/linux/inside.h"
#include "os/listening_sockets.h"

struct wanted_socket {
    int port;
    uint64_t inode;
    bool found;
};

static bool look_for(const struct listening_socket *socket, void *context)
{
    static const unsigned char here[4] = {127, 0, 0, 1};
    struct wanted_socket *wanted = context;
    wanted->found |= !socket->is_v6 && socket->port == wanted->port &&
                     socket->inode == wanted->inode && memcmp(socket->address, here, 4) == 0;
    return true;
}

/* The kernel's own answer has what its file has: a socket of ours once it is listened on. */
static void test_listening_sockets(void **unused)
{
    (void)unused;
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    struct stat about;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(fstat(descriptor, &about), 0);
    struct wanted_socket wanted = {.port = ntohs(address.sin_port), .inode = about.st_ino};
    if (!listening_sockets_each(look_for, &wanted)) {
        close(descriptor);
        skip(); /* a kernel without sock_diag: the files are read instead */
    }
    assert_false(wanted.found);
    assert_int_equal(listen(descriptor, 1), 0);
    assert_true(listening_sockets_each(look_for, &wanted));
    assert_true(wanted.found);

    struct root *root = root_open("/");
    static struct listener_list list;
    const struct inside inside = linux_inside(root);
    assert_true(listeners_read(&inside, 0, &list));
    assert_true(listeners_read(&inside, getpid(), &list));
    const struct listener *listener = listeners_find(&list, about.st_ino);
    assert_non_null(listener);
    assert_int_equal(listener->port, wanted.port);
    assert_string_equal(listener->address, "127.0.0.1");
    assert_false(listener->any);
    root_close(&root);
    close(descriptor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_listening_sockets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
