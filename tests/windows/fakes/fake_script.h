/* What a fake library is to do beside its data: the file that a variable names, read anew at each
 * call, one statement a line: a word and its argument. Own code of the tests. */
#ifndef FAKE_SCRIPT_H
#define FAKE_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define EXPORTED __declspec(dllexport)
#else /* for the recorded Windows machines that Linux plays */
#include <unistd.h>
#define EXPORTED __attribute__((visibility("default")))
#define __stdcall
#define EXCEPTION_ACCESS_VIOLATION 0
#define EXCEPTION_NONCONTINUABLE 0
#define INFINITE 0
#define RaiseException(code, flags, count, arguments) abort()
#define Sleep(milliseconds) pause()
#endif

/* True when the file of `variable` has a line "word rest"; the rest, if wanted, in `rest`. */
static inline bool script_says(const char *variable, const char *word, char *rest, size_t size)
{
    char line[256];
    bool says = false;
    const char *path = getenv(variable);
    FILE *file = path && *path ? fopen(path, "rb") : NULL;
    while (file && !says && fgets(line, sizeof line, file)) {
        size_t length = strlen(word);
        line[strcspn(line, "\r\n")] = '\0';
        says = strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
        if (says && rest)
            snprintf(rest, size, "%s", line[length] ? line + length + 1 : "");
    }
    if (file)
        fclose(file);
    return says;
}

static inline bool script_number(const char *variable, const char *word, uint32_t *number)
{
    char rest[64];
    if (!script_says(variable, word, rest, sizeof rest))
        return false;
    *number = (uint32_t)strtoul(rest, NULL, 0);
    return true;
}

/* "hang FUNCTION", "crash FUNCTION". */
static inline void script_begin(const char *variable, const char *function)
{
    char rest[64];
    if (script_says(variable, "crash", rest, sizeof rest) && strcmp(rest, function) == 0)
        RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, NULL);
    if (script_says(variable, "hang", rest, sizeof rest) && strcmp(rest, function) == 0)
        Sleep(INFINITE);
}

#endif
