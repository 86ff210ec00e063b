#include "present/tui/setup_values.h"

#include <stdio.h>
#include <string.h>

void setup_take_charts(struct ui *ui, const char *name)
{
    ui->charts.mode = CHARTS_ALL;
    if (name != NULL && strcmp(name, "none") == 0)
        ui->charts.mode = CHARTS_OFF;
    else if (name != NULL && chart_from_name(name, &ui->charts.chosen))
        ui->charts.mode = CHARTS_ONE;
}

/* Goes through all of them, then each, then none. */
static void next_charts(const struct ui *ui, int by, char value[SETUP_VALUE_SIZE])
{
    int at = ui->charts.mode == CHARTS_ALL   ? 0
             : ui->charts.mode == CHARTS_OFF ? CHART_COUNT + 1
                                             : (int)ui->charts.chosen + 1;
    at = (at + by + CHART_COUNT + 2) % (CHART_COUNT + 2);
    (void)snprintf(value, SETUP_VALUE_SIZE, "%s",
                   at == 0                 ? "all"
                   : at == CHART_COUNT + 1 ? "none"
                                           : chart_traits((enum chart)(at - 1))->name);
}

static const char *yes_or_no(bool yes)
{
    return yes ? "yes" : "no";
}

static const char *theme_name(enum screen_theme theme)
{
    static const char *const names[] = {"auto", "dark", "light", "mono"};
    return names[theme];
}

void setup_read(const struct ui *ui, enum setting setting, char value[SETUP_VALUE_SIZE])
{
    const char *words = "";
    switch (setting) {
    case SETTING_theme:
        words = theme_name(ui->theme);
        break;
    case SETTING_characters:
        words = ui->wants_ascii ? "ascii"
                : ui->blocks    ? "blocks"
                : ui->braille   ? "braille"
                                : "auto";
        break;
    case SETTING_interval:
        (void)snprintf(value, SETUP_VALUE_SIZE, "%g", (double)ui->state.interval_ns / 1e9);
        return;
    case SETTING_sort:
        words = column_traits(ui->sort)->name;
        break;
    case SETTING_reverse:
        words = yes_or_no(ui->reverse);
        break;
    case SETTING_all:
        words = yes_or_no(ui->all);
        break;
    case SETTING_tree:
        words = yes_or_no(ui->tree);
        break;
    case SETTING_charts:
        words = ui->charts.mode == CHARTS_ALL   ? "all"
                : ui->charts.mode == CHARTS_OFF ? "none"
                                                : chart_traits(ui->charts.chosen)->name;
        break;
    case SETTING_mouse:
        words =
            ui->options->config != NULL ? config_text(ui->options->config, SETTING_mouse) : "yes";
        break;
    case SETTING_columns:
    case SETTING_COUNT:
        break;
    }
    (void)snprintf(value, SETUP_VALUE_SIZE, "%s", words);
}

void setup_keep(struct ui *ui, enum setting setting, const char *value)
{
    if (ui->options->config != NULL)
        (void)config_set(ui->options->config, setting, value);
}

static void set_look(struct ui *ui)
{
    screen_set_look(ui->screen, ui->theme, ui->wants_ascii);
    ui->ascii = screen_glyphs(ui->screen) == GLYPHS_ASCII;
}

static void apply(struct ui *ui, enum setting setting, const char *value)
{
    bool yes = strcmp(value, "yes") == 0;
    switch (setting) {
    case SETTING_theme:
        for (int i = THEME_AUTO; i <= THEME_MONO; i++)
            if (strcmp(value, theme_name((enum screen_theme)i)) == 0)
                ui->theme = (enum screen_theme)i;
        set_look(ui);
        break;
    case SETTING_characters:
        ui->wants_ascii = ui->options->ascii_only || strcmp(value, "ascii") == 0;
        ui->blocks = strcmp(value, "blocks") == 0;
        ui->braille = strcmp(value, "braille") == 0;
        set_look(ui);
        break;
    case SETTING_sort:
        (void)column_from_name(value, &ui->sort);
        break;
    case SETTING_reverse:
        ui->reverse = yes;
        break;
    case SETTING_all:
        ui->all = yes;
        break;
    case SETTING_tree:
        ui->tree = yes;
        break;
    case SETTING_charts:
        setup_take_charts(ui, value);
        break;
    case SETTING_interval:
    case SETTING_mouse:
    case SETTING_columns:
    case SETTING_COUNT:
        break;
    }
    setup_keep(ui, setting, value);
    ui_rebuild(ui);
}

/* The choice `by` places on from `now`, round at the ends. */
static void next_choice(const char *choices, const char *now, int by, char value[SETUP_VALUE_SIZE])
{
    const char *starts[16];
    int count = 0, at = 0;
    for (const char *word = choices; word != NULL && count < 16; word = strchr(word, '|')) {
        word += *word == '|' ? 1 : 0;
        if (strcspn(word, "|") == strlen(now) && strncmp(word, now, strlen(now)) == 0)
            at = count;
        starts[count++] = word;
    }
    const char *chosen = starts[(at + by + count) % count];
    (void)snprintf(value, SETUP_VALUE_SIZE, "%.*s", (int)strcspn(chosen, "|"), chosen);
}

void setup_change(struct ui *ui, enum setting setting, int by)
{
    char value[SETUP_VALUE_SIZE];
    setup_read(ui, setting, value);
    if (setting == SETTING_interval) {
        if (by < 0)
            action_faster(ui, '+');
        else
            action_slower(ui, '-');
        /* The source takes it over in its own time: what was asked for is what is kept. */
        (void)snprintf(value, sizeof value, "%g", (double)ui->interval_asked_ns / 1e9);
        setup_keep(ui, setting, value);
        return;
    }
    if (setting == SETTING_sort) {
        int column = ((int)ui->sort + by + COLUMN_COUNT) % COLUMN_COUNT;
        (void)snprintf(value, sizeof value, "%s", column_traits((enum column)column)->name);
    } else if (setting == SETTING_charts) {
        next_charts(ui, by, value);
    } else {
        char now[SETUP_VALUE_SIZE];
        memcpy(now, value, sizeof now);
        next_choice(setting_info(setting)->choices, now, by, value);
    }
    apply(ui, setting, value);
}
