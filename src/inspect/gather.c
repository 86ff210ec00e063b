#include "inspect/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/lines.h"
#include "inspect/gather_parts.h"
#include "inspect/known_log.h"
#include "inspect/path.h"
#include "inspect/servers/ask.h"
#include "inspect/servers/server.h"

struct inspection_parts *inspection_parts_take(const struct inspection_parts *parts)
{
    struct inspection_parts *taken = (struct inspection_parts *)parts;
    reference_take(&taken->reference);
    return taken;
}

void inspection_parts_drop(struct inspection_parts **parts)
{
    struct inspection_parts *dropped = *parts;
    *parts = NULL;
    if (!dropped || !reference_drop(&dropped->reference))
        return;
    for (size_t i = 0; i < dropped->file_count; i++)
        known_file_drop(&dropped->files[i]);
    for (size_t i = 0; i < dropped->log_count; i++)
        known_log_drop(&dropped->logs[i]);
    arena_free(&dropped->arena);
    free(dropped);
}

bool gathering_place(const struct gathering *gathering, struct raw_text path,
                     char out[GATHER_PATH_SIZE])
{
    return path_in_tree(gathering->prefix, path, out, GATHER_PATH_SIZE);
}

struct raw_text gathering_copy(struct gathering *gathering, struct raw_text raw)
{
    if (!raw.bytes)
        return raw;
    return (struct raw_text){arena_string(gathering->arena, raw.bytes, raw.length), raw.length};
}

struct raw_text gathering_variable(const struct gathered *gathered, const char *name)
{
    struct raw_text rest = gathered->environment, entry;
    size_t length = strlen(name);
    while (fields_next(&rest, '\0', &entry))
        if (entry.length > length && memcmp(entry.bytes, name, length) == 0 &&
            entry.bytes[length] == '=')
            return (struct raw_text){entry.bytes + length + 1, entry.length - length - 1};
    return (struct raw_text){0};
}

struct raw_text gathering_home(const struct gathered *gathered)
{
    struct raw_text home = gathering_variable(gathered, "USERPROFILE");
    return path_is_of_windows(home) ? home : gathering_variable(gathered, "HOME");
}

void gathering_note(struct gathering *gathering, struct text note)
{
    struct gathered *gathered = &gathering->parts->gathered;
    if (gathered->note_count < GATHERED_NOTES_MAX)
        gathered->notes[gathered->note_count++] = note;
}

static void keep_sockets(struct gathering *gathering, const struct process_files *files,
                         struct server_place *server)
{
    struct open_socket *sockets =
        ARENA_ARRAY(gathering->arena, struct open_socket, files->socket_count);
    if (files->socket_count > 0)
        memcpy(sockets, files->sockets, files->socket_count * sizeof *sockets);
    server->sockets = sockets;
    server->socket_count = files->socket_count;
}

static void find_servers(struct gathering *gathering)
{
    struct inspection_parts *parts = gathering->parts;
    const struct gathered *gathered = &parts->gathered;
    const struct inside *inside = gathering->place->inside;
    struct process_files files;
    parts->own = (struct server_place){
        .kind = program_server((enum program_family)gathered->family),
        .identity = gathered->identity,
        .command = gathered->command,
        .port = gathered->is_llama_style && gathered->flags.port_given ? gathered->flags.port : 0,
    };
    keep_sockets(gathering, &gathering->files, &parts->own);
    if (gathered->parent.pid <= 0 || gathering->place->recorded ||
        !inside->ops->files(inside, gathering->scratch, gathered->parent, &files))
        return;
    parts->above = (struct server_place){
        .kind = program_server((enum program_family)gathered->parent_family),
        .identity = gathered->parent,
        .command = gathered->parent_command,
    };
    keep_sockets(gathering, &files, &parts->above);
}

struct inspection_parts *gather_process(const struct gather_place *place,
                                        const struct inspection_wish *wish,
                                        const struct inspection_parts *previous)
{
    struct inspection_parts *parts = memory_new(sizeof *parts);
    struct gathering *gathering = memory_new(sizeof *gathering);
    reference_start(&parts->reference);
    parts->arena = arena_new_small();
    parts->gathered.identity = wish->identity;
    *gathering = (struct gathering){
        .place = place,
        .wish = wish,
        .previous = previous,
        .parts = parts,
        .arena = parts->arena,
        .scratch = arena_new(),
    };
    if (place->inside->ops->files(place->inside, gathering->scratch, wish->identity,
                                  &gathering->files)) {
        gather_command(gathering);
        gather_files(gathering);
        gather_warnings(gathering);
        gather_logs(gathering);
        find_servers(gathering);
    } else {
        inspection_parts_drop(&parts);
    }
    arena_free(&gathering->scratch);
    free(gathering);
    return parts;
}

static bool ask(const struct gather_place *place, const struct server_place *server,
                struct arena *arena, struct server_state *state, struct gathered *gathered)
{
    /* The key stays where it was written: in the command line, which never leaves inspect/. */
    struct raw_text arguments[RUNTIME_ARGUMENTS_MAX];
    size_t count = runtime_flags_split(server->command, arguments, RUNTIME_ARGUMENTS_MAX);
    const struct server_target target = {
        .identity = server->identity,
        .kind = server->kind,
        .sockets = server->sockets,
        .socket_count = server->socket_count,
        .port = server->port,
        .key = runtime_flags_api_key(arguments, count, (struct raw_text){0}),
    };
    struct text note = TEXT_NONE;
    bool answered =
        server->kind != SERVER_NONE && server_ask(place->inside, arena, &target, state, &note);
    if (!text_is_none(note) && gathered->note_count < GATHERED_NOTES_MAX)
        gathered->notes[gathered->note_count++] = note;
    return answered;
}

void gather_servers(const struct gather_place *place, const struct inspection_parts *parts,
                    struct arena *arena, struct gathered *gathered)
{
    server_state_clear(&gathered->server);
    server_state_clear(&gathered->parent_server);
    if (!place->probe || place->recorded)
        return;
    bool answered = ask(place, &parts->own, arena, &gathered->server, gathered);
    /* Ollama knows the names and when its runners end, also where a runner answers for itself. */
    if (!answered || parts->above.kind == SERVER_OLLAMA)
        ask(place, &parts->above, arena, &gathered->parent_server, gathered);
}

bool gathered_is_of_interest(const struct gathered *gathered)
{
    return gathered->file_count > 0 || gathered->log_count > 0 || gathered->model_name.bytes ||
           gathered->family != PROGRAM_OTHER || gathered->has_inference_library;
}
