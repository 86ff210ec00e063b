/* Windows' sockets under the names that POSIX has for them, as far as test_http_client.c uses them.
 * They are no descriptors there: files and sockets can't be mixed in a test. */
#ifndef TESTS_WINDOWS_SOCKETS_H
#define TESTS_WINDOWS_SOCKETS_H

#include <io.h>
#include <signal.h>
#include <unistd.h>
#include <winsock2.h>
#include <ws2tcpip.h>

#include "base/text.h" /* takes back a macro of windows.h */

#define MSG_NOSIGNAL 0
#define SOCK_CLOEXEC 0
#define SIGPIPE 13
#define read(socket, bytes, size) recv((SOCKET)(socket), (bytes), (int)(size), 0)
#define send(socket, bytes, size, flags) send((SOCKET)(socket), (bytes), (int)(size), (flags))
#define bind(socket, address, size) bind((SOCKET)(socket), (address), (size))
#define listen(socket, count) listen((SOCKET)(socket), (count))
#define getsockname(socket, address, size) getsockname((SOCKET)(socket), (address), (size))
#define socket(family, kind, protocol) ((int)socket((family), (kind), (protocol)))
#define accept(socket, address, size) ((int)accept((SOCKET)(socket), (address), (size)))
#define close(socket) closesocket((SOCKET)(socket))
#define poll WSAPoll

#endif
