#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/nvml/nvml_device.h"
#include "gpu/nvml/nvml_door.h"

/* GPUs that have no memory of their own, by the names their drivers give. */
static const char *const unified_names[] = {"GB10", "Orin", "Xavier", "Thor", "Tegra", "nvgpu"};

static bool has_unified_name(const char *name)
{
    for (size_t i = 0; i < sizeof unified_names / sizeof unified_names[0]; i++)
        if (strstr(name, unified_names[i]) != NULL)
            return true;
    return false;
}

/* Keeps the old text where the call fails: a lost device keeps its name. */
static void take_text(int status, char *from, char *to, size_t size, struct raw_text *said)
{
    from[size - 1] = '\0';
    if (status == NVML_OK)
        memcpy(to, from, size);
    *said = to[0] != '\0' ? raw_from_string(to) : (struct raw_text){NULL, 0};
}

static void read_names(struct nvml_device *device)
{
    char text[NVML_TEXT_SIZE] = {0};
    int status;
    NVML_CALL(status, &device->calls, name, device->handle, text, sizeof text);
    take_text(status, text, device->name, sizeof device->name, &device->said.name);
    memset(text, 0, sizeof text);
    NVML_CALL(status, &device->calls, uuid, device->handle, text, sizeof text);
    take_text(status, text, device->uuid, sizeof device->uuid, &device->said.uuid);
}

/* Jetson and some containers have no PCI information: the device stays, under its UUID. */
static void read_address(struct nvml_device *device)
{
    struct adapter_reading *said = &device->said;
    struct nvml_pci_info info;
    memset(&info, 0, sizeof info);
    int status;
    NVML_CALL(status, &device->calls, pci_info, device->handle, &info);
    if (status == NVML_OK && info.bus <= 0xff && info.device <= 0x1f) {
        snprintf(said->id, sizeof said->id, "pci:%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".0",
                 info.domain, info.bus, info.device);
        said->pci_vendor = info.device_id & 0xffff;
        said->pci_device = info.device_id >> 16;
        said->pci_subsystem_vendor = info.subsystem_id & 0xffff;
        said->pci_subsystem_device = info.subsystem_id >> 16;
        said->has_pci_ids = said->pci_vendor != 0;
    } else if (device->uuid[0] != '\0') {
        snprintf(said->id, sizeof said->id, "uuid:%.58s", device->uuid);
    }
}

static void read_node(struct nvml_device *device)
{
    uint32_t minor = 0;
    int status;
    if (!nvml_has_nodes)
        return;
    NVML_CALL(status, &device->calls, minor_number, device->handle, &minor);
    if (status != NVML_OK || minor > 0xffff)
        return;
    snprintf(device->node, sizeof device->node, "/dev/nvidia%" PRIu32, minor);
    device->said.nodes[0] = raw_from_string(device->node);
    device->said.device_numbers[0] = (uint64_t)NVIDIA_DEVICE_MAJOR << 32 | minor;
    device->said.node_count = 1;
}

/* Unified memory shows in two ways at once: the memory call is not supported, and either the
 * address space is shared in hardware or the name is one of those known to have no memory of their
 * own. */
void nvml_device_read_kind(struct nvml_device *device)
{
    struct adapter_reading *said = &device->said;
    bool named = has_unified_name(device->name);
    bool shared = false;
    if (!named && !said->vram_total_bytes.known &&
        said->vram_total_bytes.why_not == REASON_not_supported) {
        struct nvml_addressing_mode_v1 mode = {
            .version = NVML_STRUCT_VERSION(struct nvml_addressing_mode_v1, 1)};
        int status;
        NVML_CALL(status, &device->calls, addressing_mode, device->handle, &mode);
        shared = status == NVML_OK && mode.mode == NVML_ADDRESSING_ATS;
    }
    said->unified = named || shared;
    said->kind = said->unified ? ADAPTER_INTEGRATED : ADAPTER_DISCRETE;
    said->kind_is_inferred = said->unified;
}

static void read_notes(struct nvml_device *device)
{
    uint32_t value = 0;
    int status;
    device->note[0] = '\0';
    NVML_CALL(status, &device->calls, virtualization_mode, device->handle, &value);
    if (status == NVML_OK && value == NVML_VIRTUALIZATION_VGPU_HOST)
        snprintf(device->note, sizeof device->note,
                 "GPU %" PRIu32 ": vGPU host, processes of its guests are not listed",
                 device->index);
    if (status == NVML_OK && value == NVML_VIRTUALIZATION_VGPU_GUEST)
        snprintf(device->note, sizeof device->note, "GPU %" PRIu32 ": vGPU guest", device->index);
    NVML_CALL(status, &device->calls, numa_node, device->handle, &value);
    if (status == NVML_OK && value <= INT32_MAX)
        snprintf(device->note, sizeof device->note,
                 "GPU %" PRIu32 ": its memory is a NUMA node, used memory is approximate",
                 device->index);
}

/* Windows: a GPU that is no display's may be driven without Windows' memory manager. Then NVML
 * knows the memory of its processes, and Windows' own counters may miss the GPU. */
static void read_driver_model(struct nvml_device *device)
{
    static const char *const models[] = {[NVML_MODEL_TCC] = "TCC", [NVML_MODEL_MCDM] = "MCDM"};
    uint32_t current = 0, pending = 0;
    int status;
    NVML_CALL(status, &device->calls, driver_model, device->handle, &current, &pending);
    if (status == NVML_OK && (current == NVML_MODEL_TCC || current == NVML_MODEL_MCDM))
        snprintf(device->note, sizeof device->note,
                 "GPU %" PRIu32 ": driver model %s, Windows' own counters may miss it",
                 device->index, models[current]);
}

static void read_max_clocks(struct nvml_device *device)
{
    static const uint32_t domains[CLOCK_COUNT] = {
        [CLOCK_GRAPHICS] = NVML_CLOCK_GRAPHICS,
        [CLOCK_MEMORY] = NVML_CLOCK_MEMORY,
        [CLOCK_SM] = NVML_CLOCK_SM,
        [CLOCK_VIDEO] = NVML_CLOCK_VIDEO,
    };
    for (int i = 0; i < CLOCK_COUNT; i++) {
        uint32_t megahertz = 0;
        int status;
        NVML_CALL(status, &device->calls, max_clock, device->handle, domains[i], &megahertz);
        device->said.max_clock_hz[i] = nvml_said(status, megahertz, 1000000, 100000);
    }
}

static void read_max_link(struct nvml_device *device)
{
    uint32_t value = 0;
    int status;
    NVML_CALL(status, &device->calls, max_link_generation, device->handle, &value);
    device->said.pcie_max_generation = nvml_said_generation(status, value);
    value = 0;
    NVML_CALL(status, &device->calls, max_link_width, device->handle, &value);
    device->said.pcie_max_width = nvml_said_lanes(status, value);
}

void nvml_device_identify(struct nvml_device *device)
{
    read_names(device);
    read_address(device);
    read_node(device);
    read_notes(device);
    read_driver_model(device);
    read_max_clocks(device);
    read_max_link(device);
    uint32_t current = 0, pending = 0;
    int status;
    NVML_CALL(status, &device->calls, ecc_mode, device->handle, &current, &pending);
    device->has_ecc = status == NVML_OK && current != 0;
    if (status == NVML_OK && !device->has_ecc)
        status = NVML_NOT_SUPPORTED;
    device->said.ecc_corrected = device->said.ecc_uncorrected = nvml_said(status, 0, 1, 0);
    device->identified = device->calls.lost_code == 0;
}
