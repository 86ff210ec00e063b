/* The first line: what is watched, how, and what could not be seen. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "present/tui/ui.h"
#include "view/host_words.h"
#include "view/text_width.h"
#include "view/units.h"

enum { PIECES_MAX = 10, PIECE_SIZE = 128, RANK_MOST = 10 };

/* A part of the line in a long and a short form; the higher its rank, the sooner it is shortened
 * and then left out. */
struct piece {
    char words[2][PIECE_SIZE];
    int rank, shorten;
    enum style style;
    int form; /* 0 long, 1 short, 2 left out */
};

struct pieces {
    struct piece items[PIECES_MAX];
    size_t count;
};

static struct piece *add(struct pieces *pieces, int rank, enum style style)
{
    struct piece *piece =
        &pieces->items[pieces->count < PIECES_MAX ? pieces->count++ : PIECES_MAX - 1];
    *piece = (struct piece){.rank = rank, .shorten = rank, .style = style};
    return piece;
}

static void both(struct piece *piece, const char *words)
{
    snprintf(piece->words[0], PIECE_SIZE, "%s", words);
    snprintf(piece->words[1], PIECE_SIZE, "%s", words);
}

static bool is_trouble(const struct source_status *source)
{
    return source->state == SOURCE_STALE || source->state == SOURCE_FAILED;
}

/* How it stands with the Windows host goes with the mode, unless it is a trouble of its own; what
 * stays as it is (off, no interop) is said on a narrow screen too. */
static void add_wsl(struct piece *mode, const struct snapshot *snapshot)
{
    const struct source_status *source = host_source(snapshot);
    const char *host = host_words(snapshot);
    both(mode, "WSL");
    if (host == NULL || is_trouble(source))
        return;
    snprintf(mode->words[0], PIECE_SIZE, "WSL, %s", host);
    if (source->state == SOURCE_OK)
        return;
    snprintf(mode->words[1], PIECE_SIZE, "WSL, %s", host);
    mode->rank = mode->shorten = 4;
}

static const char *mode_words(enum snapshot_mode mode)
{
    return mode == SNAPSHOT_WINDOWS ? "Windows"
           : mode == SNAPSHOT_MACOS ? "macOS"
                                    : snapshot_mode_name(mode);
}

static void add_mode(struct pieces *pieces, const struct ui *ui, const struct snapshot *snapshot)
{
    struct piece *mode = add(pieces, 6, STYLE_NORMAL);
    if (snapshot->mode == SNAPSHOT_WSL)
        add_wsl(mode, snapshot);
    else
        both(mode, mode_words(snapshot->mode));
    if (ui->state.can_seek)
        both(add(pieces, 3, STYLE_MARK), "replay");
    if (snapshot->origin == ORIGIN_LIVE)
        return;
    struct piece *origin = add(pieces, 3, STYLE_MARK);
    both(origin, snapshot->origin == ORIGIN_DEMO ? "demo" : "recorded machine");
    if (snapshot->origin == ORIGIN_DEMO)
        snprintf(origin->words[0], PIECE_SIZE, "demo: a recording, not this machine");
}

static void add_pace(struct pieces *pieces, const struct ui *ui)
{
    if (ui->state.paused) {
        char since[UNITS_SIZE];
        double seconds = (double)(ui_now_ns() - ui->state.paused_since_ns) / 1e9;
        units_duration(seconds > 0 ? seconds : 0, since);
        struct piece *paused = add(pieces, 1, STYLE_MARK);
        snprintf(paused->words[0], PIECE_SIZE, "PAUSED for %s", since);
        snprintf(paused->words[1], PIECE_SIZE, "PAUSED %s", since);
    } else if (ui->state.at_end && !ui->state.can_seek) {
        both(add(pieces, 2, STYLE_MARK), "end of the recording");
    } else if (!ui->state.can_seek) {
        struct piece *interval = add(pieces, 8, STYLE_NORMAL);
        snprintf(interval->words[0], PIECE_SIZE, "%.1f s", (double)ui->state.interval_ns / 1e9);
        snprintf(interval->words[1], PIECE_SIZE, "%.1f s", (double)ui->state.interval_ns / 1e9);
    }
}

static void add_host(struct pieces *pieces, const struct host *host)
{
    struct piece *piece = add(pieces, 7, STYLE_NORMAL);
    char cpu[UNITS_SIZE] = "n/a", ram[UNITS_SIZE] = "n/a";
    if (figure_is_known(host->cpu_percent))
        snprintf(cpu, sizeof cpu, "%.0f %%", host->cpu_percent.value);
    if (host->memory_used_bytes.known && host->memory_total_bytes.known)
        units_bytes_of((double)host->memory_used_bytes.value,
                       (double)host->memory_total_bytes.value, ram);
    snprintf(piece->words[0], PIECE_SIZE, "CPU %5s  RAM %s", cpu, ram);
    snprintf(piece->words[1], PIECE_SIZE, "CPU %5s", cpu);
}

static void add_processes(struct pieces *pieces, const struct process_status *status,
                          enum snapshot_mode mode)
{
    struct piece *count = add(pieces, 5, STYLE_NORMAL);
    if (status->gpu_clients.known) {
        long long number = status->gpu_clients.value;
        snprintf(count->words[0], PIECE_SIZE, "%lld GPU process%s", number,
                 number == 1 ? "" : "es");
        snprintf(count->words[1], PIECE_SIZE, "%lld proc", number);
    } else {
        both(count, "GPU processes n/a");
    }
    if (!status->unreadable.known || status->unreadable.value == 0)
        return;
    struct piece *unreadable = add(pieces, 2, STYLE_MARK);
    long long number = status->unreadable.value;
    bool windows = mode == SNAPSHOT_WINDOWS;
    /* Not where it is of no use: a sandbox denies it to root too, Windows protects some. */
    bool helps = status->advice.size == 0 ||
                 text_contains_folded(status->advice,
                                      windows ? TEXT("as administrator") : TEXT("with sudo"));
    const char *how = windows ? " (try as administrator)" : " (try sudo)";
    snprintf(unreadable->words[0], PIECE_SIZE, "%lld not readable%s", number, helps ? how : "");
    snprintf(unreadable->words[1], PIECE_SIZE, "%lld not readable", number);
    unreadable->shorten = RANK_MOST; /* how many always stays, what to do about it is in the help */
}

/* Whose figures are old or missing; how long, and why, stands above the keys. */
static void add_sources(struct pieces *pieces, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->source_count; i++) {
        const struct source_status *source = &snapshot->sources[i];
        if (!is_trouble(source))
            continue;
        struct piece *piece = add(pieces, 3, STYLE_TROUBLE);
        if (source == host_source(snapshot)) {
            snprintf(piece->words[0], PIECE_SIZE, "%s", host_words(snapshot));
            snprintf(piece->words[1], PIECE_SIZE, "Windows!");
            continue;
        }
        (void)snprintf(piece->words[0], PIECE_SIZE, "%.*s %s", (int)source->name.size,
                       source->name.utf8, source_state_name(source->state));
        (void)snprintf(piece->words[1], PIECE_SIZE, "%.*s!", (int)source->name.size,
                       source->name.utf8);
    }
}

static int width_of_pieces(const struct pieces *pieces, bool ascii)
{
    int width = -2; /* one blank before the first, three columns between two */
    for (size_t i = 0; i < pieces->count; i++) {
        const struct piece *piece = &pieces->items[i];
        if (piece->form < 2)
            width += 3 + (int)text_width((struct text){piece->words[piece->form],
                                                       strlen(piece->words[piece->form])},
                                         ascii);
    }
    return width;
}

/* Shortens the least important ones until the line fits. */
static void fit(struct pieces *pieces, int width, bool ascii)
{
    for (int form = 1; form <= 2; form++)
        for (int rank = RANK_MOST; rank > 0; rank--)
            for (size_t i = 0; i < pieces->count; i++) {
                if (width_of_pieces(pieces, ascii) <= width)
                    return;
                if ((form == 1 ? pieces->items[i].shorten : pieces->items[i].rank) == rank)
                    pieces->items[i].form = form;
            }
}

static void draw_pieces(struct ui *ui, struct rectangle area, const struct pieces *pieces)
{
    int x = area.x + 1;
    bool first = true;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct piece *piece = &pieces->items[i];
        if (piece->form >= 2)
            continue;
        if (!first)
            x += screen_print(ui->screen, x, area.y, " \u00B7 ", STYLE_DIM);
        first = false;
        x += screen_print(ui->screen, x, area.y, piece->words[piece->form], piece->style);
    }
}

static void header_draw(struct ui *ui, struct rectangle area)
{
    struct pieces pieces = {.count = 0};
    both(add(&pieces, 4, STYLE_TITLE), "gputaskman");
    if (ui->snapshot == NULL) {
        both(add(&pieces, 1, STYLE_DIM), "starting\u2026");
        draw_pieces(ui, area, &pieces);
        return;
    }
    add_mode(&pieces, ui, ui->snapshot);
    add_pace(&pieces, ui);
    add_host(&pieces, &ui->snapshot->host);
    add_processes(&pieces, &ui->snapshot->process_status, ui->snapshot->mode);
    add_sources(&pieces, ui->snapshot);
    char clock[16] = "";
    int clock_width = 0;
    if (area.width >= 60) {
        time_t taken_at = (time_t)(ui->snapshot->taken_at_ns / 1000000000);
        const struct tm *local = localtime(&taken_at);
        if (local != NULL && strftime(clock, sizeof clock, "%H:%M:%S", local) > 0)
            clock_width = 10;
    }
    fit(&pieces, area.width - clock_width, ui->ascii);
    draw_pieces(ui, area, &pieces);
    draw_right(ui->screen, area.x + area.width - 1, area.y, clock, STYLE_DIM);
}

const struct panel header_panel = {.draw = header_draw};
