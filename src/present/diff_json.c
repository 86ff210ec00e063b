#include <string.h>

#include "present/diff.h"
#include "snapshot/json_members.h"
#include "snapshot/words.h"

static const char *presence_word(enum diff_presence presence, bool changed)
{
    return presence == DIFF_NEW    ? "new"
           : presence == DIFF_GONE ? "gone"
           : changed               ? "changed"
                                   : "same";
}

/* The change is null where one side is not known. */
static void put_bytes(struct json_writer *writer, const char *key, const struct diff_bytes *bytes)
{
    json_put_key(writer, key);
    json_open(writer, '{');
    json_member_measured(writer, "before", bytes->before);
    json_member_measured(writer, "after", bytes->after);
    bool both = bytes->before.known && bytes->after.known;
    json_member_measured(writer, "change",
                         both ? measured_known(bytes->after.value - bytes->before.value)
                              : measured_unknown(REASON_not_reported));
    json_close(writer, '}');
}

static void put_class(struct json_writer *writer, const struct diff_class *class)
{
    json_open(writer, '{');
    json_member_string(writer, "class", process_class_name(class->class));
    put_bytes(writer, "vram_bytes", &class->vram_bytes);
    json_member_integer(writer, "before_processes", (int64_t) class->before_count);
    json_member_integer(writer, "after_processes", (int64_t) class->after_count);
    json_member_integer(writer, "before_unknown", (int64_t) class->before_unknown);
    json_member_integer(writer, "after_unknown", (int64_t) class->after_unknown);
    json_close(writer, '}');
}

static void put_adapter(struct json_writer *writer, const struct diff_adapter *pair)
{
    const struct adapter *adapter = pair->after ? pair->after : pair->before;
    json_open(writer, '{');
    json_member_text(writer, "id", adapter->id);
    json_member_text(writer, "name", adapter->name);
    json_member_string(writer, "state", presence_word(pair->presence, pair->changed));
    json_put_key(writer, "memory");
    json_open(writer, '{');
    for (int memory = 0; memory < DIFF_MEMORY_COUNT; memory++) {
        put_bytes(writer, diff_memory_key((enum diff_memory)memory), &pair->memory[memory]);
    }
    json_close(writer, '}');
    const char *before = pair->before ? power_state_name(pair->before->power_state) : "";
    const char *after = pair->after ? power_state_name(pair->after->power_state) : "";
    json_put_key(writer, "power_state");
    json_open(writer, '{');
    json_member_string(writer, "before", before);
    json_member_string(writer, "after", after);
    json_close(writer, '}');
    json_member_boolean(writer, "driver_changed", pair->driver_changed);
    json_put_key(writer, "classes");
    json_open(writer, '[');
    for (size_t i = 0; i < pair->class_count; i++) {
        json_separate(writer);
        put_class(writer, &pair->classes[i]);
    }
    json_close(writer, ']');
    json_close(writer, '}');
}

/* Codes of why vram_bytes is not known, of one side. */
static void put_reasons(struct json_writer *writer, const char *key, const struct gpu_use *use)
{
    json_put_key(writer, key);
    json_open(writer, '[');
    for (int reason = 0; use && !use->vram_bytes.known && reason < REASON_COUNT; reason++) {
        if (reason_set_has(use->vram_unattributed_reasons, (enum reason)reason) ||
            (reason_set_is_empty(use->vram_unattributed_reasons) &&
             use->vram_bytes.why_not == (enum reason)reason)) {
            json_separate(writer);
            json_put_word(writer, reason_code((enum reason)reason));
        }
    }
    json_close(writer, ']');
}

static void put_inferred(struct json_writer *writer, const char *key, const struct gpu_use *use)
{
    json_put_key(writer, key);
    json_open(writer, '{');
    json_member_figure(writer, "bytes",
                       use ? use->vram_inferred_bytes : figure_unknown(REASON_not_reported));
    json_member_string(writer, "by", use ? words_inferred_by.name((int)use->inferred_by) : "");
    json_close(writer, '}');
}

static void put_use(struct json_writer *writer, const struct diff_use *use)
{
    json_open(writer, '{');
    json_member_text(writer, "adapter_id", use->adapter_id);
    put_bytes(writer, "vram_bytes", &use->vram_bytes);
    put_bytes(writer, "spill_bytes", &use->spill_bytes);
    put_reasons(writer, "before_reasons", use->before);
    put_reasons(writer, "after_reasons", use->after);
    put_inferred(writer, "before_inferred", use->before);
    put_inferred(writer, "after_inferred", use->after);
    json_close(writer, '}');
}

static void put_model(struct json_writer *writer, const struct diff_model *pair)
{
    const struct model *model = pair->after ? pair->after : pair->before;
    json_open(writer, '{');
    json_member_text(writer, "name", model->name);
    json_member_string(writer, "kind", words_model_kind.name((int)model->kind));
    json_member_text(writer, "quantization", model->quantization);
    json_member_string(writer, "state", presence_word(pair->presence, pair->changed));
    json_close(writer, '}');
}

static void put_process(struct json_writer *writer, const struct diff_process *pair)
{
    const struct process *process = pair->after ? pair->after : pair->before;
    json_open(writer, '{');
    json_member_text(writer, "id", process->id);
    json_member_text(writer, "label", process->label);
    json_member_text(writer, "name", process->name);
    json_member_string(writer, "state", presence_word(pair->presence, pair->changed));
    json_member_boolean(writer, "unsure", pair->unsure);
    json_member_string(writer, "class_before",
                       pair->before ? process_class_name(pair->before->class) : "");
    json_member_string(writer, "class_after",
                       pair->after ? process_class_name(pair->after->class) : "");
    json_put_key(writer, "gpus");
    json_open(writer, '[');
    for (size_t i = 0; i < pair->use_count; i++) {
        json_separate(writer);
        put_use(writer, &pair->uses[i]);
    }
    json_close(writer, ']');
    json_put_key(writer, "models");
    json_open(writer, '[');
    for (size_t i = 0; i < pair->model_count; i++) {
        json_separate(writer);
        put_model(writer, &pair->models[i]);
    }
    json_close(writer, ']');
    json_close(writer, '}');
}

static void put_model_total(struct json_writer *writer, const struct diff_model_total *total)
{
    json_open(writer, '{');
    json_member_text(writer, "name", total->model->name);
    json_member_string(writer, "kind", words_model_kind.name((int)total->model->kind));
    json_member_text(writer, "quantization", total->model->quantization);
    json_member_integer(writer, "before_processes", (int64_t)total->before_holders);
    json_member_integer(writer, "after_processes", (int64_t)total->after_holders);
    json_close(writer, '}');
}

static void put_side(struct json_writer *writer, const char *key, const char *name,
                     const struct snapshot *snapshot)
{
    json_put_key(writer, key);
    json_open(writer, '{');
    json_member_string(writer, "file", name ? name : "");
    json_member_time(writer, "taken_at", snapshot->taken_at_ns);
    json_member_text(writer, "host", snapshot->host.name);
    json_close(writer, '}');
}

void diff_json(const struct diff *diff, const struct diff_options *options, bool pretty,
               struct buffer *out)
{
    struct json_writer writer = {.out = out, .pretty = pretty, .first = true};
    json_open(&writer, '{');
    json_member_string(&writer, "schema", "gputaskman-diff/1");
    json_member_string(&writer, "version", GPUTASKMAN_VERSION);
    put_side(&writer, "before", options->before_name, diff->before);
    put_side(&writer, "after", options->after_name, diff->after);
    json_put_key(&writer, "seconds");
    json_put_real(&writer, diff->seconds);
    json_member_boolean(&writer, "same_boot", diff->same_boot);
    json_member_boolean(&writer, "differs", diff->differs);
    json_put_key(&writer, "adapters");
    json_open(&writer, '[');
    for (size_t i = 0; i < diff->adapter_count; i++) {
        json_separate(&writer);
        put_adapter(&writer, &diff->adapters[i]);
    }
    json_close(&writer, ']');
    json_put_key(&writer, "processes");
    json_open(&writer, '[');
    for (size_t i = 0; i < diff->process_count; i++) {
        json_separate(&writer);
        put_process(&writer, &diff->processes[i]);
    }
    json_close(&writer, ']');
    json_put_key(&writer, "models");
    json_open(&writer, '[');
    for (size_t i = 0; i < diff->model_count; i++) {
        json_separate(&writer);
        put_model_total(&writer, &diff->models[i]);
    }
    json_close(&writer, ']');
    json_close(&writer, '}');
}
