#include "inspect/container_names.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/lines.h"

#define LIFE_NS INT64_C(5000000000)
#define STORE "containers/storage/overlay-containers/containers.json"

enum {
    JSON_LIMIT = 1 << 20,
    LINKS_MAX = 4096,
    ANSWERS_MAX = 256,
    ID_SIZE = 72,
    NAME_SIZE = 256,
    PATH_SIZE = 256,
};

struct answer {
    char id[ID_SIZE], name[NAME_SIZE], pod[NAME_SIZE]; /* "": not known */
    int64_t asked_ns;
};

struct container_names {
    struct arena *arena; /* of one look-up */
    struct answer answers[ANSWERS_MAX];
    size_t count, next; /* the oldest is overwritten */
};

struct container_names *container_names_new(void)
{
    struct container_names *names = memory_new(sizeof *names);
    names->arena = arena_new();
    return names;
}

void container_names_free(struct container_names **names)
{
    if (!*names)
        return;
    arena_free(&(*names)->arena);
    free(*names);
    *names = NULL;
}

bool podman_name(struct arena *arena, struct raw_text json, struct raw_text id,
                 struct raw_text *name)
{
    json_t *list = json_loadb(json.bytes ? json.bytes : "", json.length, 0, NULL), *entry;
    size_t at;
    bool found = false;
    json_array_foreach(list, at, entry)
    {
        const char *its_id = json_string_value(json_object_get(entry, "id"));
        const char *its_name =
            json_string_value(json_array_get(json_object_get(entry, "names"), 0));
        if (found || !its_id || !its_name || !raw_equal_string(id, its_id))
            continue;
        *name =
            (struct raw_text){arena_string(arena, its_name, strlen(its_name)), strlen(its_name)};
        found = true;
    }
    json_decref(list);
    return found;
}

bool kubelet_link_name(struct raw_text link, struct raw_text id, struct raw_text *name,
                       struct raw_text *pod)
{
    static const char suffix[] = ".log";
    size_t tail = id.length + sizeof suffix; /* '-' before, no NUL */
    struct raw_text first, second, rest;
    if (id.length == 0 || link.length <= tail)
        return false;
    const char *at = link.bytes + link.length - tail;
    if (*at != '-' || memcmp(at + 1, id.bytes, id.length) != 0 ||
        memcmp(at + 1 + id.length, suffix, sizeof suffix - 1) != 0)
        return false;
    link.length -= tail;
    if (!raw_split(link, '_', &first, &rest) || !raw_split(rest, '_', &second, &rest) ||
        first.length == 0 || rest.length == 0)
        return false;
    *pod = first;
    *name = rest;
    return true;
}

static void keep(char *kept, struct raw_text text)
{
    size_t length = text.length < NAME_SIZE - 1 ? text.length : NAME_SIZE - 1;
    memcpy(kept, text.bytes, length);
    kept[length] = '\0';
}

static void ask_podman(struct container_names *names, const struct root *root, const char *path,
                       struct raw_text id, struct answer *answer)
{
    struct raw_text content, name;
    if (answer->name[0] != '\0' ||
        root_read_arena(root, names->arena, path, JSON_LIMIT, &content, NULL) != ROOT_OK)
        return;
    if (podman_name(names->arena, content, id, &name))
        keep(answer->name, name);
}

static void ask_kubelet(struct container_names *names, const struct root *root, struct raw_text id,
                        struct answer *answer)
{
    char **links;
    size_t count = 0;
    struct raw_text name, pod;
    if (root_list(root, names->arena, "var/log/containers", LINKS_MAX, &links, &count) != ROOT_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (kubelet_link_name(raw_from_string(links[i]), id, &name, &pod)) {
            keep(answer->name, name);
            keep(answer->pod, pod);
            return;
        }
}

static bool is_plain(struct raw_text user)
{
    return user.bytes && user.length > 0 && user.length < 64 && user.bytes[0] != '.' &&
           !memchr(user.bytes, '/', user.length) && !memchr(user.bytes, '\0', user.length);
}

static void ask(struct container_names *names, const struct root *root, struct raw_text user,
                const struct container_place *place, struct answer *answer)
{
    char path[PATH_SIZE];
    arena_reset(names->arena);
    answer->name[0] = answer->pod[0] = '\0';
    if (strcmp(place->runtime, "kubernetes") == 0)
        ask_kubelet(names, root, place->id, answer);
    if (strcmp(place->runtime, "podman") != 0)
        return;
    ask_podman(names, root, "var/lib/" STORE, place->id, answer);
    if (!is_plain(user))
        return;
    snprintf(path, sizeof path, "home/%.*s/.local/share/" STORE, (int)user.length, user.bytes);
    ask_podman(names, root, path, place->id, answer);
}

static struct answer *answer_of(struct container_names *names, struct raw_text id, bool *added)
{
    for (size_t i = 0; i < names->count; i++)
        if (raw_equal_string(id, names->answers[i].id)) {
            *added = false;
            return &names->answers[i];
        }
    struct answer *answer = &names->answers[names->next];
    names->next = (names->next + 1) % ANSWERS_MAX;
    if (names->count < ANSWERS_MAX)
        names->count++;
    memcpy(answer->id, id.bytes, id.length);
    answer->id[id.length] = '\0';
    *added = true;
    return answer;
}

void container_names_look_up(struct container_names *names, const struct root *root,
                             int64_t running_ns, struct raw_text user,
                             struct container_place *place)
{
    bool added;
    if (place->name.bytes || place->id.length >= ID_SIZE || place->id.length == 0)
        return;
    struct answer *answer = answer_of(names, place->id, &added);
    /* A name once found stays; what is not there yet may come. */
    int64_t age_ns = running_ns - answer->asked_ns;
    if (added || (answer->name[0] == '\0' && (age_ns < 0 || age_ns > LIFE_NS))) {
        ask(names, root, user, place, answer);
        answer->asked_ns = running_ns;
    }
    if (answer->name[0] != '\0')
        place->name = raw_from_string(answer->name);
    if (answer->pod[0] != '\0')
        place->pod = raw_from_string(answer->pod);
}
