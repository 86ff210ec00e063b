#include <string.h>

#include "present/summary.h"
#include "snapshot/json_members.h"
#include "snapshot/words.h"

static struct text of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static void put_statistic(struct json_writer *writer, const char *key,
                          const struct statistic *statistic)
{
    json_put_key(writer, key);
    if (!statistic_is_known(statistic)) {
        json_put_null(writer);
        return;
    }
    json_open(writer, '{');
    json_member_real(writer, "peak", statistic->peak);
    json_member_time(writer, "peak_at", statistic->peak_at_ns);
    json_member_real(writer, "mean", statistic_mean(statistic));
    json_member_real(writer, "p95", statistic_quantile(statistic, 0.95));
    json_member_real(writer, "seconds", statistic->seconds);
    json_member_integer(writer, "samples", (int64_t)statistic->samples);
    json_member_string(writer, "how", how_name(statistic_how(statistic)));
    json_close(writer, '}');
}

/* Joules over the seconds for which they are known; null where that is never. */
static void put_joules(struct json_writer *writer, const char *key, double joules, double seconds)
{
    json_put_key(writer, key);
    if (seconds > 0) {
        json_put_real(writer, joules);
    } else {
        json_put_null(writer);
    }
}

static void put_adapter(struct json_writer *writer, const struct summary_adapter *adapter)
{
    json_open(writer, '{');
    json_member_integer(writer, "index", adapter->index);
    json_member_string(writer, "id", adapter->id);
    json_member_string(writer, "name", adapter->name);
    json_member_boolean(writer, "unified", adapter->unified);
    json_member_real(writer, "seconds", adapter->seconds);
    json_member_measured(writer, "vram_total_bytes", adapter->vram_total_bytes);
    put_statistic(writer, "vram_used_bytes", &adapter->vram_used_bytes);
    put_statistic(writer, "shared_used_bytes", &adapter->shared_used_bytes);
    put_statistic(writer, "load_percent", &adapter->load_percent);
    put_statistic(writer, "power_watts", &adapter->power_watts);
    put_statistic(writer, "temperature_celsius", &adapter->temperature_celsius);
    put_joules(writer, "energy_joules", adapter->energy_joules, adapter->energy_seconds);
    json_member_real(writer, "energy_seconds", adapter->energy_seconds);
    put_joules(writer, "energy_estimated_joules", adapter->energy_estimated_joules,
               adapter->energy_estimated_seconds);
    json_member_real(writer, "energy_estimated_seconds", adapter->energy_estimated_seconds);
    put_statistic(writer, "tracked_vram_bytes", &adapter->tracked_vram_bytes);
    json_member_boolean(writer, "tracked_complete", !adapter->tracked_incomplete);
    json_close(writer, '}');
}

/* matched, guess, or null where nothing was inferred. */
static void put_inferred_by(struct json_writer *writer, const char *key,
                            const struct statistic *inferred, bool guessed)
{
    const char *word = words_inferred_by.name(guessed ? INFERRED_GUESS : INFERRED_MATCHED);
    json_member_string(writer, key, statistic_is_known(inferred) ? word : "");
}

static void put_use(struct json_writer *writer, const struct summary_use *use)
{
    json_open(writer, '{');
    json_member_string(writer, "adapter_id", use->adapter_id);
    put_statistic(writer, "vram_bytes", &use->vram_bytes);
    put_statistic(writer, "vram_inferred_bytes", &use->vram_inferred_bytes);
    put_inferred_by(writer, "vram_inferred_by", &use->vram_inferred_bytes, use->vram_guessed);
    put_statistic(writer, "spill_bytes", &use->spill_bytes);
    put_statistic(writer, "load_percent", &use->load_percent);
    json_member_boolean(writer, "load_lower_bound", use->load_lower_bound);
    put_statistic(writer, "load_inferred_percent", &use->load_inferred_percent);
    put_inferred_by(writer, "load_inferred_by", &use->load_inferred_percent, use->load_guessed);
    put_joules(writer, "energy_estimated_joules", use->energy_estimated_joules,
               use->energy_estimated_seconds);
    json_member_real(writer, "energy_estimated_seconds", use->energy_estimated_seconds);
    json_close(writer, '}');
}

static void put_model(struct json_writer *writer, const struct summary_model *model)
{
    json_open(writer, '{');
    json_member_string(writer, "name", model->name);
    json_member_string(writer, "kind", words_model_kind.name((int)model->kind));
    json_member_string(writer, "quantization", model->quantization);
    json_member_real(writer, "seconds", model->seconds);
    json_close(writer, '}');
}

static void put_process(struct json_writer *writer, const struct summary_process *process)
{
    json_open(writer, '{');
    json_member_string(writer, "id", process->id);
    json_member_integer(writer, "boot", (int64_t)process->boot);
    json_member_string(writer, "label", process->label);
    json_member_string(writer, "name", process->name);
    json_member_string(writer, "user", process->user);
    json_member_string(writer, "class", process_class_name(process->class));
    json_member_boolean(writer, "tracked", process->tracked);
    json_member_time(writer, "from", process->first_ns);
    json_member_time(writer, "to", process->last_ns);
    json_member_real(writer, "seconds", process->seconds);
    json_put_key(writer, "gpus");
    json_open(writer, '[');
    for (size_t i = 0; i < process->use_count; i++) {
        json_separate(writer);
        put_use(writer, &process->uses[i]);
    }
    json_close(writer, ']');
    json_put_key(writer, "models");
    json_open(writer, '[');
    for (size_t i = 0; i < process->model_count; i++) {
        json_separate(writer);
        put_model(writer, &process->models[i]);
    }
    json_close(writer, ']');
    json_member_boolean(writer, "models_complete", !process->models_left_out);
    json_close(writer, '}');
}

static void put_events(struct json_writer *writer, const struct summary *summary)
{
    json_open(writer, '{');
    json_member_integer(writer, "count", (int64_t)summary->event_count);
    json_put_key(writer, "kinds");
    json_open(writer, '{');
    for (size_t i = 0; i < summary->event_kind_count; i++) {
        json_separate(writer);
        json_put_text(writer, of(summary->event_kinds[i].kind));
        json_put_colon(writer);
        json_put_integer(writer, (int64_t)summary->event_kinds[i].count);
    }
    json_close(writer, '}');
    json_put_key(writer, "newest");
    json_open(writer, '[');
    uint64_t first =
        summary->event_count > SUMMARY_EVENTS_MAX ? summary->event_count - SUMMARY_EVENTS_MAX : 0;
    for (uint64_t i = first; i < summary->event_count; i++) {
        const struct summary_event *event = &summary->events[i % SUMMARY_EVENTS_MAX];
        json_separate(writer);
        json_open(writer, '{');
        json_member_time(writer, "at", event->at_ns);
        json_member_string(writer, "kind", event->kind);
        json_member_string(writer, "text", event->text);
        json_close(writer, '}');
    }
    json_close(writer, ']');
    json_close(writer, '}');
}

void summary_json(const struct summary *summary, const char *name, bool pretty, struct buffer *out)
{
    struct json_writer writer = {.out = out, .pretty = pretty, .first = true};
    json_open(&writer, '{');
    json_member_string(&writer, "schema", "gputaskman-summary/1");
    json_member_string(&writer, "version", GPUTASKMAN_VERSION);
    json_member_string(&writer, "file", name);
    json_member_string(&writer, "host", summary->host);
    json_member_string(&writer, "origin", origin_name(summary->origin));
    json_member_time(&writer, "from", summary->first_ns);
    json_member_time(&writer, "to", summary->last_ns);
    json_member_real(&writer, "seconds", summary->seconds);
    json_member_integer(&writer, "samples", (int64_t)summary->samples);
    json_member_integer(&writer, "parts", (int64_t)summary->parts);
    json_member_integer(&writer, "boots", (int64_t)summary->boots);
    json_member_integer(&writer, "clock_jumps", (int64_t)summary->clock_jumps);
    json_put_key(&writer, "adapters");
    json_open(&writer, '[');
    for (size_t i = 0; i < summary->adapter_count; i++) {
        json_separate(&writer);
        put_adapter(&writer, &summary->adapters[i]);
    }
    json_close(&writer, ']');
    json_put_key(&writer, "processes");
    json_open(&writer, '[');
    for (size_t i = 0; i < summary->process_count; i++) {
        json_separate(&writer);
        put_process(&writer, &summary->processes[i]);
    }
    json_close(&writer, ']');
    json_member_integer(&writer, "adapters_left_out", (int64_t)summary->adapters_left_out);
    json_member_integer(&writer, "processes_left_out", (int64_t)summary->processes_left_out);
    json_member_measured(&writer, "left_out_peak_bytes", summary->left_out_peak_bytes);
    json_put_key(&writer, "events");
    put_events(&writer, summary);
    json_close(&writer, '}');
}
