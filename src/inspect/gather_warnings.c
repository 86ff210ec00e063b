/* What is wrong with the files that a process holds, as notes about it. */
#include <string.h>

#include "inspect/command.h"
#include "inspect/gather_parts.h"
#include "inspect/path.h"

/* True for a file that is meant to be a model, whatever is in it. */
static bool is_meant_as_model(const struct gathered_file *file)
{
    bool named = (file->ways & FILE_NAMED) != 0 && file->use != FILE_FOR_UNKNOWN;
    return named || path_promises_model(file->path) == PATH_MODEL;
}

/* What follows the file's name in "FOLDER/NAME: why" and "FOLDER/NAME is such", from there on. */
static struct raw_text behind_name(const struct gathered_file *file)
{
    struct raw_text name = path_basename(file->path), rest = file->problem;
    for (; rest.length > name.length; rest.bytes++, rest.length--)
        if (memcmp(rest.bytes, name.bytes, name.length) == 0 &&
            (rest.bytes[name.length] == ':' || rest.bytes[name.length] == ' '))
            return (struct raw_text){rest.bytes + name.length, rest.length - name.length};
    return (struct raw_text){0};
}

/* `about` ends in what is said of the file by its name. */
static void add(struct gathering *gathering, const struct gathered_file *file, const char *about,
                struct raw_text words)
{
    struct text name = text_redact(gathering->arena, path_basename(file->path));
    struct text safe = text_from_raw(gathering->arena, words);
    gathering_note(gathering, text_format(gathering->arena, "%.*s%s%.*s", (int)name.size, name.utf8,
                                          about, (int)safe.size, safe.utf8));
}

static void add_problem(struct gathering *gathering, const struct gathered_file *file)
{
    struct raw_text words = behind_name(file);
    bool is_sentence = words.length > 0 && words.bytes[0] == ' ';
    if (words.length == 0)
        add(gathering, file, " is not readable as a model: ", file->problem);
    else
        add(gathering, file, is_sentence ? "" : " is not readable as a model", words);
}

void gather_warnings(struct gathering *gathering)
{
    const struct gathered *gathered = &gathering->parts->gathered;
    for (size_t i = 0; i < gathered->file_count; i++) {
        const struct gathered_file *file = &gathered->files[i];
        for (size_t k = 0; file->model && k < file->model->warning_count; k++)
            add(gathering, file, ": ",
                (struct raw_text){file->model->warnings[k].utf8, file->model->warnings[k].size});
        if (!file->model && file->problem.length > 0 && is_meant_as_model(file))
            add_problem(gathering, file);
    }
}
