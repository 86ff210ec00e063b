#include "present/tui/map_bar.h"

static const struct {
    enum style style;
    char letter; /* without colour or blocks */
} looks[SEGMENT_CLASS_COUNT] = {
    [SEGMENT_MODEL] = {STYLE_MODEL, 'M'},
    [SEGMENT_COMPUTE] = {STYLE_COMPUTE, 'C'},
    [SEGMENT_GAME] = {STYLE_GAME, 'G'},
    [SEGMENT_BROWSER] = {STYLE_BROWSER, 'B'},
    [SEGMENT_COMPOSITOR] = {STYLE_COMPOSITOR, 'D'},
    [SEGMENT_VIDEO] = {STYLE_VIDEO, 'V'},
    [SEGMENT_OTHER] = {STYLE_OTHER, 'O'},
    [SEGMENT_UNATTRIBUTED] = {STYLE_UNATTRIBUTED, '#'},
    [SEGMENT_UNKNOWN] = {STYLE_UNATTRIBUTED, '-'},
    [SEGMENT_RESERVED] = {STYLE_RESERVED, 'x'},
    [SEGMENT_FREE] = {STYLE_FREE, '.'},
};

enum style style_of_segment(enum segment_class class)
{
    return class < SEGMENT_CLASS_COUNT ? looks[class].style : STYLE_NORMAL;
}

char letter_of_segment(enum segment_class class)
{
    return class < SEGMENT_CLASS_COUNT ? looks[class].letter : ' ';
}

size_t map_bar_steps(const struct screen *screen)
{
    return screen_glyphs(screen) >= GLYPHS_BLOCKS && screen_has_color(screen) ? 8 : 1;
}

static char part_letter(const struct segment *segment)
{
    static const char letters[PART_COUNT] = {
        [PART_WEIGHTS] = 'W', [PART_KV_CACHE] = 'k',    [PART_COMPUTE] = 'c',
        [PART_OTHER] = 'o',   [PART_UNEXPLAINED] = 'u',
    };
    char letter = segment->part < PART_COUNT ? letters[segment->part] : '\0';
    return letter != '\0' ? letter : looks[segment->class].letter;
}

/* Solid is measured; shades divide a measured process by what is estimated or reported; matched and
 * guessed bytes carry the marks of the table. */
static uint32_t block_of(const struct segment *segment)
{
    switch (segment->pattern) {
    case PATTERN_HATCHED:
        return symbol_code_point(segment->part == PART_WEIGHTS    ? SYMBOL_SHADE_DARK
                                 : segment->part == PART_KV_CACHE ? SYMBOL_SHADE_MEDIUM
                                                                  : SYMBOL_SHADE_LIGHT);
    case PATTERN_MATCHED:
        return '*';
    case PATTERN_GUESS:
        return '?';
    case PATTERN_UNATTRIBUTED:
        return symbol_code_point(SYMBOL_SHADE_LIGHT);
    case PATTERN_UNKNOWN:
        return symbol_code_point(SYMBOL_DOT);
    case PATTERN_RESERVED:
        return symbol_code_point(SYMBOL_CROSS);
    case PATTERN_FREE:
        return ' ';
    case PATTERN_SOLID:
    case PATTERN_COUNT:
        break;
    }
    return symbol_code_point(SYMBOL_FULL_BLOCK);
}

static void draw_whole(struct screen *screen, int x, int y, const struct segment *segment)
{
    bool letters = screen_glyphs(screen) == GLYPHS_ASCII || !screen_has_color(screen);
    bool marked = segment->pattern == PATTERN_MATCHED || segment->pattern == PATTERN_GUESS;
    uint32_t character =
        letters && !marked ? (unsigned char)part_letter(segment) : block_of(segment);
    screen_put_character(screen, x, y, character, looks[segment->class].style);
}

static bool is_solid(const struct segment *segment)
{
    return segment->pattern == PATTERN_SOLID;
}

static void draw_cell(struct screen *screen, int x, int y, const struct memory_bar *bar, size_t at)
{
    const struct bar_cell *cell = &bar->cells[at];
    const struct segment *left = &bar->segments[cell->left], *right = &bar->segments[cell->right];
    if (cell->left == cell->right) {
        const struct segment *next =
            at + 1 < bar->width ? &bar->segments[bar->cells[at + 1].left] : left;
        /* Neighbours of one colour are parted by a hair. */
        if (bar->steps == 8 && next != left && is_solid(left) && is_solid(next) &&
            next->class == left->class)
            screen_put_border(screen, x, y, 7, looks[left->class].style, STYLE_NORMAL);
        else
            draw_whole(screen, x, y, left);
        return;
    }
    int eighths = (int)(cell->left_steps * 8U / bar->steps);
    bool free_right = right->pattern == PATTERN_FREE;
    if (bar->steps == 8 && is_solid(left) && (is_solid(right) || free_right)) {
        bool same = right->class == left->class;
        screen_put_border(screen, x, y, same ? 7 : eighths, looks[left->class].style,
                          free_right || same ? STYLE_NORMAL : looks[right->class].style);
    } else {
        draw_whole(screen, x, y, eighths >= 4 || free_right ? left : right);
    }
}

/* A line in its colour on the background of what is selected; letters keep theirs. */
static void draw_hollow(struct screen *screen, int x, int y, const struct segment *segment)
{
    if (screen_glyphs(screen) == GLYPHS_ASCII || !screen_has_color(screen))
        draw_whole(screen, x, y, segment);
    else
        screen_repeat(screen, x, y, 1, SYMBOL_HORIZONTAL, looks[segment->class].style);
    screen_select(screen, x, y, 1);
}

void map_bar_draw_thin(struct screen *screen, int x, int y, const struct memory_bar *bar)
{
    for (size_t i = 0; i < bar->width; i++)
        screen_repeat(screen, x + (int)i, y, 1, SYMBOL_UPPER_4,
                      looks[bar->segments[bar->cells[i].left].class].style);
}

void map_bar_draw(struct screen *screen, int x, int y, const struct memory_bar *bar,
                  size_t selected)
{
    screen_repeat(screen, x, y, 1, SYMBOL_RIGHT_4, STYLE_DIM);
    for (size_t i = 0; i < bar->width; i++)
        if (bar->cells[i].left == selected)
            draw_hollow(screen, x + 1 + (int)i, y, &bar->segments[selected]);
        else
            draw_cell(screen, x + 1 + (int)i, y, bar, i);
    int right = x + 1 + (int)bar->width;
    if (screen_glyphs(screen) == GLYPHS_ASCII)
        screen_put_character(screen, right, y, ']', STYLE_DIM);
    else
        screen_repeat(screen, right, y, 1, SYMBOL_LEFT_4, STYLE_DIM);
}
