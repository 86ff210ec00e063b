/* Two snapshots: what pairs, what changed, and what may not be compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot/json.h"
#include "timeline/diff.h"

struct pair {
    struct snapshot *before, *after;
    struct arena *arena;
    const struct diff *diff;
};

static struct snapshot *read_text(const char *boot, const char *second, const char *members)
{
    struct problem problem = {""};
    char text[4096];
    int size = snprintf(text, sizeof text,
                        "{\"schema\":\"gputaskman/1\",\"taken_at\":\"2026-11-29T12:00:%sZ\","
                        "\"host\":{\"boot_id\":\"%s\"},%s}",
                        second, boot, members);
    struct snapshot *snapshot = snapshot_read(text, (size_t)size, "test", 1, NULL, &problem);
    if (!snapshot) {
        fail_msg("%s: %s", problem.text, text);
    }
    return snapshot;
}

static void make(struct pair *pair, const char *boot_before, const char *before,
                 const char *boot_after, const char *after)
{
    pair->arena = arena_new();
    pair->before = read_text(boot_before, "00", before);
    pair->after = read_text(boot_after, "12", after);
    pair->diff = diff_make(pair->before, pair->after, pair->arena);
}

static void drop(struct pair *pair)
{
    snapshot_drop(&pair->before);
    snapshot_drop(&pair->after);
    arena_free(&pair->arena);
}

#define A(more) "{\"id\":\"pci:a\",\"pci_ids\":{\"vendor\":\"1002\",\"device\":\"" more "\"}}"
#define ONE "\"adapters\":[" A("1") "]"
#define P(id, name, more)                                                                          \
    "{\"id\":\"" id "\",\"name\":\"" name "\",\"class\":\"llm\",\"gpus\":[{\"adapter_id\":"        \
    "\"pci:a\"" more "}]}"

static void test_adapters(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
        bool same;
    } cases[] = {
        {ONE, ONE, true},
        {"\"adapters\":[]", "\"adapters\":[]", true},
        /* Another card in the same slot. */
        {ONE, "\"adapters\":[" A("2") "]", false},
        /* Without PCI ids nothing speaks against it. */
        {ONE, "\"adapters\":[{\"id\":\"pci:a\"}]", true},
        {ONE, "\"adapters\":[{\"id\":\"pci:b\"}]", false},
        {ONE, "\"adapters\":[" A("1") ",{\"id\":\"pci:b\"}]", false},
        {"\"adapters\":[" A("1") ",{\"id\":\"pci:b\"}]", ONE, false},
        {ONE, "\"adapters\":[]", false},
        {"\"adapters\":[{\"id\":\"pci:a\",\"uuid\":\"GPU-1\"}]",
         "\"adapters\":[{\"id\":\"pci:a\",\"uuid\":\"GPU-2\"}]", false},
        {"\"adapters\":[{\"id\":\"pci:a\"},{\"id\":\"pci:b\"}]",
         "\"adapters\":[{\"id\":\"pci:b\",\"index\":0},{\"id\":\"pci:a\",\"index\":1}]", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair pair;
        struct problem problem = {""};
        make(&pair, "x", cases[i].before, "x", cases[i].after);
        assert_int_equal(diff_same_adapters(pair.diff, &problem), cases[i].same);
        assert_int_equal(problem.text[0] == '\0', cases[i].same);
        assert_int_equal(pair.diff->differs, !cases[i].same);
        drop(&pair);
    }
}

/* "new", "gone", "changed" or "same" of each process in the order shown, joined by blanks. */
static const char *states(const struct diff *diff)
{
    static char text[256];
    text[0] = '\0';
    for (size_t i = 0; i < diff->process_count; i++) {
        const struct diff_process *process = &diff->processes[i];
        strcat(text, process->presence == DIFF_NEW    ? "new "
                     : process->presence == DIFF_GONE ? "gone "
                     : process->changed               ? "changed "
                                                      : "same ");
    }
    return text;
}

static void test_processes(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after, *boot, *states;
        bool unsure;
    } cases[] = {
        {P("local/7/1", "x", ",\"vram_bytes\":5"), P("local/7/1", "x", ",\"vram_bytes\":5"), "x",
         "same ", false},
        /* The name of a process may change; its identity tells. */
        {P("local/7/1", "x", ",\"vram_bytes\":5"), P("local/7/1", "y", ",\"vram_bytes\":6"), "x",
         "changed ", false},
        /* A reused pid. */
        {P("local/7/1", "x", ",\"vram_bytes\":5"), P("local/7/2", "x", ",\"vram_bytes\":5"), "x",
         "new gone ", false},
        {P("local/7/1", "x", ""), P("host/7/1", "x", ""), "x", "new gone ", false},
        /* Pids and stamps of another boot mean nothing. */
        {P("local/7/1", "x", ""), P("local/7/1", "x", ""), "y", "new gone ", false},
        /* Without a stamp only a name can speak for it. */
        {P("local/7/?", "x", ""), P("local/7/?", "x", ""), "x", "same ", true},
        {P("local/7/?", "x", ""), P("local/7/?", "y", ""), "x", "new gone ", false},
        {P("local/7/?", "x", ""), P("local/7/5", "x", ""), "x", "new gone ", false},
        /* Unknown to known and back is a change; unknown twice is none. */
        {P("local/7/1", "x", ""), P("local/7/1", "x", ",\"vram_bytes\":0"), "x", "changed ", false},
        {P("local/7/1", "x", ",\"vram_bytes\":0"), P("local/7/1", "x", ""), "x", "changed ", false},
        {P("local/7/1", "x", ",\"spill_bytes\":0"), P("local/7/1", "x", ",\"spill_bytes\":9"), "x",
         "changed ", false},
        {P("local/7/1", "x", ",\"vram_inferred_bytes\":1,\"inferred_by\":\"guess\""),
         P("local/7/1", "x", ",\"vram_inferred_bytes\":1,\"inferred_by\":\"matched\""), "x",
         "changed ", false},
        /* Loads always differ: no change. */
        {P("local/7/1", "x", ",\"load_percent\":1"), P("local/7/1", "x", ",\"load_percent\":90"),
         "x", "same ", false},
        {P("local/7/1", "x", ",\"vram_bytes\":5") "," P("local/8/1", "y", ",\"vram_bytes\":9"),
         P("local/8/1", "y", ",\"vram_bytes\":8") "," P("local/9/3", "z", ""), "x",
         "new gone changed ", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char before[1024], after[1024];
        struct pair pair;
        snprintf(before, sizeof before, ONE ",\"processes\":[%s]", cases[i].before);
        snprintf(after, sizeof after, ONE ",\"processes\":[%s]", cases[i].after);
        make(&pair, "x", before, cases[i].boot, after);
        assert_string_equal(states(pair.diff), cases[i].states);
        assert_int_equal(pair.diff->processes[0].unsure, cases[i].unsure);
        assert_int_equal(pair.diff->differs, strcmp(cases[i].states, "same ") != 0);
        drop(&pair);
    }
}

static void test_sums(void **state)
{
    (void)state;
    struct pair pair;
    make(&pair, "x",
         ONE ",\"processes\":[" P("local/1/1", "a", ",\"vram_bytes\":100") "," P(
             "local/2/1", "b", ",\"vram_inferred_bytes\":7,\"inferred_by\":\"matched\"") "]",
         "x",
         ONE ",\"processes\":[" P("local/1/1", "a", ",\"vram_bytes\":300") "," P(
             "local/3/1", "c", ",\"vram_bytes\":50") "]");
    assert_int_equal(pair.diff->adapter_count, 1);
    assert_int_equal(pair.diff->adapters[0].class_count, 1);
    const struct diff_class *llm = &pair.diff->adapters[0].classes[0];
    assert_int_equal(llm->class, CLASS_LLM);
    assert_int_equal(llm->vram_bytes.before.value, 100);
    assert_int_equal(llm->vram_bytes.after.value, 350);
    assert_int_equal(llm->before_count, 2);
    assert_int_equal(llm->before_unknown, 1);
    assert_int_equal(llm->after_unknown, 0);
    assert_true(pair.diff->seconds == 12);
    drop(&pair);
    /* Nobody is 0; a list that was not read is unknown. */
    make(&pair, "x", ONE ",\"processes\":[]", "x",
         "\"adapters\":[{\"id\":\"pci:a\"}],\"processes\":[" P("local/1/1", "a", "") "]");
    llm = &pair.diff->adapters[0].classes[0];
    assert_true(llm->vram_bytes.before.known && llm->vram_bytes.before.value == 0);
    assert_false(llm->vram_bytes.after.known);
    drop(&pair);
    make(&pair, "x",
         "\"adapters\":[{\"id\":\"pci:a\",\"unavailable\":{\"processes\":\"call_failed\"}}]", "x",
         ONE ",\"processes\":[" P("local/1/1", "a", ",\"vram_bytes\":1") "]");
    assert_false(pair.diff->adapters[0].classes[0].vram_bytes.before.known);
    drop(&pair);
}

static void test_models(void **state)
{
    (void)state;
    struct pair pair;
#define M(id, models) "{\"id\":\"" id "\",\"models\":[" models "]}"
    make(&pair, "x",
         ONE ",\"processes\":[" M("local/1/1", "{\"name\":\"A\",\"context\":4096}") "," M(
             "local/2/1", "{\"name\":\"B\"}") "]",
         "x",
         ONE
         ",\"processes\":[" M("local/1/1", "{\"name\":\"A\",\"context\":8192},{\"name\":"
                                           "\"B\"}") "," M("local/3/1", "{\"name\":\"A\"}") "]");
    assert_string_equal(states(pair.diff), "new gone changed ");
    const struct diff_process *changed = &pair.diff->processes[2];
    assert_int_equal(changed->model_count, 2);
    assert_true(changed->models[0].presence == DIFF_BOTH && changed->models[0].changed);
    assert_true(changed->models[1].presence == DIFF_NEW);
    assert_int_equal(pair.diff->model_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct diff_model_total *total = &pair.diff->models[i];
        bool is_a = text_equal_string(total->model->name, "A");
        assert_int_equal(total->before_holders, 1);
        assert_int_equal(total->after_holders, is_a ? 2 : 1);
    }
    drop(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapters),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_models),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
