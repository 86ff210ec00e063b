#include "os/windows/pty_name.h"

#include <stddef.h>
#include <string.h>

const char *pty_family(const char *pipe_name)
{
    static const struct {
        const char *prefix, *family;
    } families[] = {{"\\msys-", "MSYS2"}, {"\\cygwin-", "Cygwin"}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t length = strlen(families[i].prefix);
        if (strncmp(pipe_name, families[i].prefix, length) != 0)
            continue;
        const char *pty = strstr(pipe_name + length, "-pty");
        if (pty != NULL && pty[4] >= '0' && pty[4] <= '9')
            return families[i].family;
    }
    return NULL;
}
