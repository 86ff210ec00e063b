/* Which library tells of sockets and their owners. A name of its own, so that the tests' program
 * can have another one: wine does not tell owners. */
#ifndef OS_WINDOWS_TCP_LIBRARY_H
#define OS_WINDOWS_TCP_LIBRARY_H

#include <wchar.h>

extern const wchar_t tcp_table_library[];

#endif
