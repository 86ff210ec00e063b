/* The DRM backend: every GPU with a kernel driver of the DRM subsystem. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/backend.h"
#include "gpu/drm/adapters.h"
#include "gpu/drm/clients.h"
#include "gpu/drm/figures.h"

struct backend_state {
    struct drm_adapters adapters;
    struct sysfs_files *files;
    struct slow_clients slow;
    struct arena *scratch;
    bool has_looked;   /* the adapters have been listed */
    char *fdinfo_text; /* FDINFO_SIZE_MAX bytes */
};

static struct backend_state *drm_open(struct machine *machine)
{
    (void)machine;
    struct backend_state *state = memory_new(sizeof *state);
    state->scratch = arena_new();
    state->files = sysfs_files_new();
    state->fdinfo_text = memory_new(FDINFO_SIZE_MAX);
    return state;
}

static void drm_close(struct backend_state **state)
{
    if (*state != NULL) {
        drm_adapters_clear(&(*state)->adapters);
        sysfs_files_free(&(*state)->files);
        arena_free(&(*state)->scratch);
        free((*state)->fdinfo_text);
        free(*state);
        *state = NULL;
    }
}

static bool may_touch(const struct pass *pass, const char *id)
{
    for (size_t i = 0; i < pass->touch_count && i < PASS_TOUCH_MAX; i++) {
        if (strcmp(pass->touch[i], id) == 0) {
            return true;
        }
    }
    return false;
}

/* Before anything else of a device is read. False when the device is gone (an eGPU unplugged). */
static bool read_power_state(struct backend_state *state, const struct root *root,
                             const struct pass *pass, struct drm_adapter *adapter)
{
    char buffer[64], path[SYSFS_PATH_SIZE];
    size_t length;
    int error = 0;
    struct sysfs_folder device = {.root = root, .path = adapter->folder, .files = state->files};
    sysfs_files_take_lost(state->files); /* what sensors met in the last pass */
    enum root_result result =
        sysfs_read(&device, "power/runtime_status", buffer, sizeof buffer, &length, &error);
    bool told = result == ROOT_OK;
    if (sysfs_files_take_lost(state->files) || runtime_device_is_gone(error)) {
        return false;
    }
    if (result == ROOT_ABSENT && sysfs_path(path, adapter->folder, "uevent") &&
        !root_exists(root, path)) {
        return false;
    }
    if (told) {
        adapter->power_state = runtime_power_state((struct raw_text){buffer, length});
    } else {
        /* A kernel or bus without runtime power management never sleeps. */
        adapter->power_state = result == ROOT_ABSENT ? POWER_ACTIVE : POWER_UNKNOWN;
    }
    adapter->may_read = adapter->power_state == POWER_ACTIVE || may_touch(pass, adapter->id);
    return true;
}

/* The power state of each; those that are gone are taken off. True when one was. */
static bool read_power_states(struct backend_state *state, const struct root *root,
                              const struct pass *pass)
{
    bool any_gone = false;
    for (size_t i = 0; i < state->adapters.count;) {
        if (read_power_state(state, root, pass, state->adapters.items[i])) {
            i++;
            continue;
        }
        drm_adapters_drop(&state->adapters, i);
        any_gone = true;
    }
    return any_gone;
}

static void ensure_name(const struct root *root, struct drm_adapter *adapter)
{
    char buffer[sizeof adapter->driver_version], path[SYSFS_PATH_SIZE];
    if (adapter->name[0] != '\0' && (adapter->name_is_final || !adapter->may_read)) {
        return;
    }
    bool has_product_name = strcmp(adapter->driver_name, "amdgpu") == 0;
    struct name_question question = {
        .folder = adapter->folder,
        .driver = adapter->driver_name,
        .compatible = adapter->compatible,
        .has_pci_ids = adapter->has_pci_ids,
        .may_read_product_name = has_product_name && adapter->may_read,
        .vendor = adapter->pci_vendor,
        .device = adapter->pci_device,
        .revision = adapter->pci_revision,
    };
    name_find(root, &question, adapter->name);
    adapter->name_is_final = adapter->may_read || !has_product_name;
    snprintf(path, sizeof path, "sys/module/%s", adapter->driver_name);
    struct sysfs_folder module = {.root = root, .path = path};
    struct raw_text version = sysfs_text(&module, "version", buffer, sizeof buffer, NULL);
    snprintf(adapter->driver_version, sizeof adapter->driver_version, "%.*s", (int)version.length,
             version.bytes == NULL ? "" : version.bytes);
}

/* Lists the adapters, their power states and names. Touches no sleeping card. */
static void look(struct backend_state *state, const struct root *root, const struct pass *pass)
{
    arena_reset(state->scratch);
    drm_adapters_refresh(&state->adapters, root, state->scratch, pass->running_ns);
    if (read_power_states(state, root, pass)) {
        /* Another card may be at its address already; its files are other ones. */
        sysfs_files_clear(state->files);
        drm_adapters_look_again(&state->adapters);
        drm_adapters_refresh(&state->adapters, root, state->scratch, pass->running_ns);
        read_power_states(state, root, pass);
    }
    state->has_looked = true;
    for (size_t i = 0; i < state->adapters.count; i++) {
        ensure_name(root, state->adapters.items[i]);
        state->adapters.items[i]->has_clients = false;
    }
}

static void finish(struct machine *machine, int64_t began_ns, struct reading *reading)
{
    if (reading->adapter_count == 0) {
        reading->state = SOURCE_ABSENT;
    }
    reading->running_ns = machine_running_ns(machine);
    reading->duration_ns = reading->running_ns > began_ns ? reading->running_ns - began_ns : 0;
}

static struct adapter_reading *describe_all(const struct backend_state *state,
                                            struct reading *reading)
{
    size_t count = state->adapters.count;
    struct adapter_reading *out = ARENA_ARRAY(reading->arena, struct adapter_reading, count);
    for (size_t i = 0; i < count; i++) {
        drm_figures_describe(state->adapters.items[i], reading->arena, &out[i]);
    }
    reading->adapters = out;
    reading->adapter_count = count;
    return out;
}

/* The kind among it decides the adapters' order, so it must be right from the first frame on. */
static void discover_all(const struct backend_state *state, const struct drm_look *at)
{
    for (size_t i = 0; i < state->adapters.count; i++) {
        drm_figures_discover(at, state->adapters.items[i]);
    }
}

static void drm_find(struct backend_state *state, struct machine *machine, const struct pass *pass,
                     struct reading *reading)
{
    reading->pass_number = pass->number;
    reading->state = SOURCE_OK;
    if (machine->root != NULL) {
        int64_t began_ns = machine_running_ns(machine);
        look(state, machine->root, pass);
        struct drm_look at = {machine->root,  state->files, state->scratch,
                              reading->arena, pass,         began_ns};
        discover_all(state, &at);
        describe_all(state, reading);
        finish(machine, began_ns, reading);
        return;
    }
    reading->state = SOURCE_ABSENT;
}

/* KFD names devices by their render node. */
static const char *kfd_adapter(const struct kfd_device *device, void *context)
{
    const struct drm_adapters *adapters = context;
    for (size_t i = 0; i < adapters->count; i++) {
        const struct drm_adapter *adapter = adapters->items[i];
        for (size_t k = 0; k < adapter->node_count; k++) {
            if (!adapter->nodes[k].primary &&
                (uint32_t)adapter->nodes[k].device_number == device->render_minor) {
                return adapter->id;
            }
        }
    }
    return NULL;
}

static void drm_read(struct backend_state *state, struct machine *machine, const struct pass *pass,
                     const struct system_reading *system, struct reading *reading)
{
    const struct root *root = machine->root;
    reading->pass_number = pass->number;
    reading->state = root == NULL ? SOURCE_ABSENT : SOURCE_OK;
    if (root == NULL) {
        return;
    }
    int64_t began_ns = machine_running_ns(machine);
    look(state, root, pass);
    struct drm_look at = {root, state->files, state->scratch, reading->arena, pass, began_ns};
    discover_all(state, &at);
    if (system != NULL && system->walk.ran) {
        struct drm_clients_request request = {&state->adapters, machine,      pass,
                                              &system->walk,    &state->slow, state->fdinfo_text};
        if (!drm_clients_read(&request, reading)) {
            reading->state = SOURCE_PARTIAL;
            problem_set(&reading->problem,
                        "the kernel takes too long to answer for some GPU clients; "
                        "they are shown as unavailable in this refresh");
        }
    }
    struct adapter_reading *out = describe_all(state, reading);
    for (size_t i = 0; i < state->adapters.count; i++) {
        drm_figures_read(&at, state->adapters.items[i], &out[i]);
    }
    reading->kfd_process_count =
        kfd_read_processes(root, state->scratch, reading->arena, &state->adapters.kfd, kfd_adapter,
                           &state->adapters, &reading->kfd_processes);
    reading->detail = drm_figures_detail(&at, &state->adapters);
    finish(machine, began_ns, reading);
}

/* True before the first look too. The holders of a driver without statistics are shown as well;
 * adapters whose figures come from elsewhere get their processes there too. */
static bool drm_needs_walk(struct backend_state *state)
{
    for (size_t i = 0; i < state->adapters.count; i++) {
        if (state->adapters.items[i]->driver->figures_from == NULL) {
            return true;
        }
    }
    return !state->has_looked;
}

/* Elsewhere there is no /sys. */
static bool drm_belongs(struct machine *machine)
{
    return strcmp(machine->system, "linux") == 0;
}

const struct backend backend_drm = {
    .name = "drm",
    .belongs = drm_belongs,
    .open = drm_open,
    .close = drm_close,
    .find = drm_find,
    .read = drm_read,
    .needs_walk = drm_needs_walk,
};
