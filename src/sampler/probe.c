#include "sampler/probe.h"

#include <string.h>

#include "rules/adapter_pairing.h"
#include "sampler/backends.h"
#include "snapshot/selector.h"

static bool backend_finds_gpu(const struct backend *backend, struct machine *machine,
                              const struct pass *pass)
{
    if (backend->belongs && !backend->belongs(machine)) {
        return false;
    }
    struct backend_state *state = backend->open ? backend->open(machine) : NULL;
    struct reading *reading = reading_new(backend->name);
    bool found = backend->should_ask && backend->should_ask(state, machine, pass, reading);
    if (!found && backend->find) {
        reading_reset(reading, backend->name);
        backend->find(state, machine, pass, reading);
    }
    found = found || reading->adapter_count > 0;
    reading_free(&reading);
    if (backend->close) {
        backend->close(&state);
    }
    return found;
}

bool probe_finds_gpu(struct machine *machine)
{
    struct pass pass;
    memset(&pass, 0, sizeof pass);
    machine_begin_sample(machine, 0, &pass);
    const struct backend *const *backends = NULL;
    size_t count = backends_of_collector(&backends);
    for (size_t i = 0; i < count; i++) {
        if (backend_finds_gpu(backends[i], machine, &pass)) {
            return true;
        }
    }
    count = backends_of_helpers(&backends);
    for (size_t i = 0; i < count; i++) {
        if (backend_finds_gpu(backends[i], machine, &pass)) {
            return true;
        }
    }
    return false;
}

/* The adapters that one backend sees. */
static struct reading *see(const struct backend *backend, struct machine *machine,
                           const struct pass *pass)
{
    struct reading *reading = reading_new(backend->name);
    if (!backend->find || (backend->belongs && !backend->belongs(machine))) {
        return reading;
    }
    struct backend_state *state = backend->open ? backend->open(machine) : NULL;
    backend->find(state, machine, pass, reading);
    if (backend->close) {
        backend->close(&state);
    }
    return reading;
}

static bool has_adapter(const struct reading *reading, const char *id)
{
    for (size_t i = 0; i < reading->adapter_count; i++) {
        if (strcmp(reading->adapters[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_selected(struct arena *arena, const char *selector,
                        const struct paired_adapter *paired)
{
    const struct adapter_reading *reading = &paired->reading;
    const struct adapter adapter = {
        .index = paired->index,
        .id = text_from_raw(arena, raw_from_string(reading->id)),
        .uuid = reading->uuid.bytes ? text_from_raw(arena, reading->uuid) : TEXT_NONE,
        .name = reading->name.bytes ? text_from_raw(arena, reading->name) : TEXT_NONE,
    };
    return selector_matches(selector, &adapter);
}

static bool selects_others(struct arena *arena, const char *selector,
                           const struct paired_adapter *adapters, size_t count,
                           const struct reading *of_helper)
{
    bool selected = false;
    for (size_t i = 0; i < count; i++) {
        if (!is_selected(arena, selector, &adapters[i])) {
            continue;
        }
        if (has_adapter(of_helper, adapters[i].reading.id)) {
            return false;
        }
        selected = true;
    }
    return selected;
}

bool probe_selects_others(struct machine *machine, const struct pass *pass,
                          const struct backend *helper, const char *const *selectors, size_t count)
{
    const struct backend *const *lists[2] = {NULL, NULL};
    const size_t counts[2] = {backends_of_collector(&lists[0]), backends_of_helpers(&lists[1])};
    struct reading *readings[2 * BACKENDS_MAX];
    const struct reading *of_helper = NULL;
    size_t reading_count = 0, adapter_count = 0, paired_count = 0;
    for (size_t list = 0; list < 2; list++) {
        for (size_t i = 0; i < counts[list]; i++) {
            struct reading *reading = see(lists[list][i], machine, pass);
            of_helper = lists[list][i] == helper ? reading : of_helper;
            adapter_count += reading->adapter_count;
            readings[reading_count++] = reading;
        }
    }
    struct arena *arena = arena_new();
    const struct adapter_reading **all =
        ARENA_ARRAY(arena, const struct adapter_reading *, adapter_count);
    for (size_t i = 0, at = 0; i < reading_count; i++) {
        for (size_t k = 0; k < readings[i]->adapter_count; k++) {
            all[at++] = &readings[i]->adapters[k];
        }
    }
    struct adapter_indexes *indexes = adapter_indexes_new();
    const struct paired_adapter *adapters =
        adapter_pairing_step(indexes, arena, all, adapter_count, &paired_count);
    bool others = of_helper != NULL;
    for (size_t i = 0; i < count && others; i++) {
        others = selects_others(arena, selectors[i], adapters, paired_count, of_helper);
    }
    adapter_indexes_free(&indexes);
    arena_free(&arena);
    for (size_t i = 0; i < reading_count; i++) {
        reading_free(&readings[i]);
    }
    return others;
}
