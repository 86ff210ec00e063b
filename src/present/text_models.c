#include "present/text_models.h"

#include <math.h>
#include <string.h>

#include "present/text_printer.h"
#include "snapshot/words.h"
#include "view/phrase.h"
#include "view/units.h"

enum {
    KEY_COLUMN = 2,
    VALUE_COLUMN = 13,
    DEVICE_COLUMN = 2,
    FIRST_FIGURE_END = 34,
    FIGURE_WIDTH = 11,
    FIGURES = 4,
    PIECE_SIZE = 512,
};

static const char *const figure_names[FIGURES] = {"WEIGHTS", "KV CACHE", "COMPUTE", "OTHER"};

struct marks {
    bool estimated, reported, unknown;
};

/* Ends at `end`, so that numbers stand below each other. */
static void print_right(struct printer *printer, size_t end, const char *string)
{
    size_t length = strlen(string);
    printer_to(printer, end > length ? end - length : 0);
    printer_string(printer, string);
}

static void format_figure(struct figure figure, struct marks *marks, char out[UNITS_SIZE + 2])
{
    if (!figure_is_known(figure)) {
        marks->unknown = true;
        snprintf(out, UNITS_SIZE + 2, "-");
        return;
    }
    char number[UNITS_SIZE];
    units_bytes(figure.value, number);
    marks->estimated = marks->estimated || figure.how == HOW_ESTIMATED;
    marks->reported = marks->reported || figure.how == HOW_REPORTED;
    snprintf(out, UNITS_SIZE + 2, "%s%s", figure.how == HOW_ESTIMATED ? "~" : "", number);
}

static void print_figures(struct printer *printer, const struct figure figures[FIGURES],
                          struct marks *marks)
{
    for (size_t i = 0; i < FIGURES; i++) {
        char text[UNITS_SIZE + 2];
        format_figure(figures[i], marks, text);
        print_right(printer, FIRST_FIGURE_END + i * FIGURE_WIDTH, text);
    }
    printer_line(printer);
}

static void print_device(struct printer *printer, const struct model_device *device,
                         struct marks *marks)
{
    const struct figure figures[FIGURES] = {device->weights_bytes, device->kv_cache_bytes,
                                            device->compute_bytes, device->other_bytes};
    const struct figure estimates[FIGURES] = {
        device->estimated_weights_bytes, device->estimated_kv_cache_bytes,
        device->estimated_compute_bytes, device->estimated_other_bytes};
    struct marks unused = {0};
    bool any = false;
    printer_to(printer, DEVICE_COLUMN);
    printer_text(printer, device->device);
    print_figures(printer, figures, marks);
    for (size_t i = 0; i < FIGURES; i++) {
        any = any || figure_is_known(estimates[i]);
    }
    if (any) {
        printer_to(printer, DEVICE_COLUMN + 2);
        printer_string(printer, "estimated before");
        print_figures(printer, estimates, &unused);
        marks->estimated = true;
    }
}

static void print_devices(struct printer *printer, const struct model *model, struct marks *marks)
{
    if (model->device_count == 0) {
        return;
    }
    printer_to(printer, DEVICE_COLUMN);
    printer_string(printer, "DEVICE");
    for (size_t i = 0; i < FIGURES; i++) {
        print_right(printer, FIRST_FIGURE_END + i * FIGURE_WIDTH, figure_names[i]);
    }
    printer_line(printer);
    for (size_t i = 0; i < model->device_count; i++) {
        print_device(printer, &model->devices[i], marks);
    }
}

static void add_word(struct phrase *phrase, struct text word)
{
    if (word.size) {
        phrase_string(phrase, phrase->length ? ", " : "");
        phrase_text(phrase, word);
    }
}

static void add_count(struct phrase *phrase, const char *before, struct figure figure,
                      const char *after)
{
    if (figure_is_known(figure)) {
        char number[UNITS_SIZE];
        units_count((int64_t)llround(figure.value), number);
        phrase_string(phrase, phrase->length ? ", " : "");
        phrase_string(phrase, before);
        phrase_string(phrase, number);
        phrase_string(phrase, after);
    }
}

static void print_value(struct printer *printer, const char *key, struct text value)
{
    if (value.size) {
        printer_to(printer, KEY_COLUMN);
        printer_string(printer, key);
        printer_to(printer, VALUE_COLUMN);
        printer_sentence(printer, value, VALUE_COLUMN);
    }
}

static void print_model(struct printer *printer, const struct model *model, struct marks *marks)
{
    char piece[PIECE_SIZE];
    const char *kind = words_model_kind.name((int)model->kind);
    printer_text(printer, model->name.size ? model->name : TEXT("(no name)"));
    printer_line(printer);

    struct phrase phrase = phrase_start(piece, sizeof piece);
    phrase_string(&phrase, kind);
    add_word(&phrase, model->format);
    add_word(&phrase, model->architecture);
    add_word(&phrase, model->quantization);
    add_count(&phrase, "", model->parameters, " parameters");
    print_value(printer, "model", (struct text){piece, phrase.length});
    print_value(printer, "file", model->path);

    phrase = phrase_start(piece, sizeof piece);
    add_count(&phrase, "", model->context, " tokens");
    add_count(&phrase, "trained for ", model->context_trained, "");
    add_count(&phrase, "", model->slots, " slots");
    add_count(&phrase, "KV cache for ", model->kv_pool_tokens, " tokens");
    print_value(printer, "context", (struct text){piece, phrase.length});

    phrase = phrase_start(piece, sizeof piece);
    add_count(&phrase, "", model->layers, "");
    add_count(&phrase, "", model->layers_on_gpu, " on GPUs, the output layer included");
    print_value(printer, "layers", (struct text){piece, phrase.length});
    print_devices(printer, model, marks);
    printer_line(printer);
}

void text_models(FILE *file, const struct model *models, size_t model_count,
                 const struct note *notes, size_t note_count, bool ascii)
{
    struct printer printer = {.file = file, .ascii = ascii};
    struct marks marks = {0};
    for (size_t i = 0; i < model_count; i++) {
        print_model(&printer, &models[i], &marks);
    }
    if (marks.reported) {
        printer_string(&printer, "Sizes are those that the runtime reported");
        printer_string(&printer, marks.estimated ? "; ~ estimated." : ".");
        printer_line(&printer);
    } else if (marks.estimated) {
        printer_string(&printer, "~ estimated from the model file and the flags.");
        printer_line(&printer);
    }
    if (marks.unknown) {
        printer_string(&printer, "- not known.");
        printer_line(&printer);
    }
    for (size_t i = 0; i < note_count; i++) {
        printer_string(&printer, "note: ");
        printer_sentence(&printer, notes[i].text, 6);
    }
}
