#include <stdio.h>
#include <string.h>

#include "present/summary_part.h"
#include "view/truncate.h"

enum {
    LABEL_WIDTH = 9,
    NAME_COLUMN = 10,
    NAME_WIDTH = 14,
    GPU_END = 28,
    VRAM_PEAK_END = 38,
    VRAM_MEAN_END = 47,
    VRAM_P95_END = 56,
    LOAD_PEAK_END = 62,
    LOAD_MEAN_END = 68,
    LOAD_P95_END = 74,
    DETAIL_COLUMN = 10,
};

static void print_heads(struct printer *printer)
{
    static const struct {
        const char *word;
        size_t end;
    } heads[] = {
        {"GPU", GPU_END},      {"VRAM peak", VRAM_PEAK_END}, {"mean", VRAM_MEAN_END},
        {"p95", VRAM_P95_END}, {"GPU%", LOAD_PEAK_END},      {"mean", LOAD_MEAN_END},
        {"p95", LOAD_P95_END},
    };
    printer_string(printer, "PID");
    printer_to(printer, NAME_COLUMN);
    printer_string(printer, "NAME");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        summary_print_right(printer, heads[i].word, heads[i].end - 1);
    }
    printer_line(printer);
}

/* The last place is the mark's: '*' matched, '?' a guess. */
static void print_marked(struct printer *printer, const char *number, char mark, size_t end)
{
    summary_print_right(printer, number, end - 1);
    printer_text(printer, (struct text){&mark, 1});
}

static void print_three(struct printer *printer, const struct statistic *statistic, char mark,
                        void (*number)(double value, char out[UNITS_SIZE]), const size_t ends[3])
{
    const double values[3] = {statistic->peak, statistic_mean(statistic),
                              statistic_quantile(statistic, 0.95)};
    char text[UNITS_SIZE];
    for (size_t i = 0; i < 3; i++) {
        if (statistic_is_known(statistic)) {
            number(values[i], text);
        } else {
            snprintf(text, sizeof text, "n/a");
        }
        print_marked(printer, text, statistic_is_known(statistic) ? mark : ' ', ends[i]);
    }
}

static const struct summary_adapter *find_adapter(const struct summary *summary, const char *id)
{
    for (size_t i = 0; i < summary->adapter_count; i++) {
        if (strcmp(summary->adapters[i].id, id) == 0) {
            return &summary->adapters[i];
        }
    }
    return NULL;
}

static void print_use(struct printer *printer, const struct summary *summary,
                      const struct summary_use *use)
{
    static const size_t vram_ends[3] = {VRAM_PEAK_END, VRAM_MEAN_END, VRAM_P95_END};
    static const size_t load_ends[3] = {LOAD_PEAK_END, LOAD_MEAN_END, LOAD_P95_END};
    const struct summary_adapter *adapter = find_adapter(summary, use->adapter_id);
    char text[UNITS_SIZE] = "-";
    if (adapter) {
        snprintf(text, sizeof text, "%lld", (long long)adapter->index);
    }
    summary_print_right(printer, text, GPU_END - 1);
    bool measured = statistic_is_known(&use->vram_bytes);
    print_three(printer, measured ? &use->vram_bytes : &use->vram_inferred_bytes,
                measured            ? ' '
                : use->vram_guessed ? '?'
                                    : '*',
                units_bytes, vram_ends);
    bool load_measured = statistic_is_known(&use->load_percent);
    print_three(printer, load_measured ? &use->load_percent : &use->load_inferred_percent,
                load_measured       ? ' '
                : use->load_guessed ? '?'
                                    : '*',
                units_percent, load_ends);
    printer_line(printer);
}

static void flow_string(struct printer_flow *flow, const char *string)
{
    printer_piece(flow, summary_text_of(string));
}

static void print_use_details(struct printer_flow *flow, const struct summary_use *use)
{
    char text[3 * UNITS_SIZE], number[UNITS_SIZE];
    if (use->spill_bytes.peak > 0) {
        units_bytes_long(use->spill_bytes.peak, number);
        snprintf(text, sizeof text, "spill up to %s", number);
        flow_string(flow, text);
    }
    if (statistic_is_known(&use->vram_bytes) && statistic_is_known(&use->vram_inferred_bytes)) {
        units_bytes_long(use->vram_inferred_bytes.peak, number);
        snprintf(text, sizeof text, "at other times %s up to %s",
                 use->vram_guessed ? "a guessed" : "a matched", number);
        flow_string(flow, text);
    }
    if (use->load_lower_bound) {
        flow_string(flow, "its load is a lower bound");
    }
    if (use->energy_estimated_joules > 0) {
        summary_joules(use->energy_estimated_joules, number);
        snprintf(text, sizeof text, "about %s of energy", number);
        flow_string(flow, text);
    }
}

static void print_models(struct printer_flow *flow, const struct summary_process *process)
{
    for (size_t i = 0; i < process->model_count; i++) {
        const struct summary_model *model = &process->models[i];
        char text[2 * SUMMARY_NAME_SIZE];
        const char *name = model->name[0] ? model->name : "a model without a name";
        bool told = model->quantization[0] && strstr(name, model->quantization);
        snprintf(text, sizeof text, "%s%s%s", name, told || !model->quantization[0] ? "" : " ",
                 told ? "" : model->quantization);
        flow_string(flow, text);
    }
    if (process->models_left_out) {
        flow_string(flow, "and more models");
    }
}

static void print_process(struct printer *printer, const struct summary *summary,
                          const struct summary_process *process)
{
    char cut[4 * LABEL_WIDTH + 8 + 4 * NAME_WIDTH], text[UNITS_SIZE];
    truncate_text(summary_text_of(process->label), LABEL_WIDTH, printer->ascii, cut, sizeof cut);
    printer_string(printer, cut);
    printer_to(printer, NAME_COLUMN);
    const char *name = process->name[0] ? process->name : "n/a";
    truncate_text(summary_text_of(name), NAME_WIDTH, printer->ascii, cut, sizeof cut);
    printer_string(printer, cut);
    for (size_t i = 0; i < process->use_count; i++) {
        print_use(printer, summary, &process->uses[i]);
    }
    if (process->use_count == 0) {
        printer_line(printer);
    }
    struct printer_flow flow = {.printer = printer, .separator = ", ", .indent = DETAIL_COLUMN};
    flow_string(&flow, process_class_name(process->class));
    units_duration(process->seconds, text);
    flow_string(&flow, text);
    for (size_t i = 0; i < process->use_count; i++) {
        print_use_details(&flow, &process->uses[i]);
    }
    print_models(&flow, process);
    printer_flow_end(&flow);
}

static bool is_active(const struct summary_process *process)
{
    for (size_t i = 0; i < process->use_count; i++) {
        const struct summary_use *use = &process->uses[i];
        if (use->vram_bytes.peak > 0 || use->vram_inferred_bytes.peak > 0 ||
            use->load_percent.peak > 0 || use->load_inferred_percent.peak > 0 ||
            use->spill_bytes.peak > 0) {
            return true;
        }
    }
    return false;
}

static void print_more(struct printer *printer, const struct summary *summary, size_t idle)
{
    char line[160], number[UNITS_SIZE];
    if (idle > 0) {
        snprintf(line, sizeof line, "%llu more without measured memory or load (--all lists them)",
                 (unsigned long long)idle);
        printer_sentence(printer, summary_text_of(line), 0);
    }
    if (summary->processes_left_out > 0) {
        units_bytes_long((double)summary->left_out_peak_bytes.value, number);
        snprintf(line, sizeof line, "at least %llu more, which were smaller: %s at most",
                 (unsigned long long)summary->processes_left_out,
                 summary->left_out_peak_bytes.known ? number : "n/a");
        printer_sentence(printer, summary_text_of(line), 0);
    }
}

void summary_print_processes(struct printer *printer, const struct summary *summary,
                             const struct summary_options *options)
{
    size_t shown = 0, idle = 0, candidates = 0;
    for (size_t i = 0; i < summary->process_count; i++) {
        const struct summary_process *process = &summary->processes[i];
        if (options->tracked_only && !process->tracked) {
            continue;
        }
        candidates++;
        if (!options->all && !is_active(process)) {
            idle++;
            continue;
        }
        if (shown++ == 0) {
            print_heads(printer);
        }
        print_process(printer, summary, process);
    }
    print_more(printer, summary, idle);
    if (candidates > 0 || summary->processes_left_out > 0) {
        printer_line(printer);
    }
}
