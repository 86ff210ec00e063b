#include "os/linux/device_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/vector.h"
#include "os/linux/proc_devices.h"
#include "os/linux/proc_maps.h"

enum {
    MAJOR_MISC = 10,
    MAJOR_NVIDIA = 195,
    MAJOR_DRM = 226,
    MAJOR_ACCEL = 261,
    NVIDIA_MINOR_MODESET = 254,
    NVIDIA_MINOR_CONTROL = 255,
    DRM_MINOR_RENDER = 128, /* the first one; primary nodes are below 64 */
    DRM_MINOR_BEYOND = 192, /* from here on both kinds are mixed */
    MAJORS_MAX = 32,
    LINKS_MAX = 4096,
    TEXT_MAX = 65536,
};

#define REREAD_NS INT64_C(5000000000)

struct drm_node {
    uint32_t minor;
    bool is_device; /* false: no such node, or an unknown kind */
    enum device_class class;
};

/* A recorded node: its name and number. */
struct named_node {
    char name[32];
    uint64_t number;
};

struct device_table {
    const struct root *root;
    uint64_t generation;
    bool filled;
    int64_t filled_ns;
    bool reread_in_this_walk;

    uint32_t nvidia_majors[MAJORS_MAX]; /* beside 195: uvm, caps ... */
    size_t nvidia_major_count;
    uint64_t kfd_number, dxg_number; /* 0: not there */
    bool has_kfd_major;              /* the kfd number's minor is not known */
    /* Majors that were looked up and are no GPU's. */
    uint8_t other_majors[512 / 8];

    struct {
        struct drm_node *items;
        size_t count, capacity;
    } drm_nodes;
    struct {
        struct named_node *items;
        size_t count, capacity;
    } named;
};

struct device_table *device_table_new(void)
{
    return memory_new(sizeof(struct device_table));
}

void device_table_free(struct device_table **table)
{
    if (!*table)
        return;
    VECTOR_FREE(&(*table)->drm_nodes);
    VECTOR_FREE(&(*table)->named);
    free(*table);
    *table = NULL;
}

/* "226:128" */
static bool parse_number(struct raw_text raw, uint64_t *number)
{
    struct raw_text before, after;
    uint64_t major, minor;
    if (!raw_split(raw_trim(raw), ':', &before, &after) ||
        !number_parse_u64(before, &major, NULL) || !number_parse_u64(after, &minor, NULL) ||
        major > UINT32_MAX || minor > UINT32_MAX)
        return false;
    *number = device_number_make((uint32_t)major, (uint32_t)minor);
    return true;
}

static uint64_t read_number(const struct root *root, const char *path)
{
    char text[64];
    size_t length;
    uint64_t number;
    if (root_read(root, path, text, sizeof text, &length, NULL) != ROOT_OK ||
        !parse_number((struct raw_text){text, length}, &number))
        return 0;
    return number;
}

/* The digits after a prefix: "card" of "card12". False when anything else follows. */
static bool numbered(struct raw_text name, const char *prefix, uint64_t *number)
{
    size_t length = strlen(prefix);
    if (!raw_starts_with(name, prefix) || name.length == length)
        return false;
    size_t used;
    struct raw_text digits = {name.bytes + length, name.length - length};
    return number_parse_u64(digits, number, &used) && used == digits.length &&
           *number <= UINT32_MAX;
}

static bool class_of_drm_name(struct raw_text name, enum device_class *class, uint64_t *number)
{
    if (numbered(name, "renderD", number))
        *class = DEVICE_DRM_RENDER;
    else if (numbered(name, "card", number) || numbered(name, "controlD", number))
        *class = DEVICE_DRM_PRIMARY;
    else
        return false;
    return true;
}

static struct raw_text base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return raw_from_string(slash ? slash + 1 : path);
}

static void read_majors(struct device_table *table)
{
    struct arena *arena = arena_new();
    struct proc_devices devices = {0};
    struct proc_device device;

    table->nvidia_major_count = 0;
    table->has_kfd_major = false;
    table->kfd_number = read_number(table->root, "sys/class/kfd/kfd/dev");
    table->dxg_number = read_number(table->root, "sys/class/misc/dxg/dev");
    root_read_arena(table->root, arena, "proc/devices", TEXT_MAX, &devices.rest, NULL);
    while (devices.rest.length > 0 && proc_devices_next(&devices, &device)) {
        if (raw_starts_with(device.name, "nvidia") && device.major != MAJOR_NVIDIA &&
            table->nvidia_major_count < MAJORS_MAX)
            table->nvidia_majors[table->nvidia_major_count++] = device.major;
        if (raw_equal_string(device.name, "kfd") && table->kfd_number == 0) {
            table->kfd_number = device_number_make(device.major, 0);
            table->has_kfd_major = true;
        }
    }
    arena_free(&arena);
    memset(table->other_majors, 0, sizeof table->other_majors);
}

static void add_named(struct device_table *table, struct raw_text name, uint64_t number)
{
    struct named_node node = {.number = number};
    if (name.length >= sizeof node.name)
        return;
    memcpy(node.name, name.bytes, name.length);
    for (size_t i = 0; i < table->named.count; i++)
        if (strcmp(table->named.items[i].name, node.name) == 0)
            return;
    VECTOR_PUSH(&table->named, node);
}

/* Recorded trees: names and numbers of the DRM nodes, from the links first, which opens no file of
 * a card, then from the "dev" files of nodes that have no link. */
static void read_names(struct device_table *table)
{
    struct arena *arena = arena_new();
    char **names, path[128], target[4096];
    size_t count, length;
    uint64_t number;

    table->named.count = 0;
    root_list(table->root, arena, "sys/dev/char", LINKS_MAX, &names, &count);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "sys/dev/char/%.64s", names[i]);
        if (parse_number(raw_from_string(names[i]), &number) &&
            root_read_link(table->root, path, target, sizeof target, &length) == ROOT_OK)
            add_named(table, base_name(target), number);
    }
    root_list(table->root, arena, "sys/class/drm", LINKS_MAX, &names, &count);
    for (size_t i = 0; i < count; i++) {
        enum device_class class;
        uint64_t digits;
        struct raw_text name = raw_from_string(names[i]);
        if (!class_of_drm_name(name, &class, &digits))
            continue;
        bool known = false;
        for (size_t j = 0; j < table->named.count && !known; j++)
            known = strcmp(table->named.items[j].name, names[i]) == 0;
        snprintf(path, sizeof path, "sys/class/drm/%.64s/dev", names[i]);
        if (!known && (number = read_number(table->root, path)) != 0)
            add_named(table, name, number);
    }
    arena_free(&arena);
}

void device_table_begin(struct device_table *table, const struct root *root, int64_t running_ns)
{
    bool moved =
        !table->filled || table->root != root || table->generation != root_generation(root);
    table->root = root;
    table->generation = root_generation(root);
    table->reread_in_this_walk = false;
    if (moved)
        table->drm_nodes.count = 0;
    if (!moved && running_ns - table->filled_ns < REREAD_NS && running_ns >= table->filled_ns)
        return;
    read_majors(table);
    if (moved && root_is_recorded(root))
        read_names(table);
    table->filled = true;
    table->filled_ns = running_ns;
}

/* By the name sysfs gives the number; where sysfs is not mounted, by the ranges of old. */
static bool class_of_drm_minor(struct device_table *table, uint32_t minor, enum device_class *class)
{
    for (size_t i = 0; i < table->drm_nodes.count; i++)
        if (table->drm_nodes.items[i].minor == minor) {
            *class = table->drm_nodes.items[i].class;
            return table->drm_nodes.items[i].is_device;
        }
    char path[64], target[4096];
    size_t length;
    uint64_t digits;
    struct drm_node node = {.minor = minor, .is_device = true, .class = DEVICE_DRM_PRIMARY};
    snprintf(path, sizeof path, "sys/dev/char/%d:%" PRIu32, MAJOR_DRM, minor);
    if (root_read_link(table->root, path, target, sizeof target, &length) == ROOT_OK)
        node.is_device = class_of_drm_name(base_name(target), &node.class, &digits);
    else if (minor >= DRM_MINOR_RENDER && minor < DRM_MINOR_BEYOND)
        node.class = DEVICE_DRM_RENDER;
    VECTOR_PUSH(&table->drm_nodes, node);
    *class = node.class;
    return node.is_device;
}

static bool class_of_dynamic(const struct device_table *table, uint32_t major, uint32_t minor,
                             enum device_class *class)
{
    uint64_t number = device_number_make(major, minor);
    if (table->kfd_number != 0 &&
        (number == table->kfd_number ||
         (table->has_kfd_major && major == (uint32_t)(table->kfd_number >> 32)))) {
        *class = DEVICE_KFD;
        return true;
    }
    if (table->dxg_number != 0 && number == table->dxg_number) {
        *class = DEVICE_DXG;
        return true;
    }
    for (size_t i = 0; i < table->nvidia_major_count; i++)
        if (table->nvidia_majors[i] == major) {
            *class = DEVICE_NVIDIA_CONTROL;
            return true;
        }
    return false;
}

/* Majors that Linux gives out at run time (Documentation/admin-guide/devices.txt). */
static bool is_dynamic_major(uint32_t major)
{
    return (major >= 234 && major <= 254) || (major >= 384 && major <= 511);
}

bool device_table_class(struct device_table *table, uint32_t major, uint32_t minor,
                        enum device_class *class)
{
    switch (major) {
    case MAJOR_DRM:
        return class_of_drm_minor(table, minor, class);
    case MAJOR_ACCEL:
        *class = DEVICE_ACCEL;
        return true;
    case MAJOR_NVIDIA:
        *class = minor == NVIDIA_MINOR_CONTROL || minor == NVIDIA_MINOR_MODESET
                     ? DEVICE_NVIDIA_CONTROL
                     : DEVICE_NVIDIA;
        return true;
    default:
        break;
    }
    if (major != MAJOR_MISC && !is_dynamic_major(major))
        return false;
    if (class_of_dynamic(table, major, minor, class))
        return true;
    if (major == MAJOR_MISC || (table->other_majors[major / 8] >> major % 8 & 1) != 0)
        return false;
    /* A major that was not there when the drivers were read: read them again, once a walk. */
    if (!table->reread_in_this_walk) {
        table->reread_in_this_walk = true;
        read_majors(table);
        if (class_of_dynamic(table, major, minor, class))
            return true;
    }
    table->other_majors[major / 8] |= (uint8_t)(1U << major % 8);
    return false;
}

static uint64_t number_of_name(const struct device_table *table, struct raw_text name,
                               uint64_t otherwise)
{
    for (size_t i = 0; i < table->named.count; i++)
        if (raw_equal_string(name, table->named.items[i].name))
            return table->named.items[i].number;
    return otherwise;
}

static bool class_of_nvidia_name(const struct device_table *table, struct raw_text name,
                                 enum device_class *class, uint64_t *number)
{
    uint64_t minor;
    *class = DEVICE_NVIDIA_CONTROL;
    if (numbered(name, "nvidia", &minor)) {
        *class = DEVICE_NVIDIA;
        *number = device_number_make(MAJOR_NVIDIA, (uint32_t)minor);
    } else if (raw_equal_string(name, "nvidiactl")) {
        *number = device_number_make(MAJOR_NVIDIA, NVIDIA_MINOR_CONTROL);
    } else if (raw_equal_string(name, "nvidia-modeset")) {
        *number = device_number_make(MAJOR_NVIDIA, NVIDIA_MINOR_MODESET);
    } else if (raw_starts_with(name, "nvidia-")) {
        *number = number_of_name(table, name, 0);
    } else {
        return false;
    }
    return true;
}

bool device_table_class_name(struct device_table *table, struct raw_text target,
                             enum device_class *class, uint64_t *device_number)
{
    static const char folder[] = "/dev/";
    uint64_t minor;

    *device_number = 0;
    path_strip_deleted(&target);
    if (!raw_starts_with(target, folder))
        return false;
    struct raw_text name = {target.bytes + sizeof folder - 1, target.length - (sizeof folder - 1)};
    if (raw_starts_with(name, "dri/")) {
        name = (struct raw_text){name.bytes + 4, name.length - 4};
        if (!class_of_drm_name(name, class, &minor))
            return false;
        *device_number =
            number_of_name(table, name, device_number_make(MAJOR_DRM, (uint32_t)minor));
        return true;
    }
    if (raw_starts_with(name, "accel/")) {
        name = (struct raw_text){name.bytes + 6, name.length - 6};
        *class = DEVICE_ACCEL;
        if (!numbered(name, "accel", &minor))
            return false;
        *device_number =
            number_of_name(table, name, device_number_make(MAJOR_ACCEL, (uint32_t)minor));
        return true;
    }
    if (raw_equal_string(name, "kfd")) {
        *class = DEVICE_KFD;
        *device_number = table->kfd_number;
        return true;
    }
    if (raw_equal_string(name, "dxg")) {
        *class = DEVICE_DXG;
        *device_number = table->dxg_number;
        return true;
    }
    return class_of_nvidia_name(table, name, class, device_number);
}
