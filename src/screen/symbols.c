#include "screen/symbols.h"

#include <stddef.h>

enum level { LEVEL_TEXT, LEVEL_BASIC, LEVEL_FULL };

struct entry {
    uint32_t code_point;
    enum level level;
    char twin;
};

static const struct entry entries[SYMBOL_COUNT] = {
#define SYMBOL(name, point, level_name, ascii)                                                     \
    [SYMBOL_##name] = {.code_point = (point), .level = LEVEL_##level_name, .twin = (ascii)},
#include "screen/symbols.def"
#undef SYMBOL
};

uint32_t symbol_code_point(enum symbol symbol)
{
    return entries[symbol < SYMBOL_COUNT ? symbol : SYMBOL_REPLACEMENT].code_point;
}

/* Braille: the more dots, the darker. */
static uint32_t braille_twin(uint32_t code_point)
{
    static const char ramp[] = " .:-=+*#@";
    int dots = 0;
    for (uint32_t bits = code_point & 0xFF; bits != 0; bits >>= 1)
        dots += (int)(bits & 1);
    return (unsigned char)ramp[dots];
}

uint32_t symbol_for_terminal(uint32_t code_point, enum glyphs glyphs)
{
    if (code_point < 0x80 || glyphs >= GLYPHS_BLOCKS)
        return code_point;
    if (code_point >= 0x2800 && code_point <= 0x28FF)
        return braille_twin(code_point);
    for (size_t i = 0; i < SYMBOL_COUNT; i++)
        if (entries[i].code_point == code_point)
            return glyphs == GLYPHS_BASIC && entries[i].level != LEVEL_FULL
                       ? code_point
                       : (uint32_t)(unsigned char)entries[i].twin;
    return glyphs == GLYPHS_ASCII ? '?' : code_point;
}
