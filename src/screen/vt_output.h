/* Cells as the bytes of a VT terminal: cursor moves, colours (SGR), characters. Everything between
 * two flushes is one buffer, as short as the terminal's state allows; a frame in which nothing
 * changed is empty. Pure.
 *
 * Sequences: ECMA-48; DEC private modes 7, 25, 1049; mode 2026 (synchronized output), which
 * terminals that lack it ignore. */
#ifndef SCREEN_VT_OUTPUT_H
#define SCREEN_VT_OUTPUT_H

#include <stddef.h>

#include "screen/looks.h"

struct vt_output {
    enum color_depth depth;
    int light;         /* 1: light background */
    int width, height; /* of the terminal */
    bool steps_aside;  /* the cursor's column is not taken from what was written last */

    char *bytes; /* owned; what is to be written */
    size_t size, capacity;
    size_t begun; /* the size when the frame began: more than that is a change */
    struct cell_look pen;
    int x, y; /* the cursor; x < 0: unknown */
    bool shows_cursor;
};

/* Takes over a terminal: a second screen, no wrapping at the right edge, no cursor. */
void vt_output_enter(struct vt_output *output);
/* Gives it back. The same bytes as text, for a crash handler. */
void vt_output_leave(struct vt_output *output);
extern const char vt_output_leaving[];
/* What the terminal shows is unknown: it is wiped. */
void vt_output_wipe(struct vt_output *output);
/* As draw and flush in door.h. */
void vt_output_draw(struct vt_output *output, int x, int y, const struct screen_cell *cells,
                    int count);
void vt_output_end(struct vt_output *output, int x, int y);
/* The bytes have been written. */
void vt_output_written(struct vt_output *output);
/* Other bytes of ours, such as a question to the terminal. */
void vt_output_add(struct vt_output *output, const char *bytes);
void vt_output_free(struct vt_output *output);

#endif
