/* Rows: folding over adapters, choosing, ordering; and what their cells show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "snapshot_builder.h"
#include "view/rows.h"

/* The cell as text with its mark, "" for a blank. */
static const char *cell_of(const struct row *row, enum column column)
{
    static char out[CELL_OWN_SIZE + 8];
    struct cell cell;
    column_cell(row, column, &cell);
    struct text text = cell_text(&cell);
    char mark = cell_mark_character(cell.mark);
    snprintf(out, sizeof out, "%.*s%.*s", (int)text.size, text.size ? text.utf8 : "", mark != ' ',
             &mark);
    return out;
}

static void check_pids(const struct snapshot *s, const struct rows_options *options,
                       const char *expected)
{
    struct rows rows = {.count = 0};
    char pids[256] = "";
    size_t length = 0;
    rows_build(&rows, s, options);
    for (size_t i = 0; i < rows.count; i++)
        length += (size_t)snprintf(pids + length, sizeof pids - length, "%s%lld", i ? " " : "",
                                   (long long)rows.items[i].process->pid);
    assert_string_equal(pids, expected);
    rows_free(&rows);
}

static void test_fold_memory(void **state)
{
    enum { UNKNOWN = -1 };
    static const struct {
        const char *what;
        double first, second;  /* measured, MiB; UNKNOWN */
        double first_inferred; /* MiB; 0: none */
        double second_inferred;
        const char *vram;
    } cases[] = {
        {"measured parts are summed", 100, 50, 0, 0, "150.0 M"},
        {"a measured zero is 0", 0, 0, 0, 0, "0"},
        {"unknown is not zero", UNKNOWN, UNKNOWN, 0, 0, "n/a"},
        {"a part is missing", 100, UNKNOWN, 0, 0, ">100.0 M"},
        {"at least 0 says nothing", 0, UNKNOWN, 0, 0, "n/a"},
        {"inferred alone", UNKNOWN, 0, 80, 0, "80.0 M*"},
        {"inferred is not added", 100, UNKNOWN, 0, 80, ">100.0 M"},
        {"nor to another inferred", UNKNOWN, UNKNOWN, 70, 80, ">80.0 M*"},
        {"the larger one is shown", 10, UNKNOWN, 0, 80, ">80.0 M*"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct snapshot *s = build_snapshot();
        struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
        struct adapter *b = build_adapter(s, "b", "B", ADAPTER_DISCRETE);
        struct process *process = build_process(s, 1, "p", CLASS_LLM);
        const double measured[] = {cases[i].first, cases[i].second};
        const double inferred[] = {cases[i].first_inferred, cases[i].second_inferred};
        const struct adapter *const adapters[] = {a, b};
        for (size_t j = 0; j < 2; j++) {
            struct gpu_use *use =
                build_use(process, adapters[j], measured[j] < 0 ? -1 : measured[j] * MIB, 0);
            if (inferred[j] > 0) {
                use->vram_inferred_bytes = figure_known(inferred[j] * MIB, HOW_INFERRED);
                use->inferred_by = INFERRED_MATCHED;
            }
        }
        struct rows_options options = {.all = true};
        struct row row;
        row_fold(&row, s, process, &options);
        assert_string_equal(cell_of(&row, COLUMN_vram), cases[i].vram);
        snapshot_drop(&s);
    }
}

static void test_fold_load(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct adapter *b = build_adapter(s, "b", "B", ADAPTER_DISCRETE);
    struct process *process = build_process(s, 1, "p", CLASS_LLM);
    struct rows_options options = {.all = true};
    struct row row;
    build_use(process, a, 0, 40);
    struct gpu_use *use = build_use(process, b, 0, 95);
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_gpu), "95"); /* the busiest, never the sum */
    use->load_lower_bound = true;
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_gpu), ">95");
    use->load_lower_bound = false;
    use->load_percent = figure_unknown(REASON_need_two_samples);
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_gpu), ">40");
    process->gpus[0].load_percent = build_figure(0);
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_gpu), "n/a");
    const struct text only_a[] = {{"a", 1}};
    options.adapters = only_a;
    options.adapter_count = 1;
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_gpu), "0");
    assert_int_equal(row.use_count, 1);
    use->load_percent = build_figure(7);
    use->load_inferred_by = INFERRED_GUESS;
    options.adapter_count = 0;
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_gpu), "7?");
    snapshot_drop(&s);
}

/* Blank where there is no such counter, n/a where one could have been. */
static void test_blank_and_unavailable(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct adapter *apu = build_adapter(s, "b", "B", ADAPTER_INTEGRATED);
    apu->memory.unified = true;
    struct rows_options options = {.all = true};
    struct row row;

    struct process *nvidia = build_process(s, 1, "p", CLASS_LLM);
    struct gpu_use *use = build_use(nvidia, card, GIB, 5);
    row_fold(&row, s, nvidia, &options);
    assert_string_equal(cell_of(&row, COLUMN_spill), "");
    assert_string_equal(cell_of(&row, COLUMN_shared), "");
    assert_string_equal(cell_of(&row, COLUMN_paged), "");
    assert_string_equal(cell_of(&row, COLUMN_engine_3d), "");
    use->spill_bytes = measured_unknown(REASON_shared_client);
    use->engines_percent[ENGINE_gfx] = figure_unknown(REASON_rocm_kfd_process);
    use->engines_percent[ENGINE_decode] = figure_unknown(REASON_unified_ring);
    use->engines_percent[ENGINE_encode] = figure_unknown(REASON_unified_ring);
    use->engines_percent[ENGINE_video] = build_figure(12);
    row_fold(&row, s, nvidia, &options);
    assert_string_equal(cell_of(&row, COLUMN_spill), "n/a");
    assert_string_equal(cell_of(&row, COLUMN_engine_3d), "n/a");
    assert_string_equal(cell_of(&row, COLUMN_video), "12");
    use->engines_percent[ENGINE_decode] = build_figure(30);
    use->engines_percent[ENGINE_encode] = build_figure(0);
    row_fold(&row, s, nvidia, &options);
    assert_string_equal(cell_of(&row, COLUMN_video), "30/0");

    struct process *unified = build_process(s, 2, "u", CLASS_LLM);
    use = build_use(unified, apu, GIB, 5);
    use->shared_bytes = build_bytes(20 * GIB);
    use->spill_bytes = measured_unknown(REASON_unified_memory);
    row_fold(&row, s, unified, &options);
    assert_string_equal(cell_of(&row, COLUMN_vram), "1.0 G");
    assert_string_equal(cell_of(&row, COLUMN_shared), "20.0 G");
    assert_string_equal(cell_of(&row, COLUMN_spill), "");
    assert_true(row.memory.value > 20 * GIB); /* sorts and counts with both */

    s->mode = SNAPSHOT_WINDOWS;
    row_fold(&row, s, nvidia, &options);
    assert_string_equal(cell_of(&row, COLUMN_paged), "n/a");
    nvidia->gpus[0].paged_estimated_bytes = figure_known(3 * MIB, HOW_ESTIMATED);
    row_fold(&row, s, nvidia, &options);
    assert_string_equal(cell_of(&row, COLUMN_paged), "3.0 M~");
    s->mode = SNAPSHOT_MACOS;
    nvidia->gpus[0].engines_percent[ENGINE_gfx] = figure_unknown(REASON_not_reported);
    row_fold(&row, s, nvidia, &options);
    assert_string_equal(cell_of(&row, COLUMN_engine_3d), "n/a");
    snapshot_drop(&s);
}

static void test_texts(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct process *process = build_process(s, 7, "server", CLASS_COMPOSITOR);
    static const struct runtime runtimes[] = {{{"llama.cpp", 9}, {NULL, 0}},
                                              {{"CUDA", 4}, {"13", 2}}};
    struct rows_options options = {.all = true};
    struct row row;
    build_use(process, card, 1, 0);
    process->runtimes = runtimes;
    process->runtime_count = 2;
    process->start_time_ns = s->taken_at_ns - 483LL * 1000000000;
    process->container = (struct container){
        .present = true, .runtime = build_text("docker"), .id = build_text("3f2a00000000aaaabbbb")};
    build_device(s, build_model(s, process, "small", "Q4"), card, 1 * MIB, 0);
    build_device(s, build_model(s, process, "big-Q8_0", "Q8_0"), card, 9 * MIB, 0);
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_pid), "7");
    assert_string_equal(cell_of(&row, COLUMN_class), "desktop");
    assert_string_equal(cell_of(&row, COLUMN_model), "big-Q8_0 +1");
    assert_string_equal(cell_of(&row, COLUMN_runtime), "llama.cpp CUDA");
    assert_string_equal(cell_of(&row, COLUMN_container), "docker:3f2a00000000");
    assert_string_equal(cell_of(&row, COLUMN_time), "8 min 3 s");
    process->name = process->user = TEXT_NONE;
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_name), "n/a");
    assert_string_equal(cell_of(&row, COLUMN_user), "n/a");
    build_space(s, process, NAMESPACE_HOST);
    row_fold(&row, s, process, &options);
    assert_string_equal(cell_of(&row, COLUMN_pid), "H:7");
    assert_string_equal(cell_of(&row, COLUMN_name), "outside this container");
    assert_string_equal(cell_of(&row, COLUMN_user), "");
    assert_string_equal(cell_of(&row, COLUMN_ram), "");
    snapshot_drop(&s);
}

static struct snapshot *population(void)
{
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct adapter *b = build_adapter(s, "b", "B", ADAPTER_DISCRETE);
    build_use(build_process(s, 30, "small", CLASS_LLM), a, 10 * MIB, 5);
    build_use(build_process(s, 20, "big", CLASS_GAME), a, 90 * MIB, 1);
    build_use(build_process(s, 10, "same", CLASS_LLM), b, 10 * MIB, 50);
    struct gpu_use *use = build_use(build_process(s, 40, "matched", CLASS_LLM), b, -1, 0);
    use->vram_inferred_bytes = figure_known(50 * MIB, HOW_INFERRED);
    use->inferred_by = INFERRED_MATCHED;
    build_use(build_process(s, 50, "unknown", CLASS_OTHER), a, -1, 0);
    build_use(build_process(s, 60, "idle", CLASS_OTHER), a, 0, 0);
    use = build_use(build_process(s, 70, "empty", CLASS_OTHER), a, -1, 0);
    use->vram_resident_bytes = use->gtt_resident_bytes = build_bytes(0);
    s->processes[2].user = build_text("bob");
    return s;
}

static void test_order(void **state)
{
    struct snapshot *s = population();
    struct rows_options options = {.all = true, .sort = COLUMN_vram};
    (void)state;
    check_pids(s, &options, "20 40 10 30 60 50 70"); /* unknown last; ties by pid */
    options.reverse = true;
    check_pids(s, &options, "60 10 30 40 20 50 70");
    options.reverse = false;
    options.sort = COLUMN_gpu;
    check_pids(s, &options, "10 30 20 40 50 60 70");
    options.sort = COLUMN_pid;
    check_pids(s, &options, "10 20 30 40 50 60 70");
    options.sort = COLUMN_name;
    check_pids(s, &options, "20 70 60 40 10 30 50");
    snapshot_drop(&s);
}

static void test_choice(void **state)
{
    struct snapshot *s = population();
    static const struct text only_b[] = {{"b", 1}};
    static const int64_t pids[] = {60, 30};
    struct rows_options options = {.sort = COLUMN_vram};
    struct rows rows = {.count = 0};
    (void)state;
    check_pids(s, &options, "20 40 10 30 50"); /* top: 60 is idle, 70 reaches nothing */
    rows_build(&rows, s, &options);
    assert_int_equal(rows.left_out, 2);
    assert_int_equal(rows_find(&rows, s->processes[2].identity), 2);
    assert_int_equal(rows_find(&rows, s->processes[5].identity), rows.count);
    rows_free(&rows);
    options.adapters = only_b;
    options.adapter_count = 1;
    check_pids(s, &options, "40 10");
    options.adapter_count = 0;
    options.user = build_text("bob");
    check_pids(s, &options, "10");
    options.user = TEXT_NONE;
    options.pids = pids;
    options.pid_count = 2;
    check_pids(s, &options, "30 60"); /* asked for by pid: also when idle */
    snapshot_drop(&s);
}

static void test_parent_stands_for_instances(void **state)
{
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "card", "A", ADAPTER_DISCRETE);
    struct adapter *instance = build_adapter(s, "uuid:MIG-1", "M", ADAPTER_MIG);
    static const struct text chosen[] = {{"card", 4}};
    struct rows_options options = {.adapters = chosen, .adapter_count = 1, .sort = COLUMN_vram};
    (void)state;
    instance->parent = card->id;
    build_use(build_process(s, 1, "p", CLASS_LLM), instance, MIB, 0);
    check_pids(s, &options, "1");
    snapshot_drop(&s);
}

static void test_tree(void **state)
{
    static const int64_t parents[] = {0,  1, 1, 2,
                                      99, 6, 5}; /* of pids 1 to 7; 6 and 7: see below */
    struct snapshot *s = build_snapshot();
    struct adapter *a = build_adapter(s, "a", "A", ADAPTER_DISCRETE);
    struct rows_options options = {.all = true, .tree = true, .sort = COLUMN_vram};
    struct rows rows = {.count = 0};
    (void)state;
    for (int i = 0; i < 7; i++) {
        struct process *process = build_process(s, i + 1, "p", CLASS_LLM);
        process->parent_pid = measured_known(parents[i]);
        build_use(process, a, (i + 1) * MIB, 0);
    }
    s->processes[5].parent_pid = measured_known(7); /* 6 and 7 in a circle */
    s->processes[6].parent_pid = measured_known(6);
    check_pids(s, &options, "5 1 3 2 4 7 6");
    rows_build(&rows, s, &options);
    static const size_t depths[] = {0, 0, 1, 1, 2, 0, 0};
    static const bool last[] = {false, false, false, true, true, false, false};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(rows.items[i].depth, depths[i]);
        assert_int_equal(rows.items[i].last_child, last[i]);
    }
    assert_string_equal(cell_of(&rows.items[4], COLUMN_name), "    p");
    rows_free(&rows);
    snapshot_drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_memory),
        cmocka_unit_test(test_fold_load),
        cmocka_unit_test(test_blank_and_unavailable),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_parent_stands_for_instances),
        cmocka_unit_test(test_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
