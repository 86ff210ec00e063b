/* A kernel driver of GPUs, as a table. Adding one is one small file (or a few lines in generic.c)
 * and its name in drivers.def: what its memory regions and engines are called, how its fdinfo
 * behaves, and which of its sysfs files say something. The fdinfo reader is the same for all. */
#ifndef GPU_DRM_DRIVER_H
#define GPU_DRM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "os/root.h"
#include "reading/adapter.h"
#include "reading/drm_client.h"
#include "reading/engines.h"
#include "reading/pass.h"

struct drm_adapter;

/* Names match exactly, or with a number behind (vram0, enc_1). Ended by name NULL. */
struct drm_region_rule {
    const char *name;
    enum drm_pool pool;
};
struct drm_engine_rule {
    const char *name;
    enum engine column;
};

enum drm_statistics {
    DRM_STATISTICS_PRINTED, /* the driver is known to print usage keys */
    DRM_STATISTICS_PERHAPS, /* the keys themselves tell */
};

/* What a driver's functions get. */
struct drm_look {
    const struct root *root;
    struct sysfs_files *files; /* for what is read in every pass */
    struct arena *scratch;     /* until the end of the pass */
    struct arena *arena;       /* that of the reading */
    const struct pass *pass;
    int64_t now_ns; /* running clock */
};

struct drm_driver {
    const char *name; /* as in fdinfo's drm-driver, and usually in uevent's DRIVER= */
    /* Other names that its device is bound by, NULL at the end; NULL where there are none. */
    const char *const *bound_names;
    const char *vendor; /* NULL: by the PCI vendor id */
    const struct drm_region_rule *regions;
    const struct drm_engine_rule *engines;
    enum drm_statistics statistics;
    const char *figures_from; /* the backend that brings everything but identity; NULL: this one */
    bool missing_engine_is_zero; /* an engine line appears once it is above zero */
    bool always_prints_regions;  /* a file without any was cut short */
    bool fdinfo_wakes;           /* reading fdinfo wakes the card */
    bool eperm_is_asleep;        /* sysfs_folder's */
    bool shares_memory;          /* always one memory with the CPU */
    bool is_bound_by_display;    /* its DRM device is the display controller, not the GPU */
    size_t state_size;           /* of adapter->driver_state, zeroed at first; 0: none */
    void (*forget)(void *state); /* before it is freed: what it holds; NULL: nothing */

    /* All may be NULL. What is true as long as the card is plugged in; called once, awake. */
    void (*discover)(const struct drm_look *look, struct drm_adapter *adapter);
    /* What can be told of it without waking it; called in each pass until discover() was. */
    void (*discover_asleep)(const struct drm_look *look, struct drm_adapter *adapter);
    /* What may be read asleep too. */
    void (*read_memory)(const struct drm_look *look, struct drm_adapter *adapter,
                        struct adapter_reading *out);
    /* Gives back what is held open on the card, which sleeps or is left alone so that it can. */
    void (*release)(void *state);
    /* Everything else; only called awake. */
    void (*read_sensors)(const struct drm_look *look, struct drm_adapter *adapter,
                         struct adapter_reading *out);
};

/* The driver of that name; one that is not listed gets a table that lets the keys decide. */
const struct drm_driver *drm_driver_find(const char *name);

/* By the driver's tables; DRM_POOL_OTHER and ENGINE_other for names they lack. */
enum drm_pool drm_driver_pool(const struct drm_driver *driver, const char *region);
enum engine drm_driver_column(const struct drm_driver *driver, const char *engine);
/* 1 << enum engine for each column the driver can deliver; `video_is_unified` puts one video column
 * in the place of decode and encode. */
uint32_t drm_driver_columns(const struct drm_driver *driver, bool video_is_unified);

/* Drivers that are listed in drivers.def. */
#define DRIVER(symbol) extern const struct drm_driver drm_driver_##symbol;
#include "gpu/drm/drivers.def"
#undef DRIVER

#endif
