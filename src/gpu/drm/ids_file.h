/* Looking up a device in the two id lists that distributions ship: pure, line by line, since
 * pci.ids is more than a megabyte. Found names point into the line. */
#ifndef GPU_DRM_IDS_FILE_H
#define GPU_DRM_IDS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum ids_answer {
    IDS_GO_ON,
    IDS_FOUND,
    IDS_END, /* it cannot follow any more */
};

/* libdrm's amdgpu.ids: lines `DEVICE,<TAB>REVISION,<TAB>name`, hexadecimal. Both must match: the
 * revision tells an RX 7900 XT from an XTX. */
enum ids_answer amdgpu_ids_line(struct raw_text line, uint32_t device, uint32_t revision,
                                struct raw_text *name);

/* pci.ids: `VENDOR  name`, below it `<TAB>DEVICE  name`. A device counts only inside its vendor's
 * block: the same number exists under several vendors. */
struct pci_ids_search {
    uint32_t vendor, device;
    bool inside; /* the vendor's block; false at the start */
};
enum ids_answer pci_ids_line(struct pci_ids_search *search, struct raw_text line,
                             struct raw_text *name);

#endif
