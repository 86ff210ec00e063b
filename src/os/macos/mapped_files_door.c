#include "os/macos/regions.h"

void macos_mapped_files_read(struct arena *arena, int64_t pid, struct macos_mapped_files *mapped)
{
    macos_regions_read(&macos_calls, arena, pid, mapped);
}
