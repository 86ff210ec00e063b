/* The cache of the Hugging Face hub: models--ORG--NAME/{blobs,snapshots/REVISION,refs}. The kernel
 * shows the blob; the links of the snapshots have the file's name. */
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "inspect/path.h"
#include "inspect/stores/store.h"

enum { PATH_SIZE = 4096, FOLDER_MAX = 1024, DEPTH_MAX = 4, LINKS_MAX = 8192 };

static const char repository_prefix[] = "/models--";

struct search {
    const struct store_place *place;
    struct raw_text blob;
    size_t seen;
    char found[PATH_SIZE]; /* in the tree */
    size_t within;         /* where the path within the snapshot begins in it */
};

/* "ORG--NAME" is ORG/NAME: the first "--" splits them, further ones are part of the name. */
static struct raw_text repository_name(struct arena *arena, struct raw_text folder)
{
    char *name = arena_string(arena, folder.bytes, folder.length);
    for (size_t i = 0; i + 1 < folder.length; i++)
        if (name[i] == '-' && name[i + 1] == '-') {
            name[i] = '/';
            memmove(name + i + 1, name + i + 2, folder.length - i - 1);
            return (struct raw_text){name, folder.length - 1};
        }
    return (struct raw_text){name, folder.length};
}

/* True when a link in this folder, or below it, leads to the blob. */
static bool find_link(struct search *search, const char *folder, size_t start, size_t depth)
{
    char **entries, path[PATH_SIZE], target[PATH_SIZE];
    size_t count, length;
    root_list(search->place->root, search->place->scratch, folder, FOLDER_MAX, &entries, &count);
    for (size_t i = 0; i < count && search->seen < LINKS_MAX; i++) {
        search->seen++;
        if (snprintf(path, sizeof path, "%s/%s", folder, entries[i]) >= (int)sizeof path)
            continue;
        if (root_read_link(search->place->root, path, target, sizeof target, &length) == ROOT_OK) {
            struct raw_text name = path_basename((struct raw_text){target, length});
            if (path_equal(name, search->blob)) {
                snprintf(search->found, sizeof search->found, "%s", path);
                search->within = start;
                return true;
            }
        } else if (depth + 1 < DEPTH_MAX && find_link(search, path, start, depth + 1)) {
            return true;
        }
    }
    return false;
}

/* In the snapshot of "main" if it is there, else in any. */
static bool find_in_snapshots(struct search *search, const char *repository)
{
    char path[PATH_SIZE], revision[128], **entries;
    size_t length, count;
    if (snprintf(path, sizeof path, "%s/refs/main", repository) < (int)sizeof path &&
        root_read(search->place->root, path, revision, sizeof revision, &length, NULL) == ROOT_OK) {
        struct raw_text name = raw_trim((struct raw_text){revision, length});
        int written = snprintf(path, sizeof path, "%s/snapshots/%.*s", repository, (int)name.length,
                               name.bytes);
        if (name.length > 0 && !memchr(name.bytes, '/', name.length) &&
            written < (int)sizeof path && find_link(search, path, (size_t)written + 1, 0))
            return true;
    }
    if (snprintf(path, sizeof path, "%s/snapshots", repository) >= (int)sizeof path)
        return false;
    root_list(search->place->root, search->place->scratch, path, FOLDER_MAX, &entries, &count);
    for (size_t i = 0; i < count; i++) {
        int written = snprintf(path, sizeof path, "%s/snapshots/%s", repository, entries[i]);
        if (written < (int)sizeof path && find_link(search, path, (size_t)written + 1, 0))
            return true;
    }
    return false;
}

/* Where "/models--" begins its last time; SIZE_MAX: nowhere. */
static size_t repository_at(struct raw_text path)
{
    size_t length = strlen(repository_prefix);
    for (size_t at = path.length >= length ? path.length - length + 1 : 0; at > 0; at--)
        if (path_ends_folded((struct raw_text){path.bytes + at - 1, length}, repository_prefix))
            return at - 1;
    return SIZE_MAX;
}

struct raw_text hugging_face_snapshot(const struct store_place *place, struct arena *arena,
                                      struct raw_text hub, struct raw_text repository)
{
    char path[PATH_SIZE], revision[128];
    size_t length, at = 0;
    if (repository.length > 200 || !path_in_tree(place->prefix, hub, path, sizeof path - 512))
        return (struct raw_text){0};
    strcat(path, repository_prefix);
    for (at = strlen(path); repository.length > 0; repository.bytes++, repository.length--) {
        if (repository.bytes[0] == '/')
            path[at++] = '-';
        path[at++] = repository.bytes[0] == '/' ? '-' : repository.bytes[0];
    }
    snprintf(path + at, sizeof path - at, "/refs/main");
    if (root_read(place->root, path, revision, sizeof revision, &length, NULL) != ROOT_OK)
        return (struct raw_text){0};
    struct raw_text name = raw_trim((struct raw_text){revision, length});
    if (name.length == 0 || memchr(name.bytes, '/', name.length) || name.bytes[0] == '.')
        return (struct raw_text){0};
    snprintf(path + at, sizeof path - at, "/snapshots/%.*s", (int)name.length, name.bytes);
    return root_exists(place->root, path) ? path_from_tree(arena, place->prefix, path)
                                          : (struct raw_text){0};
}

static struct raw_text with_slashes(struct arena *arena, struct raw_text path)
{
    char *copy = arena_string(arena, path.bytes, path.length);
    for (size_t i = 0; i < path.length && path_is_of_windows(path); i++)
        copy[i] = copy[i] == '\\' ? '/' : copy[i];
    return (struct raw_text){copy, path.length};
}

size_t hugging_face_names(const struct store_place *place, struct arena *arena,
                          struct raw_text path, struct store_name *names, size_t limit)
{
    size_t at = repository_at(path), length = strlen(repository_prefix);
    if (limit == 0 || at == SIZE_MAX || !path_is_absolute(path))
        return 0;
    path = with_slashes(arena, path);
    struct raw_text rest = {path.bytes + at + length, path.length - at - length};
    struct raw_text folder, kind, below = {0};
    if (!raw_split(rest, '/', &folder, &below))
        folder = rest;
    names[0] = (struct store_name){.store = "Hugging Face", .name = repository_name(arena, folder)};
    if (!raw_split(below, '/', &kind, &below))
        return 1;
    struct raw_text revision;
    if (raw_equal_string(kind, "snapshots") && raw_split(below, '/', &revision, &below))
        names[0].file =
            (struct raw_text){arena_string(arena, below.bytes, below.length), below.length};
    char repository[PATH_SIZE];
    size_t folder_end = (size_t)(folder.bytes - path.bytes) + folder.length;
    struct search search = {.place = place, .blob = below};
    if (raw_equal_string(kind, "blobs") &&
        path_in_tree(place->prefix, (struct raw_text){path.bytes, folder_end}, repository,
                     sizeof repository) &&
        find_in_snapshots(&search, repository)) {
        const char *file = search.found + search.within;
        names[0].path = path_from_tree(arena, place->prefix, search.found);
        names[0].file = (struct raw_text){arena_string(arena, file, strlen(file)), strlen(file)};
    }
    return 1;
}
