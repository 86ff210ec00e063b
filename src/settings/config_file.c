/* The config file on disk: where it is, reading and merging. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/lines.h"
#include "settings/config.h"

static bool join(char path[CONFIG_PATH_SIZE], const char *folder, const char *below)
{
    int length = snprintf(path, CONFIG_PATH_SIZE, "%s%s", folder, below);
    if (length > 0 && length < CONFIG_PATH_SIZE)
        return true;
    path[0] = '\0';
    return false;
}

void config_find(char path[CONFIG_PATH_SIZE])
{
    /* The XDG standard: a value that is no absolute path is ignored. */
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *windows = getenv("APPDATA");
    path[0] = '\0';
    if (xdg != NULL && xdg[0] == '/')
        (void)join(path, xdg, "/gputaskman/config");
    else if (home != NULL && home[0] == '/')
        (void)join(path, home, "/.config/gputaskman/config");
    else if (windows != NULL && windows[0] != '\0')
        (void)join(path, windows, "\\gputaskman\\config");
}

/* The file's bytes (to be freed); NULL: there is none, or *problem says why it cannot be read. */
static char *read_file(const char *path, size_t *size, struct problem *problem)
{
    char *bytes = NULL;
    *size = 0;
    problem->text[0] = '\0';
    if (!file_exists(path) || !file_read_all(path, CONFIG_FILE_MAX, &bytes, size, problem))
        return NULL;
    return bytes;
}

void config_load(struct config *config, const char *path)
{
    *config = (struct config){.problem_count = 0};
    if (!join(config->path, path, "") || path[0] == '\0')
        return;
    size_t size = 0;
    struct problem problem;
    char *bytes = read_file(path, &size, &problem);
    if (bytes != NULL)
        config_parse(config, (struct raw_text){bytes, size});
    else if (problem.text[0] != '\0')
        config->problems[config->problem_count++] = problem;
    free(bytes);
}

struct merged {
    char *bytes;
    size_t size;
};

static void add(struct merged *merged, const char *bytes, size_t size)
{
    memcpy(merged->bytes + merged->size, bytes, size);
    merged->size += size;
}

static void add_setting(struct merged *merged, const struct config *config, int setting)
{
    const char *name = setting_info((enum setting)setting)->name;
    const char *value = config->values[setting].text;
    add(merged, name, strlen(name));
    add(merged, " = ", 3);
    add(merged, value, strlen(value));
    add(merged, "\n", 1);
}

/* The changed setting that a line sets, or -1. */
static int changed_setting(const struct config *config, struct raw_text line)
{
    struct raw_text name, value;
    if (!raw_split(line, '=', &name, &value))
        return -1;
    name = raw_trim(name);
    for (int i = 0; i < SETTING_COUNT; i++)
        if (config->values[i].changed &&
            raw_equal_string(name, setting_info((enum setting)i)->name))
            return i;
    return -1;
}

char *config_merge(const struct config *config, struct raw_text before, size_t *size)
{
    bool written[SETTING_COUNT] = {false};
    struct merged merged = {
        .bytes = memory_new(before.length * 2 + SETTING_COUNT * (CONFIG_VALUE_SIZE + 32) + 256)};
    static const char heading[] = "# Settings of gputaskman's live screen; the setup screen (F2) "
                                  "writes here too.\n";
    if (before.length == 0)
        add(&merged, heading, sizeof heading - 1);
    struct raw_text line;
    while (lines_next(&before, &line)) {
        int setting = changed_setting(config, line);
        if (setting < 0) {
            add(&merged, line.bytes, line.length);
            add(&merged, "\n", 1);
        } else if (!written[setting]) {
            add_setting(&merged, config, setting);
            written[setting] = true;
        }
    }
    for (int i = 0; i < SETTING_COUNT; i++)
        if (config->values[i].changed && !written[i])
            add_setting(&merged, config, i);
    *size = merged.size;
    return merged.bytes;
}

static bool make_folder_of(const char *path, struct problem *problem)
{
    char folder[CONFIG_PATH_SIZE];
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] != '/' && path[length - 1] != '\\')
        length--;
    if (length < 2)
        return true;
    memcpy(folder, path, length - 1);
    folder[length - 1] = '\0';
    return file_make_folder(folder, problem);
}

bool config_save(struct config *config, struct problem *problem)
{
    if (!config_is_changed(config))
        return true;
    if (config->path[0] == '\0')
        return problem_set(problem, "no place for the config file: set HOME or XDG_CONFIG_HOME");
    size_t size = 0, merged_size = 0;
    char *before = read_file(config->path, &size, problem);
    /* What cannot be read would be lost. */
    if (before == NULL && problem->text[0] != '\0')
        return false;
    char *merged = config_merge(config, (struct raw_text){before, size}, &merged_size);
    bool saved =
        make_folder_of(config->path, problem) &&
        file_write_atomically(config->path, (struct raw_text){merged, merged_size}, problem);
    free(before);
    free(merged);
    if (saved)
        config_take_changes(config);
    return saved;
}
