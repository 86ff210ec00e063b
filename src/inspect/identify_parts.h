/* What identify*.c share. Private to them. */
#ifndef INSPECT_IDENTIFY_PARTS_H
#define INSPECT_IDENTIFY_PARTS_H

#include "inspect/command_models.h"
#include "inspect/devices.h"
#include "inspect/estimate.h"
#include "inspect/identify.h"

enum { IDENTIFY_EVIDENCE_MAX = 8, IDENTIFY_DEVICES_MAX = RUNTIME_DEVICES_MAX };

/* A model being put together. */
struct identified {
    struct model model;
    const struct gathered_file *file; /* NULL: only named */
    struct evidence evidence[IDENTIFY_EVIDENCE_MAX];
    size_t evidence_count;
};

struct identifying {
    struct arena *arena;
    const struct gathered *gathered;
    const struct identify_scene *scene;
    struct identified *items; /* room for IDENTIFIED_MODELS_MAX */
    size_t count;
    struct device_scene devices;
    struct estimate_device estimate_devices[IDENTIFY_DEVICES_MAX];
    size_t estimate_device_count;
};

void identified_add_evidence(struct identified *item, struct text kind, enum strength strength,
                             struct text detail);
struct identified *identifying_add(struct identifying *identifying);
/* The one that a server or parent means when it speaks of its model: not a projector, an adapter or
 * a draft. NULL: there is none, or several. */
struct identified *identifying_main(struct identifying *identifying);

/* identify_devices.c */
void identify_find_devices(struct identifying *identifying);
/* identify_files.c: one model a file. */
void identify_files(struct identifying *identifying);
/* identify_servers.c: what servers and parents say, and live figures. */
void identify_servers(struct identifying *identifying);

#endif
