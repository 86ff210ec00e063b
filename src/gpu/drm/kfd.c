#include "gpu/drm/kfd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"
#include "gpu/drm/sysfs.h"

enum { PROCESSES_MAX = 4096, FILES_MAX = 1024 };

#define TOPOLOGY "sys/class/kfd/kfd/topology/nodes"
#define PROCESSES "sys/class/kfd/kfd/proc"

bool kfd_parse_properties(struct raw_text text, struct kfd_device *device)
{
    struct raw_text line;
    uint64_t render_minor = 0, location = 0, domain = 0;
    bool has_location = false;
    while (lines_next(&text, &line)) {
        struct raw_text key, value;
        uint64_t number;
        if (!raw_split(raw_trim(line), ' ', &key, &value) ||
            !number_parse_u64(value, &number, NULL)) {
            continue;
        }
        if (raw_equal_string(key, "drm_render_minor")) {
            render_minor = number;
        } else if (raw_equal_string(key, "location_id")) {
            location = number;
            has_location = true;
        } else if (raw_equal_string(key, "domain")) {
            domain = number;
        }
    }
    if (render_minor == 0 || render_minor > UINT32_MAX || domain > UINT32_MAX) {
        return false;
    }
    device->render_minor = (uint32_t)render_minor;
    device->pci_id[0] = '\0';
    if (has_location) {
        /* Bus, device and function; the bits above tell the partition. */
        snprintf(device->pci_id, sizeof device->pci_id, "pci:%04x:%02x:%02x.%x", (unsigned)domain,
                 (unsigned)(location >> 8 & 0xff), (unsigned)(location >> 3 & 0x1f),
                 (unsigned)(location & 7));
    }
    return true;
}

void kfd_read_topology(const struct root *root, struct arena *scratch, struct kfd *kfd)
{
    char **nodes;
    size_t count;
    kfd->device_count = 0;
    if (root_list(root, scratch, TOPOLOGY, KFD_DEVICES_MAX * 2, &nodes, &count) != ROOT_OK) {
        return;
    }
    for (size_t i = 0; i < count && kfd->device_count < KFD_DEVICES_MAX; i++) {
        char path[SYSFS_PATH_SIZE], buffer[SYSFS_TEXT_SIZE];
        if (!sysfs_path(path, TOPOLOGY, nodes[i])) {
            continue;
        }
        struct sysfs_folder folder = {.root = root, .path = path};
        struct measured gpu_id = sysfs_number(&folder, "gpu_id");
        if (!gpu_id.known || gpu_id.value <= 0) {
            continue;
        }
        struct kfd_device *device = &kfd->devices[kfd->device_count];
        device->gpu_id = gpu_id.value;
        struct raw_text text = sysfs_text(&folder, "properties", buffer, sizeof buffer, NULL);
        if (text.bytes != NULL && kfd_parse_properties(text, device)) {
            kfd->device_count++;
        }
    }
}

const struct kfd_device *kfd_by_render_minor(const struct kfd *kfd, uint32_t render_minor)
{
    for (size_t i = 0; i < kfd->device_count; i++) {
        if (kfd->devices[i].render_minor == render_minor) {
            return &kfd->devices[i];
        }
    }
    return NULL;
}

static const struct kfd_device *by_gpu_id(const struct kfd *kfd, int64_t gpu_id)
{
    for (size_t i = 0; i < kfd->device_count; i++) {
        if (kfd->devices[i].gpu_id == gpu_id) {
            return &kfd->devices[i];
        }
    }
    return NULL;
}

struct found {
    struct kfd_process_reading *items;
    size_t count, capacity;
};

/* Partitions of one package add up. A part that could not be read makes the sum unknown. */
static void add_memory(struct found *found, size_t first, int64_t pid, const char *adapter_id,
                       struct measured bytes)
{
    for (size_t i = first; i < found->count; i++) {
        struct kfd_process_reading *process = &found->items[i];
        if (strcmp(process->adapter_id, adapter_id) != 0) {
            continue;
        }
        if (process->vram_bytes.known && bytes.known) {
            process->vram_bytes.known =
                number_add_i64(process->vram_bytes.value, bytes.value, &process->vram_bytes.value);
        }
        if (!process->vram_bytes.known || !bytes.known) {
            process->vram_bytes =
                measured_unknown(bytes.known ? REASON_incredible_value : bytes.why_not);
        }
        return;
    }
    struct kfd_process_reading process = {.pid = pid, .vram_bytes = bytes};
    snprintf(process.adapter_id, sizeof process.adapter_id, "%s", adapter_id);
    VECTOR_PUSH(found, process);
}

static void read_process(const struct root *root, struct arena *scratch, const struct kfd *kfd,
                         const char *(*adapter_of)(const struct kfd_device *, void *),
                         void *context, int64_t pid, struct found *found)
{
    char path[SYSFS_PATH_SIZE];
    char **files;
    size_t count, first = found->count;
    snprintf(path, sizeof path, PROCESSES "/%" PRId64, pid);
    if (root_list(root, scratch, path, FILES_MAX, &files, &count) != ROOT_OK) {
        return; /* it ended */
    }
    struct sysfs_folder folder = {.root = root, .path = path};
    for (size_t i = 0; i < count; i++) {
        struct raw_text name = raw_from_string(files[i]);
        int64_t gpu_id;
        /* Never the sdma_ files: reading one waits for a kernel worker. */
        if (!raw_starts_with(name, "vram_") ||
            !number_parse_i64((struct raw_text){name.bytes + 5, name.length - 5}, &gpu_id, NULL)) {
            continue;
        }
        const struct kfd_device *device = by_gpu_id(kfd, gpu_id);
        const char *adapter_id = device == NULL ? NULL : adapter_of(device, context);
        if (adapter_id == NULL) {
            continue;
        }
        struct measured bytes = sysfs_number(&folder, files[i]);
        if (bytes.known && bytes.value < 0) {
            bytes = measured_unknown(REASON_incredible_value);
        }
        add_memory(found, first, pid, adapter_id, bytes);
    }
}

size_t kfd_read_processes(const struct root *root, struct arena *scratch, struct arena *arena,
                          const struct kfd *kfd,
                          const char *(*adapter_of)(const struct kfd_device *device, void *context),
                          void *context, const struct kfd_process_reading **processes)
{
    char **pids;
    size_t count;
    struct found found = {0};
    *processes = NULL;
    if (kfd->device_count == 0 ||
        root_list(root, scratch, PROCESSES, PROCESSES_MAX, &pids, &count) != ROOT_OK) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t pid;
        if (number_parse_i64(raw_from_string(pids[i]), &pid, NULL) && pid > 0) {
            read_process(root, scratch, kfd, adapter_of, context, pid, &found);
        }
    }
    count = found.count;
    if (count > 0) {
        struct kfd_process_reading *copy = ARENA_ARRAY(arena, struct kfd_process_reading, count);
        memcpy(copy, found.items, count * sizeof *copy);
        *processes = copy;
    }
    VECTOR_FREE(&found);
    return count;
}
