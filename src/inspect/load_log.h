/* Load logs of model runtimes: llama.cpp from ggml times (2023) to b10361 and its relatives
 * (Ollama's runner and own engine, KoboldCpp, ik_llama.cpp), whisper.cpp, stable-diffusion.cpp.
 * Line forms: the released sources and the recorded logs in tests/cases/models.
 *
 * Pure and incremental: bytes go in, what the runs in the log hold comes out. Memory is bounded
 * whatever the log's size; damage never stops it. Prefixes of any kind (times, journal, docker,
 * levels, colours) are skipped. A log of several processes is told apart into runs.
 *
 * What a log says is a report: its sizes are never added to a total. A size has the precision that
 * was printed (5434.38 MiB is 5698358149 bytes, give or take half of 0.01 MiB). */
#ifndef INSPECT_LOAD_LOG_H
#define INSPECT_LOAD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "reading/measured.h"
#include "snapshot/snapshot.h"

enum load_buffer_kind {
    LOAD_WEIGHTS,
    LOAD_KV_CACHE,
    LOAD_STATE, /* of recurrent layers ("RS") */
    LOAD_COMPUTE,
    LOAD_OUTPUT,
    LOAD_LORA,
    LOAD_OTHER, /* host memory of 2023 that is not split further */
    LOAD_BUFFER_KIND_COUNT
};

enum { LOAD_NO_CONTEXT = -1 };

struct load_buffer {
    struct raw_text name; /* "CUDA0", "CPU_Mapped", "RPC0[192.0.2.10:50052]" */
    struct raw_text part; /* "conv", "flux": one of several of the same kind; else empty */
    enum load_buffer_kind kind;
    int64_t bytes;
    int model;   /* index in models */
    int context; /* index in contexts; LOAD_NO_CONTEXT: of the model itself */
};

/* One line about a whole KV cache or state. Not added to the buffers: it says the same bytes. */
struct load_cache {
    int context;
    int64_t bytes;
    struct measured cells, layers, sequences, streams;
    struct raw_text type_k, type_v; /* "f16"; of a state "f32"; empty when not said */
    int64_t k_bytes, v_bytes;
};

struct load_context {
    int model;
    struct measured context;          /* n_ctx: cells of all sequences together */
    struct measured sequence_context; /* n_ctx_seq, n_ctx_per_seq */
    struct measured sequences;        /* n_seq_max */
    struct measured batch, ubatch;
    struct raw_text flash_attention; /* "enabled", "0", "auto"; empty when not said */
    bool kv_unified_known, kv_unified;
};

struct load_model {
    enum model_kind kind; /* MODEL_UNKNOWN: the log does not tell; draft, projector, adapter ... */
    struct raw_text path; /* as printed; bytes NULL when not said */
    struct raw_text name, architecture, quantization; /* general.name, arch, file type */
    struct raw_text format;                           /* "gguf", "ggml"; empty */
    struct measured layers, context_trained, parameters, file_bytes; /* as printed, rounded */
    struct measured offloaded, offloadable; /* "offloaded 41/41 layers to GPU": printed without any
                                               GPU too, so the buffers decide */
};

struct load_device { /* "using device CUDA0 (NAME) (0000:01:00.0) - 15221 MiB free" */
    struct raw_text name, description, bus_id; /* bus_id empty when unknown */
    struct measured free_bytes;
    /* Of vLLM and SGLang, whose processes have a GPU each and one log: */
    struct measured pid;         /* that its lines are marked with */
    struct measured pool_tokens; /* room of its KV cache */
    struct measured blocks;      /* the same, counted in blocks of a size that is not said */
    int64_t loads, pools;        /* so far; while the log is read */
};

/* One run of a runtime: from a start marker, or from where its relative clock fell back to zero, or
 * from Ollama's "starting runner" line, to the next one. */
struct load_run {
    uint64_t offset;      /* of its first line, in bytes from where feeding began */
    bool has_start;       /* false: the log begins in the middle of it */
    struct measured port; /* that it listens on: child of a router or of Ollama, or "listening" */
    struct measured
        log_pid;      /* of the journal's prefix: Ollama's is the server's, not the runner's */
    int64_t start_ns; /* wall clock of its first line whose time has a zone; TIME_UNKNOWN */
    struct raw_text runtime;   /* "llama.cpp", "ollama", "whisper.cpp" ...; empty when unknown */
    struct raw_text version;   /* "b4061 (hash)" */
    struct raw_text main_path; /* what it was asked to load: "loading model 'PATH'", --model PATH */
    bool is_child;             /* its lines come through its parent's output */
    bool is_router;            /* starts children and holds no model itself */
    bool ready;                /* "model loaded", "listening on", "runner started" */
    struct measured slots, slot_context;
    struct raw_text error; /* why it holds nothing (any more): the line; bytes NULL: none */

    const struct load_model *models;
    size_t model_count;
    const struct load_context *contexts;
    size_t context_count;
    const struct load_buffer *buffers; /* after the summing rules: what it holds at its end */
    size_t buffer_count;
    const struct load_cache *caches;
    size_t cache_count;
    const struct load_device *devices;
    size_t device_count;
};

struct load_log;

struct load_log *load_log_new(void);
/* Frees the log with its runs and sets the caller's pointer to NULL. NULL is allowed. */
void load_log_free(struct load_log **log);
/* More bytes of the log, cut anywhere. */
void load_log_feed(struct load_log *log, struct raw_text bytes);
/* Takes a last line that has no end. Feeding may go on afterwards. */
void load_log_end(struct load_log *log);

/* The runs that are kept, oldest first: at most LOAD_RUNS_MAX, older ones are forgotten. They and
 * everything they point to are valid until the next feed, end or free. */
enum { LOAD_RUNS_MAX = 16 };
size_t load_log_run_count(const struct load_log *log);
const struct load_run *load_log_run(const struct load_log *log, size_t index);
/* True when the run is part of what the log's end shows: the last run; of a router's log each of
 * its children since the router started; of an Ollama server's log also the last runner that said
 * sizes, while a newer one has not said any. */
bool load_log_run_is_last(const struct load_log *log, size_t index);

/* A copy with everything it points to, for whoever outlives the log. */
struct load_run *load_run_copy(struct arena *arena, const struct load_run *run);

/* True for a buffer in system memory: CPU, BLAS, AMX, CPU_..., ..._Host (pinned). */
bool load_buffer_is_host(struct raw_text name);
/* The device behind a buffer: the name without _Mapped, _REPACK, _Private. "CUDA_Split" stays:
 * its rows are spread over several. */
struct raw_text load_buffer_device(struct raw_text name);

#endif
