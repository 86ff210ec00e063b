/* The plain text, whole. The expected texts were read by eye, line by line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "present/text.h"
#include "text_golden.h"
#include "text_pictures.h"
#include "view/text_width.h"

enum { OUTPUT_SIZE = 32768 };

static void print(struct snapshot *(*picture)(void), size_t width, bool ascii, bool list,
                  char out[OUTPUT_SIZE])
{
    struct snapshot *snapshot = picture();
    struct text_options options = {.width = width, .ascii = ascii, .rows = {.sort = COLUMN_vram}};
    FILE *file = tmpfile();
    assert_non_null(file);
    if (list)
        text_list_gpus(file, snapshot, &options);
    else
        text_snapshot(file, snapshot, &options);
    rewind(file);
    out[fread(out, 1, OUTPUT_SIZE - 1, file)] = '\0';
    fclose(file);
    snapshot_drop(&snapshot);
}

static void check(struct snapshot *(*picture)(void), size_t width, bool ascii, bool list,
                  const char *expected)
{
    char out[OUTPUT_SIZE];
    print(picture, width, ascii, list, out);
    assert_string_equal(out, expected);
}

static void test_workstation(void **state)
{
    (void)state;
    check(picture_workstation, 120, false, false, golden_workstation_120);
    check(picture_workstation, 80, true, false, golden_workstation_80_ascii);
    check(picture_workstation, 40, true, false, golden_workstation_40_ascii);
}

static void test_container(void **state)
{
    (void)state;
    check(picture_container, 100, false, false, golden_container_100);
    check(picture_container, 80, true, false, golden_container_80_ascii);
}

static void test_laptop(void **state)
{
    (void)state;
    check(picture_laptop, 80, false, false, golden_laptop_80);
    check(picture_laptop, 0, true, false, golden_laptop_0_ascii);
}

static void test_list(void **state)
{
    (void)state;
    check(picture_workstation, 80, false, true, golden_list_workstation_80);
    check(picture_laptop, 80, true, true, golden_list_laptop_80_ascii);
}

/* What holds of every picture at every width: no escape sequence, no trailing blank, bars and
 * tables inside the width, ASCII where asked. */
static void test_every_width(void **state)
{
    static struct snapshot *(*const pictures[])(void) = {picture_workstation, picture_container,
                                                         picture_laptop};
    static char out[OUTPUT_SIZE];
    (void)state;
    for (size_t p = 0; p < sizeof pictures / sizeof *pictures; p++)
        for (size_t width = 20; width < 200; width++)
            for (int ascii = 0; ascii < 2; ascii++) {
                print(pictures[p], width, ascii != 0, false, out);
                size_t size = strlen(out), start = 0;
                assert_true(size > 2 && out[size - 1] == '\n' && out[size - 2] != '\n');
                for (size_t at = 0; at < size; at++) {
                    assert_int_not_equal(out[at], '\x1b');
                    if (ascii != 0)
                        assert_true((out[at] >= ' ' && out[at] <= '~') || out[at] == '\n');
                    if (out[at] != '\n')
                        continue;
                    struct text line = {out + start, at - start};
                    assert_true(at == start || out[at - 1] != ' ');
                    /* Below 50 a single fact may be longer than the line. */
                    if (width >= 50 && text_width(line, ascii != 0) > width)
                        fail_msg("width %zu: %.*s", width, (int)line.size, line.utf8);
                    start = at + 1;
                }
            }
}

static void test_nothing(void **state)
{
    struct snapshot *snapshot = build_snapshot();
    struct text_options options = {.width = 80, .ascii = true, .rows = {.sort = COLUMN_vram}};
    FILE *file = tmpfile();
    char out[1024];
    (void)state;
    struct adapter *card = build_adapter(snapshot, "a", NULL, ADAPTER_UNKNOWN);
    text_snapshot(file, snapshot, &options);
    card->processes_state = (struct list_state){.unknown = true, .why_not = REASON_call_failed};
    card->compute_list_state = card->graphics_list_state = card->processes_state; /* said once */
    text_snapshot(file, snapshot, &options);
    rewind(file);
    out[fread(out, 1, sizeof out - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(
        out, "gputaskman | native | 2025-11-29 12:00:00 UTC\n"
             "\n"
             "GPU 0  a                                                   memory n/a   load n/a\n"
             "  a\n"
             "  load n/a: the driver does not report it\n"
             "  memory n/a: the driver does not report it\n"
             "\n"
             "No process holds GPU memory or uses a GPU now.\n"
             "gputaskman | native | 2025-11-29 12:00:00 UTC\n"
             "\n"
             "GPU 0  a                                                   memory n/a   load n/a\n"
             "  a\n"
             "  load n/a: the driver does not report it\n"
             "  memory n/a: the driver does not report it\n"
             "  processes n/a: the driver's call failed\n"
             "\n"
             "Which processes use the GPU is not known: see above.\n");
    snapshot_drop(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workstation), cmocka_unit_test(test_container),
        cmocka_unit_test(test_laptop),      cmocka_unit_test(test_list),
        cmocka_unit_test(test_every_width), cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
