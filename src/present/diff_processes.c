#include <stdio.h>
#include <string.h>

#include "present/diff_part.h"
#include "view/phrase.h"
#include "view/reasons_text.h"

enum { NAME_COLUMN = 12, DETAIL_COLUMN = 12, LINE_SIZE = 512 };

static struct text of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static void print_detail(struct printer *printer, struct text text)
{
    printer_to(printer, DETAIL_COLUMN);
    printer_sentence(printer, text, DETAIL_COLUMN + 2);
}

/* The reason why vram_bytes is not known, in words; "" where there is none to give. */
static void reason_of(const struct gpu_use *use, const struct process *process,
                      char out[REASON_TEXT_SIZE])
{
    out[0] = '\0';
    if (!use || use->vram_bytes.known) {
        return;
    }
    if (!reason_set_is_empty(use->vram_unattributed_reasons)) {
        reason_of_memory(use->vram_unattributed_reasons,
                         process->name.size ? process->name.utf8 : "it", false, out);
    } else if (use->vram_bytes.why_not != REASON_not_reported) {
        snprintf(out, REASON_TEXT_SIZE, "%s", reason_words(use->vram_bytes.why_not));
    }
}

static const char *gpu_of(const struct diff *diff, struct text adapter_id, char out[32])
{
    const struct adapter *adapter = snapshot_adapter(diff->after, adapter_id);
    adapter = adapter ? adapter : snapshot_adapter(diff->before, adapter_id);
    if (adapter) {
        snprintf(out, 32, "GPU %lld", (long long)adapter->index);
    } else {
        snprintf(out, 32, "an unpaired GPU");
    }
    return out;
}

/* "VRAM on GPU 0: 310.0 MiB -> 350.0 MiB (+40.0 MiB)", or in words what became known. */
static void print_bytes(struct printer *printer, const struct diff *diff,
                        const struct diff_process *pair, const struct diff_use *use,
                        const char *what, const struct diff_bytes *bytes)
{
    char line[LINE_SIZE], gpu[32], before[UNITS_SIZE], after[UNITS_SIZE], change[DIFF_CHANGE_SIZE];
    char reason[REASON_TEXT_SIZE] = "";
    diff_value(bytes->before, before);
    diff_value(bytes->after, after);
    diff_change(bytes, change);
    gpu_of(diff, use->adapter_id, gpu);
    bool is_vram = bytes == &use->vram_bytes;
    if (bytes->before.known && bytes->after.known) {
        snprintf(line, sizeof line, "%s on %s: %s -> %s (%s)", what, gpu, before, after, change);
    } else if (pair->presence != DIFF_BOTH || !use->before || !use->after) {
        const struct gpu_use *there = use->after ? use->after : use->before;
        if (is_vram) {
            reason_of(there, pair->after ? pair->after : pair->before, reason);
        }
        snprintf(line, sizeof line, "%s on %s: %s%s%s", what, gpu, use->after ? after : before,
                 reason[0] ? ": " : "", reason);
    } else if (bytes->after.known) {
        if (is_vram) {
            reason_of(use->before, pair->before, reason);
        }
        snprintf(line, sizeof line, "%s on %s is known now: %s; before it was n/a%s%s", what, gpu,
                 after, reason[0] ? ": " : "", reason);
    } else {
        if (is_vram) {
            reason_of(use->after, pair->after, reason);
        }
        snprintf(line, sizeof line, "%s on %s is no longer known; it was %s%s%s", what, gpu, before,
                 reason[0] ? ": " : "", reason);
    }
    print_detail(printer, of(line));
}

static void put_inferred(struct phrase *phrase, const struct gpu_use *use)
{
    char bytes[UNITS_SIZE];
    if (!figure_is_known(use->vram_inferred_bytes)) {
        phrase_string(phrase, "n/a");
        return;
    }
    units_bytes_long(use->vram_inferred_bytes.value, bytes);
    phrase_string(phrase, bytes);
    phrase_string(phrase, use->inferred_by == INFERRED_GUESS ? " (a guess)" : " (matched)");
}

static void print_inferred(struct printer *printer, const struct diff *diff,
                           const struct diff_use *use)
{
    char line[LINE_SIZE], gpu[32];
    struct phrase phrase = phrase_start(line, sizeof line);
    const struct gpu_use *one = use->after ? use->after : use->before;
    phrase_string(&phrase, "deduced VRAM on ");
    phrase_string(&phrase, gpu_of(diff, use->adapter_id, gpu));
    phrase_string(&phrase, ": ");
    if (use->before && use->after) {
        put_inferred(&phrase, use->before);
        phrase_string(&phrase, " -> ");
    }
    put_inferred(&phrase, one);
    print_detail(printer, (struct text){line, phrase.length});
}

static void print_use(struct printer *printer, const struct diff *diff,
                      const struct diff_process *pair, const struct diff_use *use)
{
    const struct gpu_use *there = use->after ? use->after : use->before;
    bool one_sided = !use->before || !use->after;
    if (one_sided && pair->presence == DIFF_BOTH) {
        char line[LINE_SIZE], gpu[32];
        snprintf(line, sizeof line, "%s %s", use->after ? "now uses" : "no longer uses",
                 gpu_of(diff, use->adapter_id, gpu));
        print_detail(printer, of(line));
    }
    bool inferred = figure_is_known(there->vram_inferred_bytes);
    if ((one_sided && (!inferred || there->vram_bytes.known)) ||
        !diff_bytes_equal(&use->vram_bytes)) {
        print_bytes(printer, diff, pair, use, "VRAM", &use->vram_bytes);
    }
    if (use->inferred_changed || (one_sided && inferred)) {
        print_inferred(printer, diff, use);
    }
    bool spills = use->spill_bytes.before.value > 0 || use->spill_bytes.after.value > 0;
    if (spills && !diff_bytes_equal(&use->spill_bytes)) {
        print_bytes(printer, diff, pair, use, "spill", &use->spill_bytes);
    }
}

static void print_models(struct printer *printer, const struct diff_process *pair)
{
    static const char *const words[] = {
        [DIFF_BOTH] = "runs differently: ", [DIFF_NEW] = "holds ", [DIFF_GONE] = "held "};
    for (size_t i = 0; i < pair->model_count; i++) {
        const struct diff_model *found = &pair->models[i];
        const struct model *model = found->after ? found->after : found->before;
        char line[LINE_SIZE];
        if (!found->changed) {
            continue;
        }
        struct phrase phrase = phrase_start(line, sizeof line);
        bool let_go = found->presence == DIFF_GONE && pair->presence == DIFF_BOTH;
        phrase_string(&phrase, let_go ? "no longer holds " : words[found->presence]);
        phrase_text(&phrase, model->name.size ? model->name : TEXT("a model without a name"));
        if (model->quantization.size > 0) {
            phrase_string(&phrase, " ");
            phrase_text(&phrase, model->quantization);
        }
        print_detail(printer, (struct text){line, phrase.length});
    }
}

static void print_process(struct printer *printer, const struct diff *diff,
                          const struct diff_process *pair)
{
    const struct process *process = pair->after ? pair->after : pair->before;
    char line[96];
    printer_to(printer, 2);
    printer_text(printer, process->label);
    printer_string(printer, " ");
    printer_to(printer, NAME_COLUMN);
    printer_text(printer, process->name.size > 0 ? process->name : TEXT("n/a"));
    printer_string(printer, "  ");
    if (pair->class_changed) {
        snprintf(line, sizeof line, "%s -> %s", process_class_name(pair->before->class),
                 process_class_name(pair->after->class));
        printer_string(printer, line);
    } else {
        printer_string(printer, process_class_name(process->class));
    }
    printer_line(printer);
    if (pair->unsure) {
        print_detail(printer, TEXT("its start is not known: it may be another process"));
    }
    for (size_t i = 0; i < pair->use_count; i++) {
        if (pair->uses[i].changed || pair->presence != DIFF_BOTH) {
            print_use(printer, diff, pair, &pair->uses[i]);
        }
    }
    print_models(printer, pair);
}

void diff_print_processes(struct printer *printer, const struct diff *diff)
{
    static const char *const heads[] = {
        [DIFF_NEW] = "New", [DIFF_GONE] = "Gone", [DIFF_BOTH] = "Changed"};
    const char *last = NULL;
    for (size_t i = 0; i < diff->process_count && diff->processes[i].changed; i++) {
        const char *head = heads[diff->processes[i].presence];
        if (head != last) {
            if (last) {
                printer_line(printer);
            }
            printer_string(printer, head);
            printer_line(printer);
            last = head;
        }
        print_process(printer, diff, &diff->processes[i]);
    }
    if (last) {
        printer_line(printer);
    }
}
