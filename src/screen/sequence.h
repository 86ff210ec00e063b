/* Escape sequences that the terminal's description does not know: keys of other terminals (PuTTY,
 * the rxvt family), and the terminal's replies. Whatever it is, none of its letters may be taken
 * for a key. Pure. */
#ifndef SCREEN_SEQUENCE_H
#define SCREEN_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen_event;

enum { SEQUENCE_SIZE = 64, SEQUENCE_LIMIT = 4096 };

struct sequence {
    enum sequence_kind {
        SEQUENCE_NONE,
        SEQUENCE_CSI,    /* behind ESC [ */
        SEQUENCE_SS3,    /* behind ESC O */
        SEQUENCE_STRING, /* behind ESC ], ESC P ...: up to BEL or ESC \ */
    } kind;
    char text[SEQUENCE_SIZE]; /* its beginning, NUL-terminated */
    size_t size, taken;
    bool escape; /* an ESC inside a string */
};

/* Whether `character` behind an ESC begins a sequence. */
bool sequence_begins(struct sequence *sequence, uint32_t character);
/* Takes one more character; true: that was the last. */
bool sequence_take(struct sequence *sequence, uint32_t character);
/* The key that a finished sequence stands for (enum screen_key), or 0. */
uint32_t sequence_key(const struct sequence *sequence);
/* A finished report of the mouse (SGR encoding: without the 223 columns of the old one); false: it
 * is none, or of a button that is not ours. */
bool sequence_mouse(const struct sequence *sequence, struct screen_event *event);
/* A finished reply about the background colour (OSC 11): 1 light, 0 dark, -1: it is none. */
int sequence_light(const struct sequence *sequence);
/* Whether it is the reply to "what are you" (DA1), which every terminal gives. */
bool sequence_is_identity(const struct sequence *sequence);

#endif
