/* Jetson (Tegra): NVML is there and answers "not supported" to nearly everything; the load of its
 * GPU and its temperature stand in files of the kernel (nvgpu's "load", a thermal zone). */
#ifndef GPU_NVML_TEGRA_H
#define GPU_NVML_TEGRA_H

#include <stdbool.h>

#include "gpu/nvml/nvml_lines.h"
#include "os/root.h"
#include "reading/adapter.h"

struct tegra {
    bool looked;
    char load_folder[64]; /* "" where there is none */
    char zone_folder[64];
};

/* Fills in what NVML does not support on a GPU that shares the system's memory. */
void tegra_complete(struct tegra *tegra, const struct root *root, struct adapter_reading *adapter);

/* Jetson's GPU has no PCI address. Where the same driver offers it to DRM, under the name of its
 * display engine, both are one adapter: gives it DRM's id throughout the answer. */
void tegra_use_display_id(const struct root *root, struct nvml_answer *answer);

#endif
