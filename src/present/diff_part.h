/* The parts of a difference's text, between the diff_*.c files. */
#ifndef PRESENT_DIFF_PART_H
#define PRESENT_DIFF_PART_H

#include "present/text_printer.h"
#include "timeline/diff.h"
#include "view/units.h"

enum { DIFF_CHANGE_SIZE = UNITS_SIZE + 4 };

void diff_print_right(struct printer *printer, const char *string, size_t end);
void diff_value(struct measured value, char out[UNITS_SIZE]);
void diff_change(const struct diff_bytes *bytes, char out[DIFF_CHANGE_SIZE]);
void diff_print_processes(struct printer *printer, const struct diff *diff);

#endif
