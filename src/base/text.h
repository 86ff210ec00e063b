/* Text and trust.
 *
 * raw_text is bytes from outside: process names, kernel files, replies. It may hold anything.
 * text is valid UTF-8 that has been through text_from_raw() (or command_redact() in inspect/, which
 * uses it). The two are different types with different members on purpose: a raw_text cannot be
 * stored where a text is wanted (tests/proofs shows that it does not compile).
 *
 * Control and bidi characters stay in a text, so that paths in JSON remain openable; they are
 * removed at the two doors to a terminal: screen_put() and text_out().
 *
 * Neither type owns its bytes: they live in an arena, in static storage, or in the caller's buffer.
 * Neither is NUL-terminated by promise, except what text_from_raw() and text_format() return. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct arena;

struct raw_text {
    const char *bytes;
    size_t length; /* bytes */
};

struct text {
    const char *utf8; /* NULL: there is no text (null in JSON); "" is an empty one */
    size_t size;      /* bytes, without a terminating NUL */
};

/* A text from a string literal of the program itself. (windows.h has a macro of this name.) */
#undef TEXT
#define TEXT(literal) ((struct text){"" literal, sizeof(literal) - 1})
#define TEXT_NONE ((struct text){NULL, 0})
/* A raw_text over a NUL-terminated string. */
struct raw_text raw_from_string(const char *string);

/* A copy in the arena, NUL-terminated, in which every byte that is not part of valid UTF-8 is
 * replaced by U+FFFD. Embedded NULs become U+FFFD too. raw.bytes NULL gives TEXT_NONE. At most
 * TEXT_LIMIT bytes are kept (cut at a character). */
enum { TEXT_LIMIT = 65536 };
struct text text_from_raw(struct arena *arena, struct raw_text raw);

/* printf into the arena; the result passes text_from_raw(). For sentences of our own that carry
 * numbers and texts. */
struct text text_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A copy of a text in another arena. */
struct text text_copy(struct arena *arena, struct text text);

bool text_is_none(struct text text);
bool text_equal(struct text a, struct text b);
bool text_equal_string(struct text a, const char *string);
bool raw_equal(struct raw_text a, struct raw_text b);
bool raw_equal_string(struct raw_text raw, const char *string);
/* Byte order, TEXT_NONE first. */
int text_compare(struct text a, struct text b);
/* ASCII case-insensitive search; an empty needle is found. */
bool text_contains_folded(struct text haystack, struct text needle);

/* Decodes one code point at utf8[*at] (*at < size), moves *at behind it. Invalid bytes give U+FFFD
 * and move one byte. Surrogates, overlong forms and values above U+10FFFF are invalid. */
uint32_t text_next(const char *utf8, size_t size, size_t *at);
/* Encodes to at most 4 bytes, returns their number. */
size_t text_encode(uint32_t code_point, char out[4]);

/* True for what must never reach a terminal: C0, DEL, C1 controls, bidi controls (U+061C, U+200E,
 * U+200F, U+202A-202E, U+2066-2069), line/paragraph separators, zero-width U+FEFF, U+FFF9-FFFB and
 * tag characters U+E0000-E007F. */
bool text_is_unsafe(uint32_t code_point);

/* Writes a terminal-safe copy to `out` (a FILE opened by the caller): unsafe code points become
 * U+FFFD ('?' with ascii), with ascii also everything above 126; joiners, and marks beyond
 * WIDTH_MARKS_MOST over one character, are left out. This is the door of all plain-text output. */
void text_out(FILE *file, struct text text, bool ascii);

#endif
