#include "os/recorded/windows_inside.h"

#include <string.h>

#include "base/arena.h"
#include "os/recorded/json_text.h"

/* The process with this pid (and, unless 0, this creation time) in the last list that has it. */
static const json_t *find(const struct inside *inside, int64_t pid, int64_t created_100ns)
{
    const json_t *found = NULL, *list;
    const char *key;
    json_object_foreach((json_t *)(uintptr_t)inside->context, key, list)
    {
        size_t i;
        const json_t *entry;
        json_array_foreach(list, i, entry)
        {
            json_int_t created = json_integer_value(json_object_get(entry, "create_100ns"));
            if (json_integer_value(json_object_get(entry, "pid")) == pid &&
                (created_100ns == 0 || created == created_100ns))
                found = entry;
        }
    }
    return found;
}

static bool about(const struct inside *inside, struct arena *arena, int64_t pid,
                  struct process_about *about)
{
    const json_t *entry = find(inside, pid, 0);
    *about = (struct process_about){.parent_pid = 0};
    if (!entry)
        return false;
    *about = (struct process_about){
        .start_stamp = (uint64_t)json_integer_value(json_object_get(entry, "create_100ns")),
        .parent_pid = json_integer_value(json_object_get(entry, "parent_pid")),
        .name = json_text(arena, json_object_get(entry, "name")),
        .executable = json_text(arena, json_object_get(entry, "executable")),
        .cwd = json_text(arena, json_object_get(entry, "cwd")),
        .command = json_words(arena, json_object_get(entry, "command")),
    };
    return true;
}

static struct raw_text environment(const struct inside *inside, struct arena *arena, int64_t pid)
{
    json_t *variables = json_object_get(find(inside, pid, 0), "environment"), *value;
    const char *name;
    if (!variables)
        return (struct raw_text){0};
    json_t *list = json_array();
    json_object_foreach(variables, name, value) if (json_is_string(value))
        json_array_append_new(list, json_sprintf("%s=%s", name, json_string_value(value)));
    struct raw_text words = json_words(arena, list);
    json_decref(list);
    return words;
}

static bool files(const struct inside *inside, struct arena *arena, struct identity identity,
                  struct process_files *files)
{
    const json_t *entry = find(inside, identity.pid, (int64_t)identity.start_stamp);
    const json_t *modules = json_object_get(entry, "modules"),
                 *mapped = json_object_get(entry, "mapped");
    size_t room = json_array_size(modules) + json_array_size(mapped);
    *files = (struct process_files){.mapped_known = json_is_array(modules)};
    if (!entry || identity.space != NAMESPACE_LOCAL || room > PROCESS_FILES_MAX)
        return false;
    struct mapped_file *items = ARENA_ARRAY(arena, struct mapped_file, room);
    for (size_t i = 0; i < json_array_size(modules); i++)
        items[files->mapped_count++] = (struct mapped_file){
            .path = json_text(arena, json_array_get(modules, i)), .executable = true};
    for (size_t i = 0; i < json_array_size(mapped); i++) {
        const json_t *file = json_array_get(mapped, i);
        json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
        items[files->mapped_count++] = (struct mapped_file){
            .path = json_text(arena, json_object_get(file, "path")),
            .mapped_bytes = bytes > 0 ? (uint64_t)bytes : 0,
        };
    }
    files->mapped = items;
    return true;
}

static const struct inside_ops recorded_ops = {
    .about = about,
    .environment = environment,
    .files = files,
    .descriptor = inside_no_descriptor,
    .prefix = inside_no_prefix,
    .inner_pid = inside_same_pid,
    .listening = inside_no_listening,
    .holds_socket = inside_no_socket,
};

static bool has_modules(const json_t *processes)
{
    json_t *list;
    const char *key;
    json_object_foreach((json_t *)(uintptr_t)processes, key, list)
    {
        size_t i;
        const json_t *entry;
        json_array_foreach(list, i, entry) if (json_object_get(entry, "modules")) return true;
    }
    return false;
}

struct inside recorded_windows_inside(const json_t *processes, const struct root *files)
{
    return (struct inside){
        .ops = files && has_modules(processes) ? &recorded_ops : NULL,
        .files = files,
        .context = processes,
        .recorded = true,
        .how_to_see_more = "as administrator",
    };
}
