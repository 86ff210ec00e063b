#include <windows.h>

#include "base/thread.h"
#include "screen/windows/console.h"

enum {
    RECORDS = 64,
    REPLY_MS = 100,    /* how long a reply is waited for before the console is given back */
    PATIENCE_MS = 1000 /* a terminal that was silent for so long answers no question */
};

static void take_key(struct console *console, const KEY_EVENT_RECORD *record)
{
    const struct vt_key key = {
        .down = record->bKeyDown != 0,
        .repeat = record->wRepeatCount,
        .virtual_key = record->wVirtualKeyCode,
        .unit = record->uChar.UnicodeChar,
        .modifiers = record->dwControlKeyState,
    };
    vt_input_key(&console->input, &key);
}

static void take_mouse(struct console *console, const MOUSE_EVENT_RECORD *record)
{
    const struct vt_mouse mouse = {
        .x = record->dwMousePosition.X - console->left,
        .y = record->dwMousePosition.Y - console->top,
        .buttons = record->dwButtonState,
        .what = record->dwEventFlags,
    };
    if (console->mouse)
        vt_input_mouse(&console->input, &mouse);
}

bool console_read(struct console *console, bool *resized)
{
    INPUT_RECORD records[RECORDS];
    DWORD count = 0;
    for (;;) {
        if (!GetNumberOfConsoleInputEvents(console->in, &count))
            return false;
        if (count == 0)
            return true;
        if (!ReadConsoleInputW(console->in, records, RECORDS, &count))
            return false;
        for (DWORD i = 0; i < count; i++) {
            if (records[i].EventType == KEY_EVENT)
                take_key(console, &records[i].Event.KeyEvent);
            else if (records[i].EventType == MOUSE_EVENT)
                take_mouse(console, &records[i].Event.MouseEvent);
            else if (records[i].EventType == WINDOW_BUFFER_SIZE_EVENT)
                *resized = true;
        }
    }
}

void console_ask(struct console *console)
{
    vt_output_add(&console->output, "\033]11;?\033\\\033[c");
    console->asked_until_ns = thread_clock_ns() + PATIENCE_MS * 1000000LL;
}

bool console_awaits_reply(struct console *console)
{
    if (console->asked_until_ns != 0 &&
        (console->input.has_answered || thread_clock_ns() >= console->asked_until_ns))
        console->asked_until_ns = 0;
    return console->asked_until_ns != 0;
}

void console_settle(struct console *console)
{
    int64_t until_ns = thread_clock_ns() + REPLY_MS * 1000000LL;
    bool ignored;
    while (console_awaits_reply(console) && thread_clock_ns() < until_ns &&
           WaitForSingleObject(console->in, REPLY_MS) == WAIT_OBJECT_0 &&
           console_read(console, &ignored))
        ;
}
