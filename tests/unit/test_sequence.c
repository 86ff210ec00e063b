/* Escape sequences that a terminal's description does not know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "screen/screen.h"
#include "screen/sequence.h"

/* Reads what stands behind an ESC; returns the characters used, 0: it begins no sequence. */
static size_t take(struct sequence *sequence, const char *text)
{
    if (!sequence_begins(sequence, (uint32_t)(unsigned char)text[0]))
        return 0;
    for (size_t i = 1; text[i] != '\0'; i++)
        if (sequence_take(sequence, (uint32_t)(unsigned char)text[i]))
            return i + 1;
    return SIZE_MAX;
}

static void test_keys(void **state)
{
    static const struct {
        const char *text;
        uint32_t key;
    } cases[] = {
        {"[1~", SCREEN_KEY_HOME},           /* PuTTY, the Linux console */
        {"[7~", SCREEN_KEY_HOME},           /* rxvt */
        {"[4~", SCREEN_KEY_END},            /* PuTTY */
        {"OF", SCREEN_KEY_END},             /* xterm with application cursor keys */
        {"[F", SCREEN_KEY_END},             /* without */
        {"[11~", SCREEN_KEY_F1},            /* PuTTY */
        {"[[A", SCREEN_KEY_F1},             /* the Linux console */
        {"[[E", SCREEN_KEY_F1 + 4},         /* the same */
        {"OP", SCREEN_KEY_F1},              /* xterm */
        {"[21~", SCREEN_KEY_F1 + 9},        /* everywhere */
        {"[1;5A", SCREEN_KEY_UP},           /* Ctrl-Up in xterm */
        {"[1;2P", SCREEN_KEY_F1},           /* Shift-F1 */
        {"[6;5~", SCREEN_KEY_PAGE_DOWN},    /* Ctrl-PgDn */
        {"[5;5~", SCREEN_KEY_PAGE_UP},      /* Ctrl-PgUp */
        {"OM", SCREEN_KEY_ENTER},           /* Enter of the keypad */
        {"[I", 0},                          /* the window has the focus */
        {"[?62;22c", 0},                    /* what the terminal is */
        {"[200~", 0},                       /* a paste begins */
        {"[99;99;99R", 0},                  /* where the cursor is */
        {"]11;rgb:0000/0000/0000\033\\", 0} /* its background */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sequence sequence;
        assert_int_equal(take(&sequence, cases[i].text), strlen(cases[i].text));
        assert_int_equal(sequence_key(&sequence), cases[i].key);
    }
}

/* It ends where the terminal's ends: what follows is a key again. */
static void test_ends(void **state)
{
    static const struct {
        const char *text;
        size_t used;
    } cases[] = {
        {"[Aq", 2},        {"]0;title\007q", 9}, {"]0;title\033\\q", 10},
        {"Pq\033\\q", 4},  {"[1;2;3;4~q", 9},    {"q", 0},
        {"k", 0},          {"[\033q", 2},        {"]never ends", SIZE_MAX},
        {"[1;", SIZE_MAX},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sequence sequence;
        assert_int_equal(take(&sequence, cases[i].text), cases[i].used);
    }
}

static void test_light(void **state)
{
    static const struct {
        const char *text;
        int light;
    } cases[] = {
        {"]11;rgb:0000/0000/0000\033\\", 0},
        {"]11;rgb:ffff/ffff/ffff\007", 1},
        {"]11;rgb:ff/ff/ff\033\\", 1},
        {"]11;rgb:fdf6/e3e3/d7d7\033\\", 1},
        {"]11;rgb:2828/2c2c/3434\033\\", 0},
        {"]11;rgba:ffff/ffff/ffff/ffff\033\\", 1},
        {"]11;rgb:f/f/f\033\\", 1},
        {"]11;rgb:\033\\", -1},
        {"]11;rgb:zz/zz/zz\033\\", -1},
        {"]11;rgb:ffff/ffff\033\\", -1},
        {"]11;?\033\\", -1},
        {"]10;rgb:ffff/ffff/ffff\033\\", -1},
        {"[?62c", -1},
        {"]11;rgb:-1/-1/-1\033\\", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sequence sequence;
        assert_int_not_equal(take(&sequence, cases[i].text), 0);
        assert_int_equal(sequence_light(&sequence), cases[i].light);
    }
}

static void test_mouse(void **state)
{
    static const struct {
        const char *text;
        enum mouse_action action;
        int x, y; /* x -1: it is no event */
    } cases[] = {
        {"[<0;1;1M", MOUSE_PRESS, 0, 0},      {"[<0;300;100M", MOUSE_PRESS, 299, 99},
        {"[<0;5;6m", MOUSE_RELEASE, 4, 5},    {"[<32;7;8M", MOUSE_DRAG, 6, 7},
        {"[<64;2;3M", MOUSE_WHEEL_UP, 1, 2},  {"[<65;2;3M", MOUSE_WHEEL_DOWN, 1, 2},
        {"[<4;2;3M", MOUSE_PRESS, 1, 2}, /* with Shift */
        {"[<2;2;3M", MOUSE_PRESS, -1, 0},     {"[<0;0;3M", MOUSE_PRESS, -1, 0},
        {"[<0;99999;3M", MOUSE_PRESS, -1, 0}, {"[<0;2M", MOUSE_PRESS, -1, 0},
        {"[<M", MOUSE_PRESS, -1, 0},          {"[0;2;3M", MOUSE_PRESS, -1, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sequence sequence;
        struct screen_event event = {.kind = SCREEN_TIMEOUT};
        assert_int_equal(take(&sequence, cases[i].text), strlen(cases[i].text));
        assert_int_equal(sequence_mouse(&sequence, &event), cases[i].x >= 0);
        if (cases[i].x < 0)
            continue;
        assert_int_equal(event.action, cases[i].action);
        assert_int_equal(event.x, cases[i].x);
        assert_int_equal(event.y, cases[i].y);
    }
}

static void test_identity(void **state)
{
    (void)state;
    struct sequence sequence;
    take(&sequence, "[?1;2c");
    assert_true(sequence_is_identity(&sequence));
    take(&sequence, "[1;2c");
    assert_false(sequence_is_identity(&sequence));
    take(&sequence, "]11;rgb:c\033\\");
    assert_false(sequence_is_identity(&sequence));
}

/* An endless one is given up. */
static void test_endless(void **state)
{
    (void)state;
    struct sequence sequence;
    assert_true(sequence_begins(&sequence, ']'));
    size_t taken = 1;
    while (!sequence_take(&sequence, 'x'))
        taken++;
    assert_int_equal(taken, SEQUENCE_LIMIT);
    assert_int_equal(sequence_key(&sequence), 0);
    assert_int_equal(strlen(sequence.text), SEQUENCE_SIZE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mouse),    cmocka_unit_test(test_keys),
        cmocka_unit_test(test_ends),     cmocka_unit_test(test_light),
        cmocka_unit_test(test_identity), cmocka_unit_test(test_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
