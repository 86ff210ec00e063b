/* Cells as a Windows console without VT keeps them: a UTF-16 unit and an attribute word each, 16
 * colours. Pure. Attribute bits: CHAR_INFO (learn.microsoft.com/windows/console). */
#ifndef SCREEN_CONSOLE_CELLS_H
#define SCREEN_CONSOLE_CELLS_H

#include <stdint.h>

#include "screen/looks.h"

struct console_cell {
    uint16_t unit, attributes;
};

/* `own`: the attributes that the console had before. */
struct console_cell console_cell_of(const struct screen_cell *cell, enum color_depth depth,
                                    int light, uint16_t own);

#endif
