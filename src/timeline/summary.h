/* What a row of snapshots comes to: peaks, means, quantiles and energy, per adapter and per
 * process. Pure; memory is bounded whatever is added (a few MiB).
 *
 * A snapshot stands for the time since the sample before it, which it says itself
 * (interval_seconds, of the running clock). So a gap - the program was stopped, the machine slept
 * or was booted anew, lines were lost - counts for nothing, and a wall clock that jumps changes no
 * figure. Processes are told apart by identity and boot, adapters by id. Measured, inferred and
 * estimated figures never meet in one statistic. */
#ifndef TIMELINE_SUMMARY_H
#define TIMELINE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/snapshot.h"
#include "timeline/statistic.h"

enum {
    SUMMARY_ADAPTERS_MAX = 64,
    SUMMARY_PROCESSES_MAX = 512,
    SUMMARY_USES_MAX = 16,   /* adapters of one process */
    SUMMARY_MODELS_MAX = 32, /* of one process */
    SUMMARY_EVENT_KINDS_MAX = 48,
    SUMMARY_EVENTS_MAX = 64, /* the newest */
    SUMMARY_NAME_SIZE = 128, /* names are cut at a character */
};

struct summary_adapter {
    char id[SUMMARY_NAME_SIZE], name[SUMMARY_NAME_SIZE];
    int64_t index; /* the last one */
    bool unified;
    struct measured vram_total_bytes;
    double seconds; /* for which it was there */
    struct statistic vram_used_bytes, shared_used_bytes;
    struct statistic load_percent, power_watts, temperature_celsius; /* the hottest sensor */
    /* What the driver's counter moved by, over the time for which it was known at both ends. */
    double energy_joules, energy_seconds;
    enum how energy_how;
    /* Power times time, where there is no such counter: an estimate. */
    double energy_estimated_joules, energy_estimated_seconds;
    /* All processes of the recorded command together: measured bytes only. */
    struct statistic tracked_vram_bytes;
    bool tracked_incomplete; /* at times some of them had no measured bytes */

    /* Of the sample before. */
    struct measured last_energy_known;
    double last_energy_joules;
    uint64_t last_sample;
};

struct summary_use {
    char adapter_id[SUMMARY_NAME_SIZE];
    struct statistic vram_bytes, spill_bytes; /* measured and the process's own */
    struct statistic vram_inferred_bytes;
    struct statistic load_percent;          /* measured */
    struct statistic load_inferred_percent; /* its owner was deduced */
    bool vram_guessed, load_guessed; /* some of the inferred ones were a guess, not a match */
    bool load_lower_bound;
    /* The adapter's energy times the process's share of its load: an estimate. */
    double energy_estimated_joules;
    double energy_estimated_seconds;
};

struct summary_model {
    char name[SUMMARY_NAME_SIZE], quantization[32];
    enum model_kind kind;
    double seconds;
};

struct summary_process {
    struct identity identity;
    uint64_t boot; /* 0: the first one in the recording */
    char id[IDENTITY_ID_SIZE], label[IDENTITY_ID_SIZE];
    char name[SUMMARY_NAME_SIZE], user[64];
    enum process_class class; /* the last that was not "other" */
    bool tracked;             /* of the recorded command */
    int64_t first_ns, last_ns;
    double seconds;       /* for which it was listed */
    uint64_t last_sample; /* number of the newest sample that lists it */
    struct summary_use *uses;
    size_t use_count, use_capacity;
    struct summary_model *models;
    size_t model_count, model_capacity;
    bool models_left_out;
};

struct summary_event {
    int64_t at_ns;
    char kind[48], text[2 * SUMMARY_NAME_SIZE];
};

struct summary {
    uint64_t samples;
    uint64_t parts; /* runs of samples without a gap between them */
    uint64_t boots;
    uint64_t clock_jumps; /* of the wall clock against the running clock: set, or the machine slept
                           */
    double seconds;       /* that the samples stand for */
    int64_t first_ns, last_ns; /* wall clock */
    char host[SUMMARY_NAME_SIZE];
    enum origin origin;

    struct summary_adapter *adapters;
    size_t adapter_count, adapter_capacity;
    uint64_t adapters_left_out; /* at least */
    struct summary_process *processes;
    size_t process_count, process_capacity;
    uint64_t processes_left_out;         /* at least; the smallest of those that had ended first */
    struct measured left_out_peak_bytes; /* the largest measured use among them */

    struct {
        char kind[48];
        uint64_t count;
    } event_kinds[SUMMARY_EVENT_KINDS_MAX];
    size_t event_kind_count;
    uint64_t event_count;
    struct summary_event events[SUMMARY_EVENTS_MAX]; /* a ring: event i is at i % MAX */

    struct summary_state *state; /* of the step from one sample to the next */
};

/* Fields of a snapshot that a summary looks at, for scanner_new(). */
extern const char *const summary_fields[];

struct summary *summary_new(void);
void summary_free(struct summary **summary);
/* Snapshots in the order of the recording. It keeps nothing of them. */
void summary_add(struct summary *summary, const struct snapshot *snapshot);
/* Puts adapters in the order of their indexes and processes by peak VRAM, then load. No snapshot
 * may be added afterwards. */
void summary_sort(struct summary *summary);

/* The largest peak of measured, else of inferred VRAM on any adapter; 0: none was known. */
double summary_process_peak_bytes(const struct summary_process *process);

#endif
