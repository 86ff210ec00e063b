#include "inspect/load_workers.h"

#include "base/lines.h"
#include "base/vector.h"
#include "inspect/path.h"

struct load_device *worker_of(struct load_run_reading *run, struct raw_text rank,
                              struct measured pid)
{
    enum { RANK_BYTES_MAX = 64 };
    rank.length = rank.length < RANK_BYTES_MAX ? rank.length : RANK_BYTES_MAX;
    struct load_device wanted = {.name = rank.length ? rank : raw_from_string("GPU"), .pid = pid};
    run_add_device(run, &wanted);
    for (size_t i = 0; i < run->devices.count; i++) {
        struct load_device *worker = &run->devices.items[i];
        if (!raw_equal(worker->name, wanted.name)) {
            continue;
        }
        if (worker->pid.known && pid.known && worker->pid.value != pid.value) {
            worker_forget_bytes(run, worker);
            worker->pool_tokens = worker->blocks = measured_unknown(REASON_not_reported);
            worker->loads = 0;
        }
        worker->pid = pid.known ? pid : worker->pid;
        return worker;
    }
    return &run->devices.items[run->devices.count - 1]; /* more than are kept */
}

bool worker_has_bytes(const struct load_run_reading *run, const struct load_device *worker)
{
    for (size_t i = 0; i < run->buffers.count; i++) {
        if (raw_equal(run->buffers.items[i].name, worker->name)) {
            return true;
        }
    }
    return false;
}

void worker_set_bytes(struct load_run_reading *run, const struct load_device *worker,
                      enum load_buffer_kind kind, struct raw_text part, int64_t bytes)
{
    const struct load_buffer buffer = {
        .name = worker->name,
        .part = part,
        .kind = kind,
        .bytes = bytes,
        .model = run->model,
        .context = LOAD_NO_CONTEXT,
    };
    run_set_buffer(run, &buffer);
}

void worker_forget_bytes(struct load_run_reading *run, const struct load_device *worker)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->buffers.count; i++) {
        if (!raw_equal(run->buffers.items[i].name, worker->name)) {
            run->buffers.items[kept++] = run->buffers.items[i];
        }
    }
    run->buffers.count = kept;
    run->is_shown = false;
}

struct load_model *workers_model(struct load_run_reading *run, const char *runtime)
{
    if (run->model < 0) {
        run_begin_model(run, MODEL_LLM, (struct raw_text){0});
        run->seen.runtime = raw_from_string(runtime);
    }
    return &run->models.items[run->model].seen;
}

void workers_name(struct load_run_reading *run, struct load_model *model, struct raw_text id)
{
    bool is_path = id.length > 0 && (path_is_absolute(id) || *id.bytes == '.');
    run_text_once(run, is_path ? &model->path : &model->name, id);
}

void workers_set_context(struct load_run_reading *run, struct measured tokens)
{
    if (tokens.known) {
        struct run_context *context =
            run->context >= 0 ? &run->contexts.items[run->context] : run_begin_context(run);
        context->seen.context = tokens;
        run->is_shown = false;
    }
}

struct raw_text worker_argument(struct raw_text text, const char *key)
{
    struct raw_text value;
    if (!log_find(text, key, &value) || value.length == 0) {
        return (struct raw_text){"", 0};
    }
    if (*value.bytes == '\'' || *value.bytes == '"') {
        return log_until((struct raw_text){value.bytes + 1, value.length - 1}, *value.bytes);
    }
    value = log_until(log_until(value, ','), ')');
    return raw_equal_string(value, "None") ? (struct raw_text){"", 0} : value;
}
