#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "inspect/file_list.h"
#include "inspect/path.h"

/* A mapping that is not called like a model is looked into from this size on. */
static const uint64_t unnamed_bytes_min = 8 * 1024 * 1024;

static void see_file(struct file_list *list, const struct gathered_file *file,
                     struct candidate *candidate)
{
    const struct root *root = list->gathering->place->root;
    char resolved[GATHER_PATH_SIZE];
    if (candidate->place[0] == '\0' &&
        (file->deleted || !gathering_place(list->gathering, file->path, candidate->place)))
        return;
    if (!root_file_facts(root, candidate->place, &candidate->facts)) {
        candidate->facts = (struct root_file_facts){.inode = 0};
        candidate->place[0] = '\0';
    } else if (list->gathering->prefix[0] == '\0' && !file->deleted &&
               root_resolve(root, candidate->place, resolved, sizeof resolved)) {
        candidate->canonical =
            gathering_copy(list->gathering, (struct raw_text){resolved, strlen(resolved)});
    }
}

static bool is_same_part_group(const struct gathered_file *a, const struct gathered_file *b)
{
    struct path_part left, right;
    return a->deleted == b->deleted && path_part_parse(a->path, &left) &&
           path_part_parse(b->path, &right) && left.count == right.count &&
           path_same_name(left.stem, right.stem) &&
           path_same(path_folder(a->path), path_folder(b->path));
}

/* The file that the kernel shows mapped is the one that a path leads to. */
static bool is_mapping_of(const struct gathered_file *mapped, const struct candidate *other)
{
    return mapped->inode != 0 && mapped->inode == other->facts.inode &&
           mapped->device == other->facts.device;
}

static bool is_same(const struct gathered_file *a, const struct candidate *a_more,
                    const struct gathered_file *b, const struct candidate *b_more)
{
    bool a_inode = a->inode != 0, b_inode = b->inode != 0;
    if (a_inode && b_inode && a->inode == b->inode && a->device == b->device)
        return true;
    /* What it was given by name at its start is the file that has been removed since. */
    if (a->deleted != b->deleted)
        return (a->deleted ? b : a)->ways == FILE_NAMED && path_same(a->path, b->path);
    return path_same(a->path, b->path) || path_same(a_more->canonical, b_more->canonical) ||
           (a_more->facts.inode != 0 && a_more->facts.inode == b_more->facts.inode &&
            a_more->facts.device == b_more->facts.device) ||
           is_mapping_of(a, b_more) || is_mapping_of(b, a_more) || is_same_part_group(a, b);
}

struct gathered_file *file_list_add(struct file_list *list, struct gathered_file file,
                                    struct candidate *candidate)
{
    see_file(list, &file, candidate);
    for (size_t i = 0; i < list->count; i++) {
        struct gathered_file *known = &list->files[i];
        if (!is_same(known, &list->candidates[i], &file, candidate))
            continue;
        known->ways |= file.ways;
        known->mapped_bytes += file.mapped_bytes;
        if (file.deleted && !known->deleted) {
            /* Whatever has this name by now is another file. */
            known->deleted = true;
            list->candidates[i] = *candidate;
        }
        if (file.use != FILE_FOR_UNKNOWN && known->use == FILE_FOR_UNKNOWN)
            known->use = file.use;
        if (!candidate->must_be_model)
            list->candidates[i].must_be_model = false;
        if (list->candidates[i].place[0] == '\0' && candidate->place[0] != '\0')
            list->candidates[i] = *candidate;
        return known;
    }
    if (list->count == GATHERED_FILES_MAX) {
        list->gathering->parts->gathered.files_cut = true;
        return NULL;
    }
    list->candidates[list->count] = *candidate;
    list->files[list->count] = file;
    return &list->files[list->count++];
}

static bool is_library_name(struct raw_text path)
{
    struct raw_text name = path_basename(path);
    return path_ends_folded(name, ".so") || path_contains(name, ".so.") ||
           path_ends_folded(name, ".node");
}

static void add_library(struct gathering *gathering, struct raw_text path)
{
    if (gathering->library_count < GATHERED_LIBRARIES_MAX)
        gathering->libraries[gathering->library_count++] = path;
}

static bool is_plain_data(struct raw_text path)
{
    static const char *const suffixes[] = {
        ".ttf", ".ttc", ".otf", ".pak", ".dat", ".mo",  ".jar", ".cache", "-archive", ".sqlite",
        ".db",  ".exe", ".dll", ".wav", ".mp4", ".nls", ".mui", ".mun",   ".pri"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (path_ends_folded(path, suffixes[i]))
            return true;
    return raw_starts_with(path, "/memfd:") || raw_starts_with(path, "/dev/") ||
           raw_starts_with(path, "/SYSV") || raw_starts_with(path, "/usr/share/") ||
           (path_is_of_windows(path) && path_contains(path, ":/windows/"));
}

static void set_place(struct candidate *candidate, struct raw_text place)
{
    if (place.length > 0)
        snprintf(candidate->place, sizeof candidate->place, "%.*s", (int)place.length, place.bytes);
}

/* What the system says of a file that may not be opened (macOS: folders that ask the user first).
 */
static struct measured told_bytes(const struct mapped_file *mapped)
{
    return mapped->file_bytes > 0 && mapped->file_bytes <= INT64_MAX
               ? measured_known((int64_t)mapped->file_bytes)
               : measured_unknown(REASON_not_reported);
}

/* The compiled models of Core ML are data: what maps one runs it. */
static bool proves_runtime(const struct mapped_file *mapped)
{
    return mapped->executable || is_library_name(mapped->path) ||
           path_ends_folded(mapped->path, ".metallib") ||
           path_contains(mapped->path, ".mlmodelc/") ||
           path_contains(mapped->path, "/com.apple.e5rt.e5bundlecache/");
}

static void add_mapped(struct file_list *list)
{
    struct gathering *gathering = list->gathering;
    gathering->libraries = ARENA_ARRAY(gathering->scratch, struct raw_text, GATHERED_LIBRARIES_MAX);
    for (size_t i = 0; i < gathering->files.mapped_count; i++) {
        const struct mapped_file *mapped = &gathering->files.mapped[i];
        enum path_promise promise = path_promises_model(mapped->path);
        if (proves_runtime(mapped))
            add_library(gathering, mapped->path);
        if (is_library_name(mapped->path) || (mapped->executable && promise != PATH_MODEL))
            continue;
        if (promise == PATH_NO_MODEL &&
            (mapped->mapped_bytes < unnamed_bytes_min || is_plain_data(mapped->path)))
            continue;
        struct candidate candidate = {.must_be_model = promise != PATH_MODEL};
        set_place(&candidate, mapped->place);
        file_list_add(list,
                      (struct gathered_file){
                          .path = gathering_copy(gathering, mapped->path),
                          .device = mapped->device,
                          .inode = mapped->inode,
                          .ways = FILE_MAPPED,
                          .deleted = mapped->deleted,
                          .bytes = told_bytes(mapped),
                          .mapped_bytes = mapped->mapped_bytes < INT64_MAX
                                              ? (int64_t)mapped->mapped_bytes
                                              : INT64_MAX,
                      },
                      &candidate);
    }
}

static void see_training(struct gathered *gathered, struct raw_text path)
{
    if (gathered->training_file.bytes == NULL &&
        (path_contains(path_basename(path), "events.out.tfevents") ||
         path_contains(path, "/wandb/run-")))
        gathered->training_file = path;
}

static void add_open(struct file_list *list)
{
    struct gathering *gathering = list->gathering;
    struct gathered *gathered = &gathering->parts->gathered;
    for (size_t i = 0; i < gathering->files.open_count; i++) {
        const struct open_file *open = &gathering->files.open[i];
        enum path_promise promise = path_promises_model(open->path);
        see_training(gathered, open->path);
        if (promise == PATH_NO_MODEL || is_plain_data(open->path))
            continue;
        struct candidate candidate = {.must_be_model = promise != PATH_MODEL};
        set_place(&candidate, open->place);
        file_list_add(list,
                      (struct gathered_file){.path = gathering_copy(gathering, open->path),
                                             .ways = FILE_OPEN,
                                             .deleted = open->deleted},
                      &candidate);
    }
    if (gathered->training_file.bytes)
        gathered->training_file = gathering_copy(gathering, gathered->training_file);
}

static void read_header(struct file_list *list, size_t index)
{
    struct gathering *gathering = list->gathering;
    struct gathered_file *file = &list->files[index];
    struct candidate *candidate = &list->candidates[index];
    struct root_file_facts facts = candidate->facts;
    struct path_part part;
    char place[GATHER_PATH_SIZE];
    if (candidate->place[0] == '\0')
        return;
    memcpy(place, candidate->place, sizeof place);
    if (facts.directory && !file_list_open_folder(list, file, candidate))
        return;
    memcpy(place, candidate->place, sizeof place);
    facts = candidate->facts;
    struct raw_text named =
        file->name_count > 0 && file->names[0].path.bytes ? file->names[0].path : file->path;
    if (!file->deleted && !file->directory && path_part_parse(named, &part)) {
        struct raw_text first = path_of_first_part(gathering->arena, named, &part);
        struct root_file_facts first_facts;
        if (gathering_place(gathering, first, place) &&
            root_file_facts(gathering->place->root, place, &first_facts))
            facts = first_facts;
        else
            memcpy(place, candidate->place, sizeof place);
        if (part.number > 1 && named.bytes == file->path.bytes)
            file->path = first;
    }
    if (!facts.regular)
        return;
    if (!file->directory)
        file->bytes = measured_known(candidate->facts.size_bytes);
    struct known_file *known =
        file_cache_get(gathering->place->files, gathering->place->root, place, &facts);
    gathering->parts->files[gathering->parts->file_count++] = known;
    if (known->is_model) {
        file->model = &known->file;
        if (known->file.file_bytes > 0)
            file->bytes = measured_known(known->file.file_bytes);
    } else {
        file->problem = raw_from_string(known->problem.text);
    }
}

static void name_file(struct gathering *gathering, struct gathered_file *file)
{
    const struct store_place place = {gathering->place->root, gathering->prefix,
                                      gathering->scratch};
    struct store_name *names = ARENA_ARRAY(gathering->arena, struct store_name, GATHERED_NAMES_MAX);
    file->name_count = store_names(&place, gathering->arena, file->path, names, GATHERED_NAMES_MAX,
                                   &gathering->damaged_records);
    file->names = names;
}

/* Two shards that the kernel shows as blobs are one model by their names in the snapshot. */
static bool is_same_model_in_store(const struct gathered_file *a, const struct gathered_file *b)
{
    struct path_part left, right;
    return a->name_count > 0 && b->name_count > 0 && a->names[0].path.bytes &&
           b->names[0].path.bytes && path_part_parse(a->names[0].path, &left) &&
           path_part_parse(b->names[0].path, &right) && left.count == right.count &&
           path_same_name(left.stem, right.stem) &&
           path_same(path_folder(a->names[0].path), path_folder(b->names[0].path));
}

void file_list_drop(struct file_list *list, size_t index)
{
    list->count--;
    memmove(&list->files[index], &list->files[index + 1],
            (list->count - index) * sizeof *list->files);
    memmove(&list->candidates[index], &list->candidates[index + 1],
            (list->count - index) * sizeof *list->candidates);
}

static void join_store_parts(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = list->count; k-- > i + 1;)
            if (is_same_model_in_store(&list->files[i], &list->files[k])) {
                list->files[i].ways |= list->files[k].ways;
                list->files[i].mapped_bytes += list->files[k].mapped_bytes;
                file_list_drop(list, k);
            }
}

static bool loads_models(struct raw_text library)
{
    static const char *const parts[] = {
        "libllama",       "libggml",     "libtorch",        "libwhisper",     "libonnxruntime",
        "libctranslate2", "libmlx",      "llama.dll",       "ggml.dll",       "ggml-base.dll",
        "torch_cpu.dll",  "whisper.dll", "onnxruntime.dll", "ctranslate2.dll"};
    struct raw_text name = path_basename(library);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (path_contains(name, parts[i]))
            return true;
    return false;
}

/* What the libraries prove is kept, they themselves are not: a process may have hundreds. */
static void see_libraries(struct gathering *gathering)
{
    struct gathered *gathered = &gathering->parts->gathered;
    gathered->runtime_count =
        runtimes_find(gathering->libraries, gathering->library_count, gathered->runtimes);
    for (size_t i = 0; i < gathered->runtime_count; i++)
        gathered->runtimes[i].library = gathering_copy(gathering, gathered->runtimes[i].library);
    gathered->ggml_backend = runtimes_ggml_backend(gathering->libraries, gathering->library_count);
    for (size_t i = 0; i < gathering->library_count; i++)
        gathered->has_inference_library |= loads_models(gathering->libraries[i]);
}

/* "-hf ORG/NAME:QUANT" names a model, and which file it is says the mapping. */
static void name_by_repository(struct gathering *gathering)
{
    struct gathered *gathered = &gathering->parts->gathered;
    struct raw_text repository = gathering->models.flags.hf_repo;
    if (gathering->models.is_llama_style && repository.length > 0 &&
        gathering->models.flags.model.path.length == 0 && !gathered->model_name.bytes) {
        gathered->model_name = gathering_copy(gathering, repository);
        gathered->model_name_by = "cmdline";
    }
}

void gather_files(struct gathering *gathering)
{
    struct gathered *gathered = &gathering->parts->gathered;
    struct file_list list = {
        .gathering = gathering,
        .files = ARENA_ARRAY(gathering->scratch, struct gathered_file, GATHERED_FILES_MAX),
        .candidates = ARENA_ARRAY(gathering->scratch, struct candidate, GATHERED_FILES_MAX),
    };
    gathered->files_known =
        gathering->files.mapped_known &&
        (gathering->files.open_known || !gathering->place->inside->shows_open_files);
    gathered->files_cut |= gathering->files.mapped_cut || gathering->files.open_cut;
    /* The command line first: it names what it means, in its order. */
    for (size_t i = 0; i < gathering->models.count; i++)
        file_list_add_named(&list, &gathering->models.items[i]);
    name_by_repository(gathering);
    add_mapped(&list);
    add_open(&list);
    for (size_t i = 0; i < list.count; i++)
        name_file(gathering, &list.files[i]);
    join_store_parts(&list);
    file_list_join_folders(&list);
    for (size_t i = 0; i < list.count;) {
        read_header(&list, i);
        if (list.candidates[i].must_be_model && !list.files[i].model)
            file_list_drop(&list, i);
        else
            i++;
    }
    gathered->files = ARENA_ARRAY(gathering->arena, struct gathered_file, list.count);
    memcpy(gathered->files, list.files, list.count * sizeof *list.files);
    gathered->file_count = list.count;
    see_libraries(gathering);
    if (!gathered->files_known && gathering->models.family != PROGRAM_OTHER)
        gathering_note(gathering, text_format(gathering->arena,
                                              "its files may not be looked at: %s the models that "
                                              "it holds are found too",
                                              gathering->place->inside->how_to_see_more));
    if (gathering->damaged_records > 0)
        gathering_note(gathering, text_format(gathering->arena,
                                              "%zu records of the model store could not be read "
                                              "and are passed over",
                                              gathering->damaged_records));
}
