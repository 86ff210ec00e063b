#include "gpu/drm/adapters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"
#include "gpu/drm/adapter_identity.h"

enum { CLASS_NAMES_MAX = 4096, ADAPTERS_MAX = 256 };

#define CLASS_FOLDER "sys/class/drm"

static const int64_t look_again_ns = INT64_C(30) * 1000000000;

/* Drivers with a render node that drive no GPU: memory, displays, and an NPU that its maker's
 * kernels put among the GPUs. */
static const char *const no_gpus[] = {"vgem", "vkms", "exynos-drm", "omapdrm", "RKNPU", NULL};

static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 8 && text[digits] == '\0';
}

bool drm_node_name_is_valid(const char *name)
{
    if (strncmp(name, "card", 4) == 0) {
        return is_number(name + 4);
    }
    return strncmp(name, "renderD", 7) == 0 && is_number(name + 7);
}

/* "card10": 10 */
static int32_t node_number(const char *name)
{
    return (int32_t)strtol(name + strcspn(name, "0123456789"), NULL, 10);
}

bool drm_node_device_folder(const struct root *root, const char *node, char out[SYSFS_PATH_SIZE])
{
    char link[SYSFS_PATH_SIZE];
    if (!sysfs_path(link, CLASS_FOLDER, node) || !root_resolve(root, link, out, SYSFS_PATH_SIZE)) {
        return false;
    }
    char *slash = strrchr(out, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    slash = strrchr(out, '/');
    if (slash == NULL || strcmp(slash, "/drm") != 0) {
        return false;
    }
    *slash = '\0';
    return true;
}

static uint64_t read_device_number(const struct root *root, const char *node)
{
    char path[SYSFS_PATH_SIZE], buffer[64];
    struct raw_text major, minor;
    uint64_t first, second;
    if (!sysfs_path(path, CLASS_FOLDER, node)) {
        return 0;
    }
    struct sysfs_folder folder = {.root = root, .path = path};
    struct raw_text text = sysfs_text(&folder, "dev", buffer, sizeof buffer, NULL);
    if (text.bytes == NULL || !raw_split(text, ':', &major, &minor) ||
        !number_parse_u64(major, &first, NULL) || !number_parse_u64(minor, &second, NULL) ||
        first > UINT32_MAX || second > UINT32_MAX) {
        return 0;
    }
    return first << 32 | second;
}

static void free_adapter(struct drm_adapter *adapter)
{
    if (adapter != NULL) {
        if (adapter->driver_state != NULL && adapter->driver->forget != NULL) {
            adapter->driver->forget(adapter->driver_state);
        }
        free(adapter->driver_state);
        free(adapter);
    }
}

static struct drm_adapter *by_folder(const struct drm_adapters *list, const char *folder)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i]->folder, folder) == 0) {
            return list->items[i];
        }
    }
    return NULL;
}

static void add_node(struct drm_adapter *adapter, const struct drm_node *node)
{
    if (adapter->node_count < ADAPTER_NODES_MAX) {
        adapter->nodes[adapter->node_count++] = *node;
    }
}

/* Every device behind the nodes, with its nodes. */
static void read_all(const struct root *root, char *const *names, size_t count,
                     struct drm_adapters *list)
{
    for (size_t i = 0; i < count; i++) {
        char folder[SYSFS_PATH_SIZE];
        if (!drm_node_name_is_valid(names[i]) || !drm_node_device_folder(root, names[i], folder)) {
            continue;
        }
        struct drm_adapter *adapter = by_folder(list, folder);
        if (adapter == NULL && list->count < ADAPTERS_MAX) {
            adapter = drm_adapter_new(root, folder);
            adapter->order = node_number(names[i]);
            VECTOR_PUSH(list, adapter);
        }
        if (adapter != NULL) {
            struct drm_node node = {.device_number = read_device_number(root, names[i]),
                                    .primary = names[i][0] == 'c'};
            snprintf(node.name, sizeof node.name, "%.31s", names[i]);
            add_node(adapter, &node);
        }
    }
}

static bool has_render_node(const struct drm_adapter *adapter)
{
    for (size_t i = 0; i < adapter->node_count; i++) {
        if (!adapter->nodes[i].primary) {
            return true;
        }
    }
    return false;
}

static bool is_partition(const struct drm_adapter *adapter)
{
    return strncmp(adapter->driver_name, "amdgpu_xcp", 10) == 0;
}

/* What a device tree calls "fdab0000.npu". */
static bool is_npu(const struct drm_adapter *adapter)
{
    const char *dot = strrchr(adapter->folder, '.');
    return !adapter->has_pci_ids && dot != NULL && strcmp(dot, ".npu") == 0;
}

static bool is_gpu(const struct drm_adapter *adapter)
{
    for (size_t i = 0; no_gpus[i] != NULL; i++) {
        if (strcmp(adapter->driver_name, no_gpus[i]) == 0) {
            return false;
        }
    }
    return has_render_node(adapter) && !adapter->display_only && !is_partition(adapter) &&
           !is_npu(adapter);
}

/* The package of an amdgpu partition: KFD knows it; with a single AMD card there is no doubt. */
static struct drm_adapter *package_of(const struct drm_adapters *list,
                                      const struct drm_adapter *partition)
{
    struct drm_adapter *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < partition->node_count; i++) {
        const struct kfd_device *device =
            kfd_by_render_minor(&list->kfd, (uint32_t)partition->nodes[i].device_number);
        struct drm_adapter *package =
            device == NULL ? NULL : drm_adapter_by_id(list, device->pci_id);
        if (package != NULL) {
            return package;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i]->driver_name, "amdgpu") == 0) {
            only = list->items[i];
            count++;
        }
    }
    return count == 1 ? only : NULL;
}

static void keep_gpus(struct drm_adapters *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct drm_adapter *package =
            is_partition(list->items[i]) ? package_of(list, list->items[i]) : NULL;
        for (size_t k = 0; package != NULL && k < list->items[i]->node_count; k++) {
            add_node(package, &list->items[i]->nodes[k]);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_gpu(list->items[i])) {
            list->items[kept++] = list->items[i];
        } else {
            free_adapter(list->items[i]);
        }
    }
    list->count = kept;
}

static bool is_same_device(const struct drm_adapter *a, const struct drm_adapter *b)
{
    return strcmp(a->id, b->id) == 0 && strcmp(a->folder, b->folder) == 0 &&
           a->driver == b->driver && strcmp(a->driver_name, b->driver_name) == 0 &&
           a->pci_vendor == b->pci_vendor && a->pci_device == b->pci_device &&
           a->pci_revision == b->pci_revision &&
           a->pci_subsystem_vendor == b->pci_subsystem_vendor &&
           a->pci_subsystem_device == b->pci_subsystem_device &&
           (a->unique_id[0] == '\0' || b->unique_id[0] == '\0' ||
            strcmp(a->unique_id, b->unique_id) == 0);
}

/* MI300: how it is cut shows in its nodes. */
static bool has_same_nodes(const struct drm_adapter *a, const struct drm_adapter *b)
{
    bool same = a->node_count == b->node_count;
    for (size_t i = 0; same && i < a->node_count; i++) {
        same = strcmp(a->nodes[i].name, b->nodes[i].name) == 0 &&
               a->nodes[i].device_number == b->nodes[i].device_number;
    }
    return same;
}

/* Puts what was known of adapters that are still there into the new list. */
static void keep_known(struct drm_adapters *old, struct drm_adapters *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct drm_adapter *fresh = list->items[i];
        for (size_t k = 0; k < old->count; k++) {
            if (old->items[k] == NULL || !is_same_device(old->items[k], fresh)) {
                continue;
            }
            old->items[k]->discovered &= has_same_nodes(old->items[k], fresh);
            memcpy(old->items[k]->nodes, fresh->nodes, sizeof fresh->nodes);
            old->items[k]->node_count = fresh->node_count;
            old->items[k]->order = fresh->order;
            list->items[i] = old->items[k];
            old->items[k] = NULL;
            free_adapter(fresh);
            break;
        }
    }
}

/* True when the names differ from those of the last look, which they then replace. */
static bool names_changed(struct drm_adapters *adapters, char *const *names, size_t count)
{
    size_t length = 1;
    for (size_t i = 0; i < count; i++) {
        length += strlen(names[i]) + 1;
    }
    char *joined = memory_new(length);
    for (size_t i = 0, at = 0; i < count; i++) {
        at += (size_t)snprintf(joined + at, length - at, "%s\n", names[i]);
    }
    bool changed = adapters->names == NULL || strcmp(adapters->names, joined) != 0;
    free(adapters->names);
    adapters->names = joined;
    return changed;
}

void drm_adapters_refresh(struct drm_adapters *adapters, const struct root *root,
                          struct arena *scratch, int64_t now_ns)
{
    char **names = NULL;
    size_t count = 0;
    if (root_list(root, scratch, CLASS_FOLDER, CLASS_NAMES_MAX, &names, &count) != ROOT_OK) {
        count = 0;
    }
    bool due = now_ns - adapters->looked_ns >= look_again_ns || root_is_recorded(root);
    if (!names_changed(adapters, names, count) && !due) {
        return;
    }
    struct drm_adapters list = {0};
    kfd_read_topology(root, scratch, &list.kfd);
    read_all(root, names, count, &list);
    keep_gpus(&list);
    keep_known(adapters, &list);
    for (size_t i = 0; i < adapters->count; i++) {
        free_adapter(adapters->items[i]);
    }
    VECTOR_FREE(adapters);
    adapters->items = list.items;
    adapters->count = list.count;
    adapters->capacity = list.capacity;
    adapters->kfd = list.kfd;
    adapters->looked_ns = now_ns;
}

void drm_adapters_look_again(struct drm_adapters *adapters)
{
    free(adapters->names);
    adapters->names = NULL;
}

void drm_adapters_drop(struct drm_adapters *adapters, size_t index)
{
    free_adapter(adapters->items[index]);
    adapters->count--;
    memmove(adapters->items + index, adapters->items + index + 1,
            (adapters->count - index) * sizeof *adapters->items);
}

void drm_adapters_clear(struct drm_adapters *adapters)
{
    for (size_t i = 0; i < adapters->count; i++) {
        free_adapter(adapters->items[i]);
    }
    VECTOR_FREE(adapters);
    free(adapters->names);
    adapters->names = NULL;
}

struct drm_adapter *drm_adapter_by_id(const struct drm_adapters *adapters, const char *id)
{
    for (size_t i = 0; i < adapters->count; i++) {
        if (strcmp(adapters->items[i]->id, id) == 0) {
            return adapters->items[i];
        }
    }
    return NULL;
}

struct drm_adapter *drm_adapter_by_device(const struct drm_adapters *adapters,
                                          uint64_t device_number, const struct drm_node **node)
{
    for (size_t i = 0; device_number != 0 && i < adapters->count; i++) {
        struct drm_adapter *adapter = adapters->items[i];
        for (size_t k = 0; k < adapter->node_count; k++) {
            if (adapter->nodes[k].device_number == device_number) {
                *node = &adapter->nodes[k];
                return adapter;
            }
        }
    }
    return NULL;
}
