#include "inspect/log_place.h"

#include <string.h>

#include "base/lines.h"
#include "inspect/path.h"

/* Journals and clocks round: a first line may seem a little older than its process. */
#define CLOCK_SLACK_NS INT64_C(2000000000)

enum match { MATCH_UNKNOWN, MATCH_YES, MATCH_NO };

/* A path may be written relative to a folder that the log does not tell; a model of several files
 * is named by their folder. */
static bool same_file(struct raw_text a, struct raw_text b)
{
    if (a.length > 1 && a.length < b.length &&
        (b.bytes[a.length] == '/' || (path_is_of_windows(b) && b.bytes[a.length] == '\\')) &&
        path_same(a, (struct raw_text){b.bytes, a.length})) {
        return true;
    }
    return path_same_name(a, b);
}

static enum match match_model(const struct load_run *run, const struct log_place *place)
{
    bool said = false;
    if (!place->model_path.length) {
        return MATCH_UNKNOWN;
    }
    if (run->main_path.length) {
        said = true;
        if (same_file(run->main_path, place->model_path)) {
            return MATCH_YES;
        }
    }
    for (size_t i = 0; i < run->model_count; i++) {
        said = said || run->models[i].path.length > 0;
        if (same_file(run->models[i].path, place->model_path)) {
            return MATCH_YES;
        }
    }
    return said ? MATCH_NO : MATCH_UNKNOWN;
}

static enum match match_port(const struct load_run *run, const struct log_place *place)
{
    if (!run->port.known || !place->ports_known) {
        return MATCH_UNKNOWN;
    }
    for (size_t i = 0; i < place->port_count; i++) {
        if (place->ports[i] == run->port.value) {
            return MATCH_YES;
        }
    }
    return place->port_count || run->ready ? MATCH_NO : MATCH_UNKNOWN;
}

static bool is_older(int64_t time_ns, int64_t start_ns)
{
    return time_ns != TIME_UNKNOWN && start_ns != TIME_UNKNOWN &&
           time_ns < start_ns - CLOCK_SLACK_NS;
}

static struct log_place_found refuse(const char *why)
{
    return (struct log_place_found){.reason = why};
}

/* What speaks against a run; NULL: nothing does. */
static const char *objection(const struct load_run *run, const struct log_place *place)
{
    if (is_older(run->start_ns, place->start_ns)) {
        return "its lines are older than the process";
    }
    if (place->source == LOG_JOURNAL && run->log_pid.known && place->pid.known &&
        run->log_pid.value != place->pid.value) {
        return "the journal names another process";
    }
    if (match_port(run, place) == MATCH_NO) {
        return "the last run in the log listens on another port";
    }
    return match_model(run, place) == MATCH_NO ? "the last run in the log loads another model"
                                               : NULL;
}

static struct log_place_found accept(const struct load_run *run, const struct log_place *place)
{
    bool port = match_port(run, place) == MATCH_YES;
    bool model = match_model(run, place) == MATCH_YES;
    bool own = place->source == LOG_OWN_OUTPUT || place->source == LOG_JOURNAL;
    if (own && !place->file_is_shared) {
        return (struct log_place_found){run, STRENGTH_STRONG, "written by the process itself"};
    }
    if (port) {
        return (struct log_place_found){run, STRENGTH_STRONG, "it names the process's own port"};
    }
    if (model) {
        return (struct log_place_found){run, own ? STRENGTH_STRONG : STRENGTH_HINT,
                                        "it names the process's model"};
    }
    return refuse("nothing in the log ties it to this process");
}

/* One of several children that write through their parent: its port tells, else its model if no
 * other child has the same. */
static struct log_place_found find_child(const struct load_log *log, const struct log_place *place)
{
    const struct load_run *by_model = NULL;
    size_t models = 0;
    for (size_t i = load_log_run_count(log); i > 0; i--) {
        const struct load_run *run = load_log_run(log, i - 1);
        if (is_older(run->start_ns, place->start_ns) || !run->is_child) {
            continue;
        }
        if (match_port(run, place) == MATCH_YES && match_model(run, place) != MATCH_NO) {
            return accept(run, place);
        }
        if (load_log_run_is_last(log, i - 1) && match_port(run, place) == MATCH_UNKNOWN &&
            match_model(run, place) == MATCH_YES) {
            by_model = run;
            models++;
        }
    }
    return models == 1 ? accept(by_model, place)
                       : refuse("no child in its parent's log is this process");
}

struct log_place_found log_place_find(const struct load_log *log, const struct log_place *place)
{
    const struct load_run *last = NULL;
    if (place->modified_ns.known && is_older(place->modified_ns.value, place->start_ns)) {
        return refuse("the log was last written before the process started");
    }
    if (place->source == LOG_PARENT) {
        return find_child(log, place);
    }
    for (size_t i = load_log_run_count(log); i > 0 && !last; i--) {
        const struct load_run *run = load_log_run(log, i - 1);
        bool after = place->position.known &&
                     run->offset + place->fed_from >= (uint64_t)place->position.value;
        last = after || run->is_child ? NULL : run; /* what others wrote is not its own */
    }
    if (!last) {
        return refuse("the process has written no load to the log");
    }
    const char *why_not = objection(last, place);
    return why_not ? refuse(why_not) : accept(last, place);
}
