/* The Ollama store: blobs/sha256-HEX, and manifests/HOST/NAMESPACE/MODEL/TAG that name them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/path.h"
#include "inspect/stores/ollama_manifest.h"
#include "inspect/stores/store.h"

enum { PATH_SIZE = 4096, FOLDER_MAX = 1024, MANIFESTS_MAX = 4096, LEVELS = 4 };

struct search {
    const struct store_place *place;
    struct arena *arena;
    struct raw_text digest;
    struct store_name *names;
    size_t count, limit;
    size_t damaged, seen;
    const char *levels[LEVELS]; /* HOST, NAMESPACE, MODEL, TAG */
};

static struct raw_text name_of(const struct search *search)
{
    const char *const *levels = search->levels;
    bool default_host = strcmp(levels[0], "registry.ollama.ai") == 0;
    bool library = strcmp(levels[1], "library") == 0;
    size_t size = strlen(levels[0]) + strlen(levels[1]) + strlen(levels[2]) + strlen(levels[3]) + 4;
    char *name = arena_alloc(search->arena, size);
    snprintf(name, size, "%s%s%s%s%s:%s", default_host ? "" : levels[0], default_host ? "" : "/",
             library && default_host ? "" : levels[1], library && default_host ? "" : "/",
             levels[2], levels[3]);
    return raw_from_string(name);
}

static void add(struct search *search, struct raw_text role)
{
    if (search->count == search->limit)
        return;
    search->names[search->count++] = (struct store_name){
        .store = "Ollama",
        .name = name_of(search),
        .role = {arena_string(search->arena, role.bytes ? role.bytes : "", role.length),
                 role.length},
    };
}

static void read_manifest(struct search *search, const char *path)
{
    struct ollama_manifest manifest;
    struct raw_text text;
    if (++search->seen > MANIFESTS_MAX)
        return;
    if (root_read_arena(search->place->root, search->place->scratch, path, OLLAMA_MANIFEST_BYTES,
                        &text, NULL) != ROOT_OK ||
        !ollama_manifest_parse(search->place->scratch, text, &manifest)) {
        search->damaged++;
        return;
    }
    for (size_t i = 0; i < manifest.count; i++) {
        const struct ollama_layer *layer = &manifest.layers[i];
        if (memcmp(layer->digest.bytes, search->digest.bytes, search->digest.length) == 0)
            add(search, layer->role);
    }
}

/* Exactly four levels; dot files are not Ollama's. */
static void walk(struct search *search, const char *folder, size_t level)
{
    char **entries, path[PATH_SIZE];
    size_t count;
    if (root_list(search->place->root, search->place->scratch, folder, FOLDER_MAX, &entries,
                  &count) == ROOT_ABSENT)
        return;
    for (size_t i = 0; i < count && search->seen <= MANIFESTS_MAX; i++) {
        if (entries[i][0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]) >= (int)sizeof path)
            continue;
        search->levels[level] = entries[i];
        if (level + 1 < LEVELS)
            walk(search, path, level + 1);
        else
            read_manifest(search, path);
    }
}

static int compare(const void *a, const void *b)
{
    const struct store_name *left = a, *right = b;
    if (left->name.length != right->name.length)
        return left->name.length < right->name.length ? -1 : 1;
    return memcmp(left->name.bytes, right->name.bytes, left->name.length);
}

size_t ollama_names(const struct store_place *place, struct arena *arena, struct raw_text path,
                    struct store_name *names, size_t limit, size_t *damaged)
{
    static const char blobs[] = "/blobs";
    struct raw_text digest = ollama_digest(path_basename(path)), folder = path_folder(path);
    char manifests[PATH_SIZE];
    if (digest.length == 0 || !path_ends_folded(folder, blobs))
        return 0;
    folder.length -= strlen(blobs);
    if (!path_in_tree(place->prefix, folder, manifests, sizeof manifests - sizeof "/manifests"))
        return 0;
    strcat(manifests, "/manifests");
    /* Room for more than are wanted: the shortest names come first whatever the folders' order. */
    enum { FOUND_MAX = 256 };
    struct search search = {
        .place = place,
        .arena = arena,
        .digest = digest,
        .names = ARENA_ARRAY(place->scratch, struct store_name, FOUND_MAX),
        .limit = FOUND_MAX,
    };
    walk(&search, manifests, 0);
    *damaged += search.damaged;
    if (search.count > 1)
        qsort(search.names, search.count, sizeof *search.names, compare);
    size_t kept = search.count < limit ? search.count : limit;
    if (kept > 0)
        memcpy(names, search.names, kept * sizeof *names);
    return kept;
}
