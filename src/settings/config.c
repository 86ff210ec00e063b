#include "settings/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "settings/written.h"

static const struct setting_info infos[SETTING_COUNT] = {
#define SETTING(id, name_, kind_, choices_, unset_, help_)                                         \
    [SETTING_##id] = {.name = (name_),                                                             \
                      .choices = (choices_),                                                       \
                      .unset = (unset_),                                                           \
                      .help = (help_),                                                             \
                      .kind = (kind_)},
#include "settings/config.def"
#undef SETTING
};

const struct setting_info *setting_info(enum setting setting)
{
    return &infos[setting];
}

static bool is_value(const struct setting_info *info, const char *value)
{
    double seconds = 0;
    switch (info->kind) {
    case SETTING_CHOICE:
        return written_choice(info->choices, value);
    case SETTING_SECONDS:
        return written_decimal(value, strlen(value), &seconds) && seconds >= 0.1 && seconds <= 3600;
    case SETTING_WORD:
        return value[0] != '\0' && strpbrk(value, " \t,") == NULL;
    case SETTING_WORDS:
        break;
    }
    return value[0] != '\0';
}

static void report(struct config *config, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void report(struct config *config, size_t line, const char *format, ...)
{
    char words[PROBLEM_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (config->problem_count < CONFIG_PROBLEMS_MAX)
        problem_set(&config->problems[config->problem_count], "%.200s:%zu: %s",
                    config->path[0] != '\0' ? config->path : "config", line, words);
    config->problem_count++;
}

void config_report(struct config *config, enum setting setting, const char *words)
{
    report(config, config->values[setting].line, "%s: %s", infos[setting].name, words);
}

static int find_setting(struct raw_text name)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (raw_equal_string(name, infos[i].name))
            return i;
    return -1;
}

/* Splits a line; false: blank or a comment (then *problem stays "") or no setting. */
static bool split_line(struct raw_text line, struct raw_text *name, struct raw_text *value,
                       const char **problem)
{
    *problem = "";
    line = raw_trim(line);
    if (line.length == 0 || line.bytes[0] == '#')
        return false;
    if (!raw_split(line, '=', name, value)) {
        *problem = "not understood: write NAME = VALUE";
        return false;
    }
    *name = raw_trim(*name);
    *value = raw_trim(*value);
    return true;
}

static void take_line(struct config *config, struct raw_text line, size_t number)
{
    struct raw_text name, value;
    const char *problem;
    if (!split_line(line, &name, &value, &problem)) {
        if (problem[0] != '\0')
            report(config, number, "%s", problem);
        return;
    }
    int setting = find_setting(name);
    if (setting < 0) {
        report(config, number, "there is no setting '%.*s'; it is left alone",
               (int)(name.length < 60 ? name.length : 60), name.bytes);
        return;
    }
    char text[CONFIG_VALUE_SIZE] = "";
    bool fits = value.length < sizeof text && memchr(value.bytes, '\0', value.length) == NULL;
    if (fits)
        memcpy(text, value.bytes, value.length);
    /* A later line wins; one without use leaves the earlier one. */
    if (!fits || !is_value(&infos[setting], text)) {
        report(config, number, "%s: '%.60s' is none of: %s", infos[setting].name, text,
               infos[setting].choices);
        return;
    }
    struct config_value *kept = &config->values[setting];
    memcpy(kept->text, text, sizeof kept->text);
    kept->line = number;
}

void config_parse(struct config *config, struct raw_text bytes)
{
    struct raw_text line;
    for (size_t number = 1; lines_next(&bytes, &line); number++)
        take_line(config, line, number);
}

const char *config_text(const struct config *config, enum setting setting)
{
    const char *text = config->values[setting].text;
    return text[0] != '\0' ? text : infos[setting].unset;
}

double config_seconds(const struct config *config, enum setting setting)
{
    const char *text = config_text(config, setting);
    double seconds = 0;
    (void)written_decimal(text, strlen(text), &seconds);
    return seconds;
}

bool config_word(const char **rest, char *word, size_t size)
{
    *rest += strspn(*rest, " \t,");
    size_t length = strcspn(*rest, " \t,");
    size_t kept = length < size ? length : size - 1;
    memcpy(word, *rest, kept);
    word[kept] = '\0';
    *rest += length;
    return length > 0;
}

bool config_set(struct config *config, enum setting setting, const char *value)
{
    struct config_value *kept = &config->values[setting];
    size_t length = strlen(value);
    if (length >= sizeof kept->text || !is_value(&infos[setting], value))
        return false;
    if (strcmp(config_text(config, setting), value) == 0)
        return true;
    memcpy(kept->text, value, length + 1);
    kept->changed = true;
    return true;
}

bool config_is_changed(const struct config *config)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (config->values[i].changed)
            return true;
    return false;
}

void config_take_changes(struct config *config)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        config->values[i].changed = false;
}
