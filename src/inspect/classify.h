/* What kind of process this is, and on which evidence. Pure. A loaded library proves a runtime,
 * never a model; a class is always inferred. */
#ifndef INSPECT_CLASSIFY_H
#define INSPECT_CLASSIFY_H

#include "base/arena.h"
#include "inspect/runtimes.h"
#include "reading/process.h"
#include "snapshot/snapshot.h"

/* What was found for a process before: holds while its name, program and command line stay. Zero it
 * to begin, and whenever one of them changes. */
struct classify_memory {
    bool known;
    int fingerprint; /* -1: none fits */
};

struct classify_seen {
    const struct process_reading *process; /* NULL: nothing is known of it */
    bool holds_kfd, holds_nvidia, holds_drm_primary, holds_drm_render;
    enum gpu_use_type use; /* the driver's word: compute, graphics, both */
    bool has_compute_load, has_graphics_load, has_video_load;
    double load_percent;     /* 0 when unknown */
    double graphics_percent; /* of the busiest 3D engine; 0 when unknown */
    /* A program of Windows on Windows: its name ends in ".exe", and that says nothing. */
    bool is_windows;
    bool is_metal; /* macOS: Metal has one GPU time and no engines */
    /* From an inspection (gathered.h); empty while there is none. */
    struct classify_memory *memory;       /* NULL: none is kept */
    const struct runtime_found *runtimes; /* what its mapped libraries prove */
    size_t runtime_count;
    struct raw_text training_file; /* it has a training's event log or run folder open */
    bool has_rank;                 /* started as one of a training's ranks (RANK, WORLD_SIZE) */
};

/* Sets class, runtimes and evidence of the process. */
void classify(struct arena *arena, const struct classify_seen *seen, struct process *process);
/* The class of a process that holds models, from what they are. Classes that a model does not make
 * (browsers, training, games) stay. */
void classify_by_models(struct process *process);

#endif
