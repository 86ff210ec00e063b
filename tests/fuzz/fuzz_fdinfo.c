/* fdinfo text of DRM clients, as any process may shape parts of it (drm-client-name). */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/drm/driver.h"
#include "gpu/drm/fdinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_counter(struct measured counter)
{
    if (counter.known && counter.value < 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct drm_client_reading client;
    struct fdinfo info;
    fdinfo_parse((struct raw_text){(const char *)data, size}, &info, &client);
    const struct drm_driver *driver = drm_driver_find(info.driver);
    if (client.region_count > DRM_REGIONS_MAX || client.engine_count > DRM_ENGINES_MAX) {
        abort();
    }
    for (size_t i = 0; i < client.region_count; i++) {
        check_counter(client.regions[i].resident);
        check_counter(client.regions[i].shared);
        (void)drm_driver_pool(driver, client.regions[i].name);
    }
    for (size_t i = 0; i < client.engine_count; i++) {
        check_counter(client.engines[i].busy_ns);
        if (client.engines[i].capacity < 1 ||
            drm_driver_column(driver, client.engines[i].name) >= ENGINE_COUNT) {
            abort();
        }
    }
    return 0;
}
