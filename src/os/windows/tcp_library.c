#include "os/windows/tcp_library.h"

const wchar_t tcp_table_library[] = L"iphlpapi.dll";
