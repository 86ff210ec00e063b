/* Pages over the other panels: what moves and closes them. */
#include "present/tui/ui.h"

bool scroll_key(struct ui *ui, uint32_t key)
{
    size_t step = ui->layout.table.height > 2 ? (size_t)ui->layout.table.height : 1;
    size_t line = ui->overlay_line, last = ui->overlay_last_line;
    switch (key) {
    case SCREEN_KEY_UP:
        line = line > 0 ? line - 1 : 0;
        break;
    case SCREEN_KEY_DOWN:
        line++;
        break;
    case SCREEN_KEY_PAGE_UP:
        line = line > step ? line - step : 0;
        break;
    case SCREEN_KEY_PAGE_DOWN:
    case ' ':
        line += step;
        break;
    case SCREEN_KEY_HOME:
        line = 0;
        break;
    case SCREEN_KEY_END:
        line = last;
        break;
    case SCREEN_KEY_ESCAPE:
    case SCREEN_KEY_ENTER:
    case 'q':
    case '?':
        ui->overlay = NULL;
        return true;
    default:
        return false;
    }
    ui->overlay_line = line > last ? last : line;
    return true;
}

void scroll_mouse(struct ui *ui, struct rectangle area, const struct screen_event *event)
{
    (void)area;
    if (event->action == MOUSE_PRESS)
        return;
    scroll_key(ui, event->action == MOUSE_WHEEL_UP ? SCREEN_KEY_UP : SCREEN_KEY_DOWN);
}
