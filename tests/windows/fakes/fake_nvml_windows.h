/* What tests/fake-nvml needs of POSIX, on Windows. Included before everything else in it. */
#ifndef FAKE_NVML_WINDOWS_H
#define FAKE_NVML_WINDOWS_H

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <windows.h>

#define O_CLOEXEC (_O_NOINHERIT | _O_BINARY)
#define fopen(path, mode) fopen(path, "rb")

static inline int crash(void)
{
    RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, NULL);
    return 0;
}
#define raise(signal) crash()

static inline long long getline(char **line, size_t *capacity, FILE *file)
{
    size_t length = 0;
    int c = 0;
    while (c != '\n' && (c = getc(file)) != EOF) {
        if (length + 2 > *capacity) {
            *capacity = *capacity ? 2 * *capacity : 256;
            *line = realloc(*line, *capacity);
        }
        (*line)[length++] = (char)c;
        (*line)[length] = '\0';
    }
    return length ? (long long)length : -1;
}

/* Takes an export away: GetProcAddress then does not find it. */
static inline void hide_exports(bool (*is_missing)(const char *name))
{
    HMODULE self = NULL;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                           GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       (LPCWSTR)(void *)is_missing, &self);
    char *base = (char *)self;
    const IMAGE_NT_HEADERS64 *headers =
        (const void *)(base + ((const IMAGE_DOS_HEADER *)(void *)base)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *at =
        &headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    const IMAGE_EXPORT_DIRECTORY *table = (const void *)(base + at->VirtualAddress);
    DWORD *functions = (DWORD *)(void *)(base + table->AddressOfFunctions), was;
    const DWORD *names = (const DWORD *)(void *)(base + table->AddressOfNames);
    const WORD *places = (const WORD *)(void *)(base + table->AddressOfNameOrdinals);
    size_t size = table->NumberOfFunctions * sizeof *functions;
    if (!VirtualProtect(functions, size, PAGE_READWRITE, &was))
        return;
    for (DWORD i = 0; i < table->NumberOfNames; i++)
        if (is_missing(base + names[i]))
            functions[places[i]] = 0;
    VirtualProtect(functions, size, was, &was);
}

#endif
