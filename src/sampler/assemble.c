#include "sampler/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vector.h"
#include "sampler/assemble_parts.h"

struct assembler *assembler_new(void)
{
    struct assembler *assembler = memory_new(sizeof *assembler);
    assembler->work = arena_new();
    assembler->indexes = adapter_indexes_new();
    assembler->rates = rates_new();
    assembler->cpu_rates = cpu_rates_new();
    assembler->container_rows = container_rows_new();
    assembler->wsl.matching = wsl_matching_new();
    assembler->metal_rates = metal_rates_new();
    assembler->events = events_state_new();
    assembler->words = process_words_new();
    assembler->places = map_new(sizeof(struct identity), sizeof(struct process_places));
    assembler->source_states = map_new(SOURCE_NAME_SIZE, sizeof(struct source_since));
    return assembler;
}

void assembler_free(struct assembler **assembler)
{
    if (!*assembler)
        return;
    arena_free(&(*assembler)->work);
    adapter_indexes_free(&(*assembler)->indexes);
    rates_free(&(*assembler)->rates);
    cpu_rates_free(&(*assembler)->cpu_rates);
    container_rows_free(&(*assembler)->container_rows);
    wsl_matching_free(&(*assembler)->wsl.matching);
    metal_rates_free(&(*assembler)->metal_rates);
    events_state_free(&(*assembler)->events);
    process_words_free(&(*assembler)->words);
    map_free(&(*assembler)->places);
    map_free(&(*assembler)->source_states);
    VECTOR_FREE(&(*assembler)->wanted);
    free(*assembler);
    *assembler = NULL;
}

/* After a pause: nothing is computed over the gap. */
static void forget_rates(struct assembler *assembler)
{
    rates_forget(assembler->rates);
    cpu_rates_forget(assembler->cpu_rates);
    metal_rates_forget(assembler->metal_rates);
    assembler->has_previous = false;
}

size_t assembler_wanted_pids(const struct assembler *assembler, const int64_t **pids)
{
    *pids = assembler->wanted.items;
    return assembler->wanted.count;
}

void assembler_want_pid(struct assembler *assembler, int64_t pid)
{
    VECTOR_PUSH(&assembler->wanted, pid);
}

void assembler_set_foreign(struct assembler *assembler, const struct foreign_sizes *sizes)
{
    wsl_matching_set_foreign(assembler->wsl.matching, sizes);
}

const struct foreign_sizes *assembler_foreign(const struct assembler *assembler)
{
    return wsl_matching_foreign(assembler->wsl.matching);
}

size_t step_find_adapter(const struct step *step, const char *id)
{
    for (size_t i = 0; i < step->adapter_count; i++)
        if (strncmp(step->adapters[i].reading.id, id, ADAPTER_ID_SIZE) == 0)
            return i;
    return SIZE_MAX;
}

enum reason step_system_why_not(const struct step *step)
{
    enum reason why = step->input->system_why_not;
    return why == REASON_not_reported ? REASON_starting : why;
}

void step_note(struct step *step, struct text code, struct text text)
{
    for (size_t i = 0; i < step->note_count; i++)
        if (text_equal(step->notes[i].code, code) && text_equal(step->notes[i].text, text))
            return;
    if (step->note_count < NOTES_MAX)
        step->notes[step->note_count++] = (struct note){.code = code, .text = text};
}

static struct process_places *places_of(struct step *step, struct identity identity)
{
    return map_put(step->assembler->places, &identity, NULL);
}

/* Where each process is found, so that nobody searches the readings for it. The first place of an
 * identity counts. */
static void find_places(struct step *step)
{
    const struct assemble_input *input = step->input;
    map_clear(step->assembler->places);
    for (size_t i = input->inspection_count; i-- > 0;)
        places_of(step, input->inspections[i]->gathered.identity)->inspection = i + 1;
    if (!input->system)
        return;
    for (size_t i = input->system->process_count; i-- > 0;)
        places_of(step, input->system->processes[i].identity)->process = i + 1;
    for (size_t i = input->system->walk.process_count; i-- > 0;)
        places_of(step, input->system->walk.processes[i].identity)->walked = i + 1;
}

/* The readings of all backends, one kind after the other, in one array each. */
static void read_clients(struct step *step)
{
    const struct assemble_input *input = step->input;
    size_t count = 0;
    for (size_t i = 0; i < input->reading_count; i++)
        count += input->readings[i]->client_count;
    struct drm_client_reading *all = ARENA_ARRAY(step->work, struct drm_client_reading, count);
    size_t at = 0;
    for (size_t i = 0; i < input->reading_count; i++)
        for (size_t k = 0; k < input->readings[i]->client_count; k++)
            all[at++] = input->readings[i]->clients[k];
    clients_merge(step->work, all, count, &step->clients);
}

/* KFD names host pids: in a container its list says nothing about the processes here. */
static void read_kfd(struct step *step)
{
    const struct assemble_input *input = step->input;
    step->kfd.walk = input->system ? &input->system->walk : NULL;
    for (size_t i = 0; i < input->reading_count && input->mode != SNAPSHOT_CONTAINER; i++)
        if (input->readings[i]->kfd_process_count > 0) {
            step->kfd.listed = input->readings[i]->kfd_processes;
            step->kfd.listed_count = input->readings[i]->kfd_process_count;
        }
}

static void read_nvml(struct step *step)
{
    const struct assemble_input *input = step->input;
    for (size_t i = 0; i < input->reading_count; i++) {
        const struct reading *reading = input->readings[i];
        if (strcmp(reading->source, "nvml") != 0)
            continue;
        step->nvml_answered = reading->state == SOURCE_OK || reading->state == SOURCE_PARTIAL;
        step->nvml = (struct nvml_seen){
            .adapters = reading->adapters,
            .adapter_count = reading->adapter_count,
            .listed = reading->listed,
            .listed_count = reading->listed_count,
            .samples = reading->samples,
            .sample_count = reading->sample_count,
        };
        nvml_processes(step->work, &step->nvml, &step->rows);
    }
}

static void set_header(struct step *step)
{
    const struct pass *pass = step->input->pass;
    struct assembler *assembler = step->assembler;
    struct snapshot *snapshot = step->snapshot;

    snapshot->sequence = ++assembler->sequence;
    snapshot->version = TEXT(GPUTASKMAN_VERSION);
    snapshot->origin = step->input->origin;
    snapshot->mode = step->input->mode;
    snapshot->taken_at_ns = pass->wall_ns - pass->wall_ns % 1000;
    snapshot->monotonic_seconds = figure_known((double)pass->running_ns / 1e9, HOW_MEASURED);
    int64_t interval_ns = pass->running_ns - assembler->previous_running_ns;
    snapshot->interval_seconds = assembler->has_previous && interval_ns > 0
                                     ? figure_known((double)interval_ns / 1e9, HOW_MEASURED)
                                     : figure_unknown(REASON_need_two_samples);
    assembler->has_previous = true;
    assembler->previous_running_ns = pass->running_ns;
}

static void set_notes(struct step *step)
{
    struct snapshot *snapshot = step->snapshot;
    snapshot->notes = ARENA_ARRAY(snapshot->arena, struct note, step->note_count);
    snapshot->note_count = step->note_count;
    for (size_t i = 0; i < step->note_count; i++)
        snapshot->notes[i] = step->notes[i];
}

void assembler_step(struct assembler *assembler, const struct assemble_input *input,
                    struct snapshot *snapshot)
{
    arena_reset(assembler->work);
    struct step *step = ARENA_NEW(assembler->work, struct step);
    step->assembler = assembler;
    step->input = input;
    step->snapshot = snapshot;
    step->work = assembler->work;
    step->subject_places = map_new(sizeof(struct identity), sizeof(size_t));

    if (input->pass->after_gap)
        forget_rates(assembler);
    set_header(step);
    assemble_wsl_begin(step);
    assemble_windows_begin(step);
    assemble_pair_adapters(step);
    assemble_wsl_pair(step);
    step->totals = ARENA_ARRAY(step->work, struct adapter_totals, step->adapter_count);

    find_places(step);
    read_clients(step);
    read_kfd(step);
    read_nvml(step);
    assemble_metal_begin(step);
    step->client_rates = rates_step(assembler->rates, step->work, &step->clients);
    private_clients(step->work, &step->clients, step->kfd.walk, input->pass->running_ns,
                    &step->ownerships);

    assemble_subjects(step);
    assemble_host(step);
    assemble_processes(step);
    assemble_adapters(step);
    assemble_models(step);
    assemble_sources(step);
    set_notes(step);
    events_step(assembler->events, input->previous, snapshot);

    VECTOR_FREE(&step->subjects);
    map_free(&step->subject_places);
}
