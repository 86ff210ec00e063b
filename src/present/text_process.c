#include <stdio.h>
#include <string.h>

#include "present/text.h"
#include "present/text_printer.h"
#include "snapshot/words.h"
#include "view/phrase.h"
#include "view/reasons_text.h"
#include "view/units.h"

enum { LINE_SIZE = 1024, INDENT = 11 };

static void print_line(struct printer *printer, const char *key, const struct phrase *phrase,
                       const char *line)
{
    if (phrase->length == 0)
        return;
    printer_string(printer, key);
    printer_to(printer, INDENT);
    printer_sentence(printer, (struct text){line, phrase->length}, INDENT);
}

static void print_who(struct printer *printer, const struct process *process)
{
    char line[LINE_SIZE];
    struct phrase phrase = phrase_start(line, sizeof line);
    phrase_text(&phrase, process->label);
    phrase_string(&phrase, " ");
    phrase_text(&phrase, process->name);
    if (process->user.size > 0) {
        phrase_string(&phrase, ", user ");
        phrase_text(&phrase, process->user);
    }
    phrase_string(&phrase, ", ");
    phrase_string(&phrase, process_class_name(process->class));
    for (size_t i = 0; i < process->runtime_count; i++) {
        phrase_string(&phrase, i == 0 ? " (" : ", ");
        phrase_text(&phrase, process->runtimes[i].name);
    }
    if (process->runtime_count > 0)
        phrase_string(&phrase, ")");
    print_line(printer, "Process", &phrase, line);
}

static void print_command(struct printer *printer, const struct process *process)
{
    char line[LINE_SIZE];
    struct phrase phrase = phrase_start(line, sizeof line);
    for (size_t i = 0; i < process->command.count; i++) {
        phrase_string(&phrase, i == 0 ? "" : " ");
        phrase_text(&phrase, process->command.items[i]);
    }
    print_line(printer, "Command", &phrase, line);
}

static void print_evidence(struct printer *printer, const struct process *process)
{
    for (size_t i = 0; i < process->evidence.count; i++) {
        char line[LINE_SIZE];
        const struct evidence *evidence = &process->evidence.items[i];
        struct phrase phrase = phrase_start(line, sizeof line);
        phrase_text(&phrase, evidence->kind);
        phrase_string(&phrase, ": ");
        phrase_text(&phrase, evidence->detail);
        phrase_string(&phrase, " (");
        phrase_string(&phrase, words_strength.name((int)evidence->strength));
        phrase_string(&phrase, ")");
        print_line(printer, i == 0 ? "Evidence" : "", &phrase, line);
    }
}

static void phrase_bytes(struct phrase *phrase, const char *before, double bytes, const char *after)
{
    char number[UNITS_SIZE];
    units_bytes_long(bytes, number);
    phrase_string(phrase, before);
    phrase_string(phrase, number);
    phrase_string(phrase, after);
}

static void print_use(struct printer *printer, const struct gpu_use *use)
{
    char line[LINE_SIZE];
    struct phrase phrase = phrase_start(line, sizeof line);
    phrase_text(&phrase, use->adapter_id);
    if (use->vram_bytes.known)
        phrase_bytes(&phrase, ": VRAM ", (double)use->vram_bytes.value,
                     text_equal_string(use->memory_source, "ledger") ? " measured by the ledger"
                     : text_equal_string(use->memory_source, "footprint") ? " measured by footprint"
                                                                          : " measured");
    else if (figure_is_known(use->vram_inferred_bytes))
        phrase_bytes(&phrase, ": VRAM ", use->vram_inferred_bytes.value,
                     use->inferred_by == INFERRED_MATCHED ? " matched" : " guessed");
    else {
        phrase_string(&phrase, ": VRAM n/a, ");
        phrase_string(&phrase, reason_words(use->vram_bytes.why_not));
    }
    if (use->shared_bytes.known)
        phrase_bytes(&phrase, "; system memory ", (double)use->shared_bytes.value, " measured");
    if (figure_is_known(use->explained_bytes))
        phrase_bytes(&phrase, "; models explain ", use->explained_bytes.value, "");
    if (figure_is_known(use->unexplained_bytes))
        phrase_bytes(&phrase, ", unexplained ", use->unexplained_bytes.value, "");
    print_line(printer, "GPU", &phrase, line);
}

void text_process(FILE *file, const struct process *process, const struct text_options *options)
{
    struct printer printer = {.file = file, .ascii = options->ascii, .width = options->width};
    print_who(&printer, process);
    print_command(&printer, process);
    print_evidence(&printer, process);
    for (size_t i = 0; i < process->gpu_count; i++)
        print_use(&printer, &process->gpus[i]);
    if (process->gpu_count == 0) {
        printer_string(&printer, "GPU");
        printer_to(&printer, INDENT);
        printer_string(&printer, "none that it is seen to use");
        printer_line(&printer);
    }
    printer_line(&printer);
}
