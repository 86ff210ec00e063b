/* Records of a Windows console as keys and mouse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "screen/vt_input.h"

static uint32_t next_key(struct vt_input *input)
{
    struct screen_event event;
    return vt_input_take(input, &event) && event.kind == SCREEN_KEY ? event.key : 0;
}

static void type(struct vt_input *input, uint16_t code, uint16_t unit, uint32_t modifiers)
{
    struct vt_key key = {
        .down = true, .repeat = 1, .virtual_key = code, .unit = unit, .modifiers = modifiers};
    vt_input_key(input, &key);
    key.down = false;
    vt_input_key(input, &key);
}

static void test_keys(void **state)
{
    static const struct {
        uint16_t code, unit;
        uint32_t modifiers;
        uint32_t key; /* 0: none */
    } cases[] = {
        {'A', 'a', 0, 'a'},
        {'A', 'A', VT_SHIFT, 'A'},
        {'C', 3, VT_LEFT_CONTROL, SCREEN_KEY_CONTROL('c')},
        {'L', 12, VT_RIGHT_CONTROL, SCREEN_KEY_CONTROL('l')},
        {'K', 'k', VT_LEFT_ALT, SCREEN_KEY_ALT('k')},
        {'Q', '@', VT_RIGHT_ALT | VT_LEFT_CONTROL, '@'}, /* AltGr */
        {0x0D, 13, 0, SCREEN_KEY_ENTER},
        {0x0D, 13, VT_ENHANCED, SCREEN_KEY_ENTER}, /* the keypad's */
        {'J', 10, VT_LEFT_CONTROL, SCREEN_KEY_ENTER},
        {0x08, 8, 0, SCREEN_KEY_BACKSPACE},
        {0x08, 127, VT_LEFT_CONTROL, SCREEN_KEY_BACKSPACE},
        {0x09, 9, 0, SCREEN_KEY_TAB},
        {0x09, 9, VT_SHIFT, SCREEN_KEY_BACK_TAB},
        {0x1B, 27, 0, SCREEN_KEY_ESCAPE},
        {0x1B, 0, 0, SCREEN_KEY_ESCAPE}, /* wine */
        {0x20, ' ', 0, ' '},
        {0x21, 0, VT_ENHANCED, SCREEN_KEY_PAGE_UP},
        {0x22, 0, VT_ENHANCED, SCREEN_KEY_PAGE_DOWN},
        {0x23, 0, VT_ENHANCED, SCREEN_KEY_END},
        {0x24, 0, VT_ENHANCED, SCREEN_KEY_HOME},
        {0x25, 0, VT_ENHANCED, SCREEN_KEY_LEFT},
        {0x26, 0, VT_ENHANCED | VT_LEFT_CONTROL, SCREEN_KEY_UP},
        {0x27, 0, VT_ENHANCED | VT_LEFT_ALT, SCREEN_KEY_RIGHT},
        {0x28, 0, 0, SCREEN_KEY_DOWN}, /* the keypad's */
        {0x28, 0, VT_LEFT_ALT, 0},     /* Alt and 2: a character is typed by its number */
        {0x2E, 0, VT_ENHANCED, SCREEN_KEY_DELETE},
        {0x2D, 0, VT_ENHANCED, SCREEN_KEY_OTHER},
        {0x70, 0, 0, SCREEN_KEY_F1},
        {0x79, 0, 0, SCREEN_KEY_F1 + 9},
        {0x7B, 0, VT_SHIFT, SCREEN_KEY_F12},
        {0x10, 0, VT_SHIFT, 0}, /* Shift itself */
        {0x12, 0, VT_LEFT_ALT, 0},
        {0x14, 0, 0, 0},           /* Caps Lock */
        {0xDC, 0, 0, 0},           /* a dead key */
        {0x00, 0x00E9, 0, 0x00E9}, /* pasted */
        {0xE7, 0x4E2D, 0, 0x4E2D}, /* from an input method */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt_input input;
        vt_input_open(&input);
        type(&input, cases[i].code, cases[i].unit, cases[i].modifiers);
        vt_input_pause(&input);
        assert_int_equal(next_key(&input), cases[i].key);
        assert_int_equal(next_key(&input), 0);
    }
}

static void test_pairs_and_numbers(void **state)
{
    (void)state;
    struct vt_input input;
    vt_input_open(&input);
    type(&input, 0, 0xD83D, 0);
    type(&input, 0, 0xDE00, 0);
    assert_int_equal(next_key(&input), 0x1F600);
    type(&input, 0, 0xDE00, 0); /* half a pair */
    type(&input, 0, 0xD83D, 0);
    type(&input, 'A', 'a', 0);
    assert_int_equal(next_key(&input), 'a');
    assert_int_equal(next_key(&input), 0);
    /* Alt+0233: the character comes with the release of Alt. */
    vt_input_key(&input, &(struct vt_key){.virtual_key = 0x12, .unit = 0xE9, .repeat = 1});
    assert_int_equal(next_key(&input), 0xE9);
    /* Any other release says nothing. */
    vt_input_key(&input, &(struct vt_key){.virtual_key = 'A', .unit = 'a', .repeat = 1});
    assert_int_equal(next_key(&input), 0);
}

static void test_held(void **state)
{
    (void)state;
    struct vt_input input;
    vt_input_open(&input);
    struct vt_key key = {.down = true, .repeat = 3, .virtual_key = 0x28};
    vt_input_key(&input, &key);
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_key(&input), SCREEN_KEY_DOWN);
    assert_int_equal(next_key(&input), 0);
    /* However much arrives, the room stays; what does not fit is lost. */
    key.repeat = 65535;
    for (int i = 0; i < 100; i++)
        vt_input_key(&input, &key);
    size_t count = 0;
    while (next_key(&input) == SCREEN_KEY_DOWN)
        count++;
    assert_int_equal(count, VT_EVENTS_MAX);
}

/* Types bytes one record each, as a terminal does that writes sequences as keys. */
static void type_bytes(struct vt_input *input, const char *bytes)
{
    for (; *bytes != '\0'; bytes++)
        type(input, 0, (unsigned char)*bytes, 0);
}

static void test_escape(void **state)
{
    (void)state;
    struct vt_input input;
    vt_input_open(&input);
    type(&input, 0x1B, 27, 0);
    assert_true(vt_input_is_open(&input));
    assert_int_equal(next_key(&input), 0);
    vt_input_pause(&input);
    assert_false(vt_input_is_open(&input));
    assert_int_equal(next_key(&input), SCREEN_KEY_ESCAPE);
    /* Two of them, and one before a key without a character. */
    type_bytes(&input, "\033\033");
    vt_input_pause(&input);
    assert_int_equal(next_key(&input), SCREEN_KEY_ESCAPE);
    assert_int_equal(next_key(&input), SCREEN_KEY_ESCAPE);
    type_bytes(&input, "\033");
    type(&input, 0x26, 0, VT_ENHANCED);
    assert_int_equal(next_key(&input), SCREEN_KEY_ESCAPE);
    assert_int_equal(next_key(&input), SCREEN_KEY_UP);
    type_bytes(&input, "\033j");
    assert_int_equal(next_key(&input), SCREEN_KEY_ALT('j'));
    assert_int_equal(next_key(&input), 0);
}

static void test_sequences(void **state)
{
    static const struct {
        const char *bytes;
        uint32_t key;
    } cases[] = {
        {"\033[A", SCREEN_KEY_UP},
        {"\033[1;5B", SCREEN_KEY_DOWN},
        {"\033[Z", SCREEN_KEY_BACK_TAB},
        {"\033OP", SCREEN_KEY_F1},
        {"\033[24~", SCREEN_KEY_F12},
        {"\033[3;2~", SCREEN_KEY_DELETE},
        {"\033[200~", 0},
        {"\033[I", 0}, /* the window is looked at */
        {"\033]0;title q\007", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt_input input;
        vt_input_open(&input);
        type_bytes(&input, cases[i].bytes);
        if (cases[i].key != 0)
            assert_int_equal(next_key(&input), cases[i].key);
        type_bytes(&input, "x");
        assert_int_equal(next_key(&input), 'x');
        assert_int_equal(next_key(&input), 0);
    }
}

static void test_replies(void **state)
{
    (void)state;
    struct vt_input input;
    vt_input_open(&input);
    assert_int_equal(input.light, -1);
    type_bytes(&input, "\033]11;rgb:ffff/ffff/ffff\033\\");
    assert_int_equal(input.light, 1);
    assert_false(input.has_answered);
    /* In two parts, with a pause between them. */
    type_bytes(&input, "\033[?1;");
    vt_input_pause(&input);
    type_bytes(&input, "0c");
    assert_true(input.has_answered);
    assert_int_equal(next_key(&input), 0);
}

static bool next_mouse(struct vt_input *input, enum mouse_action action, int x, int y)
{
    struct screen_event event;
    return vt_input_take(input, &event) && event.kind == SCREEN_MOUSE && event.action == action &&
           event.x == x && event.y == y;
}

static void test_mouse(void **state)
{
    enum { LEFT = 1, RIGHT = 2 };
    static const struct {
        struct vt_mouse mouse;
        int action; /* -1: nothing */
    } steps[] = {
        {{.x = 4, .y = 5, .what = VT_MOUSE_MOVED}, -1},
        {{.x = 4, .y = 5, .buttons = RIGHT}, -1},
        {{.x = 4, .y = 5}, -1},
        {{.x = 4, .y = 5, .buttons = LEFT}, MOUSE_PRESS},
        {{.x = 6, .y = 5, .buttons = LEFT, .what = VT_MOUSE_MOVED}, MOUSE_DRAG},
        {{.x = 6, .y = 5, .buttons = LEFT | RIGHT}, -1},
        {{.x = 7, .y = 5}, MOUSE_RELEASE},
        {{.x = 8, .y = 5, .what = VT_MOUSE_MOVED}, -1},
        {{.x = 8, .y = 5, .buttons = LEFT, .what = VT_MOUSE_DOUBLE}, MOUSE_PRESS},
        {{.x = 8, .y = 5}, MOUSE_RELEASE},
        {{.x = 1, .y = 2, .buttons = 0x00780000, .what = VT_MOUSE_WHEEL}, MOUSE_WHEEL_UP},
        {{.x = 1, .y = 2, .buttons = 0xFF880000, .what = VT_MOUSE_WHEEL}, MOUSE_WHEEL_DOWN},
        {{.x = 1, .y = 2, .buttons = 0x00780000, .what = 8}, -1}, /* sideways */
    };
    struct vt_input input;
    struct screen_event event;
    (void)state;
    vt_input_open(&input);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct vt_mouse *mouse = &steps[i].mouse;
        vt_input_mouse(&input, mouse);
        if (steps[i].action >= 0)
            assert_true(next_mouse(&input, (enum mouse_action)steps[i].action, mouse->x, mouse->y));
        assert_false(vt_input_take(&input, &event));
    }
    /* As characters. */
    type_bytes(&input, "\033[<0;10;5M\033[<65;1;1M");
    assert_true(next_mouse(&input, MOUSE_PRESS, 9, 4));
    assert_true(next_mouse(&input, MOUSE_WHEEL_DOWN, 0, 0));
    /* As wine hands them over: ESC [ is Alt and [. */
    type(&input, 0xDB, '[', VT_LEFT_ALT);
    assert_true(vt_input_is_open(&input));
    type_bytes(&input, "<0;10;5M");
    assert_true(next_mouse(&input, MOUSE_PRESS, 9, 4));
    type(&input, 0xDB, '[', VT_LEFT_ALT);
    vt_input_pause(&input);
    assert_int_equal(next_key(&input), SCREEN_KEY_ALT('['));
    type(&input, 'A', 'a', 0);
    assert_int_equal(next_key(&input), 'a');
    assert_false(vt_input_is_open(&input));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),      cmocka_unit_test(test_pairs_and_numbers),
        cmocka_unit_test(test_held),      cmocka_unit_test(test_escape),
        cmocka_unit_test(test_sequences), cmocka_unit_test(test_replies),
        cmocka_unit_test(test_mouse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
