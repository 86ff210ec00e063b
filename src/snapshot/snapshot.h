/* The snapshot: one immutable picture of the machine, every figure with its provenance. The hub
 * between what makes pictures (live, a recording, a remote machine) and what shows them.
 *
 * Names, units and meaning are those of docs/snapshot.md; the JSON's names are in fields.c.
 * Everything a snapshot points to lives in its arena; it never refers to an earlier snapshot.
 * Publishing makes it immutable; it is shared by reference count. */
#ifndef SNAPSHOT_SNAPSHOT_H
#define SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/reference.h"
#include "base/text.h"
#include "reading/adapter.h"
#include "reading/engines.h"
#include "reading/identity.h"
#include "reading/reading.h"
#include "reading/reasons.h"
#include "snapshot/figure.h"

enum origin { ORIGIN_LIVE, ORIGIN_RECORDED_MACHINE, ORIGIN_DEMO, ORIGIN_COUNT };
enum snapshot_mode {
    SNAPSHOT_NATIVE,
    SNAPSHOT_CONTAINER,
    SNAPSHOT_WSL,
    SNAPSHOT_WINDOWS,
    SNAPSHOT_MACOS,
    SNAPSHOT_MODE_COUNT
};
enum process_class {
    CLASS_OTHER,
    CLASS_LLM,
    CLASS_EMBEDDING,
    CLASS_DECISION,
    CLASS_SPEECH,
    CLASS_DIFFUSION,
    CLASS_VISION,
    CLASS_TRAINING,
    CLASS_PYTHON_AI,
    CLASS_BROWSER,
    CLASS_COMPOSITOR,
    CLASS_GAME,
    CLASS_VIDEO,
    CLASS_REMOTE_DESKTOP,
    CLASS_GPU_TOOL,
    CLASS_COUNT
};
enum gpu_use_type {
    GPU_USE_UNKNOWN,
    GPU_USE_COMPUTE,
    GPU_USE_GRAPHICS,
    GPU_USE_BOTH,
    GPU_USE_COUNT
};
enum inferred_by { INFERRED_NOT, INFERRED_MATCHED, INFERRED_GUESS, INFERRED_COUNT };
enum strength { STRENGTH_HINT, STRENGTH_STRONG, STRENGTH_PROOF, STRENGTH_COUNT };
enum model_kind {
    MODEL_UNKNOWN,
    MODEL_LLM,
    MODEL_EMBEDDING,
    MODEL_DECISION,
    MODEL_SPEECH,
    MODEL_VISION,
    MODEL_DIFFUSION,
    MODEL_ADAPTER,
    MODEL_PROJECTOR,
    MODEL_DRAFT,
    MODEL_KIND_COUNT
};
/* A time that is not known. */
#define TIME_UNKNOWN INT64_MIN

struct text_list {
    const struct text *items;
    size_t count;
    bool known; /* false: null in JSON */
};

struct host {
    struct text name, boot_id, os, kernel;
    struct measured cpu_count;
    struct figure cpu_percent; /* of all CPUs together, 0-100 */
    struct measured memory_total_bytes, memory_used_bytes, swap_total_bytes, swap_used_bytes;
};

struct process_status {
    struct measured scanned, gpu_clients, unreadable, looked_at, skipped;
    bool complete;
    struct figure oldest_look_seconds;
    struct text advice; /* what to do about the unreadable ones */
};

struct source_status {
    struct text name;
    enum source_state state;
    bool has_code;
    enum reason code;
    struct text detail;
    struct figure age_seconds, duration_seconds;
    int64_t since_ns; /* wall clock; TIME_UNKNOWN */
};

struct adapter_memory {
    struct measured vram_total_bytes, vram_used_bytes, vram_free_bytes, vram_reserved_bytes;
    struct measured shared_total_bytes, shared_used_bytes;
    struct measured vram_limit_bytes; /* the most that the GPU may keep resident of one pool */
    bool unified;
    struct measured attributed_bytes, unattributed_bytes;
    struct measured shared_attributed_bytes, shared_unattributed_bytes;
};

struct pcie {
    struct figure rx_bytes_per_second, tx_bytes_per_second; /* whole numbers */
    struct figure generation, width, max_generation, max_width;
};

struct temperatures {
    struct figure edge, hotspot, memory;
};
struct clocks {
    struct figure graphics, memory, sm, video;
};
struct adapter_errors {
    struct figure ecc_corrected, ecc_uncorrected, xid_last, xid_count, restarts;
};

/* A list that could not be read. */
struct list_state {
    bool unknown;
    enum reason why_not;
};

struct adapter {
    int64_t index;
    struct text id;
    struct text_list aliases;
    struct text uuid;
    bool has_pci_ids;
    struct text pci_vendor, pci_device, pci_subsystem, pci_revision; /* lower-case hex digits */
    struct text_list nodes;
    struct text name, vendor, driver, driver_version;
    enum adapter_kind kind;
    enum how kind_how;  /* measured or inferred */
    struct text parent; /* id, or none */
    enum power_state power_state;
    struct adapter_memory memory;
    struct figure load_percent, memory_activity_percent, driver_load_percent;
    struct figure engines_percent[ENGINE_COUNT];
    struct pcie pcie;
    struct temperatures temperatures_celsius;
    struct figure power_watts, power_limit_watts, energy_joules, fan_percent, fan_rpm;
    struct clocks clocks_mhz, max_clocks_mhz;
    struct figure performance_state;
    struct text_list throttle_reasons; /* known: perhaps empty */
    enum how throttle_how;             /* of the list while known */
    enum reason throttle_why_not;
    struct adapter_errors errors;
    /* In `unavailable` as processes, processes.compute, processes.graphics. */
    struct list_state processes_state, compute_list_state, graphics_list_state;
};

struct evidence {
    struct text kind; /* api mapped open_file cmdline log store name library device */
    enum strength strength;
    struct text detail;
};
struct evidence_list {
    const struct evidence *items;
    size_t count;
};

struct named_bytes {
    struct text name; /* region: "vram", "gtt" */
    int64_t bytes;
};
struct named_bytes_list {
    const struct named_bytes *items;
    size_t count;
};

/* A DRM client as seen from one of its holders. */
struct gpu_client {
    struct measured id; /* unknown on kernels without identity */
    struct text node;
    struct text_list holders; /* identities of all visible holders */
    struct named_bytes_list resident_bytes, shared_bytes;
    bool charged;
    bool has_reason;
    enum reason reason; /* why it is not charged */
};

/* One process on one adapter. */
struct gpu_use {
    struct measured adapter; /* index; unknown for a host adapter that could not be paired */
    struct text adapter_id;
    enum gpu_use_type type;
    struct measured vram_bytes, shared_bytes; /* measured and this process's own */
    struct measured spill_bytes;              /* = shared_bytes on a discrete GPU */
    struct measured committed_bytes;
    struct figure paged_estimated_bytes;
    struct figure vram_inferred_bytes, shared_inferred_bytes;
    enum inferred_by inferred_by;
    struct reason_set vram_unattributed_reasons;             /* every one that holds */
    struct measured vram_resident_bytes, gtt_resident_bytes; /* reachable; never summed */
    struct measured kfd_vram_bytes;
    struct text memory_source;             /* macOS: "ledger" or "footprint" */
    struct measured vram_compressed_bytes; /* macOS: its graphics memory that is compressed */
    struct figure vram_proof_age_seconds;
    struct figure load_percent;
    bool load_lower_bound;
    enum inferred_by load_inferred_by;
    struct figure engines_percent[ENGINE_COUNT];
    struct figure explained_bytes, unexplained_bytes;
    const struct gpu_client *clients;
    size_t client_count;
};

struct model_device {
    struct text device;     /* "CUDA0", "host" */
    struct text adapter_id; /* none for host and remote devices */
    struct figure weights_bytes, kv_cache_bytes, compute_bytes,
        other_bytes; /* reported or estimated */
    /* The estimate, kept where a report replaced it. */
    struct figure estimated_weights_bytes, estimated_kv_cache_bytes, estimated_compute_bytes,
        estimated_other_bytes;
};

struct model_live {
    bool present; /* false: null */
    struct text source;
    struct figure context_used, slots_busy, requests_running, requests_waiting, kv_used_percent;
    struct figure prompt_tokens_per_second, generation_tokens_per_second;
    int64_t expires_at_ns;
};

struct model {
    struct text name;
    enum model_kind kind;
    struct text format, path;
    struct measured file_bytes;
    struct text architecture, quantization;
    struct figure parameters, layers, layers_on_gpu, context, context_trained, slots;
    struct figure kv_pool_tokens; /* that its KV cache has room for, all requests together */
    struct evidence_list evidence;
    const struct model_device *devices;
    size_t device_count;
    struct model_live live;
};

struct runtime {
    struct text name, version;
};

struct container {
    bool present;
    struct text runtime, id, name, pod;
};

struct process {
    struct identity identity;
    struct text id; /* identity as text */
    int64_t pid;
    enum pid_namespace space;
    struct text label;
    int64_t start_time_ns; /* wall clock; TIME_UNKNOWN */
    struct measured parent_pid;
    struct text name, user;
    struct text_list command; /* redacted */
    bool tracked;
    struct container container;
    enum process_class class;
    const struct runtime *runtimes;
    size_t runtime_count;
    struct evidence_list evidence;
    struct figure cpu_percent; /* of one CPU: may pass 100 */
    struct measured ram_bytes;
    struct gpu_use *gpus;
    size_t gpu_count;
    struct model *models;
    size_t model_count;
    bool models_known; /* it was looked into; not in JSON, for events */
};

struct event {
    int64_t seq;
    int64_t at_ns; /* wall clock */
    struct text kind, adapter_id, process;
    struct measured bytes;
    struct text text;
};

struct note {
    struct text code, text;
};

struct snapshot {
    struct reference reference;
    struct arena *arena;
    struct snapshot_pool *pool; /* where the memory goes back to; NULL: freed */

    uint64_t sequence; /* grows by one a snapshot of one source; not in JSON */
    struct text version;
    enum origin origin;
    int64_t taken_at_ns; /* wall clock, whole microseconds */
    struct figure monotonic_seconds;
    struct figure interval_seconds; /* unknown in a first sample */
    enum snapshot_mode mode;
    struct host host;
    struct process_status process_status;
    struct source_status *sources;
    size_t source_count;
    struct adapter *adapters;
    size_t adapter_count;
    struct process *processes;
    size_t process_count;
    struct event *events;
    size_t event_count;
    struct note *notes;
    size_t note_count;
};

/* At most four arenas are kept and used again, so that a steady refresh faults no pages. */
struct snapshot_pool;
struct snapshot_pool *snapshot_pool_new(void);
void snapshot_pool_free(struct snapshot_pool **pool); /* snapshots still held stay valid */
/* An empty snapshot with one reference. pool may be NULL. */
struct snapshot *snapshot_new(struct snapshot_pool *pool);
struct snapshot *snapshot_take(const struct snapshot *snapshot); /* one more reference */
/* Gives a reference back and sets the caller's pointer to NULL. NULL is allowed. */
void snapshot_drop(struct snapshot **snapshot);

/* NULL when there is none. */
const struct adapter *snapshot_adapter(const struct snapshot *snapshot, struct text id);
/* The adapter of a use: looked for first where its index says. */
const struct adapter *snapshot_adapter_of(const struct snapshot *snapshot,
                                          const struct gpu_use *use);
const struct process *snapshot_process(const struct snapshot *snapshot, struct identity identity);

/* True for a note about this very process: those begin with its label. */
bool note_is_about(const struct note *note, const struct process *process);

const char *origin_name(enum origin origin);
const char *process_class_name(enum process_class class); /* "llm" */
const char *adapter_kind_name(enum adapter_kind kind);
const char *power_state_name(enum power_state state);
const char *snapshot_mode_name(enum snapshot_mode mode);

#endif
