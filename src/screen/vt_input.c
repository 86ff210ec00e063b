#include "screen/vt_input.h"

enum { REPEAT_MAX = 32, ESCAPE = 27 };

/* Virtual key codes of keys without a character, or whose character says less. */
enum {
    CODE_BACK = 0x08,
    CODE_TAB = 0x09,
    CODE_RETURN = 0x0D,
    CODE_ALT = 0x12,
    CODE_ESCAPE = 0x1B,
    CODE_F1 = 0x70,
    CODE_F12 = 0x7B,
};

static const struct {
    uint16_t code;
    uint32_t key;
    bool on_keypad; /* also a key of the keypad, with which Alt types a character's number */
} named[] = {
    {0x21, SCREEN_KEY_PAGE_UP, true},
    {0x22, SCREEN_KEY_PAGE_DOWN, true},
    {0x23, SCREEN_KEY_END, true},
    {0x24, SCREEN_KEY_HOME, true},
    {0x25, SCREEN_KEY_LEFT, true},
    {0x26, SCREEN_KEY_UP, true},
    {0x27, SCREEN_KEY_RIGHT, true},
    {0x28, SCREEN_KEY_DOWN, true},
    {0x2D, SCREEN_KEY_OTHER, true},
    {0x2E, SCREEN_KEY_DELETE, false},
    {0x0C, SCREEN_KEY_OTHER, true},
    {CODE_RETURN, SCREEN_KEY_ENTER, false},
    {CODE_BACK, SCREEN_KEY_BACKSPACE, false},
};

void vt_input_open(struct vt_input *input)
{
    *input = (struct vt_input){.light = -1};
}

static void put(struct vt_input *input, struct screen_event event)
{
    if (input->count == VT_EVENTS_MAX)
        return;
    input->events[(input->first + input->count++) % VT_EVENTS_MAX] = event;
}

static void put_key(struct vt_input *input, uint32_t key)
{
    put(input, (struct screen_event){.kind = SCREEN_KEY, .key = key});
}

bool vt_input_take(struct vt_input *input, struct screen_event *event)
{
    if (input->count == 0)
        return false;
    *event = input->events[input->first];
    input->first = (input->first + 1) % VT_EVENTS_MAX;
    input->count--;
    return true;
}

bool vt_input_is_open(const struct vt_input *input)
{
    return input->escape || input->alt_bracket;
}

void vt_input_pause(struct vt_input *input)
{
    if (input->escape)
        put_key(input, SCREEN_KEY_ESCAPE);
    input->escape = false;
    if (input->alt_bracket) {
        put_key(input, SCREEN_KEY_ALT('['));
        input->sequence.kind = SEQUENCE_NONE;
    }
    input->alt_bracket = false;
}

/* --- Characters and sequences --- */

static uint32_t key_of_character(uint32_t character)
{
    if (character == '\n' || character == '\r')
        return SCREEN_KEY_ENTER;
    if (character == 127 || character == 8)
        return SCREEN_KEY_BACKSPACE;
    return character;
}

static void end_sequence(struct vt_input *input)
{
    struct screen_event event = {.kind = SCREEN_TIMEOUT};
    uint32_t key = sequence_key(&input->sequence);
    int light = sequence_light(&input->sequence);
    if (sequence_mouse(&input->sequence, &event))
        put(input, event);
    else if (key != 0)
        put_key(input, key);
    if (light >= 0)
        input->light = light;
    if (sequence_is_identity(&input->sequence))
        input->has_answered = true;
    input->sequence.kind = SEQUENCE_NONE;
}

static void take_character(struct vt_input *input, uint32_t character, uint32_t modifiers)
{
    if (input->sequence.kind != SEQUENCE_NONE) {
        input->alt_bracket = false;
        if (sequence_take(&input->sequence, character))
            end_sequence(input);
        return;
    }
    if (input->escape) {
        input->escape = false;
        if (sequence_begins(&input->sequence, character))
            return;
        if (character != ESCAPE) {
            put_key(input, SCREEN_KEY_ALT(key_of_character(character)));
            return;
        }
        put_key(input, SCREEN_KEY_ESCAPE);
    }
    if (character == ESCAPE) {
        input->escape = true;
        return;
    }
    /* AltGr is the right Alt with a Ctrl that nobody pressed: it belongs to the character. */
    bool control = (modifiers & (VT_LEFT_CONTROL | VT_RIGHT_CONTROL)) != 0;
    bool alt = (modifiers & (VT_LEFT_ALT | VT_RIGHT_ALT)) != 0 && !control;
    uint32_t key = key_of_character(character);
    if (alt && key == '[') {
        input->alt_bracket = sequence_begins(&input->sequence, key);
        return;
    }
    put_key(input, alt ? SCREEN_KEY_ALT(key) : key);
}

/* Joins surrogate pairs; a half of one alone is no character. */
static void take_unit(struct vt_input *input, uint16_t unit, uint32_t modifiers)
{
    uint16_t high = input->high;
    input->high = 0;
    if (unit >= 0xD800 && unit < 0xDC00) {
        input->high = unit;
        return;
    }
    if (unit >= 0xDC00 && unit < 0xE000) {
        if (high != 0)
            take_character(input,
                           0x10000 + (((uint32_t)high - 0xD800) << 10) + ((uint32_t)unit - 0xDC00),
                           modifiers);
        return;
    }
    take_character(input, unit, modifiers);
}

/* --- Keys --- */

/* 0: the key is its character. */
static uint32_t key_of_code(const struct vt_key *key)
{
    bool alt = (key->modifiers & (VT_LEFT_ALT | VT_RIGHT_ALT)) != 0;
    if (key->virtual_key >= CODE_F1 && key->virtual_key <= CODE_F12)
        return SCREEN_KEY_F1 + (uint32_t)(key->virtual_key - CODE_F1);
    /* With its character it may begin a sequence. */
    if (key->virtual_key == CODE_ESCAPE && key->unit == 0)
        return SCREEN_KEY_ESCAPE;
    if (key->virtual_key == CODE_TAB && (key->modifiers & VT_SHIFT) != 0)
        return SCREEN_KEY_BACK_TAB;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i].code != key->virtual_key)
            continue;
        bool types_number = named[i].on_keypad && alt && (key->modifiers & VT_ENHANCED) == 0;
        return types_number ? 0 : named[i].key;
    }
    return 0;
}

void vt_input_key(struct vt_input *input, const struct vt_key *key)
{
    /* A character typed by its number comes with the release of Alt. */
    if (!key->down && !(key->virtual_key == CODE_ALT && key->unit != 0))
        return;
    uint16_t repeat = key->repeat < 1 ? 1 : key->repeat > REPEAT_MAX ? REPEAT_MAX : key->repeat;
    uint32_t code = key_of_code(key);
    for (uint16_t i = 0; i < repeat; i++) {
        if (code != 0) {
            vt_input_pause(input);
            input->sequence.kind = SEQUENCE_NONE;
            put_key(input, code);
        } else if (key->unit != 0) {
            take_unit(input, key->unit, key->down ? key->modifiers : 0);
        }
    }
}

/* --- The mouse --- */

void vt_input_mouse(struct vt_input *input, const struct vt_mouse *mouse)
{
    struct screen_event event = {.kind = SCREEN_MOUSE, .x = mouse->x, .y = mouse->y};
    bool left = (mouse->buttons & 1) != 0;
    if (mouse->what == VT_MOUSE_WHEEL) {
        event.action = (mouse->buttons & 0x80000000U) != 0 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
    } else if (mouse->what == VT_MOUSE_MOVED) {
        if (!left || !input->pressed)
            return;
        event.action = MOUSE_DRAG;
    } else if (left == input->pressed && mouse->what != VT_MOUSE_DOUBLE) {
        return; /* another button */
    } else {
        event.action = left ? MOUSE_PRESS : MOUSE_RELEASE;
        input->pressed = left;
    }
    put(input, event);
}
