#include <stdio.h>
#include <string.h>

#include "present/diff.h"
#include "present/diff_part.h"
#include "view/units.h"

enum { KEY_COLUMN = 2, BEFORE_END = 32, AFTER_END = 46, CHANGE_END = 60 };

static struct text of(const char *string)
{
    return (struct text){string, strlen(string)};
}

void diff_print_right(struct printer *printer, const char *string, size_t end)
{
    size_t length = strlen(string); /* our own numbers: ASCII */
    printer_to(printer, end > length ? end - length : 0);
    printer_string(printer, string);
}

void diff_value(struct measured value, char out[UNITS_SIZE])
{
    if (value.known) {
        units_bytes_long((double)value.value, out);
    } else {
        snprintf(out, UNITS_SIZE, "n/a");
    }
}

/* "+8.5 GiB", "-40.0 MiB", "no change". */
void diff_change(const struct diff_bytes *bytes, char out[DIFF_CHANGE_SIZE])
{
    char number[UNITS_SIZE];
    int64_t change = bytes->after.value - bytes->before.value;
    if (bytes->before.known != bytes->after.known) {
        snprintf(out, DIFF_CHANGE_SIZE, "%s", bytes->after.known ? "now known" : "now unknown");
    } else if (!bytes->before.known || change == 0) {
        snprintf(out, DIFF_CHANGE_SIZE, "%s", bytes->before.known ? "no change" : "");
    } else {
        units_bytes_long(change < 0 ? -(double)change : (double)change, number);
        snprintf(out, DIFF_CHANGE_SIZE, "%c%s", change < 0 ? '-' : '+', number);
    }
}

static void print_bytes(struct printer *printer, const char *key, const struct diff_bytes *bytes,
                        size_t indent)
{
    char text[DIFF_CHANGE_SIZE];
    printer_to(printer, indent);
    printer_string(printer, key);
    diff_value(bytes->before, text);
    diff_print_right(printer, text, BEFORE_END);
    diff_value(bytes->after, text);
    diff_print_right(printer, text, AFTER_END);
    diff_change(bytes, text);
    diff_print_right(printer, text, CHANGE_END);
}

static void print_class(struct printer *printer, const struct diff_class *class)
{
    char note[96];
    print_bytes(printer, process_class_name(class->class), &class->vram_bytes, KEY_COLUMN + 2);
    if (class->before_count != class->after_count) {
        snprintf(note, sizeof note, "  %llu -> %llu processes",
                 (unsigned long long)class->before_count, (unsigned long long)class->after_count);
        printer_string(printer, note);
    }
    if (class->before_unknown > 0 || class->after_unknown > 0) {
        snprintf(note, sizeof note, "  (%llu -> %llu n/a)",
                 (unsigned long long)class->before_unknown,
                 (unsigned long long)class->after_unknown);
        printer_string(printer, note);
    }
    printer_line(printer);
}

static void print_figure(struct printer *printer, const char *key, struct figure before,
                         struct figure after, const char *unit)
{
    char text[UNITS_SIZE];
    const struct figure figures[2] = {before, after};
    if (!figure_is_known(before) && !figure_is_known(after)) {
        return;
    }
    printer_to(printer, KEY_COLUMN);
    printer_string(printer, key);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "n/a");
        if (figure_is_known(figures[i])) {
            snprintf(text, sizeof text, "%.0f %s", figures[i].value, unit);
        }
        diff_print_right(printer, text, i == 0 ? BEFORE_END : AFTER_END);
    }
    printer_line(printer);
}

static void print_states(struct printer *printer, const struct diff_adapter *pair)
{
    if (pair->state_changed) {
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, "state");
        diff_print_right(printer, power_state_name(pair->before->power_state), BEFORE_END);
        diff_print_right(printer, power_state_name(pair->after->power_state), AFTER_END);
        printer_line(printer);
    }
    if (pair->driver_changed) {
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, "the driver changed: ");
        printer_text(printer, pair->before->driver);
        printer_string(printer, " ");
        printer_text(printer, pair->before->driver_version);
        printer_string(printer, " -> ");
        printer_text(printer, pair->after->driver);
        printer_string(printer, " ");
        printer_text(printer, pair->after->driver_version);
        printer_line(printer);
    }
}

static void print_adapter(struct printer *printer, const struct diff_adapter *pair)
{
    static const char *const words[DIFF_MEMORY_COUNT] = {
        [DIFF_VRAM_USED] = "VRAM in use",     [DIFF_ATTRIBUTED] = "attributed",
        [DIFF_UNATTRIBUTED] = "unattributed", [DIFF_SHARED_USED] = "in system RAM",
        [DIFF_VRAM_TOTAL] = "VRAM",           [DIFF_VRAM_RESERVED] = "reserved",
    };
    const struct adapter *adapter = pair->after ? pair->after : pair->before;
    char head[48];
    snprintf(head, sizeof head, "GPU %lld  ", (long long)adapter->index);
    printer_string(printer, head);
    printer_text(printer, adapter->name.size > 0 ? adapter->name : TEXT("unnamed"));
    printer_string(printer, "  ");
    printer_text(printer, adapter->id);
    printer_line(printer);
    if (pair->presence != DIFF_BOTH) {
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, pair->presence == DIFF_NEW ? "is new" : "is gone");
        printer_line(printer);
        printer_line(printer);
        return;
    }
    diff_print_right(printer, "before", BEFORE_END);
    diff_print_right(printer, "after", AFTER_END);
    diff_print_right(printer, "change", CHANGE_END);
    printer_line(printer);
    for (int memory = 0; memory < DIFF_MEMORY_COUNT; memory++) {
        const struct diff_bytes *bytes = &pair->memory[memory];
        bool known = bytes->before.known || bytes->after.known;
        bool always = memory <= DIFF_SHARED_USED;
        if (known && (always || !diff_bytes_equal(bytes))) {
            print_bytes(printer, words[memory], bytes, KEY_COLUMN);
            printer_line(printer);
        }
    }
    if (pair->class_count > 0) {
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, "of it, measured, by class");
        printer_line(printer);
    }
    for (size_t i = 0; i < pair->class_count; i++) {
        print_class(printer, &pair->classes[i]);
    }
    print_figure(printer, "load", pair->before->load_percent, pair->after->load_percent, "%");
    print_figure(printer, "power", pair->before->power_watts, pair->after->power_watts, "W");
    print_states(printer, pair);
    printer_line(printer);
}

static void print_head(struct printer *printer, const struct diff *diff,
                       const struct diff_options *options)
{
    const struct {
        const char *word, *name;
        const struct snapshot *snapshot;
    } sides[2] = {{"before", options->before_name, diff->before},
                  {"after", options->after_name, diff->after}};
    char time[TIME_TEXT_SIZE], duration[UNITS_SIZE], line[UNITS_SIZE + 32];
    for (int i = 0; i < 2; i++) {
        time_format(sides[i].snapshot->taken_at_ns, time);
        time[10] = ' ';
        time[19] = '\0';
        printer_string(printer, sides[i].word);
        printer_to(printer, 8);
        printer_string(printer, time);
        printer_string(printer, " UTC  ");
        printer_text(printer, of(sides[i].name));
        printer_line(printer);
    }
    units_duration(diff->seconds < 0 ? -diff->seconds : diff->seconds, duration);
    snprintf(line, sizeof line, "%s %s", duration, diff->seconds < 0 ? "earlier" : "later");
    printer_to(printer, 8);
    printer_string(printer, line);
    if (!diff->same_boot) {
        printer_string(printer, ", after another boot: no process can be the same");
    }
    printer_line(printer);
    printer_line(printer);
}

static void print_models(struct printer *printer, const struct diff *diff)
{
    bool begun = false;
    for (size_t i = 0; i < diff->model_count; i++) {
        const struct diff_model_total *total = &diff->models[i];
        char line[96];
        if (total->before_holders == total->after_holders) {
            continue;
        }
        if (!begun) {
            printer_string(printer, "Models, by processes that hold them");
            printer_line(printer);
            begun = true;
        }
        printer_to(printer, KEY_COLUMN);
        printer_text(printer,
                     total->model->name.size ? total->model->name : TEXT("a model without a name"));
        snprintf(line, sizeof line, "  %llu -> %llu", (unsigned long long)total->before_holders,
                 (unsigned long long)total->after_holders);
        printer_string(printer, line);
        printer_line(printer);
    }
    if (begun) {
        printer_line(printer);
    }
}

void diff_text(FILE *file, const struct diff *diff, const struct diff_options *options)
{
    struct printer printer = {.file = file, .ascii = options->ascii, .width = options->width};
    if (options->before_name) {
        print_head(&printer, diff, options);
    }
    for (size_t i = 0; i < diff->adapter_count; i++) {
        print_adapter(&printer, &diff->adapters[i]);
    }
    diff_print_processes(&printer, diff);
    print_models(&printer, diff);
    if (!diff->differs) {
        printer_string(&printer, "No memory, process or model differs.");
        printer_line(&printer);
    }
}
