#include "gpu/drm/clients.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/thread.h"
#include "gpu/drm/adapter_identity.h"
#include "gpu/drm/fdinfo.h"

enum { PATH_SIZE = 96 };

enum outcome {
    OUTCOME_KEPT,
    OUTCOME_DROPPED,      /* the descriptor is gone, or is no GPU's any more */
    OUTCOME_PROCESS_GONE, /* the process ended meanwhile */
};

struct target {
    struct drm_adapter *adapter;
    const struct drm_node *node;
};

static bool is_drm(const struct device_file *file)
{
    return file->class == DEVICE_DRM_RENDER || file->class == DEVICE_DRM_PRIMARY;
}

static size_t count_descriptors(const struct walk_reading *walk)
{
    size_t count = 0;
    for (size_t i = 0; i < walk->process_count; i++) {
        for (size_t k = 0; k < walk->processes[i].device_file_count; k++) {
            count += is_drm(&walk->processes[i].device_files[k]);
        }
    }
    return count;
}

/* The adapter that the text names, where it names one that can be; the node's adapter otherwise.
 * NULL: the descriptor belongs to something else by now. */
static struct drm_adapter *adapter_of(const struct drm_adapters *adapters,
                                      const struct fdinfo *info, struct drm_adapter *of_node)
{
    char id[ADAPTER_ID_SIZE + 8];
    if (!pci_address_is_valid(info->pci_address)) {
        return of_node;
    }
    snprintf(id, sizeof id, "pci:%s", info->pci_address);
    return drm_adapter_by_id(adapters, id);
}

/* The table for names in the text: that of the driver it names, which on some systems is not the
 * one that the display device is bound to. */
static const struct drm_driver *table_of(const struct fdinfo *info,
                                         const struct drm_adapter *adapter)
{
    const struct drm_driver *named = drm_driver_find(info->driver);
    return named->name[0] != '\0' ? named : adapter->driver;
}

static bool has_statistics(const struct fdinfo *info)
{
    return info->has_regions || info->has_engines;
}

/* A file that holds less than the driver always prints: it was cut short (an interrupted
 * reservation, a descriptor that has just changed). */
static bool looks_cut(const struct fdinfo *info, const struct drm_adapter *adapter)
{
    const struct drm_driver *driver = adapter->driver;
    if (info->is_legacy || driver->statistics != DRM_STATISTICS_PRINTED) {
        return false;
    }
    return driver->always_prints_regions ? !info->has_regions : !has_statistics(info);
}

static enum drm_client_state state_of(const struct fdinfo *info, struct drm_adapter *adapter)
{
    if (info->is_legacy) {
        return DRM_CLIENT_LEGACY;
    }
    if (looks_cut(info, adapter)) {
        /* Kernels before 5.19 print nothing for most drivers: no statistics, unless it has shown
         * some. */
        return adapter->has_printed || adapter->driver->always_prints_regions
                   ? DRM_CLIENT_INCOMPLETE
                   : DRM_CLIENT_NO_STATISTICS;
    }
    if (!has_statistics(info)) {
        return DRM_CLIENT_NO_STATISTICS;
    }
    adapter->has_printed = true;
    return info->overflowed ? DRM_CLIENT_INCOMPLETE : DRM_CLIENT_READ;
}

static void apply_tables(const struct drm_driver *driver, bool video_is_unified,
                         struct drm_client_reading *client)
{
    for (size_t i = 0; i < client->region_count; i++) {
        client->regions[i].pool = drm_driver_pool(driver, client->regions[i].name);
    }
    for (size_t i = 0; i < client->engine_count; i++) {
        enum engine column = drm_driver_column(driver, client->engines[i].name);
        if (video_is_unified && (column == ENGINE_decode || column == ENGINE_encode)) {
            column = ENGINE_video;
        }
        client->engines[i].column = column;
    }
    client->missing_engine_is_zero = driver->missing_engine_is_zero;
    client->engine_columns = drm_driver_columns(driver, video_is_unified);
}

/* One read of the file. *result says how it went; what was read is parsed into *info and *client.
 */
static enum root_result read_once(const struct drm_clients_request *request, const char *path,
                                  struct fdinfo *info, struct drm_client_reading *client)
{
    size_t length = 0;
    enum root_result result =
        root_read(request->machine->root, path, request->buffer, FDINFO_SIZE_MAX, &length, NULL);
    client->read_running_ns = machine_running_ns(request->machine);
    if (result == ROOT_OK) {
        fdinfo_parse((struct raw_text){request->buffer, length}, info, client);
    }
    return result;
}

static enum outcome read_client(const struct drm_clients_request *request, struct target target,
                                struct drm_client_reading *client)
{
    char path[PATH_SIZE];
    struct fdinfo info = {0};
    snprintf(path, sizeof path, "proc/%" PRId64 "/fdinfo/%" PRId32, client->holder.pid, client->fd);
    enum root_result result = read_once(request, path, &info, client);
    if (result == ROOT_OK && looks_cut(&info, target.adapter)) {
        result = read_once(request, path, &info, client);
    }
    if (result == ROOT_ABSENT) {
        snprintf(path, sizeof path, "proc/%" PRId64, client->holder.pid);
        return root_exists(request->machine->root, path) ? OUTCOME_DROPPED : OUTCOME_PROCESS_GONE;
    }
    if (result != ROOT_OK) {
        client->state = DRM_CLIENT_INCOMPLETE;
        return OUTCOME_KEPT;
    }
    struct drm_adapter *adapter = adapter_of(request->adapters, &info, target.adapter);
    if (adapter == NULL) {
        return OUTCOME_DROPPED;
    }
    snprintf(client->adapter_id, sizeof client->adapter_id, "%s", adapter->id);
    client->state = state_of(&info, adapter);
    apply_tables(table_of(&info, adapter), adapter->video_is_unified, client);
    return OUTCOME_KEPT;
}

static void describe(struct target target, const struct walked_process *process,
                     const struct device_file *file, struct drm_client_reading *client)
{
    *client = (struct drm_client_reading){
        .holder = process->identity,
        .fd = file->fd,
        .device_number = file->device_number,
        .primary_node = target.node->primary,
    };
    snprintf(client->adapter_id, sizeof client->adapter_id, "%s", target.adapter->id);
    snprintf(client->node, sizeof client->node, "%s", target.node->name);
    client->missing_engine_is_zero = target.adapter->driver->missing_engine_is_zero;
    client->engine_columns =
        drm_driver_columns(target.adapter->driver, target.adapter->video_is_unified);
}

/* Reads one descriptor's text, and remembers it when the kernel was slow. A recorded machine, and
 * one-shot output, which looks at everything, wait. */
static enum outcome read_timed(const struct drm_clients_request *request, struct target target,
                               struct drm_client_reading *client, int64_t began_ns)
{
    enum outcome outcome = read_client(request, target, client);
    if (request->pass->deadline_ns != INT64_MAX && !request->pass->one_shot) {
        struct slow_client key = {client->holder, client->fd};
        slow_clients_note(request->slow, key, began_ns, thread_clock_ns());
    }
    return outcome;
}

/* One descriptor. *in_time becomes false when the deadline has passed or its client is left out. */
static enum outcome take_descriptor(const struct drm_clients_request *request, struct target target,
                                    struct drm_client_reading *client, bool *in_time)
{
    int64_t now_ns = thread_clock_ns();
    struct slow_client key = {client->holder, client->fd};
    if (target.adapter->driver->fdinfo_wakes && !target.adapter->may_read) {
        client->state = DRM_CLIENT_NOT_TOUCHED;
        return OUTCOME_KEPT;
    }
    if (now_ns >= request->pass->deadline_ns ||
        slow_clients_is_left_out(request->slow, key, now_ns)) {
        *in_time = false;
        client->state = DRM_CLIENT_INCOMPLETE;
        return OUTCOME_KEPT;
    }
    return read_timed(request, target, client, now_ns);
}

/* The descriptors of one process. False when some could not be read in time. */
static bool read_process(const struct drm_clients_request *request,
                         const struct walked_process *process, struct drm_client_reading *clients,
                         size_t *count)
{
    size_t first = *count;
    bool in_time = true;
    for (size_t i = 0; i < process->device_file_count; i++) {
        const struct device_file *file = &process->device_files[i];
        struct target target = {0};
        if (is_drm(file)) {
            target.adapter =
                drm_adapter_by_device(request->adapters, file->device_number, &target.node);
        }
        if (target.adapter == NULL || target.adapter->driver->figures_from != NULL) {
            continue;
        }
        struct drm_client_reading *client = &clients[*count];
        describe(target, process, file, client);
        target.adapter->has_clients = true;
        enum outcome outcome = take_descriptor(request, target, client, &in_time);
        if (outcome == OUTCOME_PROCESS_GONE) {
            *count = first;
            return in_time;
        }
        *count += outcome == OUTCOME_KEPT;
    }
    return in_time;
}

bool drm_clients_read(const struct drm_clients_request *request, struct reading *reading)
{
    const struct walk_reading *walk = request->walk;
    size_t most = count_descriptors(walk), count = 0;
    bool in_time = true;
    if (most == 0) {
        return true;
    }
    struct drm_client_reading *clients =
        ARENA_ARRAY(reading->arena, struct drm_client_reading, most);
    for (size_t i = 0; i < walk->process_count; i++) {
        in_time = read_process(request, &walk->processes[i], clients, &count) && in_time;
    }
    reading->clients = clients;
    reading->client_count = count;
    return in_time;
}
