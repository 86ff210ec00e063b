/* Sending a signal: to whom and which, confirmed by another key than the one that asked. */
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "present/tui/ui.h"

/* A key that is held repeats faster than this: it confirms nothing. */
enum { QUIET_MS = 300 };

struct signal_choice {
    int number;
    const char *words;
};

/* The numbers that POSIX gives to kill(1) on every system; those that differ (STOP, CONT, USR1) are
 * not offered. */
static const struct signal_choice posix_signals[] = {
    {15, "TERM  asks it to end"},
    {2, "INT   as Ctrl-C does"},
    {1, "HUP   its terminal is gone; many servers reload"},
    {3, "QUIT  ends it, with a core dump where those are on"},
    {9, "KILL  ends it at once, nothing is saved"},
};
/* Windows cannot ask another process anything. */
static const struct signal_choice windows_signals[] = {
    {9, "KILL  ends it at once, nothing is saved"},
};

static bool is_windows(const struct ui *ui)
{
    return ui->snapshot && ui->snapshot->mode == SNAPSHOT_WINDOWS;
}

static const struct signal_choice *choices(const struct ui *ui)
{
    return is_windows(ui) ? windows_signals : posix_signals;
}

static size_t choice_count(const struct ui *ui)
{
    return is_windows(ui) ? sizeof windows_signals / sizeof *windows_signals
                          : sizeof posix_signals / sizeof *posix_signals;
}

static bool add_target(struct ui *ui, struct identity identity)
{
    if (identity.space != NAMESPACE_LOCAL)
        return false;
    VECTOR_PUSH(&ui->confirm.targets, identity);
    return true;
}

void confirm_open(struct ui *ui)
{
    const struct row *row = ui_selected(ui);
    if (!ui->state.can_signal) {
        ui_say(ui, STYLE_NORMAL,
               "signals are sent only to processes of this machine, watched live");
        return;
    }
    ui->confirm.targets.count = 0;
    bool foreign = false;
    for (size_t i = 0; i < ui->tags.count; i++)
        foreign = !add_target(ui, ui->tags.items[i]) || foreign;
    if (ui->tags.count == 0 && row != NULL)
        foreign = !add_target(ui, row->process->identity);
    if (foreign || ui->confirm.targets.count == 0) {
        ui_say(ui, STYLE_NORMAL, "%s",
               foreign ? "H: and W: processes are not of this system: they get no signals"
                       : "no process is selected");
        return;
    }
    if (row != NULL)
        (void)snprintf(ui->confirm.name, sizeof ui->confirm.name, "%.*s",
                       (int)(row->process->name.size < 40 ? row->process->name.size : 40),
                       row->process->name.utf8 != NULL ? row->process->name.utf8 : "");
    ui->confirm.signal = 0;
    ui->confirm.opened_ns = ui_now_ns();
    ui->overlay = &confirm_panel;
}

static void send(struct ui *ui)
{
    size_t sent = 0, asked = ui->confirm.targets.count;
    struct problem failure = {""};
    for (size_t i = 0; i < ui->confirm.targets.count; i++) {
        struct source_request request = {.kind = SOURCE_SIGNAL,
                                         .identity = ui->confirm.targets.items[i],
                                         .signal_number = choices(ui)[ui->confirm.signal].number};
        if (source_request(ui->source, &request)) {
            sent++;
            continue;
        }
        source_get_state(ui->source, &ui->state);
        failure = ui->state.last_failure;
    }
    ui->overlay = NULL;
    memcpy(ui->last_failure, failure.text, sizeof ui->last_failure);
    const char *name = choices(ui)[ui->confirm.signal].words;
    if (sent == asked)
        ui_say(ui, STYLE_NORMAL, "%.4s sent to %zu process%s", name, sent, sent == 1 ? "" : "es");
    else
        ui_say(ui, STYLE_TROUBLE, "%.4s sent to %zu of %zu: %s", name, sent, asked,
               failure.text[0] != '\0' ? failure.text : "no signal can be sent here");
    ui->tags.count = 0;
}

static bool confirm_key(struct ui *ui, uint32_t key)
{
    int64_t now = ui_now_ns(), quiet = now - ui->confirm.opened_ns;
    ui->confirm.opened_ns = now;
    switch (key) {
    case SCREEN_KEY_UP:
        ui->confirm.signal = ui->confirm.signal > 0 ? ui->confirm.signal - 1 : 0;
        break;
    case SCREEN_KEY_DOWN:
        if (ui->confirm.signal + 1 < choice_count(ui))
            ui->confirm.signal++;
        break;
    case 'y':
    case SCREEN_KEY_ENTER:
        if (quiet >= (int64_t)QUIET_MS * 1000000)
            send(ui);
        break;
    case 'n':
    case 'q':
    case SCREEN_KEY_ESCAPE:
    case SCREEN_KEY_CONTROL('c'):
        ui->overlay = NULL;
        ui_say(ui, STYLE_NORMAL, "no signal sent");
        break;
    default:
        break; /* the key that asked, too: it never confirms */
    }
    return true;
}

static void confirm_draw(struct ui *ui, struct rectangle area)
{
    int width = area.width < 60 ? area.width : 60, height = (int)choice_count(ui) + 5;
    height = height < area.height ? height : area.height;
    struct rectangle box = {area.x + (area.width - width) / 2, area.y + (area.height - height) / 2,
                            width, height};
    struct rectangle inside =
        draw_box(ui->screen, box, "Send a signal", "y or Enter sends, Esc does not");
    int y = inside.y;
    if (ui->confirm.targets.count == 1 && ui->tags.count == 0)
        screen_format(ui->screen, inside.x, y, STYLE_NORMAL, "to %s, pid %lld", ui->confirm.name,
                      (long long)ui->confirm.targets.items[0].pid);
    else
        screen_format(ui->screen, inside.x, y, STYLE_NORMAL, "to %zu tagged process%s",
                      ui->confirm.targets.count, ui->confirm.targets.count == 1 ? "" : "es");
    y += inside.height > (int)choice_count(ui) + 1 ? 2 : 1;
    for (size_t i = 0; i < choice_count(ui) && y < inside.y + inside.height; i++, y++) {
        screen_put_in(ui->screen, inside.x + 1, y, inside.width - 1,
                      (struct text){choices(ui)[i].words, strlen(choices(ui)[i].words)},
                      STYLE_NORMAL);
        if (i == ui->confirm.signal)
            screen_select(ui->screen, inside.x, y, inside.width);
    }
}

const struct panel confirm_panel = {.draw = confirm_draw, .key = confirm_key};
