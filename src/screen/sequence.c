#include "screen/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen/screen.h"

enum { SCREEN_SIDE_LIMIT = 10000 };

bool sequence_begins(struct sequence *sequence, uint32_t character)
{
    *sequence = (struct sequence){.kind = SEQUENCE_NONE};
    if (character == '[')
        sequence->kind = SEQUENCE_CSI;
    else if (character == 'O')
        sequence->kind = SEQUENCE_SS3;
    else if (character == ']' || character == 'P' || character == '_' || character == '^')
        sequence->kind = SEQUENCE_STRING;
    return sequence->kind != SEQUENCE_NONE;
}

/* Whether `character` is the last; `*kept`: it belongs to the text. */
static bool is_last(struct sequence *sequence, uint32_t character, bool *kept)
{
    *kept = true;
    if (sequence->kind == SEQUENCE_SS3)
        return character < '0' || character > '9';
    if (sequence->kind == SEQUENCE_CSI) {
        /* The Linux console sends ESC [ [ A for F1. */
        bool linux_console = sequence->taken == 1 && character == '[';
        return !linux_console && (character < 0x20 || character >= 0x40);
    }
    *kept = character >= 0x20;
    bool after_escape = sequence->escape;
    sequence->escape = character == 27;
    return character == 7 || after_escape;
}

bool sequence_take(struct sequence *sequence, uint32_t character)
{
    sequence->taken++;
    bool kept, last = is_last(sequence, character, &kept);
    if (kept && character < 0x7F && sequence->size + 1 < sizeof sequence->text) {
        sequence->text[sequence->size++] = (char)character;
        sequence->text[sequence->size] = '\0';
    }
    return last || sequence->taken >= SEQUENCE_LIMIT;
}

static const struct {
    const char *text;
    uint32_t key;
} keys[] = {
    {"A", SCREEN_KEY_UP},         {"B", SCREEN_KEY_DOWN},      {"C", SCREEN_KEY_RIGHT},
    {"D", SCREEN_KEY_LEFT},       {"H", SCREEN_KEY_HOME},      {"F", SCREEN_KEY_END},
    {"1~", SCREEN_KEY_HOME},      {"7~", SCREEN_KEY_HOME},     {"4~", SCREEN_KEY_END},
    {"8~", SCREEN_KEY_END},       {"3~", SCREEN_KEY_DELETE},   {"5~", SCREEN_KEY_PAGE_UP},
    {"6~", SCREEN_KEY_PAGE_DOWN}, {"Z", SCREEN_KEY_BACK_TAB},  {"11~", SCREEN_KEY_F1},
    {"12~", SCREEN_KEY_F1 + 1},   {"13~", SCREEN_KEY_F1 + 2},  {"14~", SCREEN_KEY_F1 + 3},
    {"15~", SCREEN_KEY_F1 + 4},   {"17~", SCREEN_KEY_F1 + 5},  {"18~", SCREEN_KEY_F1 + 6},
    {"19~", SCREEN_KEY_F1 + 7},   {"20~", SCREEN_KEY_F1 + 8},  {"21~", SCREEN_KEY_F1 + 9},
    {"23~", SCREEN_KEY_F1 + 10},  {"24~", SCREEN_KEY_F1 + 11}, {"[A", SCREEN_KEY_F1},
    {"[B", SCREEN_KEY_F1 + 1},    {"[C", SCREEN_KEY_F1 + 2},   {"[D", SCREEN_KEY_F1 + 3},
    {"[E", SCREEN_KEY_F1 + 4},    {"P", SCREEN_KEY_F1},        {"Q", SCREEN_KEY_F1 + 1},
    {"R", SCREEN_KEY_F1 + 2},     {"S", SCREEN_KEY_F1 + 3},    {"M", SCREEN_KEY_ENTER},
};

uint32_t sequence_key(const struct sequence *sequence)
{
    if (sequence->kind != SEQUENCE_CSI && sequence->kind != SEQUENCE_SS3)
        return 0;
    /* Ctrl-Up is ESC [ 1 ; 5 A: the key counts, not what is held with it. */
    char text[SEQUENCE_SIZE];
    const char *modifier = strchr(sequence->text, ';');
    size_t head = modifier != NULL ? (size_t)(modifier - sequence->text) : sequence->size;
    memcpy(text, sequence->text, head);
    if (modifier != NULL)
        text[head++] = sequence->text[sequence->size - 1];
    text[head] = '\0';
    const char *plain = modifier != NULL && text[0] == '1' && text[1] != '~' ? text + 1 : text;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(plain, keys[i].text) == 0)
            return keys[i].key;
    return 0;
}

bool sequence_mouse(const struct sequence *sequence, struct screen_event *event)
{
    enum { MOTION = 32, WHEEL = 64, MODIFIERS = 4 | 8 | 16 };
    if (sequence->kind != SEQUENCE_CSI || sequence->text[0] != '<')
        return false;
    long numbers[3] = {0, 0, 0};
    const char *at = sequence->text + 1;
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        numbers[i] = strtol(at, &end, 10);
        if (end == at || numbers[i] < 0 || numbers[i] > SCREEN_SIDE_LIMIT)
            return false;
        at = *end == ';' ? end + 1 : end;
    }
    long button = numbers[0] & ~(long)MODIFIERS;
    *event = (struct screen_event){
        .kind = SCREEN_MOUSE, .x = (int)numbers[1] - 1, .y = (int)numbers[2] - 1};
    if (button == WHEEL || button == WHEEL + 1)
        event->action = button == WHEEL ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
    else if (button == MOTION)
        event->action = MOUSE_DRAG;
    else
        event->action = *at == 'm' ? MOUSE_RELEASE : MOUSE_PRESS;
    return event->x >= 0 && event->y >= 0 && (button == 0 || event->action != MOUSE_PRESS);
}

/* The first two of the hexadecimal digits of a colour, whatever their number, as 0 to 255. */
static bool take_channel(const char **at, long *value)
{
    char *end = NULL;
    long number = strtol(*at, &end, 16);
    ptrdiff_t digits = end - *at;
    if (digits < 1 || digits > 4 || number < 0)
        return false;
    *value = digits == 1 ? number * 17 : number >> (4 * (digits - 2));
    *at = *end == '/' ? end + 1 : end;
    return true;
}

int sequence_light(const struct sequence *sequence)
{
    static const char beginning[] = "11;rgb";
    long red, green, blue;
    if (sequence->kind != SEQUENCE_STRING ||
        strncmp(sequence->text, beginning, sizeof beginning - 1) != 0)
        return -1;
    const char *at = strchr(sequence->text, ':');
    if (at == NULL)
        return -1;
    at++;
    if (!take_channel(&at, &red) || !take_channel(&at, &green) || !take_channel(&at, &blue))
        return -1;
    /* ITU-R BT.601 luma. */
    return red * 299 + green * 587 + blue * 114 > 127500 ? 1 : 0;
}

bool sequence_is_identity(const struct sequence *sequence)
{
    return sequence->kind == SEQUENCE_CSI && sequence->text[0] == '?' && sequence->size > 1 &&
           sequence->text[sequence->size - 1] == 'c';
}
