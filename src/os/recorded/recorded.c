#include "os/recorded/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"

bool recorded_machine_open(struct machine **machine, struct sample_script *script,
                           struct problem *problem)
{
    return script->kind == RECORDED_WINDOWS ? recorded_windows_open(machine, script, problem)
                                            : recorded_macos_open(machine, script, problem);
}

bool recorded_read(const struct sample_script *script, const char *name, char **bytes, size_t *size,
                   struct problem *problem)
{
    size_t length = strlen(script->recorded) + strlen(name) + 2;
    char *path = memory_new(length);
    snprintf(path, length, "%s/%s", script->recorded, name);
    bool read = file_read_all(path, RECORDED_FILE_LIMIT, bytes, size, problem);
    free(path);
    return read;
}
