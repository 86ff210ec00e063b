#include "present/text_part.h"

#include <stdio.h>
#include <string.h>

#include "view/adapter_line.h"
#include "view/memory_bar.h"
#include "view/phrase.h"
#include "view/reasons_text.h"
#include "view/text_width.h"
#include "view/truncate.h"
#include "view/units.h"

enum { INDENT = 2, BAR_WIDTH_LEAST = 10, NAME_LEAST = 16, PIECE_SIZE = 256 };

/* What a segment's cells are filled with, by pattern: [0] ASCII, [1] UTF-8. */
static const char *const fills[PATTERN_COUNT][2] = {
    [PATTERN_SOLID] = {"=", "\u2588"},        [PATTERN_HATCHED] = {"+", "\u2592"},
    [PATTERN_MATCHED] = {"*", "\u2593"},      [PATTERN_GUESS] = {"?", "\u259a"},
    [PATTERN_UNATTRIBUTED] = {"#", "\u2591"}, [PATTERN_UNKNOWN] = {"-", "\u2504"},
    [PATTERN_RESERVED] = {"x", "\u2573"},     [PATTERN_FREE] = {".", "\u00b7"},
};

static const char *fill_of(const struct segment *segment, bool ascii)
{
    return fills[segment->pattern][ascii ? 0 : 1];
}

/* A ... Z, then a ... z; 0: none left, or a segment that needs no letter. */
static char letter_of(const struct memory_bar *bar, size_t place)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (bar->segments[place].class >= SEGMENT_UNATTRIBUTED || place + 1 >= sizeof letters)
        return '\0';
    return letters[place]; /* owned segments come first */
}

static void print_bar(struct printer *printer, const struct memory_bar *bar)
{
    size_t last = SIZE_MAX;
    printer_to(printer, INDENT);
    printer_string(printer, printer->ascii ? "[" : "\u2590");
    for (size_t i = 0; i < bar->width; i++) {
        size_t place = bar->cells[i].left;
        const struct segment *segment = &bar->segments[place];
        char letter[2] = {place != last ? letter_of(bar, place) : '\0', '\0'};
        printer_string(printer, letter[0] != '\0' ? letter : fill_of(segment, printer->ascii));
        last = place;
    }
    printer_string(printer, printer->ascii ? "]" : "\u258c");
    printer_line(printer);
}

/* "A llama-server 18.0 G", "# unattributed 0.4 G". */
static void print_legend(struct printer *printer, const struct memory_bar *bar)
{
    struct printer_flow flow = {.printer = printer, .separator = "   ", .indent = INDENT};
    for (size_t i = 0; i < bar->segment_count; i++) {
        const struct segment *segment = &bar->segments[i];
        char label[SEGMENT_LABEL_SIZE], number[UNITS_SIZE], piece[PIECE_SIZE];
        char letter[2] = {letter_of(bar, i), '\0'};
        struct phrase phrase = phrase_start(piece, sizeof piece);
        phrase_string(&phrase, letter[0] != '\0' ? letter : fill_of(segment, printer->ascii));
        phrase_string(&phrase, " ");
        if (i > 0)
            segment_label_after(segment, segment - 1, label);
        else
            segment_label(segment, label);
        phrase_string(&phrase, label);
        phrase_string(&phrase, " ");
        segment_bytes_words(segment, number);
        phrase_string(&phrase, number);
        if (segment->pattern == PATTERN_MATCHED || segment->pattern == PATTERN_GUESS)
            phrase_string(&phrase, segment->pattern == PATTERN_MATCHED ? "*" : "?");
        else
            phrase_string(&phrase, fact_source_words(segment->how));
        printer_piece(&flow, (struct text){piece, phrase.length});
    }
    printer_flow_end(&flow);
}

/* "system RAM used by the GPU: llama-server 612.0 M, unattributed 20.0 M". */
static void print_spill(struct printer *printer, const struct segment_list *spill)
{
    enum { SPILL_NAMES_MAX = 4 };
    char line[REASON_TEXT_SIZE], number[UNITS_SIZE];
    struct phrase phrase = phrase_start(line, sizeof line);
    if (spill->count == 0)
        return;
    units_bytes((double)spill->total_bytes, number);
    phrase_string(&phrase, "spill in system RAM ");
    phrase_string(&phrase, number);
    for (size_t i = 0; i < spill->count && i < SPILL_NAMES_MAX; i++) {
        char label[SEGMENT_LABEL_SIZE];
        segment_label(&spill->items[i], label);
        units_bytes((double)spill->items[i].bytes, number);
        phrase_string(&phrase, i == 0 ? ": " : ", ");
        phrase_string(&phrase, label);
        phrase_string(&phrase, " ");
        phrase_string(&phrase, number);
    }
    if (spill->count > SPILL_NAMES_MAX)
        phrase_string(&phrase, " ...");
    printer_to(printer, INDENT);
    printer_sentence(printer, (struct text){line, phrase.length}, INDENT);
}

static void print_map(struct printer *printer, const struct snapshot *snapshot,
                      const struct adapter *adapter)
{
    static const enum map_note notes[] = {MAP_NOTE_PARTS_CUT, MAP_NOTE_ABOVE_USED,
                                          MAP_NOTE_ABOVE_TOTAL, MAP_NOTE_INFERRED_CUT};
    struct memory_map map = {.known = false};
    struct memory_bar bar = {.width = 0};
    size_t around = INDENT + 2;
    size_t width = printer_width(printer) < around + BAR_WIDTH_LEAST
                       ? BAR_WIDTH_LEAST
                       : printer_width(printer) - around;
    memory_map_build(&map, snapshot, adapter);
    bool empty = !map.used_bytes.known && map.bar.count <= 1; /* nothing but "unknown" */
    if (map.known && !empty) {
        memory_bar_build(&bar, &map.bar, width, 1);
        print_bar(printer, &bar);
        print_legend(printer, &bar);
    }
    print_spill(printer, &map.spill);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if ((map.notes & notes[i]) != 0) {
            const char *note = memory_map_note(notes[i]);
            printer_to(printer, INDENT);
            printer_sentence(printer, (struct text){note, strlen(note)}, INDENT);
        }
    memory_bar_free(&bar);
    memory_map_free(&map);
}

static bool is_headline(enum fact_kind kind)
{
    return kind == FACT_STATE || kind == FACT_LOAD || kind == FACT_MEMORY;
}

/* "GPU 0  NAME                    19.1 / 24.0 GiB   load 97 %" */
static void print_headline(struct printer *printer, const struct adapter *adapter,
                           const struct adapter_fact *facts, size_t count)
{
    static const enum fact_kind order[] = {FACT_STATE, FACT_MEMORY, FACT_LOAD};
    char right[2 * PIECE_SIZE], name[4 * PIECE_SIZE], head[32];
    struct phrase phrase = phrase_start(right, sizeof right);
    for (size_t kind = 0; kind < sizeof order / sizeof *order; kind++)
        for (size_t i = 0; i < count; i++)
            if (facts[i].kind == order[kind]) {
                phrase_string(&phrase, phrase.length > 0 ? "   " : "");
                phrase_string(&phrase, facts[i].text);
                phrase_string(&phrase, fact_source_words(facts[i].how));
            }
    size_t width = printer_width(printer);
    size_t taken = text_width((struct text){right, phrase.length}, printer->ascii);
    snprintf(head, sizeof head, "GPU %lld  ", (long long)adapter->index);
    printer_string(printer, head);
    struct text text = adapter->name.size > 0 ? adapter->name : adapter->id;
    bool beside = width >= printer->column + NAME_LEAST + 2 + taken;
    size_t room = beside                    ? width - printer->column - 2 - taken
                  : width > printer->column ? width - printer->column
                                            : NAME_LEAST;
    truncate_text(text, printer->width > 0 ? room : SIZE_MAX, printer->ascii, name, sizeof name);
    printer_string(printer, name);
    if (beside) {
        printer_string(printer, "  ");
        printer_to(printer, width - taken);
    } else {
        printer_line(printer);
        printer_to(printer, INDENT);
    }
    printer_text(printer, (struct text){right, phrase.length});
    printer_line(printer);
}

static void print_facts(struct printer *printer, const struct adapter *adapter,
                        const struct adapter_fact *facts, size_t count)
{
    struct printer_flow flow = {
        .printer = printer, .separator = printer->ascii ? " | " : " \u00b7 ", .indent = INDENT};
    for (size_t i = 0; i < count; i++) {
        char piece[PIECE_SIZE];
        if (is_headline(facts[i].kind))
            continue;
        bool words = facts[i].kind == FACT_THROTTLE || facts[i].kind == FACT_ERRORS;
        snprintf(piece, sizeof piece, "%s%s", facts[i].text,
                 words ? "" : fact_source_words(facts[i].how));
        printer_piece(&flow, (struct text){piece, strlen(piece)});
    }
    char driver[PIECE_SIZE];
    struct phrase phrase = phrase_start(driver, sizeof driver);
    phrase_text(&phrase, adapter->driver);
    if (adapter->driver.size > 0 && adapter->driver_version.size > 0)
        phrase_string(&phrase, " ");
    phrase_text(&phrase, adapter->driver_version);
    if (phrase.length > 0)
        printer_piece(&flow, (struct text){driver, phrase.length});
    if (adapter->kind != ADAPTER_DISCRETE && *adapter_kind_words(adapter->kind) != '\0') {
        char kind[PIECE_SIZE];
        snprintf(kind, sizeof kind, "%s%s", adapter_kind_words(adapter->kind),
                 fact_source_words(adapter->kind_how));
        printer_piece(&flow, (struct text){kind, strlen(kind)});
    }
    printer_piece(&flow, adapter->id);
    printer_flow_end(&flow);
}

static void print_unavailable(struct printer *printer, const char *figure, enum reason why_not)
{
    char line[REASON_TEXT_SIZE];
    reason_of_adapter(figure, why_not, line);
    printer_to(printer, INDENT);
    printer_sentence(printer, (struct text){line, strlen(line)}, INDENT);
}

/* Why the headline says n/a, and lists that could not be read: unknown, not empty. */
static void print_reasons(struct printer *printer, const struct adapter *adapter,
                          const struct adapter_fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (facts[i].how == HOW_UNAVAILABLE)
            print_unavailable(printer, facts[i].kind == FACT_LOAD ? "load" : "memory",
                              facts[i].why_not);
    const struct {
        const char *name;
        struct list_state state;
    } lists[] = {{"processes", adapter->processes_state},
                 {"compute processes", adapter->compute_list_state},
                 {"graphics processes", adapter->graphics_list_state}};
    /* Where all processes are unknown, the two lists say nothing more. */
    size_t list_count = lists[0].state.unknown ? 1 : sizeof lists / sizeof *lists;
    for (size_t i = 0; i < list_count; i++)
        if (lists[i].state.unknown)
            print_unavailable(printer, lists[i].name, lists[i].state.why_not);
    if (adapter->power_state == POWER_SUSPENDED && adapter->load_percent.how == HOW_UNAVAILABLE) {
        char hint[PIECE_SIZE];
        snprintf(hint, sizeof hint, "what would wake it is left unread (-g %lld wakes it)",
                 (long long)adapter->index);
        printer_to(printer, INDENT);
        printer_sentence(printer, (struct text){hint, strlen(hint)}, INDENT);
    }
}

void text_adapter(struct printer *printer, const struct snapshot *snapshot,
                  const struct adapter *adapter)
{
    struct adapter_fact facts[FACT_KIND_COUNT];
    size_t count = adapter_facts(adapter, printer->ascii, facts);
    print_headline(printer, adapter, facts, count);
    print_map(printer, snapshot, adapter);
    print_facts(printer, adapter, facts, count);
    print_reasons(printer, adapter, facts, count);
    printer_line(printer);
}
