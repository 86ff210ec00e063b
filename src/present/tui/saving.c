/* Writing a file on a thread of its own: a slow disk holds up no key. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fatal.h"
#include "base/file.h"
#include "base/thread.h"
#include "present/tui/ui.h"
#include "snapshot/json.h"

enum { PATH_SIZE = 64, LEAVING_MS = 150, LEAVING_STEP_MS = 5 };

/* One of the two. */
struct saving {
    struct thread *thread;
    struct snapshot *snapshot;
    char path[PATH_SIZE];
    struct config *config; /* a copy */
    struct problem problem;
    atomic_bool done;
};

static void write_snapshot(struct saving *saving)
{
    struct buffer json = {0};
    snapshot_write(saving->snapshot, true, &json);
    struct raw_text content = {json.bytes, json.size};
    (void)file_write_atomically(saving->path, content, &saving->problem);
    buffer_free(&json);
}

static void run(void *context)
{
    struct saving *saving = context;
    if (saving->snapshot != NULL)
        write_snapshot(saving);
    else
        (void)config_save(saving->config, &saving->problem);
    atomic_store(&saving->done, true);
}

static void begin(struct ui *ui, struct saving *saving)
{
    ui->saving = saving;
    saving->thread = thread_start("save", run, saving);
    if (saving->thread == NULL)
        run(saving);
}

void saving_start(struct ui *ui)
{
    if (ui->saving != NULL || ui->snapshot == NULL) {
        ui_say(ui, STYLE_NORMAL,
               ui->snapshot == NULL ? "there is no snapshot yet" : "still writing the last one");
        return;
    }
    struct saving *saving = memory_new(sizeof *saving);
    time_t taken_at = (time_t)(ui->snapshot->taken_at_ns / 1000000000);
    const struct tm *local = localtime(&taken_at);
    if (local == NULL ||
        strftime(saving->path, sizeof saving->path, "gputaskman-%Y%m%d-%H%M%S.json", local) == 0)
        (void)snprintf(saving->path, sizeof saving->path, "gputaskman.json");
    saving->snapshot = snapshot_take(ui->snapshot);
    begin(ui, saving);
}

void saving_start_config(struct ui *ui)
{
    struct config *config = ui->options->config;
    ui->config_waits = config != NULL && config_is_changed(config);
    if (!ui->config_waits || ui->saving != NULL)
        return;
    ui->config_waits = false;
    struct saving *saving = memory_new(sizeof *saving);
    saving->config = memory_new(sizeof *saving->config);
    *saving->config = *config;
    config_take_changes(config);
    begin(ui, saving);
}

static void discard(struct ui *ui)
{
    struct saving *saving = ui->saving;
    if (saving->thread != NULL)
        thread_join(&saving->thread);
    snapshot_drop(&saving->snapshot);
    free(saving->config);
    free(saving);
    ui->saving = NULL;
}

void saving_poll(struct ui *ui)
{
    struct saving *saving = ui->saving;
    if (saving == NULL || !atomic_load(&saving->done))
        return;
    const char *settings = saving->config != NULL ? "settings " : "";
    if (saving->problem.text[0] != '\0')
        ui_say(ui, STYLE_TROUBLE, "%snot %s: %s", settings,
               saving->config != NULL ? "saved" : "written", saving->problem.text);
    else if (saving->config != NULL)
        ui_say(ui, STYLE_NORMAL, "settings saved in %s", saving->config->path);
    else
        ui_say(ui, STYLE_NORMAL, "written to %s in the current folder", saving->path);
    discard(ui);
    if (ui->config_waits)
        saving_start_config(ui);
}

void saving_end(struct ui *ui)
{
    /* What was asked for just before leaving is written, unless the disk hangs: then what the
     * thread uses stays, and ends with the process. */
    for (int waited = 0; ui->saving != NULL; waited += LEAVING_STEP_MS) {
        if (atomic_load(&ui->saving->done)) {
            discard(ui);
            if (ui->config_waits)
                saving_start_config(ui);
        } else if (waited >= LEAVING_MS) {
            thread_abandon(&ui->saving->thread);
            ui->saving = NULL;
        } else {
            thread_sleep_until(thread_clock_ns() + LEAVING_STEP_MS * 1000000LL);
        }
    }
}
