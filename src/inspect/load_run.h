/* A run while its lines are read: what load_log.h shows of it, and what only the reading needs.
 * Private to the load log parser. */
#ifndef INSPECT_LOAD_RUN_H
#define INSPECT_LOAD_RUN_H

#include "base/arena.h"
#include "inspect/load_log.h"
#include "inspect/log_text.h"

/* What a log may hold at most; further items are left out. */
enum {
    RUN_MODELS_MAX = 64,
    RUN_CONTEXTS_MAX = 128,
    RUN_BUFFERS_MAX = 2048,
    RUN_CACHES_MAX = 512,
    RUN_DEVICES_MAX = 64,
    RUN_TEXT_BYTES_MAX = 1 << 20, /* of all names and paths together */
};

struct run_model {
    struct load_model seen;
    bool failed; /* came to nothing, or was only a projection */
    /* 2023: sums without names, made into buffers when the run is shown. */
    struct measured vram_total, vram_weights, vram_with_kv, vram_scratch, vram_kv, kv_total,
        host_compute, host_other; /* vram_with_kv: weights and the cache on the GPU */
    bool kv_on_gpu;
};

struct run_context {
    struct load_context seen;
    bool has_compute, has_content;
};

struct load_run_reading {
    struct load_run seen; /* its lists are filled by run_show() */
    struct arena *arena;  /* names and paths */
    size_t text_bytes;

    struct {
        struct run_model *items;
        size_t count, capacity;
    } models;
    struct {
        struct run_context *items;
        size_t count, capacity;
    } contexts;
    struct {
        struct load_buffer *items;
        size_t count, capacity;
    } buffers;
    struct {
        struct load_cache *items;
        size_t count, capacity;
    } caches;
    struct {
        struct load_device *items;
        size_t count, capacity;
    } devices;

    int model, context; /* being read; -1: none */
    bool next_is_draft; /* the log said that a draft model comes */
    bool projecting;    /* the fit step: nothing that it prints is held */
    bool group_ended;   /* Ollama's engine: the next size begins a new round of its fit loop */
    struct raw_text
        backend; /* that caches and compute go to where their lines do not say: "CUDA0" */
    struct raw_text device_family; /* of the "Device N:" lines being read: "CUDA" */

    /* Shown lists, without what failed. */
    struct arena *shown;
    bool is_shown;
};

struct load_run_reading *run_new(uint64_t offset);
void run_free(struct load_run_reading **run);
/* Forgets the models and all that belongs to them. */
void run_clear(struct load_run_reading *run);
/* The run as load_log.h shows it. */
const struct load_run *run_show(struct load_run_reading *run);
/* True when it has said anything of models or their memory. */
bool run_has_content(const struct load_run_reading *run);
bool run_has_sizes(const struct load_run_reading *run);

/* A copy that lives as long as the run; empty once RUN_TEXT_BYTES_MAX are used. */
struct raw_text run_text(struct load_run_reading *run, struct raw_text raw);
/* Sets a text that is not set yet. */
void run_text_once(struct load_run_reading *run, struct raw_text *text, struct raw_text raw);

/* A new model is being loaded; path may be empty. */
struct run_model *run_begin_model(struct load_run_reading *run, enum model_kind kind,
                                  struct raw_text path);
/* The model being loaded; begins one where the log did not say so. Adapters and projectors are
 * additions to it and never the one. */
struct run_model *run_main_model(struct load_run_reading *run);
/* Index of the newest adapter or projector; begins one. */
int run_addition(struct load_run_reading *run, enum model_kind kind);
struct run_context *run_begin_context(struct load_run_reading *run);
/* The context that a buffer of this kind belongs to; begins one where its start line is missing. */
struct run_context *run_context_for(struct load_run_reading *run, enum load_buffer_kind kind);

/* Adds a buffer to the model or context being read. Compute buffers are reserved again and again:
 * the last line of one context and name holds. */
void run_add_buffer(struct load_run_reading *run, enum load_buffer_kind kind, struct raw_text name,
                    int64_t bytes);
/* The same with the model, the context and the part given; replaces what was said of the same. */
void run_set_buffer(struct load_run_reading *run, const struct load_buffer *buffer);
void run_add_cache(struct load_run_reading *run, const struct load_cache *cache);
void run_add_device(struct load_run_reading *run, const struct load_device *device);

/* The load being read came to nothing, or, with `all`, all of the run: `why` is the line. */
void run_fail(struct load_run_reading *run, struct raw_text why, bool all);
/* It goes on after all. */
void run_recover(struct load_run_reading *run);

#endif
