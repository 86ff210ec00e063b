/* One backend's completed answer in one pass: plain facts, no policy. Immutable once published.
 * Owns an arena in which everything it points to lives. */
#ifndef READING_READING_H
#define READING_READING_H

#include "base/arena.h"
#include "base/problem.h"
#include "reading/adapter.h"
#include "reading/drm_client.h"
#include "reading/metal.h"
#include "reading/nvml_process.h"
#include "reading/pass.h"
#include "reading/process.h"
#include "reading/wddm.h"

enum source_state {
    SOURCE_ABSENT, /* there is no such driver here: normal */
    SOURCE_OK,
    SOURCE_OFF, /* not asked, on purpose (asleep, --no-host) */
    SOURCE_STARTING,
    SOURCE_STALE,
    SOURCE_PARTIAL, /* answered, but not everything could be read */
    SOURCE_FAILED,
    SOURCE_STATE_COUNT
};

const char *source_state_name(enum source_state state); /* "ok" */

struct reading {
    struct arena *arena;
    const char *source; /* "drm", "nvml": static */
    enum source_state state;
    bool has_code;
    enum reason code;       /* for state other than ok, where one fits */
    struct problem problem; /* for people: why the state is not ok */
    struct raw_text detail; /* for people also when ok: driver and library versions; may be empty */
    uint64_t pass_number;
    int64_t running_ns; /* running clock when the answer was complete */
    int64_t duration_ns;

    const struct adapter_reading *adapters;
    size_t adapter_count;
    const struct drm_client_reading *clients;
    size_t client_count;
    const struct kfd_process_reading *kfd_processes;
    size_t kfd_process_count;
    const struct nvml_listed_process *listed;
    size_t listed_count;
    const struct nvml_process_sample *samples;
    size_t sample_count;

    /* Windows' own counters; NULL: none now. */
    const struct wddm_sample *wddm;
    uint64_t wddm_number; /* of the sample: grows with each new one */
    bool wddm_after_gap;  /* samples were missed before this one */
    size_t skipped_lines; /* that made no sense, since the start */

    /* What macOS says of Metal clients; NULL: not asked here. */
    const struct metal_reading *metal;
};

struct reading *reading_new(const char *source);
void reading_free(struct reading **reading);
/* Empties it for the next pass, keeping its memory. */
void reading_reset(struct reading *reading, const char *source);

/* The collector's answer about the system itself: processes, host, the walk. */
struct system_reading {
    struct arena *arena;
    uint64_t pass_number;
    int64_t running_ns;
    struct host_reading host;
    struct walk_reading walk;
    const struct process_reading
        *processes; /* those asked for and those holding GPU device files */
    size_t process_count;
    /* Which of the pids asked for /proc does not show (hidden, ended). */
    const int64_t *missing_pids;
    size_t missing_pid_count;
    /* Everybody there is, where one call lists them all (Windows, macOS); a drivers' counter that
     * knows only a pid is tied to a process by it. */
    bool everyone_read;
    const struct identity *everyone;
    size_t everyone_count;
    /* Where no walk tells: how many of the processes asked for may not be looked into, and how many
     * of them by nobody, since the system protects them. */
    struct measured unreadable;
    int64_t protected_count;
};

struct system_reading *system_reading_new(void);
void system_reading_free(struct system_reading **reading);
void system_reading_reset(struct system_reading *reading);

#endif
