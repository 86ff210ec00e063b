/* One NVIDIA device (or MIG instance) as the helper knows it between requests: its handle, what it
 * answered last, and when. */
#ifndef GPU_NVML_DEVICE_H
#define GPU_NVML_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/nvml/nvml_call.h"
#include "gpu/nvml/nvml_lines.h"
#include "gpu/nvml/nvml_lists.h"
#include "gpu/nvml/nvml_pcie.h"
#include "gpu/nvml/nvml_samples.h"
#include "reading/adapter.h"

enum nvml_cadence {
#define CADENCE(name, milliseconds) NVML_CADENCE_##name,
#include "gpu/nvml/cadence.def"
#undef CADENCE
    NVML_CADENCE_COUNT
};

enum { NVML_INSTANCES_MAX = 8, NVML_NOTE_SIZE = 160 };

struct nvml_instance {
    void *handle;
    struct nvml_calls calls;
    uint32_t gpu_instance, compute_instance;
    char name[NVML_TEXT_SIZE];
    char uuid[NVML_TEXT_SIZE];
    struct adapter_reading said;
};

struct nvml_device {
    uint32_t index; /* NVML's */
    void *handle;   /* NULL: none now; never used again after the device was lost */
    int handle_code;
    int64_t handle_asked_ns;
    bool identified, kind_known;
    struct nvml_calls calls;
    int64_t read_at_ns[NVML_CADENCE_COUNT]; /* running clock; INT64_MIN: never */
    char name[NVML_TEXT_SIZE];
    char uuid[NVML_TEXT_SIZE];
    char node[32];
    char driver_version[NVML_VERSION_TEXT_SIZE];
    char note[NVML_NOTE_SIZE]; /* for people; "" when there is none */
    char mig_note[NVML_NOTE_SIZE];
    bool has_ecc;
    bool display_active;
    bool video_busy, other_engines_busy; /* in the last answer */
    bool mig_on;
    bool watch_tried;            /* for Xid events, with this handle */
    int watch_code;              /* what it answered */
    void *watched;               /* the handle that events name; stays until there is another one */
    int64_t xid_last, xid_count; /* while it was watched; 0: none */
    struct adapter_reading said; /* figures that are not due keep their last answer */
    struct nvml_pcie pcie;
    struct nvml_process_list lists[NVML_LIST_COUNT];
    int64_t graphics_seen_ns; /* when the graphics list last had an entry; INT64_MIN: never */
    struct nvml_window window;
    struct nvml_instance *instances[NVML_INSTANCES_MAX];
    size_t instance_count;
};

struct nvml_device *nvml_device_new(uint32_t index);
void nvml_device_free(struct nvml_device **device);

/* Asks the device what is due; fills `said`, the lists and the samples. `library` holds the calls
 * without a device. */
void nvml_device_read(struct nvml_device *device, struct nvml_calls *library,
                      const struct nvml_request *request, struct nvml_answer *answer);

/* True when it is time to ask again; notes that it was asked now. */
bool nvml_device_is_due(struct nvml_device *device, enum nvml_cadence cadence,
                        const struct nvml_request *request);

/* nvml_identity.c: what never changes while the handle lives. */
void nvml_device_identify(struct nvml_device *device);
/* Discrete or sharing the system's memory; needs the answer of the memory call. */
void nvml_device_read_kind(struct nvml_device *device);
/* nvml_figures.c: memory, loads, temperatures, clocks ... of the device itself. */
void nvml_device_read_figures(struct nvml_device *device, const struct nvml_request *request);
/* nvml_memory.c */
void nvml_read_memory(struct nvml_calls *calls, void *handle, struct adapter_reading *said);
/* nvml_mig.c: the mode, the instances, and their memory. */
void nvml_device_read_mig(struct nvml_device *device, const struct nvml_request *request);
void nvml_device_forget_instances(struct nvml_device *device);
/* nvml_processes.c: the lists, attributed to device or instance. */
void nvml_device_read_processes(struct nvml_device *device, const struct nvml_request *request,
                                struct nvml_answer *answer);

#endif
