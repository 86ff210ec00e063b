#include "present/text.h"

#include <stdio.h>
#include <string.h>

#include "present/text_part.h"
#include "snapshot/json.h"
#include "view/adapter_line.h"
#include "view/host_words.h"
#include "view/phrase.h"
#include "view/reasons_text.h"
#include "view/units.h"

enum { WIDTH_LEAST = 20, PIECE_SIZE = 256 };

static struct printer printer_of(FILE *file, const struct text_options *options)
{
    struct printer printer = {.file = file, .ascii = options->ascii, .width = options->width};
    if (printer.width > 0 && printer.width < WIDTH_LEAST)
        printer.width = WIDTH_LEAST;
    return printer;
}

static const char *mode_words(const struct snapshot *snapshot)
{
    switch (snapshot->mode) {
    case SNAPSHOT_NATIVE:
        return "native";
    case SNAPSHOT_CONTAINER:
        return "in a container";
    case SNAPSHOT_WSL:
        return "WSL";
    case SNAPSHOT_WINDOWS:
        return "Windows";
    case SNAPSHOT_MACOS:
        return "macOS";
    case SNAPSHOT_MODE_COUNT:
        break;
    }
    return "";
}

static void piece_string(struct printer_flow *flow, const char *string)
{
    if (*string != '\0')
        printer_piece(flow, (struct text){string, strlen(string)});
}

static void print_host(struct printer_flow *flow, const struct host *host)
{
    char piece[PIECE_SIZE], number[UNITS_SIZE];
    if (figure_is_known(host->cpu_percent)) {
        units_percent(host->cpu_percent.value, number);
        snprintf(piece, sizeof piece, "CPU %s %%", number);
        piece_string(flow, piece);
    }
    if (host->memory_used_bytes.known && host->memory_total_bytes.known) {
        units_bytes_of((double)host->memory_used_bytes.value,
                       (double)host->memory_total_bytes.value, number);
        snprintf(piece, sizeof piece, "RAM %s", number);
        piece_string(flow, piece);
    }
}

/* "2026-11-29 12:00:00 UTC" */
static void time_words(int64_t wall_ns, char out[PIECE_SIZE])
{
    char stamp[TIME_TEXT_SIZE];
    time_format(wall_ns, stamp);
    snprintf(out, PIECE_SIZE, "%.10s %.8s UTC", stamp, strlen(stamp) > 11 ? stamp + 11 : "");
}

static void print_top(struct printer *printer, const struct snapshot *snapshot)
{
    struct printer_flow flow = {.printer = printer,
                                .separator = printer->ascii ? " | " : " \u00b7 "};
    char piece[PIECE_SIZE];
    piece_string(&flow, "gputaskman");
    if (snapshot->origin == ORIGIN_RECORDED_MACHINE)
        piece_string(&flow, "recorded machine");
    if (snapshot->origin == ORIGIN_DEMO)
        piece_string(&flow, "demo");
    if (snapshot->host.name.size > 0)
        printer_piece(&flow, snapshot->host.name);
    piece_string(&flow, mode_words(snapshot));
    const char *host = host_words(snapshot);
    if (host != NULL)
        piece_string(&flow, host);
    print_host(&flow, &snapshot->host);
    const struct measured *clients = &snapshot->process_status.gpu_clients;
    if (clients->known) {
        snprintf(piece, sizeof piece, "%lld GPU process%s", (long long)clients->value,
                 clients->value == 1 ? "" : "es");
        piece_string(&flow, piece);
    }
    time_words(snapshot->taken_at_ns, piece);
    piece_string(&flow, piece);
    printer_flow_end(&flow);
    printer_line(printer);
}

/* Sources that are neither fine nor simply not there. */
static void print_sources(struct printer *printer, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->source_count; i++) {
        const struct source_status *source = &snapshot->sources[i];
        if (source->state == SOURCE_OK || source->state == SOURCE_ABSENT)
            continue;
        char line[PIECE_SIZE * 3];
        struct phrase phrase = phrase_start(line, sizeof line);
        phrase_text(&phrase, source->name);
        phrase_string(&phrase, " ");
        phrase_string(&phrase, source_state_name(source->state));
        if (source->detail.size > 0) {
            phrase_string(&phrase, ": ");
            phrase_text(&phrase, source->detail);
        } else if (source->has_code) {
            phrase_string(&phrase, ": ");
            phrase_string(&phrase, reason_words(source->code));
        }
        printer_sentence(printer, (struct text){line, phrase.length}, 2);
    }
}

static void print_left_out(struct printer *printer, const struct rows *rows)
{
    char line[PIECE_SIZE];
    if (rows->left_out == 0)
        return;
    snprintf(line, sizeof line, "%zu more process%s no GPU memory or load now (--all lists %s)",
             rows->left_out, rows->left_out == 1 ? " has" : "es have",
             rows->left_out == 1 ? "it" : "them");
    printer_sentence(printer, (struct text){line, strlen(line)}, 2);
}

static void print_foot(struct printer *printer, const struct snapshot *snapshot)
{
    char line[REASON_TEXT_SIZE];
    reason_of_unreadable(&snapshot->process_status, line);
    if (*line != '\0')
        printer_sentence(printer, (struct text){line, strlen(line)}, 2);
    print_sources(printer, snapshot);
    for (size_t i = 0; i < snapshot->note_count; i++) {
        printer_string(printer, "note: ");
        printer_sentence(printer, snapshot->notes[i].text, 2);
    }
}

static bool some_list_is_unknown(const struct snapshot *snapshot,
                                 const struct rows_options *options)
{
    for (size_t i = 0; i < snapshot->adapter_count; i++)
        if (rows_choose_adapter(options, snapshot, snapshot->adapters[i].id) &&
            snapshot->adapters[i].processes_state.unknown)
            return true;
    return false;
}

void text_snapshot(FILE *file, const struct snapshot *snapshot, const struct text_options *options)
{
    struct printer printer = printer_of(file, options);
    struct rows rows = {.count = 0};
    struct column_layout layout = {.count = 0};
    print_top(&printer, snapshot);
    for (size_t i = 0; i < snapshot->adapter_count; i++)
        if (rows_choose_adapter(&options->rows, snapshot, snapshot->adapters[i].id))
            text_adapter(&printer, snapshot, &snapshot->adapters[i]);
    rows_build(&rows, snapshot, &options->rows);
    if (rows.count > 0) {
        text_table(&printer, &rows, &layout);
        printer.gap = true;
        text_reasons(&printer, &rows, &layout);
    } else if (some_list_is_unknown(snapshot, &options->rows)) {
        printer_sentence(&printer, TEXT("Which processes use the GPU is not known: see above."), 0);
    } else {
        printer_sentence(&printer, TEXT("No process holds GPU memory or uses a GPU now."), 0);
    }
    print_left_out(&printer, &rows);
    print_foot(&printer, snapshot);
    rows_free(&rows);
}
