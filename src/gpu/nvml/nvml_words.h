/* What an NVML that cannot be used means for a person, and for the source's state. */
#ifndef GPU_NVML_WORDS_H
#define GPU_NVML_WORDS_H

#include "gpu/nvml/nvidia_pci.h"
#include "gpu/nvml/nvml_library.h"
#include "os/machine.h"
#include "reading/reading.h"

/* Version of the loaded kernel module, from proc/driver/nvidia/version; "" when there is none. */
void nvml_module_version(const struct root *root, char *version, size_t size);
/* The same from the file's text. Pure. */
void nvml_module_version_of(struct raw_text content, char *version, size_t size);

/* Fills state, code and problem of a reading from a failed opening. expected: the user named the
 * library, so that its failure is no matter of course. */
void nvml_words_of_failure(const struct nvml_opening *opening, struct machine *machine,
                           const struct nvidia_functions *functions, bool expected,
                           struct reading *reading);

#endif
