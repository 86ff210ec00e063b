#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_builder.h"
#include "view/filter.h"
#include "view/rows.h"

static void test_words(void **state)
{
    static const struct {
        const char *words;
        bool accepted;
    } cases[] = {
        {"", true},
        {"   ", true},
        {"vram>2g", true},
        {"vram>2GiB", true},
        {"VRAM>=3g", true},
        {"vram>3g", false},
        {"vram<=3072m", true},
        {"vram<2.5g", false},
        {"vram=3g", true},
        {"gpu>10", true},
        {"load>10%", true},
        {"gpu>99.5", false},
        {"user:ann", true},
        {"user:an", true},
        {"user=an", false},
        {"user:bob", false},
        {"class:llm", true},
        {"class:LL", true},
        {"name:SERVER", true},
        {"model:qwen", true},
        {"pid:42", true},
        {"pid=42", false},
        {"pid=4242", true},
        {"pid>=4242", true},
        {"time>1h", true},
        {"time<10m", false},
        {"command:--port", true},
        {"!command:--port", false},
        {"llama", true},
        {"4242", true},
        {"firefox", false},
        {"!firefox", true},
        {"vram>2g user:ann class:llm name:llama gpu>10 qwen", true},
        {"vram>2g user:bob", false},
        {"spill>0", false}, /* unknown meets no comparison */
        {"spill<1g", false},
        {"spill=0", false},
        {"video>5", true},
    };
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct process *process = build_process(s, 4242, "llama-server", CLASS_LLM);
    struct gpu_use *use = build_use(process, card, 3 * GIB, 95);
    static const struct text arguments[] = {{"llama-server", 12}, {"--port", 6}};
    struct rows_options options = {.all = true};
    struct row row;
    (void)state;
    use->engines_percent[ENGINE_encode] = build_figure(9);
    process->command = (struct text_list){.items = arguments, .count = 2, .known = true};
    process->start_time_ns = s->taken_at_ns - 7200LL * 1000000000;
    build_model(s, process, "Qwen3-32B", NULL);
    row_fold(&row, s, process, &options);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct filter filter;
        struct problem problem = {.text = ""};
        if (!filter_parse(cases[i].words, &filter, &problem))
            fail_msg("'%s': %s", cases[i].words, problem.text);
        if (filter_accepts(&filter, &row) != cases[i].accepted)
            fail_msg("'%s' is %s", cases[i].words, cases[i].accepted ? "refused" : "accepted");
    }
    snapshot_drop(&s);
}

/* A lower bound can only be known to be above something. */
static void test_lower_bound(void **state)
{
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct adapter *b = build_adapter(s, "b", "B", ADAPTER_DISCRETE);
    struct process *process = build_process(s, 1, "p", CLASS_LLM);
    struct rows_options options = {.all = true};
    struct filter above, below;
    struct problem problem;
    struct row row;
    (void)state;
    build_use(process, a, 3 * GIB, 0);
    build_use(process, b, -1, 0);
    row_fold(&row, s, process, &options);
    assert_true(filter_parse("vram>1g", &above, &problem));
    assert_true(filter_parse("vram<9g", &below, &problem));
    assert_true(filter_accepts(&above, &row));
    assert_false(filter_accepts(&below, &row));
    snapshot_drop(&s);
}

static void test_bad_words_are_explained(void **state)
{
    static const struct {
        const char *words, *problem;
    } cases[] = {
        {"vram>", "'vram>': vram wants a number, such as 2g or 512m"},
        {"vram>2x", "'vram>2x': vram wants a number, such as 2g or 512m"},
        {"gpu>2g", "'gpu>2g': gpu wants a number, such as 10"},
        {"vram>1e3", "'vram>1e3': vram wants a number, such as 2g or 512m"},
        {"vram>..5", "'vram>..5': vram wants a number, such as 2g or 512m"},
        {"time>9g", "'time>9g': time wants a number, such as 90s, 10m or 2h"},
        {"user>ann", "'user>ann': user is a text, write user:WORD"},
        {"user:", "'user:' looks for nothing: write what to look for behind it"},
        {"!", "'!' looks for nothing: write what to look for behind it"},
        {"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "a filter has at most 16 words"},
    };
    struct filter filter;
    struct problem problem;
    char longest[256];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(filter_parse(cases[i].words, &filter, &problem));
        assert_string_equal(problem.text, cases[i].problem);
    }
    assert_false(filter_parse("ok nosuch:thing", &filter, &problem));
    assert_non_null(strstr(problem.text, "there is no field 'nosuch'"));
    assert_int_equal(filter.count, 1);
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(filter_parse(longest, &filter, &problem));
}

static void test_half_typed_words(void **state)
{
    static const struct {
        const char *words;
        bool half_typed;
    } cases[] =
        {
            {"vr", true},      {"vram", true},      {"VRA", true},   {"!cl", true},
            {"fire us", true}, {"vram>", false},    {"fire", false}, {"vramx", false},
            {"vram ", false},  {"vram fox", false}, {"", false},     {"!", false},
            {"ram", true}, /* a field of its own, not the end of another's name */
            {"ass", false},
        };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (filter_is_half_typed(cases[i].words) != cases[i].half_typed)
            fail_msg("'%s'", cases[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_half_typed_words),
        cmocka_unit_test(test_lower_bound),
        cmocka_unit_test(test_bad_words_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
