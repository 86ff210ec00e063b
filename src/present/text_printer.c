#include "present/text_printer.h"

#include <string.h>

#include "view/text_width.h"

static struct text of(const char *string)
{
    return (struct text){string, strlen(string)};
}

size_t printer_width(const struct printer *printer)
{
    return printer->width > 0 ? printer->width : PRINTER_WIDE;
}

void printer_text(struct printer *printer, struct text text)
{
    size_t end = text.size;
    printer->column += text_width(text, printer->ascii);
    while (end > 0 && text.utf8[end - 1] == ' ')
        end--;
    if (end > 0) {
        if (printer->gap && !printer->begun)
            fputc('\n', printer->file);
        printer->gap = false;
        for (; printer->pending > 0; printer->pending--)
            fputc(' ', printer->file);
        text_out(printer->file, (struct text){text.utf8, end}, printer->ascii);
        printer->begun = true;
    }
    printer->pending += text.size - end;
}

void printer_string(struct printer *printer, const char *string)
{
    printer_text(printer, of(string));
}

void printer_to(struct printer *printer, size_t column)
{
    while (printer->column < column)
        printer_string(printer, " ");
}

void printer_line(struct printer *printer)
{
    fputc('\n', printer->file);
    printer->column = printer->pending = 0;
    printer->begun = false;
}

/* A word that would not fit begins a new line, unless it is the first of this one. */
static void print_word(struct printer *printer, struct text word, bool first, size_t indent)
{
    size_t width = text_width(word, printer->ascii);
    if (first || !printer->begun) {
        printer_text(printer, word);
        return;
    }
    if (printer->width > 0 && printer->column + 1 + width > printer->width) {
        printer_line(printer);
        printer_to(printer, indent);
    } else {
        printer_string(printer, " ");
    }
    printer_text(printer, word);
}

void printer_sentence(struct printer *printer, struct text sentence, size_t indent)
{
    size_t at = 0;
    bool first = true;
    while (at < sentence.size) {
        size_t start = at;
        while (at < sentence.size && sentence.utf8[at] != ' ')
            at++;
        if (at > start) {
            print_word(printer, (struct text){sentence.utf8 + start, at - start}, first, indent);
            first = false;
        }
        at++;
    }
    printer_line(printer);
}

void printer_piece(struct printer_flow *flow, struct text piece)
{
    struct printer *printer = flow->printer;
    if (!flow->begun) {
        printer_to(printer, flow->indent);
        flow->begun = true;
        printer_text(printer, piece);
        return;
    }
    size_t width = text_width(piece, printer->ascii);
    size_t between = text_width(of(flow->separator), printer->ascii);
    if (printer->column + between + width > printer_width(printer)) {
        printer_line(printer);
        printer_to(printer, flow->indent);
    } else {
        printer_string(printer, flow->separator);
    }
    printer_text(printer, piece);
}

void printer_flow_end(struct printer_flow *flow)
{
    if (flow->begun)
        printer_line(flow->printer);
    flow->begun = false;
}
