/* amdgpu.ids and pci.ids, line by line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/lines.h"
#include "gpu/drm/ids_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct raw_text name, struct raw_text line)
{
    if (name.length == 0 || name.bytes < line.bytes ||
        name.bytes + name.length > line.bytes + line.length) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw_text rest = {(const char *)data, size}, line, name;
    struct pci_ids_search search = {.vendor = 0x1002, .device = 0x747e};
    while (lines_next(&rest, &line)) {
        if (amdgpu_ids_line(line, 0x747e, 0xc8, &name) == IDS_FOUND) {
            check_inside(name, line);
        }
        if (pci_ids_line(&search, line, &name) == IDS_FOUND) {
            check_inside(name, line);
        }
    }
    return 0;
}
