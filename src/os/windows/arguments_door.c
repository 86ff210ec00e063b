#include "os/arguments.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "base/fatal.h"
#include "os/windows/command_line.h"

/* What is not valid UTF-16 becomes U+FFFD. The caller frees it. */
static char *narrow(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *utf8 = memory_new(size > 0 ? (size_t)size : 1);
    WideCharToMultiByte(CP_UTF8, 0, wide, -1, utf8, size, NULL, NULL);
    return utf8;
}

static void take_arguments(int *argc, char ***argv)
{
    char *line = narrow(GetCommandLineW());
    char *bytes = memory_new(strlen(line) + 2);
    size_t count = command_line_split(line, bytes, NULL, 0);
    char **words = memory_new((count + 1) * sizeof *words);
    command_line_split(line, bytes, words, count);
    free(line);
    *argc = count < INT_MAX ? (int)count : INT_MAX;
    *argv = words;
}

/* Gives the C library one variable in UTF-8. It hands the variable on to the system in the code
 * page of the machine, so the system gets it again as it was: what we start shall find it unspoilt.
 */
static void take_variable(const wchar_t *wide)
{
    bool is_ascii = true;
    for (const wchar_t *at = wide; *at != L'\0'; at++)
        is_ascii = is_ascii && *at < 0x80;
    const wchar_t *equals = wcschr(wide, L'=');
    if (is_ascii || equals == NULL || equals == wide)
        return;
    char *utf8 = narrow(wide);
    wchar_t *name = memory_new((size_t)(equals - wide + 1) * sizeof *name);
    wmemcpy(name, wide, (size_t)(equals - wide));
    _putenv(utf8);
    SetEnvironmentVariableW(name, equals + 1);
    free(name);
    free(utf8);
}

static void take_environment(void)
{
    if (GetACP() == CP_UTF8)
        return; /* the C library has it in UTF-8 */
    wchar_t *block = GetEnvironmentStringsW();
    for (const wchar_t *at = block; at != NULL && *at != L'\0'; at += wcslen(at) + 1)
        take_variable(at);
    if (block != NULL)
        FreeEnvironmentStringsW(block);
}

void arguments_take(int *argc, char ***argv)
{
    take_arguments(argc, argv);
    take_environment();
}
