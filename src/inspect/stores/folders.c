/* Stores whose folders say it all. */
#include <string.h>

#include "inspect/path.h"
#include "inspect/stores/store.h"

struct folder_store {
    const char *store, *folder;
    int parts; /* 0: the file's stem; -1: every folder above the file */
};

static const struct folder_store stores[] = {
#define FOLDER_STORE(store, folder, parts) {store, folder, parts},
#include "inspect/stores/folders.def"
#undef FOLDER_STORE
};

/* Behind `folder` in the path, without regard to case; SIZE_MAX when it is not in it. */
static size_t behind(struct raw_text path, const char *folder)
{
    size_t length = strlen(folder);
    for (size_t at = 0; at + length <= path.length; at++)
        if (path_ends_folded((struct raw_text){path.bytes, at + length}, folder))
            return at + length;
    return SIZE_MAX;
}

static struct raw_text first_parts(struct raw_text below, int parts)
{
    size_t at = 0;
    for (int left = parts; at < below.length; at++)
        if ((below.bytes[at] == '/' || below.bytes[at] == '\\') && --left == 0)
            return (struct raw_text){below.bytes, at};
    return below;
}

static struct raw_text name_of(const struct folder_store *store, struct raw_text below)
{
    struct raw_text name = store->parts == 0  ? path_model_stem(below)
                           : store->parts < 0 ? path_folder(below)
                                              : first_parts(below, store->parts);
    /* A file directly in a folder for folders is called by itself. */
    return name.length == 0 || name.length == below.length ? path_model_stem(below) : name;
}

size_t folder_store_names(struct arena *arena, struct raw_text path, struct store_name *names,
                          size_t limit)
{
    for (size_t i = 0; i < sizeof stores / sizeof *stores && limit > 0; i++) {
        size_t at = behind(path, stores[i].folder);
        if (at == SIZE_MAX || at == path.length)
            continue;
        struct raw_text name =
            name_of(&stores[i], (struct raw_text){path.bytes + at, path.length - at});
        char *copy = arena_string(arena, name.bytes, name.length);
        for (size_t k = 0; k < name.length && path_is_of_windows(path); k++)
            copy[k] = copy[k] == '\\' ? '/' : copy[k];
        names[0] = (struct store_name){.store = stores[i].store, .name = {copy, name.length}};
        return 1;
    }
    return 0;
}

size_t store_names(const struct store_place *place, struct arena *arena, struct raw_text path,
                   struct store_name *names, size_t limit, size_t *damaged)
{
    size_t count = ollama_names(place, arena, path, names, limit, damaged);
    if (count == 0)
        count = hugging_face_names(place, arena, path, names, limit);
    if (count == 0)
        count = folder_store_names(arena, path, names, limit);
    return count;
}
