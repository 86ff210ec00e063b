#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/width.h"
#include "screen/screen.h"
#include "screen_memory.h"

enum { ROW_BYTES = MEMORY_WIDTH * 4 * CELL_POINTS + 1 };

struct put {
    const char *text;
    size_t size; /* 0: strlen */
    int x, width;
    int taken;
    const char *utf8, *ascii; /* the row as it arrives */
};

static const struct put table[] = {
    {"llama-server", 0, 0, 40, 12, "llama-server", "llama-server"},
    {"clipped here", 0, 2, 7, 7, "  clipped", "  clipped"},
    {"past the edge", 0, 35, 40, 5, "                                   past", NULL},
    /* Escape sequences, C1 controls, DEL, tab and line end are replaced, one for one. */
    {"a\033[31mred", 0, 0, 40, 9, "a\uFFFD[31mred", "a?[31mred"},
    {"a\xC2\x9B"
     "31m",
     0, 0, 40, 5, "a\uFFFD31m", "a?31m"},
    {"a\tb\nc\x7F", 0, 0, 40, 6, "a\uFFFDb\uFFFDc\uFFFD", "a?b?c?"},
    /* A NUL inside. */
    {"a\0b", 3, 0, 40, 3, "a\uFFFDb", "a?b"},
    /* Bidi controls. */
    {"ab\u202Ecd\u2066", 0, 0, 40, 6, "ab\uFFFDcd\uFFFD", "ab?cd?"},
    /* Invalid and overlong UTF-8, a lone surrogate: one replacement a byte. */
    {"\xFFx\xC0\xAF", 0, 0, 40, 4, "\uFFFDx\uFFFD\uFFFD", "?x??"},
    {"\xED\xA0\x80", 0, 0, 40, 3, "\uFFFD\uFFFD\uFFFD", "???"},
    /* Wide characters take two columns and are never cut in half. */
    {"\u4E2D\u6587", 0, 0, 40, 4, "\u4E2D\u6587", "??"},
    {"a\u4E2D\u6587", 0, 0, 4, 3, "a\u4E2D", "a??"},
    {"\u4E2D", 0, 39, 40, 0, "", NULL},
    /* Combining marks stay with their letter, two at most; alone they are dropped. */
    {"e\u0301x", 0, 0, 40, 2, "e\u0301x", NULL},
    {"e\u0301\u0302\u0303\u0304x", 0, 0, 40, 2, "e\u0301\u0302x", NULL},
    {"\u0301x", 0, 0, 40, 1, "x", NULL},
    /* Joiners and variation selectors would change widths: dropped. */
    {"a\u200D\uFE0Fb", 0, 0, 40, 2, "ab", NULL},
    /* Our own symbols have twins. */
    {"64 \u00B0C \u00B7 4\u00D716 \u2588\u2591", 0, 0, 40, 15,
     "64 \u00B0C \u00B7 4\u00D716 \u2588\u2591", "64  C . 4x16 #:"},
};

static void texts_enter_through_the_door(void **state)
{
    (void)state;
    for (int ascii = 0; ascii < 2; ascii++)
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            const struct put *put = &table[i];
            if (ascii && put->ascii == NULL)
                continue;
            struct memory_door *memory = memory_door_new(ascii ? GLYPHS_ASCII : GLYPHS_FULL, true);
            struct screen *screen = screen_over(&memory->door);
            struct text text = {put->text, put->size != 0 ? put->size : strlen(put->text)};
            char row[ROW_BYTES];
            screen_begin(screen);
            int taken = screen_put_in(screen, put->x, 3, put->width, text, STYLE_NORMAL);
            screen_end(screen);
            memory_row(memory, 3, row);
            assert_string_equal(row, ascii ? put->ascii : put->utf8);
            if (!ascii)
                assert_int_equal(taken, put->taken);
            screen_close(&screen);
        }
}

/* Whatever bytes come in: no unsafe character in any cell, widths add up, nothing outside. */
static void random_bytes_are_harmless(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        struct memory_door *memory = memory_door_new((enum glyphs)(round % 3), round % 2 == 0);
        struct screen *screen = screen_over(&memory->door);
        screen_begin(screen);
        for (int put = 0; put < 4; put++) {
            char bytes[64];
            for (size_t i = 0; i < sizeof bytes; i++) {
                seed = seed * 1664525U + 1013904223U;
                bytes[i] = (char)(seed >> 24);
            }
            int x = (int)(seed % 50) - 5, y = (int)(seed / 50 % 14) - 2, width = (int)(seed % 45);
            screen_put_in(screen, x, y, width, (struct text){bytes, sizeof bytes}, STYLE_NORMAL);
        }
        screen_end(screen);
        for (int y = 0; y < MEMORY_HEIGHT; y++)
            for (int x = 0; x < MEMORY_WIDTH; x++) {
                const struct screen_cell *cell = &memory->cells[y][x];
                if (cell->width == 0) {
                    assert_true(x > 0 && memory->cells[y][x - 1].width == 2);
                    continue;
                }
                assert_true(cell->points[0] >= ' ');
                assert_false(text_is_unsafe(cell->points[0]));
                assert_int_equal(width_of(cell->points[0]), cell->width);
                for (int i = 1; i < CELL_POINTS && cell->points[i] != 0; i++)
                    assert_int_equal(width_of(cell->points[i]), 0);
                if (cell->width == 2)
                    assert_true(x + 1 < MEMORY_WIDTH && memory->cells[y][x + 1].width == 0);
                if (memory->door.glyphs == GLYPHS_ASCII)
                    assert_true(cell->points[0] < 0x7F);
            }
        screen_close(&screen);
    }
}

static void only_changes_are_sent(void **state)
{
    (void)state;
    struct memory_door *memory = memory_door_new(GLYPHS_FULL, true);
    struct screen *screen = screen_over(&memory->door);
    static const struct {
        const char *words;
        int sent;
    } frames[] = {
        {"load 97 %", MEMORY_WIDTH * MEMORY_HEIGHT}, /* the first is sent whole */
        {"load 97 %", 0},
        {"load 98 %", 1},
        {"load  8 %", 1},
        {"\u4E2Dad  8 %", 2}, /* a wide character goes whole */
        {"load  8 %", 2},
    };
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        memory->sent = 0;
        screen_begin(screen);
        screen_print(screen, 0, 0, frames[i].words, STYLE_NORMAL);
        screen_end(screen);
        assert_int_equal(memory->sent, frames[i].sent);
    }
    memory->sent = 0;
    screen_forget(screen);
    screen_begin(screen);
    screen_end(screen);
    assert_int_equal(memory->sent, MEMORY_WIDTH * MEMORY_HEIGHT);
    screen_close(&screen);
}

/* Half a wide character never stays behind. */
static void overwriting_parts_wide_characters(void **state)
{
    (void)state;
    static const struct {
        int x;
        const char *row;
    } cases[] = {{0, "x \u6587"}, {1, " x\u6587"}, {2, "\u4E2Dx"}, {3, "\u4E2D x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_door *memory = memory_door_new(GLYPHS_FULL, true);
        struct screen *screen = screen_over(&memory->door);
        char row[ROW_BYTES];
        screen_begin(screen);
        screen_print(screen, 0, 0, "\u4E2D\u6587", STYLE_NORMAL);
        screen_print(screen, cases[i].x, 0, "x", STYLE_NORMAL);
        screen_end(screen);
        memory_row(memory, 0, row);
        assert_string_equal(row, cases[i].row);
        screen_close(&screen);
    }
}

static void borders_fall_back(void **state)
{
    (void)state;
    static const struct {
        enum glyphs glyphs;
        bool color;
        int eighths;
        uint32_t point;
        enum style style, under;
    } cases[] = {
        {GLYPHS_FULL, true, 3, 0x258D, STYLE_GAME, STYLE_MODEL},
        {GLYPHS_FULL, true, 7, 0x2589, STYLE_GAME, STYLE_MODEL},
        {GLYPHS_FULL, false, 3, 0x2588, STYLE_MODEL, STYLE_NORMAL},
        {GLYPHS_BASIC, true, 5, 0x2588, STYLE_GAME, STYLE_NORMAL},
        {GLYPHS_ASCII, false, 5, '#', STYLE_GAME, STYLE_NORMAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct memory_door *memory = memory_door_new(cases[i].glyphs, cases[i].color);
        struct screen *screen = screen_over(&memory->door);
        screen_begin(screen);
        screen_put_border(screen, 5, 1, cases[i].eighths, STYLE_GAME, STYLE_MODEL);
        screen_end(screen);
        const struct screen_cell *cell = &memory->cells[1][5];
        assert_int_equal(cell->points[0], cases[i].point);
        assert_int_equal(cell->style, cases[i].style);
        assert_int_equal(cell->under, cases[i].under);
        screen_close(&screen);
    }
}

static void widths_are_those_of_unicode(void **state)
{
    (void)state;
    static const struct {
        uint32_t point;
        int width;
    } cases[] = {{'a', 1},    {0xE9, 1},   {0x301, 0},   {0x200B, 0},   {0x4E2D, 2},
                 {0xAC00, 2}, {0xFF21, 2}, {0xFF71, 1},  {0x1F600, 2},  {0x2588, 1},
                 {0x28FF, 1}, {0xB0, 1},   {0xFFFD, 1},  {0x10FFFF, 1}, {0xAD, 1},
                 {0x1160, 0}, {0x303F, 1}, {0x2FFFD, 2}, {0xE000, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(width_of(cases[i].point), cases[i].width);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_enter_through_the_door),
        cmocka_unit_test(random_bytes_are_harmless),
        cmocka_unit_test(only_changes_are_sent),
        cmocka_unit_test(overwriting_parts_wide_characters),
        cmocka_unit_test(borders_fall_back),
        cmocka_unit_test(widths_are_those_of_unicode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
