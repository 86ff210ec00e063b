/* The parts of the plain text, between the text_*.c files. */
#ifndef PRESENT_TEXT_PART_H
#define PRESENT_TEXT_PART_H

#include "present/text_printer.h"
#include "snapshot/snapshot.h"
#include "view/columns.h"
#include "view/rows.h"

/* One adapter's block and the empty line behind it. */
void text_adapter(struct printer *printer, const struct snapshot *snapshot,
                  const struct adapter *adapter);
/* The process table; *layout says afterwards which columns it has. */
void text_table(struct printer *printer, const struct rows *rows, struct column_layout *layout);
/* Why cells of the table are n/a, and what its marks mean. */
void text_reasons(struct printer *printer, const struct rows *rows,
                  const struct column_layout *layout);

#endif
