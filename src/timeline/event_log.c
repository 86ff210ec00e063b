#include "timeline/event_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* Cut at a character. */
static void copy(char *out, size_t size, struct text text)
{
    size_t length = text_is_none(text) ? 0 : text.size;
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text.utf8[length] & 0xC0) == 0x80)
            length--;
    }
    if (length > 0)
        memcpy(out, text.utf8, length);
    out[length] = '\0';
}

static void append(struct event_log *log, const struct logged_event *event)
{
    if (log->count == EVENT_LOG_MAX) {
        memmove(log->items, log->items + 1, (log->count - 1) * sizeof *log->items);
        log->count--;
    }
    VECTOR_PUSH(log, *event);
}

static void log_gap(struct event_log *log, const struct event *event)
{
    long long missed = event->seq - log->last_seq - 1;
    struct logged_event gap = {.at_ns = event->at_ns};
    (void)snprintf(gap.text, sizeof gap.text, "%lld event%s missed", missed,
                   missed == 1 ? " was" : "s were");
    append(log, &gap);
}

static void log_event(struct event_log *log, const struct event *event)
{
    struct logged_event logged = {.seq = event->seq, .at_ns = event->at_ns};
    copy(logged.kind, sizeof logged.kind, event->kind);
    copy(logged.adapter_id, sizeof logged.adapter_id, event->adapter_id);
    /* Half an id is another one. */
    if (event->process.size < sizeof logged.process)
        copy(logged.process, sizeof logged.process, event->process);
    copy(logged.text, sizeof logged.text, event->text);
    append(log, &logged);
}

static void wind_back(struct event_log *log, int64_t at_ns)
{
    while (log->count > 0 && log->items[log->count - 1].at_ns > at_ns)
        log->count--;
    log->last_seq = 0;
    for (size_t i = 0; i < log->count; i++)
        if (log->items[i].seq > log->last_seq)
            log->last_seq = log->items[i].seq;
}

size_t event_log_take(struct event_log *log, const struct snapshot *snapshot)
{
    size_t taken = 0;
    if (log->began_at_ns == 0)
        log->began_at_ns = snapshot->taken_at_ns;
    if (snapshot->taken_at_ns < log->newest_at_ns)
        wind_back(log, snapshot->taken_at_ns);
    log->newest_at_ns = snapshot->taken_at_ns;
    for (size_t i = 0; i < snapshot->event_count; i++) {
        const struct event *event = &snapshot->events[i];
        if (event->seq <= log->last_seq)
            continue;
        if (log->last_seq > 0 && event->seq > log->last_seq + 1)
            log_gap(log, event);
        log_event(log, event);
        log->last_seq = event->seq;
        taken++;
    }
    return taken;
}

void event_log_free(struct event_log *log)
{
    VECTOR_FREE(log);
}
