/* What a Windows console reports, as keys and mouse of the screen: key records with virtual key
 * codes and UTF-16 units, mouse records, and escape sequences, which some terminals write as if
 * they were typed. Pure: time comes in as an argument.
 *
 * Codes: KEY_EVENT_RECORD, MOUSE_EVENT_RECORD (learn.microsoft.com/windows/console). */
#ifndef SCREEN_VT_INPUT_H
#define SCREEN_VT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "screen/screen.h"
#include "screen/sequence.h"

enum { VT_EVENTS_MAX = 256 };

/* As Windows numbers them. */
enum vt_modifier {
    VT_RIGHT_ALT = 0x0001,
    VT_LEFT_ALT = 0x0002,
    VT_RIGHT_CONTROL = 0x0004,
    VT_LEFT_CONTROL = 0x0008,
    VT_SHIFT = 0x0010,
    VT_ENHANCED = 0x0100, /* a key of its own, not the keypad's */
};

struct vt_key {
    bool down;
    uint16_t repeat;      /* how often; more than one when it is held */
    uint16_t virtual_key; /* 0 for what was not typed on a keyboard */
    uint16_t unit;        /* UTF-16, 0: no character */
    uint32_t modifiers;   /* enum vt_modifier */
};

struct vt_mouse {
    int x, y; /* from 0, in the window */
    uint32_t buttons;
    enum {
        VT_MOUSE_BUTTON = 0, /* pressed or released */
        VT_MOUSE_MOVED = 1,
        VT_MOUSE_DOUBLE = 2, /* the second press of a double click */
        VT_MOUSE_WHEEL = 4,  /* the upper half of `buttons` is its way, signed */
    } what;
};

struct vt_input {
    struct screen_event events[VT_EVENTS_MAX]; /* a ring; what does not fit is lost */
    size_t first, count;
    uint16_t high;    /* the first half of a surrogate pair */
    bool escape;      /* an ESC was typed, or begins something */
    bool alt_bracket; /* Alt and [ was typed, or begins a sequence (wine makes it of ESC [) */
    bool pressed;     /* the left button */
    int light;        /* what the terminal says about its background: 1 light, 0 dark, -1 nothing */
    bool has_answered; /* the terminal has said what it is */
    struct sequence sequence;
};

void vt_input_open(struct vt_input *input);
void vt_input_key(struct vt_input *input, const struct vt_key *key);
void vt_input_mouse(struct vt_input *input, const struct vt_mouse *mouse);
/* There is no more for now: an ESC (or Alt and [) was the key. What waits for the rest of a
 * sequence is kept. */
void vt_input_pause(struct vt_input *input);
/* Whether a key waits for what may follow it. */
bool vt_input_is_open(const struct vt_input *input);
/* The next event; false: there is none. */
bool vt_input_take(struct vt_input *input, struct screen_event *event);

#endif
