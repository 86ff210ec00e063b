/* What the steps of assemble.c share: the state of an assembler and the workings of one step.
 * Private to assemble*.c. */
#ifndef SAMPLER_ASSEMBLE_PARTS_H
#define SAMPLER_ASSEMBLE_PARTS_H

#include "base/map.h"
#include "rules/adapter_pairing.h"
#include "rules/clients.h"
#include "rules/container_rows.h"
#include "rules/cpu_rates.h"
#include "rules/kfd.h"
#include "rules/metal_rates.h"
#include "rules/nvml_processes.h"
#include "rules/private_clients.h"
#include "rules/rates.h"
#include "rules/totals.h"
#include "rules/wddm_rows.h"
#include "rules/wsl_adapters.h"
#include "rules/wsl_matching.h"
#include "sampler/assemble.h"
#include "sampler/process_words.h"
#include "timeline/events.h"

/* Notes of one snapshot; more than these are counted, not kept. */
enum { NOTES_MAX = 64 };

/* A GPU that only the Windows host knows: no library here speaks for its vendor's. */
struct wsl_host_gpu {
    uint64_t luid;
    uint32_t vendor_id;
    char name[128];
};

/* What is remembered of the Windows host in WSL. */
struct wsl_state {
    struct wsl_host_gpu gpus[WSL_DEVICES_MAX];
    size_t gpu_count;
    struct wsl_matching *matching;
    struct wsl_adapters adapters;
    uint64_t number; /* of the last sample that was taken */
    bool was_live;
    struct identity machine; /* vmwp.exe of WSL; pid 0: none is tied to it */
};

struct assembler {
    struct arena *work; /* of the step, reset at its start */
    struct adapter_indexes *indexes;
    struct rates *rates;
    struct cpu_rates *cpu_rates;
    struct container_rows *container_rows;
    struct wsl_state wsl;
    struct metal_rates *metal_rates;
    struct events_state *events;
    struct process_words *words;
    struct map *places;        /* of this step: struct identity -> struct process_places */
    struct map *source_states; /* char[SOURCE_NAME_SIZE] -> struct source_since */
    bool has_previous;
    int64_t previous_running_ns;
    uint64_t sequence;
    struct {
        int64_t *items;
        size_t count, capacity;
    } wanted; /* local pids that the drivers named */
};

enum { SOURCE_NAME_SIZE = 16 };

struct source_since {
    enum source_state state;
    int64_t wall_ns;
};

/* What a process has on one adapter: what the rules said of it, before it becomes a gpu_use. */
struct use_seen {
    size_t adapter;                 /* in step.adapters */
    const struct ownership *owned;  /* DRM: NULL when it has no DRM client there */
    const struct owned_row *row;    /* NVML: NULL when not listed */
    const struct wsl_use *wsl;      /* WSL: NULL elsewhere */
    const struct wddm_row *windows; /* on Windows: NULL elsewhere */
    const struct metal_row *metal;  /* macOS: NULL elsewhere */
    bool holds_file; /* NVIDIA: it holds the device file, and nothing says for what */
};

/* A use as the Windows host tells it. */
struct wsl_use {
    const struct wddm_row *windows; /* of a Windows process; NULL: of a process here */
    uint64_t luid;
    bool has_luid;
    enum pair_mark mark;
    int64_t bytes;       /* while marked */
    enum reason why_not; /* while not */
};

/* Where the readings speak of a process; 0: nowhere, else the place and 1. */
struct process_places {
    size_t process, walked, inspection;
};

/* A process with at least one use of a GPU. */
struct subject {
    struct identity identity;
    const struct process_reading *process; /* NULL: nothing known */
    const struct walked_process *walked;   /* NULL: not in the walk */
    bool kfd_user;
    struct {
        struct use_seen *items; /* in the work arena */
        size_t count, capacity;
    } uses;
};

/* The totals of one adapter while its processes are put together. */
struct adapter_totals {
    struct total vram, shared;
};

struct step {
    struct assembler *assembler;
    const struct assemble_input *input;
    struct snapshot *snapshot;
    struct arena *work; /* of the assembler */

    struct paired_adapter *adapters;
    size_t adapter_count;
    struct adapter_totals *totals; /* one an adapter */

    struct client_list clients;
    const struct client_rates *client_rates; /* one a client */
    struct ownership_list ownerships;
    struct kfd_seen kfd;
    struct nvml_seen nvml; /* nothing in it: no answer */
    bool nvml_answered;
    struct nvml_rows rows;

    const struct reading *windows;           /* WSL: the host's reading; NULL elsewhere */
    const struct reading *wddm;              /* on Windows: its own counters; NULL elsewhere */
    const struct adapter_reading *host_gpus; /* those that it alone knows; on Windows, all */
    size_t host_gpu_count;

    const struct metal_reading *metal; /* macOS: NULL elsewhere, and without an answer */
    struct metal_rows metal_rows;

    struct map *subject_places; /* struct identity -> size_t */
    struct {
        struct subject *items;
        size_t count, capacity;
    } subjects;

    struct note notes[NOTES_MAX];
    size_t note_count;
};

/* SIZE_MAX when no adapter has this id. */
size_t step_find_adapter(const struct step *step, const char *id);
/* Why there is no system reading: starting, or stale. */
enum reason step_system_why_not(const struct step *step);
void step_note(struct step *step, struct text code, struct text text);

/* assemble_adapters.c: pairs the adapters of all readings; then fills snapshot->adapters. */
void assemble_pair_adapters(struct step *step);
void assemble_adapters(struct step *step);
/* assemble_subjects.c: who uses which adapter, from the DRM clients, KFD and NVML. */
void assemble_subjects(struct step *step);
/* The subject of this identity, added when it is new; valid until the next one is. */
struct subject *step_subject(struct step *step, struct identity identity);
/* One more use; its adapter may be SIZE_MAX, that of no other use. */
struct use_seen *step_add_use(struct step *step, struct subject *subject, size_t adapter);
/* One more process whose details the next system reading must bring. */
void step_want(struct step *step, int64_t pid);
/* assemble_wddm.c: what Windows counts, on Windows and in WSL. The bounds of phantoms. */
struct wddm_limits assemble_wddm_limits(const struct wddm_adapter *adapter);
/* A note where a value was refused; `prefix` is that of the pid. */
void assemble_wddm_note(struct step *step, const struct wddm_row *row, const char *prefix);
void assemble_wddm_set(const struct wddm_row *row, struct gpu_use *use);
/* What NVML says that it uses the adapter for. */
enum gpu_use_type assemble_wddm_type(const struct step *step, int64_t pid, const char *adapter_id);
/* assemble_windows.c: Windows itself. The adapters of its counters, before all are paired. */
void assemble_windows_begin(struct step *step);
/* What counts of another backend's adapter beside them. */
const struct adapter_reading *assemble_windows_vendor(struct step *step,
                                                      const struct reading *reading, size_t at);
void assemble_windows_subjects(struct step *step);
/* The processes of this adapter are those that Windows counts. */
bool assemble_windows_counts(const struct step *step, const char *adapter_id);
struct list_state assemble_windows_processes(const struct step *step);
/* The LUID of an adapter that goes by another id. */
struct text_list assemble_windows_aliases(const struct step *step, const char *adapter_id);
struct gpu_use assemble_windows_use(struct step *step, const struct subject *subject,
                                    const struct use_seen *seen);
/* assemble_wsl.c: in WSL, who uses which adapter, from the host's counters and /dev/dxg. */
void assemble_wsl_subjects(struct step *step);
/* assemble_wsl_gpus.c: the host's reading, and the GPUs that it alone knows; before adapters are
 * paired. */
void assemble_wsl_begin(struct step *step);
/* assemble_wsl_adapters.c: the host's sample, and its adapters paired with the devices here. */
void assemble_wsl_pair(struct step *step);
/* The PCI vendor of a device here; 0: unknown. */
uint32_t step_vendor_of(const struct adapter_reading *reading);
/* The adapter of the host that is this one; false: unmatched. */
bool step_luid_of(const struct step *step, const char *adapter_id, uint64_t *luid);
/* NULL: the host says nothing now, and why. */
const struct wddm_sample *step_windows_sample(const struct step *step);
enum reason step_windows_why_not(const struct step *step);
/* What of an adapter's processes is unknown: the host tells them all. */
struct list_state assemble_wsl_processes(const struct step *step, const char *adapter_id);
/* The paired adapter of the host, as text. */
struct text_list assemble_wsl_aliases(const struct step *step, const char *adapter_id);
/* The place of the device that is this adapter of the host, or SIZE_MAX. */
size_t step_device_of_luid(const struct step *step, uint64_t luid);
struct identity step_windows_identity(const struct wddm_sample *sample, int64_t pid);
/* assemble_wsl_uses.c: the Windows processes; a use of either kind; "WSL VM" and "VM worker". */
void assemble_wsl_windows(struct step *step, const struct wddm_sample *sample);
struct text assemble_wsl_label(const struct step *step, const struct subject *subject,
                               struct text label);
struct gpu_use assemble_wsl_use(struct step *step, const struct subject *subject,
                                const struct use_seen *seen);
/* assemble_metal.c: macOS: who uses which adapter, and what; and how many may not be read. */
void assemble_metal_begin(struct step *step);
void assemble_metal_subjects(struct step *step);
struct gpu_use assemble_metal_use(struct step *step, const struct use_seen *seen);
void assemble_metal_status(struct step *step);
/* What of an adapter's processes is unknown: some of its clients could not be listed. */
struct list_state assemble_metal_processes(const struct step *step, const char *adapter_id);
/* assemble_uses.c: one process on one adapter; adds its measured bytes to the adapter's totals. */
struct gpu_use assemble_use(struct step *step, const struct subject *subject,
                            const struct use_seen *seen);
/* assemble_processes.c: fills snapshot->processes and process_status. */
void assemble_processes(struct step *step);
/* assemble_models.c: identifies the models of every process, sets its class by them, and checks
 * what they explain against its memory. After the adapters. */
void assemble_models(struct step *step);
/* What the inspector knows of a process, or NULL. */
const struct gathered *step_gathered(const struct step *step, struct identity identity);
/* assemble_container.c: which container a process is in, as seen from outside of it. */
void assemble_container(struct step *step, const struct process_reading *seen,
                        struct container *container);
/* assemble_host.c: fills host and sources. */
void assemble_host(struct step *step);
void assemble_sources(struct step *step);

#endif
