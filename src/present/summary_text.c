#include <stdio.h>
#include <string.h>

#include "present/summary.h"
#include "present/summary_part.h"
#include "view/phrase.h"
#include "view/units.h"

enum { KEY_COLUMN = 2, PEAK_END = 36, MEAN_END = 50, P95_END = 64, NOTE_COLUMN = 67 };

struct text summary_text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

void summary_print_right(struct printer *printer, const char *string, size_t end)
{
    size_t length = strlen(string); /* our own numbers: ASCII */
    printer_to(printer, end > length ? end - length : 0);
    printer_string(printer, string);
}

/* "2026-11-29 12:00:00" */
void summary_time(int64_t wall_ns, char out[TIME_TEXT_SIZE])
{
    time_format(wall_ns, out);
    out[10] = ' ';
    out[19] = '\0';
}

/* "1.2 kJ": decimal, as energy is told; "0.35 kWh" where that is the usual unit. */
void summary_joules(double joules, char out[UNITS_SIZE])
{
    if (joules >= 3.6e5) {
        snprintf(out, UNITS_SIZE, "%.2f kWh", joules / 3.6e6);
    } else if (joules >= 9999.5) {
        snprintf(out, UNITS_SIZE, "%.1f kJ", joules / 1000);
    } else {
        snprintf(out, UNITS_SIZE, "%.0f J", joules);
    }
}

typedef void print_number(double value, char out[UNITS_SIZE]);

static void percent(double value, char out[UNITS_SIZE])
{
    units_percent(value, out);
    snprintf(out + strlen(out), UNITS_SIZE - strlen(out), " %%");
}

static void celsius(double value, char out[UNITS_SIZE])
{
    snprintf(out, UNITS_SIZE, "%.0f C", value);
}

static void print_statistic(struct printer *printer, const char *key,
                            const struct statistic *statistic, print_number *number)
{
    char text[UNITS_SIZE], note[64], time[TIME_TEXT_SIZE];
    printer_to(printer, KEY_COLUMN);
    printer_string(printer, key);
    if (!statistic_is_known(statistic)) {
        summary_print_right(printer, "n/a", PEAK_END);
        printer_line(printer);
        return;
    }
    number(statistic->peak, text);
    summary_print_right(printer, text, PEAK_END);
    number(statistic_mean(statistic), text);
    summary_print_right(printer, text, MEAN_END);
    number(statistic_quantile(statistic, 0.95), text);
    summary_print_right(printer, text, P95_END);
    enum how how = statistic_how(statistic);
    summary_time(statistic->peak_at_ns, time);
    snprintf(note, sizeof note, "%s%s%s", time + 11, how == HOW_MEASURED ? "" : " ",
             how == HOW_MEASURED ? "" : how_name(how));
    printer_to(printer, NOTE_COLUMN);
    printer_string(printer, note);
    printer_line(printer);
}

static void print_energy(struct printer *printer, const struct summary_adapter *adapter)
{
    char joules[UNITS_SIZE], seconds[UNITS_SIZE], line[3 * UNITS_SIZE];
    if (adapter->energy_seconds <= 0 && adapter->energy_estimated_seconds <= 0) {
        return;
    }
    printer_to(printer, KEY_COLUMN);
    printer_string(printer, "energy");
    if (adapter->energy_seconds > 0) {
        summary_joules(adapter->energy_joules, joules);
        summary_print_right(printer, joules, PEAK_END);
        printer_string(printer, "  by the driver's counter");
    }
    if (adapter->energy_estimated_seconds > 0) {
        summary_joules(adapter->energy_estimated_joules, joules);
        if (adapter->energy_seconds > 0) {
            units_duration(adapter->energy_estimated_seconds, seconds);
            snprintf(line, sizeof line, ", and an estimated %s (power x time) in %s without it",
                     joules, seconds);
            printer_string(printer, line);
        } else {
            summary_print_right(printer, joules, PEAK_END);
            printer_string(printer, "  estimated: power x time");
        }
    }
    printer_line(printer);
}

static void print_adapter(struct printer *printer, const struct summary_adapter *adapter)
{
    char text[2 * UNITS_SIZE], bytes[UNITS_SIZE];
    snprintf(text, sizeof text, "GPU %lld  ", (long long)adapter->index);
    printer_string(printer, text);
    printer_text(printer, summary_text_of(adapter->name[0] ? adapter->name : "unnamed"));
    printer_string(printer, "  ");
    printer_text(printer, summary_text_of(adapter->id));
    if (adapter->vram_total_bytes.known) {
        units_bytes_long((double)adapter->vram_total_bytes.value, bytes);
        snprintf(text, sizeof text, "  %s%s", bytes, adapter->unified ? " unified" : "");
        printer_string(printer, text);
    }
    printer_line(printer);
    printer_to(printer, KEY_COLUMN);
    summary_print_right(printer, "peak", PEAK_END);
    summary_print_right(printer, "mean", MEAN_END);
    summary_print_right(printer, "p95", P95_END);
    printer_to(printer, NOTE_COLUMN);
    printer_string(printer, "peak at (UTC)");
    printer_line(printer);
    print_statistic(printer, "VRAM in use", &adapter->vram_used_bytes, units_bytes_long);
    if (statistic_is_known(&adapter->shared_used_bytes)) {
        print_statistic(printer, "in system RAM", &adapter->shared_used_bytes, units_bytes_long);
    }
    print_statistic(printer, "load", &adapter->load_percent, percent);
    if (statistic_is_known(&adapter->power_watts)) {
        print_statistic(printer, "power", &adapter->power_watts, units_watts);
    }
    if (statistic_is_known(&adapter->temperature_celsius)) {
        print_statistic(printer, "temperature", &adapter->temperature_celsius, celsius);
    }
    if (statistic_is_known(&adapter->tracked_vram_bytes)) {
        print_statistic(printer, adapter->tracked_incomplete ? "the command (*)" : "the command",
                        &adapter->tracked_vram_bytes, units_bytes_long);
    }
    print_energy(printer, adapter);
    if (adapter->tracked_incomplete && statistic_is_known(&adapter->tracked_vram_bytes)) {
        printer_to(printer, KEY_COLUMN);
        printer_sentence(printer,
                         TEXT("(*) at least: at times some of its processes had no measured bytes"),
                         KEY_COLUMN);
    }
    printer_line(printer);
}

static void print_head(struct printer *printer, const struct summary *summary,
                       const struct summary_options *options)
{
    char line[256], number[UNITS_SIZE], duration[UNITS_SIZE];
    char from[TIME_TEXT_SIZE], to[TIME_TEXT_SIZE];
    units_count((int64_t)summary->samples, number);
    units_duration(summary->seconds, duration);
    summary_time(summary->first_ns, from);
    summary_time(summary->last_ns, to);
    printer_text(printer, summary_text_of(options->file));
    snprintf(line, sizeof line, ": %s sample%s over %s, %s to %s UTC", number,
             summary->samples == 1 ? "" : "s", duration, from,
             strncmp(from, to, 10) == 0 ? to + 11 : to);
    printer_string(printer, line);
    if (summary->host[0]) {
        printer_string(printer, ", ");
        printer_text(printer, summary_text_of(summary->host));
    }
    printer_line(printer);
    if (summary->origin != ORIGIN_LIVE) {
        printer_string(printer, summary->origin == ORIGIN_DEMO ? "A demonstration, not a machine."
                                                               : "A recorded machine.");
        printer_line(printer);
    }
    if (summary->parts > 1 || summary->boots > 1) {
        snprintf(line, sizeof line,
                 "In %llu parts, of %llu boot%s; the time between parts counts for nothing.",
                 (unsigned long long)summary->parts, (unsigned long long)summary->boots,
                 summary->boots == 1 ? "" : "s");
        printer_sentence(printer, summary_text_of(line), 0);
    }
    if (summary->clock_jumps > 0) {
        snprintf(line, sizeof line,
                 "The wall clock jumped %llu time%s (it was set, or the machine slept).",
                 (unsigned long long)summary->clock_jumps, summary->clock_jumps == 1 ? "" : "s");
        printer_sentence(printer, summary_text_of(line), 0);
    }
    printer_line(printer);
}

static void print_events(struct printer *printer, const struct summary *summary)
{
    enum { SHOWN = 12 };
    char text[96], time[TIME_TEXT_SIZE];
    if (summary->event_count == 0) {
        return;
    }
    printer_string(printer, "Events");
    printer_line(printer);
    struct printer_flow flow = {.printer = printer, .separator = ", ", .indent = KEY_COLUMN};
    for (size_t i = 0; i < summary->event_kind_count; i++) {
        snprintf(text, sizeof text, "%s %llu", summary->event_kinds[i].kind,
                 (unsigned long long)summary->event_kinds[i].count);
        printer_piece(&flow, summary_text_of(text));
    }
    printer_flow_end(&flow);
    uint64_t first = summary->event_count > SHOWN ? summary->event_count - SHOWN : 0;
    if (first > 0) {
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, "the newest:");
        printer_line(printer);
    }
    for (uint64_t i = first; i < summary->event_count; i++) {
        const struct summary_event *event = &summary->events[i % SUMMARY_EVENTS_MAX];
        summary_time(event->at_ns, time);
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, time);
        printer_string(printer, "  ");
        printer_sentence(printer, summary_text_of(event->text), KEY_COLUMN + 21);
    }
}

void summary_text(FILE *file, const struct summary *summary, const struct summary_options *options)
{
    struct printer printer = {.file = file, .ascii = options->ascii, .width = options->width};
    print_head(&printer, summary, options);
    for (size_t i = 0; i < summary->adapter_count; i++) {
        print_adapter(&printer, &summary->adapters[i]);
    }
    if (summary->adapters_left_out > 0) {
        printer_string(&printer, "More adapters than are kept: the others are left out.");
        printer_line(&printer);
    }
    summary_print_processes(&printer, summary, options);
    print_events(&printer, summary);
}
