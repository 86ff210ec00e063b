#include "screen/styles.h"

static const struct style_look looks[STYLE_COUNT] = {
#define STYLE(name, dark, light, dark256, light256, dark16, light16, is_bold, is_dim)              \
    [STYLE_##name] = {.rgb = {dark, light},                                                        \
                      .palette = {dark256, light256},                                              \
                      .ansi = {dark16, light16},                                                   \
                      .bold = (is_bold) != 0,                                                      \
                      .dim = (is_dim) != 0},
#include "screen/styles.def"
#undef STYLE
};

const struct style_look *style_look(enum style style)
{
    return &looks[style < STYLE_COUNT ? style : STYLE_NORMAL];
}
