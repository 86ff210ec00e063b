/* Inside events: what is remembered from step to step, and how an event is made. */
#ifndef TIMELINE_EVENTS_STATE_H
#define TIMELINE_EVENTS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "snapshot/snapshot.h"
#include "timeline/events.h"

enum { EVENTS_ADAPTERS_MAX = 64, EVENTS_NAME_SIZE = 64 };

/* One adapter, as long as the program runs. */
struct adapter_memory_of_events {
    char id[ADAPTER_ID_SIZE];
    bool present;     /* in the newest snapshot */
    bool lost;        /* a loss was told, and no return yet */
    bool lists_known; /* its process lists, in the newest snapshot */
    bool lists_were_known;
    bool sleeping;
    bool throttled;
    bool throttle_known;
    bool is_calm; /* throttled, but not just now, since calm_since_ns of the wall clock */
    int64_t calm_since_ns;
    bool at_risk;
    struct figure xid_last, xid_count, ecc_uncorrected, restarts; /* the last that were known */
};

/* One process, until its end is told. */
struct process_memory_of_events {
    char name[EVENTS_NAME_SIZE]; /* valid UTF-8, cut at a character */
    char label[IDENTITY_ID_SIZE];
    struct measured vram_bytes; /* measured bytes on all adapters, the last that were known */
    uint64_t adapters;          /* 1 << slot of each adapter it was seen on */
    uint64_t spilling;
    uint64_t spill_known;
    uint64_t step; /* in which it was last seen */
    size_t place;  /* in the snapshot of that step */
    bool started;  /* in our sight */
    bool models_seen;
};

struct events_state {
    struct adapter_memory_of_events adapters[EVENTS_ADAPTERS_MAX];
    size_t adapter_count;
    struct map *processes; /* struct identity -> struct process_memory_of_events */
    struct map *climbs;    /* events_climbs.c */
    int64_t seq;
    uint64_t step;
    bool quiet; /* this step only remembers */
    struct {
        struct event *items;
        size_t count, capacity;
    } pending;
};

/* The slot of an adapter, or -1: not seen yet, or more adapters than are remembered. */
int events_adapter_slot(const struct events_state *state, struct text id);

/* Tells an event, unless this step is quiet. `process` and `adapter_id` may be TEXT_NONE. */
void events_tell(struct events_state *state, const struct snapshot *now, const char *kind,
                 struct text adapter_id, struct text process, struct measured bytes,
                 struct text words);

/* "8.5 GiB", "512 MiB": in the arena. */
const char *events_bytes(struct arena *arena, int64_t bytes);

void events_of_adapters(struct events_state *state, struct snapshot *now);
void events_of_processes(struct events_state *state, const struct snapshot *before,
                         struct snapshot *now);
struct map *events_climbs_new(void);
void events_of_climbs(struct events_state *state, struct snapshot *now);

#endif
