#include <string.h>

#include "sampler/assemble_parts.h"

static struct text text_of(struct step *step, struct raw_text raw)
{
    return raw.bytes && raw.length > 0 ? text_from_raw(step->snapshot->arena, raw) : TEXT_NONE;
}

static struct measured difference(struct measured total, struct measured rest)
{
    if (!total.known)
        return total;
    if (!rest.known)
        return rest;
    return rest.value > total.value || rest.value < 0 ? measured_unknown(REASON_incredible_value)
                                                      : measured_known(total.value - rest.value);
}

void assemble_host(struct step *step)
{
    const struct system_reading *system = step->input->system;
    struct host *host = &step->snapshot->host;
    const char *name = step->input->system_name;

    host->os = name ? text_from_raw(step->snapshot->arena, raw_from_string(name)) : TEXT_NONE;
    if (!system) {
        struct measured unknown = measured_unknown(step_system_why_not(step));
        host->cpu_count = unknown;
        host->memory_total_bytes = host->memory_used_bytes = unknown;
        host->swap_total_bytes = host->swap_used_bytes = unknown;
        host->cpu_percent = figure_unknown(step_system_why_not(step));
        return;
    }
    const struct host_reading *seen = &system->host;
    host->name = step->input->hide_host_name ? TEXT_NONE : text_of(step, seen->name);
    host->boot_id = text_of(step, seen->boot_id);
    host->kernel = text_of(step, seen->kernel);
    host->cpu_count = seen->cpu_count > 0 ? measured_known(seen->cpu_count)
                                          : measured_unknown(REASON_not_reported);
    struct rate cpu = cpu_rates_host(step->assembler->cpu_rates, seen);
    host->cpu_percent =
        cpu.known ? figure_known(cpu.percent, HOW_MEASURED) : figure_unknown(cpu.why_not);
    host->memory_total_bytes = seen->memory_total_bytes;
    host->memory_used_bytes = difference(seen->memory_total_bytes, seen->memory_available_bytes);
    host->swap_total_bytes = seen->swap_total_bytes;
    host->swap_used_bytes = difference(seen->swap_total_bytes, seen->swap_free_bytes);
}

/* Since when a source is in its state. */
static int64_t since_ns(struct step *step, const struct reading *reading)
{
    char key[SOURCE_NAME_SIZE] = {0};
    bool added;
    memcpy(key, reading->source, strnlen(reading->source, sizeof key - 1));
    struct source_since *since = map_put(step->assembler->source_states, key, &added);
    if (added || since->state != reading->state)
        *since =
            (struct source_since){.state = reading->state, .wall_ns = step->snapshot->taken_at_ns};
    return since->wall_ns;
}

static struct figure seconds(int64_t ns)
{
    return figure_known((double)(ns < 0 ? 0 : ns) / 1e9, HOW_MEASURED);
}

void assemble_sources(struct step *step)
{
    struct snapshot *snapshot = step->snapshot;
    size_t count = step->input->reading_count;
    snapshot->sources = ARENA_ARRAY(snapshot->arena, struct source_status, count);
    snapshot->source_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct reading *reading = step->input->readings[i];
        bool answered = reading->state == SOURCE_OK || reading->state == SOURCE_PARTIAL ||
                        reading->state == SOURCE_STALE;
        bool has_problem = reading->problem.text[0] != '\0';
        snapshot->sources[i] = (struct source_status){
            .name = text_from_raw(snapshot->arena, raw_from_string(reading->source)),
            .state = reading->state,
            .has_code = reading->has_code,
            .code = reading->code,
            .detail = has_problem
                          ? text_from_raw(snapshot->arena, raw_from_string(reading->problem.text))
                          : text_of(step, reading->detail),
            .age_seconds = answered ? seconds(step->input->pass->running_ns - reading->running_ns)
                                    : figure_unknown(REASON_not_reported),
            .duration_seconds =
                answered ? seconds(reading->duration_ns) : figure_unknown(REASON_not_reported),
            .since_ns = since_ns(step, reading),
        };
        if (reading->state == SOURCE_FAILED && has_problem)
            step_note(
                step, TEXT("source_failed"),
                text_format(snapshot->arena, "%s: %s", reading->source, reading->problem.text));
    }
}
