/* The program of the tests asks a library of ours for sockets and their owners. */
#include "os/windows/tcp_library.h"

const wchar_t tcp_table_library[] = L"gtm_fake_tcp.dll";
