#include "source/source.h"

#include "base/thread.h"

struct snapshot *source_newest(struct source *source)
{
    return source->ops->newest(source);
}

/* The newest snapshot when it is newer than `after`. */
static struct snapshot *newer(struct source *source, uint64_t after)
{
    struct snapshot *snapshot = source_newest(source);
    if (snapshot && snapshot->sequence <= after) {
        snapshot_drop(&snapshot);
    }
    return snapshot;
}

struct snapshot *source_wait(struct source *source, uint64_t after, int64_t until_ns)
{
    struct wake *wake = wake_new();
    source_notify(source, wake);
    struct snapshot *snapshot = newer(source, after);
    while (!snapshot && wake_wait(wake, until_ns)) {
        wake_clear(wake);
        snapshot = newer(source, after);
    }
    source_notify(source, NULL);
    wake_free(&wake);
    return snapshot;
}

bool source_request(struct source *source, const struct source_request *request)
{
    return source->ops->request(source, request);
}

void source_get_state(struct source *source, struct source_state_view *state)
{
    source->ops->state(source, state);
}

bool source_history(struct source *source, struct history_request *request)
{
    return source->ops->history(source, request);
}

void source_notify(struct source *source, struct wake *wake)
{
    source->ops->notify(source, wake);
}

void source_close(struct source **source)
{
    if (*source) {
        (*source)->ops->close(*source);
        *source = NULL;
    }
}
