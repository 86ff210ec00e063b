#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "gpu/drm/intel_memory.h"

/* include/uapi/drm/i915_drm.h */
struct i915_query_item {
    uint64_t query_id;
    int32_t length;
    uint32_t flags;
    uint64_t data;
};
struct i915_query {
    uint32_t item_count;
    uint32_t flags;
    uint64_t items;
};
/* include/uapi/drm/xe_drm.h */
struct xe_device_query {
    uint64_t extensions;
    uint32_t query;
    uint32_t size;
    uint64_t data;
    uint64_t reserved[2];
};

#define I915_QUERY _IOWR('d', 0x40 + 0x39, struct i915_query)
#define XE_DEVICE_QUERY _IOWR('d', 0x40 + 0x00, struct xe_device_query)

enum { I915_QUERY_MEMORY_REGIONS = 4, XE_QUERY_MEMORY_REGIONS = 1, ATTEMPTS_MAX = 8 };

static_assert(sizeof(struct i915_query_item) == 24, "the kernel's layout");
static_assert(sizeof(struct i915_query) == 16, "the kernel's layout");
static_assert(sizeof(struct xe_device_query) == 40, "the kernel's layout");
static_assert(I915_QUERY == 0xC0106479, "the kernel's number");
static_assert(XE_DEVICE_QUERY == 0xC0286440, "the kernel's number");

static int call(int descriptor, unsigned long request, void *argument)
{
    int result = -1;
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        result = ioctl(descriptor, request, argument);
        if (result >= 0 || (errno != EINTR && errno != EAGAIN))
            break;
    }
    return result < 0 ? errno : 0;
}

/* Both say how long the answer is when asked without a place for it; one that is large enough saves
 * the second call on i915, where a length that is given is a maximum. */
static int ask_i915(int descriptor, char *answer, size_t *length)
{
    struct i915_query_item item = {
        .query_id = I915_QUERY_MEMORY_REGIONS,
        .length = INTEL_REGIONS_SIZE_MAX,
        .data = (uint64_t)(uintptr_t)answer,
    };
    struct i915_query query = {.item_count = 1, .items = (uint64_t)(uintptr_t)&item};
    int error = call(descriptor, I915_QUERY, &query);
    if (error)
        return error;
    if (item.length <= 0 || item.length > INTEL_REGIONS_SIZE_MAX)
        return item.length < 0 ? -item.length : EINVAL;
    *length = (size_t)item.length;
    return 0;
}

/* xe wants the exact size. */
static int ask_xe(int descriptor, char *answer, size_t *length)
{
    struct xe_device_query query = {.query = XE_QUERY_MEMORY_REGIONS};
    int error = call(descriptor, XE_DEVICE_QUERY, &query);
    if (error)
        return error;
    if (query.size == 0 || query.size > INTEL_REGIONS_SIZE_MAX)
        return EINVAL;
    query.data = (uint64_t)(uintptr_t)answer;
    error = call(descriptor, XE_DEVICE_QUERY, &query);
    *length = query.size;
    return error;
}

/* Looks at the node without opening the card: in a container another one may have its name. */
static bool is_node(const struct root *root, const char *path, uint64_t device_number, int *error)
{
    struct stat about;
    int descriptor = root_open_descriptor(root, path, O_PATH, error);
    if (descriptor < 0)
        return false;
    bool known = fstat(descriptor, &about) == 0 && S_ISCHR(about.st_mode);
    close(descriptor);
    *error = ENODEV;
    return known && ((uint64_t)major(about.st_rdev) << 32 | minor(about.st_rdev)) == device_number;
}

bool intel_memory_ask(const struct root *root, enum intel_uapi uapi, const char *name,
                      uint64_t device_number, char answer[INTEL_REGIONS_SIZE_MAX], size_t *length,
                      int *error)
{
    char path[64];
    *length = 0;
    *error = ENODEV;
    snprintf(path, sizeof path, "dev/dri/%.32s", name);
    if (root_is_recorded(root) || !is_node(root, path, device_number, error))
        return false;
    int descriptor = root_open_descriptor(root, path, O_RDWR | O_NOCTTY | O_NONBLOCK, error);
    if (descriptor < 0)
        return false;
    memset(answer, 0, INTEL_REGIONS_SIZE_MAX);
    *error = uapi == INTEL_UAPI_XE ? ask_xe(descriptor, answer, length)
                                   : ask_i915(descriptor, answer, length);
    close(descriptor);
    return *error == 0;
}
