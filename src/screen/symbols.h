/* The characters we draw with, and what stands for each on a lesser terminal (symbols.def). */
#ifndef SCREEN_SYMBOLS_H
#define SCREEN_SYMBOLS_H

#include <stdint.h>

enum symbol {
#define SYMBOL(name, code_point, level, twin) SYMBOL_##name,
#include "screen/symbols.def"
#undef SYMBOL
    SYMBOL_COUNT
};

/* What a terminal can show; each includes the ones before it. */
enum glyphs {
    GLYPHS_ASCII,
    GLYPHS_BASIC,  /* UTF-8, boxes, whole and half blocks: the Linux console */
    GLYPHS_BLOCKS, /* eighths of blocks too; braille only where somebody wants it */
    GLYPHS_FULL,   /* and braille */
};

uint32_t symbol_code_point(enum symbol symbol);
/* What to send for a code point: itself, or its twin where these glyphs lack it. '?' for a
 * foreign character on an ASCII terminal. */
uint32_t symbol_for_terminal(uint32_t code_point, enum glyphs glyphs);

#endif
