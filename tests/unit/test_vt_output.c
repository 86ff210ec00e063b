/* Cells as bytes of a VT terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "screen/vt_output.h"
#include "vt_terminal.h"

/* --- Exact bytes --- */

static struct screen_cell cell_of(uint32_t point, enum style style)
{
    return (struct screen_cell){.points = {point}, .width = 1, .style = (uint8_t)style};
}

static void put(struct vt_output *output, int x, int y, const char *words, enum style style)
{
    struct screen_cell cells[VT_WIDTH];
    int count = (int)strlen(words);
    for (int i = 0; i < count; i++)
        cells[i] = cell_of((unsigned char)words[i], style);
    vt_output_draw(output, x, y, cells, count);
}

static struct vt_output output_of(enum color_depth depth)
{
    struct vt_output output = {.depth = depth,
                               .width = VT_WIDTH,
                               .height = VT_HEIGHT,
                               .x = -1,
                               .pen = {.foreground = -1, .background = -1}};
    return output;
}

/* The bytes between the marks of a frame. */
static void assert_frame(struct vt_output *output, const char *wanted)
{
    char whole[512];
    vt_output_end(output, -1, 0);
    (void)snprintf(whole, sizeof whole, "\033[?2026h%s\033[?2026l", wanted);
    assert_int_equal(output->size, strlen(whole));
    assert_memory_equal(output->bytes, whole, output->size);
    vt_output_written(output);
}

static void test_colors(void **state)
{
    static const struct {
        enum color_depth depth;
        int light;
        enum style style;
        const char *bytes;
    } cases[] = {
        {DEPTH_TRUE, 0, STYLE_TROUBLE, "\033[H\033[1;38;2;232;96;28mab"},
        {DEPTH_TRUE, 1, STYLE_TROUBLE, "\033[H\033[1;38;2;192;74;0mab"},
        {DEPTH_256, 0, STYLE_TROUBLE, "\033[H\033[1;38;5;202mab"},
        {DEPTH_16, 0, STYLE_TROUBLE, "\033[H\033[1;31mab"},
        {DEPTH_MONO, 0, STYLE_TROUBLE, "\033[H\033[1mab"},
        {DEPTH_MONO, 0, STYLE_DIM, "\033[H\033[2mab"},
        {DEPTH_256, 0, STYLE_DIM, "\033[H\033[38;5;245mab"},
        {DEPTH_TRUE, 0, STYLE_NORMAL, "\033[Hab"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt_output output = output_of(cases[i].depth);
        output.light = cases[i].light;
        put(&output, 0, 0, "ab", cases[i].style);
        assert_frame(&output, cases[i].bytes);
        vt_output_free(&output);
    }
}

/* Nothing is said twice, and the shorter of two ways is taken. */
static void test_shortest(void **state)
{
    (void)state;
    struct vt_output output = output_of(DEPTH_16);
    put(&output, 3, 2, "ab", STYLE_TROUBLE);
    put(&output, 5, 2, "c", STYLE_TROUBLE); /* here the cursor stands */
    put(&output, 7, 2, "d", STYLE_TITLE);   /* bold stays */
    put(&output, 9, 2, "e", STYLE_NORMAL);  /* everything goes */
    put(&output, 0, 2, "f", STYLE_MARK);
    put(&output, 0, 4, "g", STYLE_MARK);
    assert_frame(&output, "\033[3;4H\033[1;31mabc\033[C\033[39md\033[C\033[me\r\033[33mf\033[5Hg");
    /* The same pen in the next frame. */
    put(&output, 1, 4, "h", STYLE_MARK);
    assert_frame(&output, "h");
    vt_output_free(&output);
}

static void test_backgrounds(void **state)
{
    (void)state;
    struct screen_cell cells[3] = {cell_of('a', STYLE_NORMAL), cell_of(0x258C, STYLE_MODEL),
                                   cell_of('b', STYLE_NORMAL)};
    cells[0].selected = cells[2].selected = 1;
    cells[1].under = STYLE_GAME;
    struct vt_output output = output_of(DEPTH_256);
    vt_output_draw(&output, 0, 0, cells, 3);
    assert_frame(&output, "\033[H\033[48;5;237ma\033[38;5;74;48;5;36m\u258C\033[0;48;5;237mb");
    vt_output_free(&output);
    output = output_of(DEPTH_16);
    vt_output_draw(&output, 0, 0, cells, 3);
    assert_frame(&output, "\033[H\033[7ma\033[0;36;42m\u258C\033[0;7mb");
    vt_output_free(&output);
}

/* Where a font may have boxes of two columns, the next character is put where it belongs. */
static void test_wide_boxes(void **state)
{
    (void)state;
    struct screen_cell cells[3] = {cell_of('a', STYLE_NORMAL), cell_of(0x2588, STYLE_NORMAL),
                                   cell_of('b', STYLE_NORMAL)};
    struct vt_output output = output_of(DEPTH_16);
    vt_output_draw(&output, 0, 0, cells, 3);
    assert_frame(&output, "\033[Ha\u2588b");
    vt_output_free(&output);
    output = output_of(DEPTH_16);
    output.steps_aside = true;
    vt_output_draw(&output, 0, 0, cells, 3);
    assert_frame(&output, "\033[Ha\u2588\033[1;3Hb");
    vt_output_free(&output);
}

/* The end of a line is blanked in one, but not with a colour. */
static void test_line_end(void **state)
{
    (void)state;
    struct vt_output output = output_of(DEPTH_16);
    char line[VT_WIDTH + 1];
    (void)snprintf(line, sizeof line, "%-*s", VT_WIDTH, "x");
    put(&output, 0, 1, line, STYLE_MARK);
    assert_frame(&output, "\033[2H\033[33mx\033[m\033[K");
    put(&output, VT_WIDTH - 2, 3, "  ", STYLE_NORMAL);
    assert_frame(&output, "\033[4;39H  ");
    /* After the last column the cursor's place is not known. */
    put(&output, VT_WIDTH - 1, 3, "y", STYLE_NORMAL);
    put(&output, 0, 4, "z", STYLE_NORMAL);
    assert_frame(&output, "\033[4;40Hy\033[5Hz");
    vt_output_free(&output);
}

static void test_cursor_and_silence(void **state)
{
    (void)state;
    struct vt_output output = output_of(DEPTH_TRUE);
    vt_output_end(&output, -1, 0);
    assert_int_equal(output.size, 0);
    vt_output_end(&output, 4, 2);
    assert_int_equal(output.size, strlen("\033[3;5H\033[?25h"));
    assert_memory_equal(output.bytes, "\033[3;5H\033[?25h", output.size);
    vt_output_written(&output);
    vt_output_end(&output, 4, 2);
    assert_int_equal(output.size, 0);
    vt_output_end(&output, -1, 0);
    assert_int_equal(output.size, 6);
    assert_memory_equal(output.bytes, "\033[?25l", 6);
    vt_output_free(&output);
}

static void test_enter_and_leave(void **state)
{
    (void)state;
    struct vt_terminal terminal;
    struct vt_output output = output_of(DEPTH_TRUE);
    vt_start(&terminal);
    vt_output_enter(&output);
    vt_feed(&terminal, output.bytes, output.size);
    assert_true(terminal.second_screen && !terminal.cursor && !terminal.wraps);
    vt_output_written(&output);
    put(&output, 0, 0, "x", STYLE_TROUBLE);
    vt_output_end(&output, 0, 0);
    vt_output_leave(&output);
    vt_feed(&terminal, output.bytes, output.size);
    assert_true(!terminal.second_screen && terminal.cursor && terminal.wraps && !terminal.holds);
    assert_false(terminal.pen.bold);
    /* A crash in the middle of a frame. */
    static const char torn[] = "\033[?2026h\033[?1049h\033[7m";
    vt_feed(&terminal, torn, strlen(torn));
    vt_feed(&terminal, vt_output_leaving, strlen(vt_output_leaving));
    assert_true(!terminal.second_screen && !terminal.holds && !terminal.pen.reverse);
    assert_null(terminal.trouble);
    vt_output_free(&output);
}

/* --- Random frames through a screen --- */

struct vt_door {
    struct door door;
    struct vt_output output;
    struct vt_terminal *terminal;
    size_t bytes;
};

static void door_close(struct door *door)
{
    vt_output_free(&((struct vt_door *)door)->output);
    free(door);
}

static void door_size(struct door *door, int *width, int *height)
{
    (void)door;
    *width = VT_WIDTH;
    *height = VT_HEIGHT;
}

static void door_draw(struct door *door, int x, int y, const struct screen_cell *cells, int count)
{
    vt_output_draw(&((struct vt_door *)door)->output, x, y, cells, count);
}

static void door_flush(struct door *door, int x, int y)
{
    struct vt_door *vt = (struct vt_door *)door;
    vt_output_end(&vt->output, x, y);
    vt_feed(vt->terminal, vt->output.bytes, vt->output.size);
    vt->bytes += vt->output.size;
    vt_output_written(&vt->output);
}

static void door_forget(struct door *door)
{
    vt_output_wipe(&((struct vt_door *)door)->output);
}

static struct screen *screen_on(struct vt_terminal *terminal, enum color_depth depth,
                                struct vt_door **door)
{
    static const struct door_ops ops = {.close = door_close,
                                        .size = door_size,
                                        .draw = door_draw,
                                        .flush = door_flush,
                                        .forget = door_forget};
    struct vt_door *vt = calloc(1, sizeof *vt);
    if (vt == NULL)
        abort();
    vt->door = (struct door){.ops = &ops, .glyphs = GLYPHS_FULL, .color = depth != DEPTH_MONO};
    vt->output = output_of(depth);
    vt->terminal = terminal;
    vt_start(terminal);
    vt_output_enter(&vt->output);
    *door = vt;
    return screen_over(&vt->door);
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

static void draw_random(struct screen *screen, unsigned *seed)
{
    static const char *const words[] = {"llama-server", "\u6F22\u5B57",  "x",
                                        "e\u0301",      "\u28FF\u28FF",  "\u2588\u2588\u258C",
                                        "   ",          "\U0001F600 ok", "\u00E9t\u00E9"};
    unsigned count = next_random(seed) % 24;
    for (unsigned i = 0; i < count; i++) {
        int x = (int)(next_random(seed) % VT_WIDTH), y = (int)(next_random(seed) % VT_HEIGHT);
        enum style style = (enum style)(next_random(seed) % STYLE_COUNT);
        screen_print(screen, x, y, words[next_random(seed) % (sizeof words / sizeof *words)],
                     style);
        if (next_random(seed) % 4 == 0)
            screen_select(screen, 0, y, VT_WIDTH);
        if (next_random(seed) % 4 == 0)
            screen_put_border(screen, x, y, 1 + (int)(next_random(seed) % 7), style, STYLE_MODEL);
    }
}

/* Wanted: every cell as it was drawn. `kept`: what a test door keeps of the drawing. */
static void assert_shown(const struct vt_terminal *terminal, const struct screen_cell *kept,
                         enum color_depth depth, bool all)
{
    for (int i = 0; i < VT_WIDTH * VT_HEIGHT; i++) {
        const struct vt_cell *shown = &terminal->cells[i / VT_WIDTH][i % VT_WIDTH];
        const struct screen_cell *cell = &kept[i];
        if (!all && (cell->width != 1 || (i > 0 && kept[i - 1].width != 1)))
            continue;
        struct cell_look look = cell_look(cell, depth, 0);
        assert_memory_equal(shown->points, cell->points, sizeof cell->points);
        assert_int_equal(shown->look.background, look.background);
        assert_int_equal(shown->look.reverse, look.reverse);
        if (cell->points[0] == ' ' || cell->width == 0)
            continue;
        assert_int_equal(shown->look.foreground, look.foreground);
        assert_int_equal(shown->look.bold, look.bold);
        assert_int_equal(shown->look.dim, look.dim);
    }
}

/* The same frames into a second screen whose door keeps cells. */
struct keeping_door {
    struct door door;
    struct screen_cell cells[VT_WIDTH * VT_HEIGHT];
};

static void keeping_close(struct door *door)
{
    free(door);
}

static void keeping_draw(struct door *door, int x, int y, const struct screen_cell *cells,
                         int count)
{
    memcpy(&((struct keeping_door *)door)->cells[y * VT_WIDTH + x], cells,
           (size_t)count * sizeof *cells);
}

static void keeping_flush(struct door *door, int x, int y)
{
    (void)door;
    (void)x;
    (void)y;
}

static void keeping_forget(struct door *door)
{
    (void)door;
}

static struct screen *screen_keeping(enum color_depth depth, struct keeping_door **door)
{
    static const struct door_ops ops = {.close = keeping_close,
                                        .size = door_size,
                                        .draw = keeping_draw,
                                        .flush = keeping_flush,
                                        .forget = keeping_forget};
    struct keeping_door *keeping = calloc(1, sizeof *keeping);
    if (keeping == NULL)
        abort();
    keeping->door = (struct door){.ops = &ops, .glyphs = GLYPHS_FULL, .color = depth != DEPTH_MONO};
    *door = keeping;
    return screen_over(&keeping->door);
}

static void random_frames(enum color_depth depth, bool narrow)
{
    struct vt_terminal terminal;
    struct vt_door *vt;
    struct keeping_door *keeping;
    struct screen *screen = screen_on(&terminal, depth, &vt);
    struct screen *twin = screen_keeping(depth, &keeping);
    terminal.narrow = narrow;
    for (unsigned frame = 0; frame < 400; frame++) {
        unsigned seed = frame * 7919u + depth, same = seed;
        screen_begin(screen);
        screen_begin(twin);
        draw_random(screen, &seed);
        draw_random(twin, &same);
        if (frame % 50 == 49)
            screen_forget(screen);
        screen_end(screen);
        screen_end(twin);
        assert_null(terminal.trouble);
        assert_false(terminal.holds);
        assert_shown(&terminal, keeping->cells, depth, !narrow);
        vt->bytes = 0;
        screen_begin(screen);
        draw_random(screen, &(unsigned){frame * 7919u + depth});
        screen_end(screen);
        assert_int_equal(vt->bytes, 0); /* the same frame again */
    }
    screen_close(&screen);
    screen_close(&twin);
}

static void test_random_frames(void **state)
{
    (void)state;
    for (int depth = DEPTH_MONO; depth <= DEPTH_TRUE; depth++)
        random_frames((enum color_depth)depth, false);
}

/* A terminal that counts other widths spoils its own characters, never a column beside them. */
static void test_other_widths(void **state)
{
    (void)state;
    random_frames(DEPTH_TRUE, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colors),          cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_backgrounds),     cmocka_unit_test(test_wide_boxes),
        cmocka_unit_test(test_line_end),        cmocka_unit_test(test_cursor_and_silence),
        cmocka_unit_test(test_enter_and_leave), cmocka_unit_test(test_random_frames),
        cmocka_unit_test(test_other_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
