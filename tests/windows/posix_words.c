#include "posix_words.h"

#include <direct.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { ENDING = 6, TRIES = 1000, VARIABLE_SIZE = 32768 };

char *mkdtemp(char *name)
{
    size_t length = strlen(name);
    for (unsigned i = 0; length >= ENDING && i < TRIES; i++) {
        snprintf(name + length - ENDING, ENDING + 1, "%06x",
                 (unsigned)(GetCurrentProcessId() * TRIES + i) & 0xFFFFFF);
        if (_mkdir(name) == 0)
            return name;
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

int setenv(const char *name, const char *value, int replaces)
{
    static char variable[VARIABLE_SIZE];
    if (!replaces && getenv(name))
        return 0;
    snprintf(variable, sizeof variable, "%s=%s", name, value);
    return _putenv(variable);
}

int unsetenv(const char *name)
{
    return setenv(name, "", 1);
}
