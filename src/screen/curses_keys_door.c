#include "screen/curses_keys.h"

static const struct {
    int curses;
    uint32_t key;
} named_keys[] = {
    {KEY_UP, SCREEN_KEY_UP},
    {KEY_DOWN, SCREEN_KEY_DOWN},
    {KEY_LEFT, SCREEN_KEY_LEFT},
    {KEY_RIGHT, SCREEN_KEY_RIGHT},
    {KEY_PPAGE, SCREEN_KEY_PAGE_UP},
    {KEY_NPAGE, SCREEN_KEY_PAGE_DOWN},
    {KEY_HOME, SCREEN_KEY_HOME},
    {KEY_FIND, SCREEN_KEY_HOME}, /* PuTTY */
    {KEY_END, SCREEN_KEY_END},
    {KEY_SELECT, SCREEN_KEY_END}, /* PuTTY */
    {KEY_BACKSPACE, SCREEN_KEY_BACKSPACE},
    {KEY_DC, SCREEN_KEY_DELETE},
    {KEY_BTAB, SCREEN_KEY_BACK_TAB},
    {KEY_ENTER, SCREEN_KEY_ENTER},
};

uint32_t curses_key(wint_t character, bool named)
{
    if (!named) {
        if (character == '\n' || character == '\r')
            return SCREEN_KEY_ENTER;
        if (character == 127 || character == 8)
            return SCREEN_KEY_BACKSPACE;
        return character <= 0x10FFFF ? (uint32_t)character : SCREEN_KEY_OTHER;
    }
    if (character >= (wint_t)KEY_F(1) && character <= (wint_t)KEY_F(12))
        return SCREEN_KEY_F1 + (uint32_t)(character - (wint_t)KEY_F(1));
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        if ((wint_t)named_keys[i].curses == character)
            return named_keys[i].key;
    return SCREEN_KEY_OTHER;
}

bool curses_mouse(const MEVENT *mouse, struct screen_event *event)
{
    event->kind = SCREEN_MOUSE;
    event->x = mouse->x;
    event->y = mouse->y;
    if ((mouse->bstate & BUTTON4_PRESSED) != 0)
        event->action = MOUSE_WHEEL_UP;
    else if ((mouse->bstate & BUTTON5_PRESSED) != 0)
        event->action = MOUSE_WHEEL_DOWN;
    else if ((mouse->bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) != 0)
        event->action = MOUSE_PRESS;
    else if ((mouse->bstate & BUTTON1_RELEASED) != 0)
        event->action = MOUSE_RELEASE;
    else if ((mouse->bstate & REPORT_MOUSE_POSITION) != 0)
        event->action = MOUSE_DRAG;
    else
        return false;
    return true;
}
