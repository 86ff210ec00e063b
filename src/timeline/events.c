#include "timeline/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "timeline/events_state.h"

struct events_state *events_state_new(void)
{
    struct events_state *state = memory_new(sizeof *state);
    state->processes = map_new(sizeof(struct identity), sizeof(struct process_memory_of_events));
    state->climbs = events_climbs_new();
    return state;
}

void events_state_free(struct events_state **state)
{
    if (*state) {
        map_free(&(*state)->processes);
        map_free(&(*state)->climbs);
        VECTOR_FREE(&(*state)->pending);
    }
    free(*state);
    *state = NULL;
}

int events_adapter_slot(const struct events_state *state, struct text id)
{
    for (size_t i = 0; i < state->adapter_count; i++) {
        if (text_equal_string(id, state->adapters[i].id)) {
            return (int)i;
        }
    }
    return -1;
}

void events_tell(struct events_state *state, const struct snapshot *now, const char *kind,
                 struct text adapter_id, struct text process, struct measured bytes,
                 struct text words)
{
    if (state->quiet) {
        return;
    }
    struct event event = {
        .seq = ++state->seq,
        .at_ns = now->taken_at_ns,
        .kind = {kind, strlen(kind)},
        .adapter_id = adapter_id,
        .process = process,
        .bytes = bytes,
        .text = words,
    };
    VECTOR_PUSH(&state->pending, event);
}

const char *events_bytes(struct arena *arena, int64_t bytes)
{
    const double mib = 1 << 20, gib = 1 << 30;
    double amount = (double)bytes;
    struct text text = amount >= gib ? text_format(arena, "%.1f GiB", amount / gib)
                                     : text_format(arena, "%.0f MiB", amount / mib);
    return text.utf8;
}

void events_step(struct events_state *state, const struct snapshot *before, struct snapshot *now)
{
    state->quiet = !before || state->step == 0;
    state->step++;
    state->pending.count = 0;
    events_of_adapters(state, now);
    events_of_processes(state, before, now);
    events_of_climbs(state, now);

    size_t count = now->event_count + state->pending.count;
    if (state->pending.count == 0) {
        return;
    }
    struct event *events = ARENA_ARRAY(now->arena, struct event, count);
    if (now->event_count > 0) {
        memcpy(events, now->events, now->event_count * sizeof *events);
    }
    memcpy(events + now->event_count, state->pending.items, state->pending.count * sizeof *events);
    now->events = events;
    now->event_count = count;
}
