#include "os/startup.h"

#include <windows.h>

void startup_harden(void)
{
    SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
    SetDllDirectoryW(L"");
    SetSearchPathMode(BASE_SEARCH_PATH_ENABLE_SAFE_SEARCHMODE | BASE_SEARCH_PATH_PERMANENT);
    HeapSetInformation(NULL, HeapEnableTerminationOnCorruption, NULL, 0);
}
