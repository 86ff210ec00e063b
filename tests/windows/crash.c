/* crash.exe NAME: makes every process of that name (without .exe, not a helper of another) run into an
 * access violation, in a thread of its own. Prints how many. */
#include <stdio.h>
#include <string.h>

#include <windows.h>

#include <tlhelp32.h>

static int crash(DWORD pid)
{
    HANDLE process = OpenProcess(PROCESS_ALL_ACCESS, FALSE, pid);
    /* Nothing is ever mapped there. */
    HANDLE thread = process ? CreateRemoteThread(process, NULL, 0,
                                                 (LPTHREAD_START_ROUTINE)(ULONG_PTR)16, NULL, 0, NULL)
                            : NULL;
    int done = thread != NULL;
    if (thread)
        CloseHandle(thread);
    if (process)
        CloseHandle(process);
    return done;
}

int main(int argc, char **argv)
{
    PROCESSENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    char name[MAX_PATH];
    int count = 0;
    snprintf(name, sizeof name, "%s.exe", argc > 1 ? argv[1] : "");
    for (BOOL more = Process32First(all, &entry); more; more = Process32Next(all, &entry))
        if (_stricmp(entry.szExeFile, name) == 0)
            count += crash(entry.th32ProcessID);
    printf("%d\n", count);
    return count > 0 ? 0 : 1;
}
