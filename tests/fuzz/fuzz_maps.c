/* Lines of /proc/PID/maps, and the paths the kernel gives. */
#include <stdlib.h>

#include "base/lines.h"
#include "os/linux/proc_maps.h"
#include "os/linux/process_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text rest = {(const char *)data, size}, line;
    while (lines_next(&rest, &line)) {
        struct proc_mapping mapping;
        uint64_t inode;
        path_is_cuda_driver(line);
        socket_inode_parse(line, &inode);
        if (!proc_mapping_parse(line, &mapping))
            continue;
        if (mapping.end < mapping.start || mapping.path.length > line.length)
            abort();
        path_is_cuda_driver(mapping.path);
    }
    return 0;
}
