#include "os/macos/mapped_files.h"

void macos_mapped_files_read(struct arena *arena, int64_t pid, struct macos_mapped_files *mapped)
{
    (void)arena;
    (void)pid;
    *mapped = (struct macos_mapped_files){.status = MACOS_MAPPED_FAILED};
}
