#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "gpu/backend.h"
#include "gpu/helper/adapter_line.h"
#include "gpu/helper/candidates.h"
#include "gpu/nvml/nvidia_pci.h"
#include "gpu/nvml/nvml_abi.h"
#include "gpu/nvml/nvml_cards.h"
#include "gpu/nvml/nvml_door.h"
#include "gpu/nvml/nvml_lines.h"
#include "gpu/nvml/nvml_serve.h"
#include "gpu/nvml/nvml_wake.h"
#include "gpu/nvml/nvml_words.h"
#include "gpu/nvml/tegra.h"

struct backend_state {
    struct machine *machine;
    struct nvidia_functions functions; /* of the last look */
    struct nvml_wake_state wake;
    struct nvml_wake_seen seen;
    struct nvml_cards cards;
    struct tegra tegra;
    bool has_candidate;             /* a library is there to be loaded */
    int64_t candidate_looked_at_ns; /* 0: never */
};

static const int64_t candidate_patience_ns = 10000000000;

static struct backend_state *nvml_open(struct machine *machine)
{
    struct backend_state *state = memory_new(sizeof *state);
    state->machine = machine;
    return state;
}

static void nvml_close(struct backend_state **state)
{
    free(*state);
    *state = NULL;
}

static const char *named_library(void)
{
    return candidates_named("GPUTASKMAN_NVML");
}

/* A driver is installed rarely: without a GPU on the bus it is looked for every 10 s. */
static bool has_candidate(struct backend_state *state, int64_t running_ns)
{
    int64_t age_ns = running_ns - state->candidate_looked_at_ns;
    if (state->candidate_looked_at_ns == 0 || age_ns < 0 || age_ns >= candidate_patience_ns) {
        state->has_candidate = nvml_is_installed(state->machine->root);
        state->candidate_looked_at_ns = running_ns;
    }
    return state->has_candidate;
}

/* True when there is something to load; else why not. */
static bool has_library(struct backend_state *state, struct machine *machine, int64_t running_ns,
                        struct problem *problem)
{
    const char *name = named_library();
    if (name != NULL)
        return candidates_can_open(name) ||
               problem_set(problem, "no NVML: GPUTASKMAN_NVML names %s, which cannot be opened",
                           name);
    if (machine->recorded)
        return problem_set(problem, "no NVML: this is a recorded machine, and GPUTASKMAN_NVML "
                                    "names no library for it");
    return state->functions.count > 0 || has_candidate(state, running_ns) ||
           problem_set(problem, "no NVIDIA GPU on the PCI bus and no %s", nvml_file_name);
}

static bool is_touched(const struct pass *pass, const char *id)
{
    for (size_t i = 0; i < pass->touch_count; i++)
        if (strcmp(pass->touch[i], id) == 0)
            return true;
    return false;
}

static void look(struct backend_state *state, struct machine *machine, const struct pass *pass)
{
    struct nvml_wake_seen *seen = &state->seen;
    /* Of a recorded machine without files nothing is known but what its library says. */
    if (machine->root != NULL || !machine->recorded)
        nvidia_functions_refresh(machine->root, &state->functions, pass->running_ns);
    *seen = (struct nvml_wake_seen){.running_ns = pass->running_ns,
                                    .all_may_sleep = state->functions.count > 0};
    for (size_t i = 0; i < state->functions.count; i++) {
        const struct nvidia_function *function = &state->functions.items[i];
        seen->any_suspended = seen->any_suspended || function->is_suspended;
        seen->all_may_sleep = seen->all_may_sleep && function->may_sleep;
        seen->touched = seen->touched || is_touched(pass, function->id);
    }
}

static struct raw_text copy_string(struct arena *arena, const char *string)
{
    size_t length = strlen(string);
    if (length == 0)
        return (struct raw_text){NULL, 0};
    return (struct raw_text){arena_string(arena, string, length), length};
}

static void describe(struct backend_state *state, const struct nvidia_function *function,
                     int32_t index, enum reason why_not, struct arena *arena,
                     struct adapter_reading *adapter)
{
    memcpy(adapter->id, function->id, sizeof adapter->id);
    adapter->source = backend_nvml.name;
    adapter->lists_processes = true;
    adapter->driver_index = index;
    adapter->vendor = raw_from_string("nvidia");
    if (function->has_driver)
        adapter->driver = raw_from_string("nvidia");
    adapter->has_pci_ids = true;
    adapter->pci_vendor = NVIDIA_VENDOR;
    adapter->pci_device = function->device;
    adapter->pci_subsystem_vendor = function->subsystem_vendor;
    adapter->pci_subsystem_device = function->subsystem_device;
    adapter->pci_revision = function->revision;
    adapter->kind = ADAPTER_DISCRETE;
    adapter->kind_is_inferred = true;
    adapter->power_state = function->is_suspended ? POWER_SUSPENDED : POWER_ACTIVE;
    adapter_line_set_unknown(adapter, why_not);
    if (function->has_minor) {
        char node[32];
        snprintf(node, sizeof node, "/dev/nvidia%" PRIu32, function->minor);
        adapter->nodes[0] = copy_string(arena, node);
        adapter->device_numbers[0] = (uint64_t)NVIDIA_DEVICE_MAJOR << 32 | function->minor;
        adapter->node_count = 1;
    }
    const struct nvml_card *card = nvml_cards_of(&state->cards, state->machine->root, function);
    if (card != NULL) {
        adapter->name = copy_string(arena, card->name);
        adapter->uuid = copy_string(arena, card->uuid);
    }
}

/* The GPUs of the bus, each figure unavailable for one reason. */
static void list_functions(struct backend_state *state, enum reason why_not,
                           struct reading *reading)
{
    size_t count = state->functions.count;
    struct adapter_reading *adapters = ARENA_ARRAY(reading->arena, struct adapter_reading, count);
    for (size_t i = 0; i < count; i++)
        describe(state, &state->functions.items[i], (int32_t)i, why_not, reading->arena,
                 &adapters[i]);
    reading->adapters = adapters;
    reading->adapter_count = count;
}

static void nvml_find(struct backend_state *state, struct machine *machine, const struct pass *pass,
                      struct reading *reading)
{
    look(state, machine, pass);
    bool rests = state->seen.any_suspended || state->wake.is_released;
    list_functions(state, rests ? REASON_device_suspended : REASON_starting, reading);
}

static bool nvml_should_ask(struct backend_state *state, struct machine *machine,
                            const struct pass *pass, struct reading *reading)
{
    look(state, machine, pass);
    enum nvml_wake wake = nvml_wake_step(&state->wake, &state->seen);
    if (wake == NVML_WAKE_ASK && has_library(state, machine, pass->running_ns, &reading->problem))
        return true;
    if (wake == NVML_WAKE_ASK) {
        list_functions(state, REASON_not_supported, reading);
        reading->state = SOURCE_ABSENT;
        return false;
    }
    list_functions(state, REASON_device_suspended, reading);
    reading->state = SOURCE_OFF;
    reading->has_code = true;
    reading->code = REASON_device_suspended;
    problem_set(&reading->problem,
                wake == NVML_WAKE_ASLEEP
                    ? "a GPU is asleep and NVML would wake it: select it to wake it"
                    : "NVML was given back so that an unused GPU can go to sleep");
    return false;
}

static void nvml_write_request(struct backend_state *state, const struct pass *pass, char *line,
                               size_t size)
{
    uint32_t bus_gpus = 0;
    for (size_t i = 0; i < state->functions.count; i++)
        bus_gpus += state->functions.items[i].has_driver;
    const struct nvml_request request = {
        .number = pass->number,
        .wall_us = pass->wall_ns / 1000,
        .running_ns = pass->running_ns,
        .interval_ns = pass->interval_ns,
        .pcie_rates = pass->wanted.pcie_rates,
        .everything = pass->one_shot || pass->wanted.all_static,
        .watch = pass->goes_on,
        .bus_gpus = bus_gpus,
    };
    nvml_request_write(&request, line, size);
}

/* NVML counts in the order of PCI addresses: a device that never answered has the address of its
 * place, where the bus shows as many. */
static void complete_adapter(const struct backend_state *state, size_t devices,
                             struct adapter_reading *adapter)
{
    const struct nvidia_functions *functions = &state->functions;
    size_t index = (size_t)adapter->driver_index;
    adapter->source = backend_nvml.name;
    adapter->lists_processes = true;
    if (adapter->id[0] == '\0') {
        if (functions->count == devices && index < functions->count)
            memcpy(adapter->id, functions->items[index].id, sizeof adapter->id);
        else
            snprintf(adapter->id, sizeof adapter->id, "nvml:%d", (int)adapter->driver_index);
    }
    adapter->pci_revision_unknown = adapter->has_pci_ids;
    for (size_t i = 0; i < functions->count; i++)
        if (strcmp(functions->items[i].id, adapter->id) == 0) {
            adapter->pci_revision = functions->items[i].revision;
            adapter->pci_revision_unknown = false;
        }
}

static void say_partial(const struct adapter_reading *adapter, struct reading *reading)
{
    bool lists = adapter->compute_list_unknown || adapter->graphics_list_unknown;
    if (reading->state == SOURCE_PARTIAL || (adapter->power_state == POWER_ACTIVE && !lists))
        return;
    reading->state = SOURCE_PARTIAL;
    reading->has_code = true;
    reading->code = adapter->power_state != POWER_ACTIVE ? adapter->figures_why_not
                    : adapter->compute_list_unknown      ? adapter->compute_list_why_not
                                                         : adapter->graphics_list_why_not;
    problem_set(&reading->problem, "%s%s: %s",
                adapter->power_state != POWER_ACTIVE ? "" : "process list of ", adapter->id,
                reason_words(reading->code));
}

static void say_detail(const struct nvml_answer *answer, struct reading *reading)
{
    char detail[1024];
    const struct nvml_opening *opening = &answer->opening;
    int used = snprintf(detail, sizeof detail, "driver %s, NVML %s, %s",
                        opening->driver_version[0] != '\0' ? opening->driver_version : "unknown",
                        opening->nvml_version[0] != '\0' ? opening->nvml_version : "unknown",
                        opening->path);
    for (size_t i = 0; i < answer->notes.count && used > 0 && used < (int)sizeof detail; i++)
        used += snprintf(detail + used, sizeof detail - (size_t)used, "; %.*s",
                         (int)answer->notes.items[i].length, answer->notes.items[i].bytes);
    reading->detail = copy_string(reading->arena, detail);
}

/* Nothing but us uses any GPU. */
static bool is_idle(const struct backend_state *state, const struct nvml_answer *answer)
{
    for (size_t i = 0; i < answer->adapters.count; i++) {
        const struct adapter_reading *adapter = &answer->adapters.items[i];
        if (adapter->power_state != POWER_ACTIVE || adapter->compute_list_unknown ||
            adapter->graphics_list_unknown || adapter->load_millipercent.value != 0)
            return false;
    }
    for (size_t i = 0; i < answer->listed.count; i++)
        if (answer->listed.items[i].pid != state->machine->self_pid)
            return false;
    return answer->adapters.count > 0;
}

static bool nvml_read_answer(struct backend_state *state, struct raw_text lines,
                             struct reading *reading)
{
    struct nvml_answer answer;
    if (!nvml_answer_read(lines, reading->arena, &answer))
        return false;
    if (answer.opening.code != NVML_OK) {
        list_functions(state, REASON_call_failed, reading);
        nvml_words_of_failure(&answer.opening, state->machine, &state->functions,
                              named_library() != NULL, reading);
        return true;
    }
    size_t devices = 0;
    for (size_t i = 0; i < answer.adapters.count; i++)
        devices += answer.adapters.items[i].kind != ADAPTER_MIG;
    reading->state = SOURCE_OK;
    tegra_use_display_id(state->machine->root, &answer);
    for (size_t i = 0; i < answer.adapters.count; i++) {
        complete_adapter(state, devices, &answer.adapters.items[i]);
        tegra_complete(&state->tegra, state->machine->root, &answer.adapters.items[i]);
        nvml_cards_remember(&state->cards, &answer.adapters.items[i]);
        say_partial(&answer.adapters.items[i], reading);
    }
    reading->adapters = answer.adapters.items;
    reading->adapter_count = answer.adapters.count;
    reading->listed = answer.listed.items;
    reading->listed_count = answer.listed.count;
    reading->samples = answer.samples.items;
    reading->sample_count = answer.samples.count;
    say_detail(&answer, reading);
    nvml_wake_answered(&state->wake, &state->seen, is_idle(state, &answer));
    return true;
}

/* No Mac of today has a driver of NVIDIA's. */
static bool nvml_belongs(struct machine *machine)
{
    return strcmp(machine->system, "macos") != 0;
}

const struct backend backend_nvml = {
    .name = "nvml",
    .belongs = nvml_belongs,
    .open = nvml_open,
    .close = nvml_close,
    .find = nvml_find,
    .should_ask = nvml_should_ask,
    .write_request = nvml_write_request,
    .read_answer = nvml_read_answer,
    .serve = nvml_serve,
};
