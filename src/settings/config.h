/* The config file of the live screen: lines `name = value`, # begins a comment (config.def names
 * the settings). Forgiving: what it cannot use is reported with file and line and left alone, also
 * in the file; the setting keeps its default. Options of the command line override it.
 *
 * What a column or a chart is called is not known in this room: words are handed on, and whoever
 * finds one unusable reports it with config_report(). */
#ifndef SETTINGS_CONFIG_H
#define SETTINGS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/problem.h"
#include "base/text.h"

enum setting {
#define SETTING(id, name, kind, choices, unset, help) SETTING_##id,
#include "settings/config.def"
#undef SETTING
    SETTING_COUNT
};

enum setting_kind {
    SETTING_CHOICE,  /* one of the words of `choices` */
    SETTING_SECONDS, /* 0.1 to 3600 */
    SETTING_WORD,
    SETTING_WORDS, /* separated by blanks or commas */
};

struct setting_info {
    const char *name, *choices, *unset, *help;
    enum setting_kind kind;
};

const struct setting_info *setting_info(enum setting setting);

enum {
    CONFIG_FILE_MAX = 65536, /* bytes; a larger file is not read */
    CONFIG_VALUE_SIZE = 512,
    CONFIG_PROBLEMS_MAX = 8,
    CONFIG_PATH_SIZE = 4096,
};

struct config {
    struct config_value {
        char text[CONFIG_VALUE_SIZE]; /* valid; "" : not set */
        size_t line;                  /* 1 ...; 0: not from a file */
        bool changed;                 /* since it was read: config_save() writes it */
    } values[SETTING_COUNT];
    char path[CONFIG_PATH_SIZE]; /* "": there is no place for it */
    struct problem problems[CONFIG_PROBLEMS_MAX];
    size_t problem_count; /* may pass CONFIG_PROBLEMS_MAX: only the first are kept */
};

/* $XDG_CONFIG_HOME/gputaskman/config, else ~/.config/gputaskman/config; on Windows
 * %APPDATA%\gputaskman\config. "" when the environment names no place. */
void config_find(char path[CONFIG_PATH_SIZE]);
/* Reads the file at `path`; a missing one is an empty one. */
void config_load(struct config *config, const char *path);
/* The same from memory. */
void config_parse(struct config *config, struct raw_text bytes);
/* Adds "FILE:LINE: words" about a setting. */
void config_report(struct config *config, enum setting setting, const char *words);

/* The value, or what holds without one. */
const char *config_text(const struct config *config, enum setting setting);
double config_seconds(const struct config *config, enum setting setting);
/* Takes the next word of a list off `*rest`; false at the end. */
bool config_word(const char **rest, char *word, size_t size);
/* False: not a value for it, and nothing has changed. */
bool config_set(struct config *config, enum setting setting, const char *value);

bool config_is_changed(const struct config *config);
/* Forgets that anything has changed: a copy of it is being saved. */
void config_take_changes(struct config *config);

/* Puts what config_set() changed into `before`, the file as it is now: other lines stay as they
 * are. The caller frees the result. */
char *config_merge(const struct config *config, struct raw_text before, size_t *size);
/* Merges into the file and replaces it by a rename, so that a full disk loses nothing. Makes the
 * folder. Does nothing when nothing has changed. */
bool config_save(struct config *config, struct problem *problem);

#endif
