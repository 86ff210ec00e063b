#include <stdio.h>
#include <string.h>

#include "inspect/file_list.h"
#include "inspect/path.h"

static struct raw_text joined(struct gathering *gathering, struct raw_text folder, const char *name)
{
    size_t size = folder.length + strlen(name) + 1;
    char *path = arena_alloc(gathering->arena, size);
    snprintf(path, size, "%.*s%s", (int)folder.length, folder.bytes, name);
    return raw_from_string(path);
}

/* "ORG/NAME" in the process's own Hugging Face cache. */
static struct raw_text find_in_hub(struct gathering *gathering, struct raw_text repository)
{
    const struct gathered *gathered = &gathering->parts->gathered;
    const struct store_place place = {gathering->place->root, gathering->prefix,
                                      gathering->scratch};
    struct raw_text hub = gathering_variable(gathered, "HF_HUB_CACHE");
    if (hub.length == 0)
        hub = gathering_variable(gathered, "HUGGINGFACE_HUB_CACHE");
    if (hub.length == 0 && gathering_variable(gathered, "HF_HOME").length > 0)
        hub = joined(gathering, gathering_variable(gathered, "HF_HOME"), "/hub");
    if (hub.length == 0 && gathering_home(gathered).length > 0)
        hub = joined(gathering, gathering_home(gathered), "/.cache/huggingface/hub");
    return hugging_face_snapshot(&place, gathering->arena, hub, repository);
}

bool file_list_open_folder(struct file_list *list, struct gathered_file *file,
                           struct candidate *candidate)
{
    struct gathering *gathering = list->gathering;
    static const char *const heads[] = {"model.safetensors.index.json", "model.safetensors",
                                        "diffusion_pytorch_model.safetensors", "model.bin"};
    char **names, place[GATHER_PATH_SIZE];
    size_t count, length = strlen(candidate->place);
    file->directory = true;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (snprintf(place, sizeof place, "%s/%s", candidate->place, heads[i]) <
                (int)sizeof place &&
            root_file_facts(gathering->place->root, place, &candidate->facts) &&
            candidate->facts.regular) {
            memcpy(candidate->place, place, sizeof place);
            return true;
        }
    }
    root_list(gathering->place->root, gathering->scratch, candidate->place, 1024, &names, &count);
    for (size_t i = 0; i < count; i++)
        if (path_promises_model(raw_from_string(names[i])) == PATH_MODEL &&
            length + strlen(names[i]) + 2 < sizeof candidate->place) {
            snprintf(candidate->place + length, sizeof candidate->place - length, "/%s", names[i]);
            return root_file_facts(gathering->place->root, candidate->place, &candidate->facts) &&
                   candidate->facts.regular;
        }
    return false;
}

static bool is_model_in(struct raw_text path, struct raw_text folder)
{
    return path.length > 0 && folder.length > 0 && path_promises_model(path) != PATH_NO_MODEL &&
           path_same(path_folder(path), folder);
}

/* By its path, by the one that its links lead to, or by that of its name in a store. */
static bool is_within(const struct file_list *list, size_t file, size_t folder)
{
    const struct gathered_file *inner = &list->files[file], *outer = &list->files[folder];
    return is_model_in(inner->path, outer->path) ||
           is_model_in(list->candidates[file].canonical, list->candidates[folder].canonical) ||
           (inner->name_count > 0 && is_model_in(inner->names[0].path, outer->path));
}

void file_list_join_folders(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->candidates[i].facts.directory)
            continue;
        for (size_t k = list->count; k-- > i + 1;) {
            const struct gathered_file *inner = &list->files[k];
            if ((inner->ways & FILE_NAMED) || !is_within(list, k, i))
                continue;
            list->files[i].ways |= inner->ways;
            list->files[i].mapped_bytes += inner->mapped_bytes;
            file_list_drop(list, k);
        }
    }
}

static bool looks_like_path(struct raw_text value)
{
    return path_is_absolute(value) || value.bytes[0] == '.' || value.bytes[0] == '~' ||
           path_promises_model(value) != PATH_NO_MODEL;
}

/* A model of text-generation-webui is named within its folder for models. */
static struct raw_text find_in_folders(struct gathering *gathering,
                                       const struct command_model *model)
{
    static const char *const usual[] = {"user_data/models", "models"};
    struct gathered *gathered = &gathering->parts->gathered;
    char place[GATHER_PATH_SIZE];
    struct root_file_facts facts;
    for (size_t i = 0; i < 1 + sizeof usual / sizeof *usual; i++) {
        struct raw_text folder = i == 0 ? model->folder : raw_from_string(usual[i - 1]);
        if (folder.length == 0 || path_is_absolute(model->value))
            continue;
        struct text path = text_format(gathering->scratch, "%.*s/%.*s", (int)folder.length,
                                       folder.bytes, (int)model->value.length, model->value.bytes);
        struct raw_text found =
            path_absolute(gathering->arena, gathered->cwd, (struct raw_text){path.utf8, path.size});
        if (found.bytes && gathering_place(gathering, found, place) &&
            root_file_facts(gathering->place->root, place, &facts))
            return found;
    }
    return (struct raw_text){0};
}

void file_list_add_named(struct file_list *list, const struct command_model *model)
{
    struct gathering *gathering = list->gathering;
    struct gathered *gathered = &gathering->parts->gathered;
    struct candidate candidate = {.must_be_model = false};
    struct gathered_file file = {.ways = FILE_NAMED, .use = model->use};
    file.path = path_absolute(gathering->arena, gathered->cwd, model->value);
    struct raw_text found = gathering->models.family == PROGRAM_WEBUI
                                ? find_in_folders(gathering, model)
                                : (struct raw_text){0};
    bool is_path = found.length > 0 || looks_like_path(model->value);
    if (found.length > 0)
        file.path = found;
    if (!is_path && file.path.bytes) {
        struct root_file_facts facts;
        char place[GATHER_PATH_SIZE];
        is_path = gathering_place(gathering, file.path, place) &&
                  root_file_facts(gathering->place->root, place, &facts);
    }
    if (!is_path) {
        if (model->use == FILE_FOR_MODEL || model->use == FILE_FOR_SPEECH) {
            gathered->model_name = gathering_copy(gathering, model->value);
            gathered->model_name_by = "cmdline";
        }
        struct raw_text folder = find_in_hub(gathering, model->value);
        if (folder.length == 0)
            return;
        file.path = folder;
    }
    if (!file.path.bytes)
        file.path = gathering_copy(gathering, model->value);
    struct gathered_file *added = file_list_add(list, file, &candidate);
    if (added && added->use == FILE_FOR_UNKNOWN)
        added->use = model->use;
}
