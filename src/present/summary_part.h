/* The parts of a summary's text, between the summary_*.c files. */
#ifndef PRESENT_SUMMARY_PART_H
#define PRESENT_SUMMARY_PART_H

#include "present/summary.h"
#include "present/text_printer.h"
#include "view/units.h"

struct text summary_text_of(const char *string);
/* Ends at a column; a text of our own. */
void summary_print_right(struct printer *printer, const char *string, size_t end);
void summary_time(int64_t wall_ns, char out[TIME_TEXT_SIZE]);
void summary_joules(double joules, char out[UNITS_SIZE]);
void summary_print_processes(struct printer *printer, const struct summary *summary,
                             const struct summary_options *options);

#endif
