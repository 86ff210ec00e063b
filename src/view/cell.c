#include "view/cell.h"

#include <string.h>

#include "view/truncate.h"

struct text cell_text(const struct cell *cell)
{
    if (!text_is_none(cell->foreign))
        return cell->foreign;
    return (struct text){cell->own, strlen(cell->own)};
}

char cell_mark_character(enum cell_mark mark)
{
    switch (mark) {
    case CELL_MATCHED:
        return '*';
    case CELL_GUESS:
        return '?';
    case CELL_ESTIMATED:
        return '~';
    case CELL_NONE:
    case CELL_UNAVAILABLE:
    case CELL_BLANK:
        break;
    }
    return ' ';
}

static size_t pad(char *out, size_t size, size_t at, size_t cells)
{
    while (cells-- > 0 && at + 1 < size)
        out[at++] = ' ';
    out[at] = '\0';
    return at;
}

void cell_print(const struct cell *cell, enum cell_align align, size_t width, bool ascii, char *out,
                size_t size)
{
    if (size == 0)
        return;
    bool marked = align == CELL_NUMBER && width > 0;
    size_t room = marked ? width - 1 : width;
    if (align == CELL_LEFT) {
        size_t taken = truncate_text(cell_text(cell), room, ascii, out, size);
        pad(out, size, strlen(out), room - taken);
        return;
    }
    size_t taken = truncate_text(cell_text(cell), room, ascii, out, size);
    size_t length = strlen(out), before = room - taken;
    if (before > 0 && length + before + 1 <= size) {
        memmove(out + before, out, length + 1);
        memset(out, ' ', before);
        length += before;
    }
    if (marked && length + 2 <= size) {
        out[length] = cell_mark_character(cell->mark);
        out[length + 1] = '\0';
    }
}
