#include "cli/tui_call.h"

#include <stdio.h>
#include <string.h>

#include "os/signals.h"
#include "view/charts.h"

static void read_columns(struct tui_call *tui)
{
    struct config *config = &tui->config;
    const char *rest = config_text(config, SETTING_columns);
    char word[32], problem[80];
    enum column column;
    columns_default(&tui->options.columns);
    size_t chosen = 0;
    while (config_word(&rest, word, sizeof word)) {
        if (!column_from_name(word, &column)) {
            (void)snprintf(problem, sizeof problem, "there is no column '%s'", word);
            config_report(config, SETTING_columns, problem);
            continue;
        }
        chosen += columns_put(&tui->options.columns, chosen, column) ? 1 : 0;
    }
    if (chosen > 0)
        tui->options.columns.count = chosen;
}

static bool is_yes(const struct config *config, enum setting setting)
{
    return strcmp(config_text(config, setting), "yes") == 0;
}

static enum screen_theme theme_from_name(const char *name)
{
    static const char *const names[] = {"auto", "dark", "light", "mono"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum screen_theme)i;
    return THEME_AUTO;
}

/* What the file says, where no option says otherwise. */
static void read_config(struct tui_call *tui, struct command_call *call)
{
    struct tui_options *options = &tui->options;
    struct config *config = &tui->config;
    char path[CONFIG_PATH_SIZE];
    config_find(path);
    config_load(config, path);
    options->config = config;
    read_columns(tui);
    options->sort = call->sort;
    const struct option_value *given = call->options.values;
    if (!given[OPTION_sort].set &&
        !column_from_name(config_text(config, SETTING_sort), &options->sort))
        config_report(config, SETTING_sort, "there is no such column");
    options->reverse = is_yes(config, SETTING_reverse);
    options->tree = is_yes(config, SETTING_tree);
    options->all = given[OPTION_all].set || is_yes(config, SETTING_all);
    struct screen_options *screen = &options->screen;
    screen->theme = theme_from_name(given[OPTION_theme].set ? given[OPTION_theme].text
                                                            : config_text(config, SETTING_theme));
    screen->no_color = given[OPTION_no_color].set;
    enum chart chart;
    options->charts = config_text(config, SETTING_charts);
    if (strcmp(options->charts, "all") != 0 && strcmp(options->charts, "none") != 0 &&
        !chart_from_name(options->charts, &chart)) {
        config_report(config, SETTING_charts, "there is no such chart");
        options->charts = "all";
    }
    const char *characters = config_text(config, SETTING_characters);
    options->ascii_only = given[OPTION_ascii].set;
    screen->ascii = options->ascii_only || strcmp(characters, "ascii") == 0;
    options->blocks = strcmp(characters, "blocks") == 0;
    options->braille = strcmp(characters, "braille") == 0;
    screen->no_mouse = !is_yes(config, SETTING_mouse);
    if (!given[OPTION_interval].set && config->values[SETTING_interval].text[0] != '\0') {
        call->options.values[OPTION_interval].set = true;
        call->options.values[OPTION_interval].number = config_seconds(config, SETTING_interval);
    }
    for (size_t i = 0; i < config->problem_count && i < CONFIG_PROBLEMS_MAX; i++)
        command_fail(EXIT_DONE, "%s", config->problems[i].text);
}

void tui_call_prepare(struct tui_call *tui, struct command_call *call)
{
    memset(tui, 0, sizeof *tui);
    struct tui_options *options = &tui->options;
    read_config(tui, call);
    options->selectors = call->selection.selectors;
    options->selector_count = call->selection.selector_count;
    options->pids = call->selection.pids;
    options->pid_count = call->selection.pid_count;
    tui->signals = wake_new();
    options->snapshots = wake_new();
    options->screen.signals = tui->signals;
    signals_start(tui->signals);
}

void tui_call_end(struct tui_call *tui)
{
    wake_free(&tui->options.snapshots);
    wake_free(&tui->signals);
}

int tui_call_run(struct tui_call *tui, struct source *source)
{
    struct problem problem = {""};
    int status = tui_run(source, &tui->options, &problem);
    source_close(&source);
    if (status == EXIT_FAILED && problem.text[0]) {
        command_fail(EXIT_FAILED, "%s", problem.text);
    }
    tui_call_end(tui);
    return status;
}
