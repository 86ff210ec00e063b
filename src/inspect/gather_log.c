#include "inspect/gather_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "inspect/journal.h"
#include "inspect/known_log.h"
#include "inspect/load_log.h"
#include "inspect/load_share.h"
#include "inspect/path.h"
#include "inspect/servers/listeners.h"

/* Most programs write anything but load logs: of theirs only small ones are looked into. */
static const int64_t unlikely_bytes_max = 1024 * 1024;

/* The same file as last time, and nothing of interest can have been added. */
static struct known_log *reuse(const struct inspection_parts *previous,
                               const struct root_file_facts *facts, enum log_source source)
{
    for (size_t i = 0; previous && i < previous->log_count; i++) {
        const struct known_log *log = previous->logs[i];
        bool same = log->facts.device == facts->device && log->facts.inode == facts->inode;
        bool unchanged = log->facts.size_bytes == facts->size_bytes;
        bool loaded = false;
        for (size_t k = 0; k < previous->gathered.log_count; k++)
            loaded |= previous->gathered.logs[k].run->ready;
        if (same && facts->size_bytes >= log->facts.size_bytes &&
            (unchanged || (loaded && source == LOG_OWN_OUTPUT)))
            return known_log_take(log);
    }
    return NULL;
}

/* The ports that the process listens on, by its own namespace's table. */
static bool find_ports(const struct gathering *gathering, int64_t ports[LISTENED_PORTS_MAX],
                       size_t *count)
{
    const struct inside *inside = gathering->place->inside;
    struct listener_list *list = ARENA_NEW(gathering->scratch, struct listener_list);
    *count = 0;
    if ((!gathering->files.open_known && inside->shows_open_files) ||
        !listeners_read(inside, gathering->wish->identity.pid, list))
        return false;
    for (size_t i = 0; i < gathering->files.socket_count && *count < LISTENED_PORTS_MAX; i++) {
        const struct listener *listener = listeners_find(list, gathering->files.sockets[i].inode);
        if (listener)
            ports[(*count)++] = listener->port;
    }
    return !list->cut;
}

static struct raw_text main_path(const struct gathered *gathered)
{
    if (gathered->is_llama_style && gathered->flags.model.path.length > 0)
        return gathered->flags.model.path;
    for (size_t i = 0; i < gathered->file_count; i++)
        if (gathered->files[i].use == FILE_FOR_MODEL || gathered->files[i].use == FILE_FOR_UNKNOWN)
            return gathered->files[i].path;
    return (struct raw_text){0};
}

static bool is_known(const struct inspection_parts *parts, const struct root_file_facts *facts)
{
    for (size_t i = 0; i < parts->log_count; i++)
        if (parts->logs[i]->facts.device == facts->device &&
            parts->logs[i]->facts.inode == facts->inode)
            return true;
    return false;
}

static const struct load_run *share(struct gathering *gathering, const struct load_run *run)
{
    const struct inside *inside = gathering->place->inside;
    const int64_t pid = gathering->wish->identity.pid;
    const struct load_sharer sharer = {.pid = pid,
                                       .inner_pid = inside->ops->inner_pid(inside, pid),
                                       .title = gathering->parts->gathered.command};
    return load_run_share(gathering->arena, run, &sharer);
}

/* Keeps the log, and of its runs the one that is this process's. */
static void place_log(struct gathering *gathering, const struct log_candidate *candidate,
                      struct known_log *log)
{
    struct inspection_parts *parts = gathering->parts;
    struct gathered *gathered = &parts->gathered;
    int64_t *ports = ARENA_ARRAY(gathering->scratch, int64_t, LISTENED_PORTS_MAX);
    bool has_time = !gathering->place->recorded && log->facts.modified_ns > 0;
    struct log_place place = {
        .source = candidate->source,
        .start_ns =
            gathering->wish->start_wall_ns > 0 ? gathering->wish->start_wall_ns : TIME_UNKNOWN,
        .pid = measured_known(gathering->wish->identity.pid),
        .modified_ns = has_time ? measured_known(log->facts.modified_ns)
                                : measured_unknown(REASON_not_reported),
        .position = candidate->position,
        .fed_from = log->fed_from,
        .ports = ports,
        .model_path = main_path(gathered),
    };
    place.ports_known = find_ports(gathering, ports, &place.port_count);
    struct log_place_found found = log_place_find(log->log, &place);
    parts->logs[parts->log_count++] = log;
    if (found.run)
        gathered->logs[gathered->log_count++] = (struct gathered_log){
            .path = gathering_copy(gathering, candidate->path),
            .run = share(gathering, found.run),
            .strength = found.strength,
            .reason = found.reason,
        };
}

/* Programs whose output is a load log that is understood. */
static bool may_log_loads(const struct gathered *gathered)
{
    switch ((enum program_family)gathered->family) {
    case PROGRAM_OTHER:
        return gathered->has_inference_library || gathered->file_count > 0;
    case PROGRAM_LLAMA:
    case PROGRAM_RPC:
    case PROGRAM_KOBOLD:
    case PROGRAM_SD:
    case PROGRAM_WHISPER:
    case PROGRAM_LLAMA_CPP_PYTHON:
    case PROGRAM_WEBUI:
    case PROGRAM_LM_STUDIO_WORKER:
    case PROGRAM_VLLM:
    case PROGRAM_VLLM_WORKER:
    case PROGRAM_SGLANG:
    case PROGRAM_SGLANG_WORKER:
        return true;
    default:
        return false;
    }
}

void gather_log_file(struct gathering *gathering, const struct log_candidate *candidate)
{
    struct root_file_facts facts;
    if (gathering->parts->log_count == GATHERED_LOGS_MAX ||
        !root_file_facts(gathering->place->root, candidate->place, &facts) || !facts.regular ||
        is_known(gathering->parts, &facts) ||
        (facts.size_bytes > unlikely_bytes_max && candidate->source == LOG_OWN_OUTPUT &&
         !may_log_loads(&gathering->parts->gathered)))
        return;
    struct known_log *log = reuse(gathering->previous, &facts, candidate->source);
    if (!log)
        log = known_log_of_file(gathering->place->root, candidate->place, &facts);
    if (log)
        place_log(gathering, candidate, log);
}

/* The journal's lines as they were, or read anew: a start of a process, so ever less often where
 * nothing is loaded. */
static struct known_log *read_journal(const struct gathering *gathering, int64_t pid,
                                      uint64_t inode)
{
    const struct inspection_parts *previous = gathering->previous;
    const struct known_log *old = NULL;
    bool loaded = false;
    for (size_t i = 0; previous && i < previous->log_count; i++)
        if (known_log_is_of_journal(previous->logs[i], inode))
            old = previous->logs[i];
    for (size_t k = 0; old && k < previous->gathered.log_count; k++)
        loaded |= previous->gathered.logs[k].run->ready;
    if (old && (loaded || !known_log_is_due(old)))
        return known_log_take(old);
    return known_log_of_journal(pid, gathering->wish->start_wall_ns, inode, old);
}

void gather_log_journal(struct gathering *gathering, int64_t pid, uint64_t inode,
                        enum log_source source)
{
    const struct gathered *gathered = &gathering->parts->gathered;
    uint64_t stream;
    if (gathering->place->recorded || gathering->wish->start_wall_ns <= 0 ||
        gathering->parts->log_count == GATHERED_LOGS_MAX || !may_log_loads(gathered) ||
        !journal_stream_parse(gathering_variable(gathered, "JOURNAL_STREAM"), &stream) ||
        stream != inode)
        return;
    struct known_log *log = read_journal(gathering, pid, inode);
    struct text name = text_format(gathering->scratch, "journalctl _PID=%" PRId64, pid);
    const struct log_candidate candidate = {
        .source = source,
        .path = {name.utf8, name.size},
        .position = measured_unknown(REASON_not_reported),
    };
    if (log->empty)
        gathering_note(gathering,
                       TEXT("its output goes to the journal, which shows nothing of it: with sudo "
                            "or in the group systemd-journal its load log is read too"));
    place_log(gathering, &candidate, log);
}
