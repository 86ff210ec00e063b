/* The VRAM map: segments that sum to the bar, and cells that show each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "snapshot_builder.h"
#include "view/memory_bar.h"
#include "view/memory_map.h"

/* "model/weights/hatched 12.9" ... joined by ", "; bytes in MiB. */
static void describe(const struct segment_list *list, char *out, size_t size)
{
    static const char patterns[] = "shm?u_rf"; /* by enum segment_pattern */
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        const struct segment *segment = &list->items[i];
        char label[SEGMENT_LABEL_SIZE];
        segment_label(segment, label);
        length +=
            (size_t)snprintf(out + length, size - length, "%s%s %s %c %lld", i ? ", " : "",
                             segment_class_words(segment->class), label, patterns[segment->pattern],
                             (long long)(segment->bytes / (1024 * 1024)));
    }
}

static int64_t sum(const struct segment_list *list)
{
    int64_t total = 0;
    for (size_t i = 0; i < list->count; i++) {
        assert_true(list->items[i].bytes > 0);
        total += list->items[i].bytes;
    }
    assert_int_equal(total, list->total_bytes);
    return total;
}

static void check(struct snapshot *snapshot, const struct adapter *adapter, const char *expected,
                  unsigned int notes)
{
    struct memory_map map = {.known = false};
    char text[2048];
    memory_map_build(&map, snapshot, adapter);
    describe(&map.bar, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(map.notes, notes);
    if (map.known)
        assert_int_equal(sum(&map.bar), memory_pools_total(&adapter->memory).value);
    memory_map_free(&map);
}

static void test_order_and_parts(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "pci:0000:01:00.0", "card", ADAPTER_DISCRETE);
    build_memory(card, 24000 * MIB, 20000 * MIB);
    card->memory.vram_reserved_bytes = build_bytes(500 * MIB);
    build_use(build_process(s, 5, "desk", CLASS_COMPOSITOR), card, 100 * MIB, 0);
    build_use(build_process(s, 4, "train", CLASS_TRAINING), card, 50 * MIB, 0);
    build_use(build_process(s, 3, "game", CLASS_GAME), card, 1000 * MIB, 0);
    build_use(build_process(s, 2, "player", CLASS_VIDEO), card, 10 * MIB, 0);
    struct process *llm = build_process(s, 1, "server", CLASS_LLM);
    build_use(llm, card, 18000 * MIB, 0);
    build_device(s, build_model(s, llm, "Qwen", NULL), card, 12000 * MIB, 4000 * MIB);
    build_use(build_process(s, 6, "web", CLASS_BROWSER), card, 300 * MIB, 0);
    build_use(build_process(s, 7, "none", CLASS_BROWSER), card, 0, 0);
    build_use(build_process(s, 8, "hidden", CLASS_BROWSER), card, -1, 0);
    check(s, card,
          "models Qwen weights h 12000, models Qwen KV cache h 4000, models server unexplained s "
          "2000, "
          "compute train s 50, games game s 1000, browsers web s 300, desktop desk s 100, "
          "video player s 10, unattributed unattributed u 540, reserved reserved r 500, "
          "free free f 3500",
          0);
    snapshot_drop(&s);
}

static void test_size_order_is_stable(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 60 * MIB);
    build_use(build_process(s, 9, "b", CLASS_GAME), card, 10 * MIB, 0);
    build_use(build_process(s, 8, "a", CLASS_GAME), card, 10 * MIB, 0);
    build_use(build_process(s, 7, "c", CLASS_GAME), card, 40 * MIB, 0);
    check(s, card, "games c s 40, games a s 10, games b s 10, free free f 40", 0);
    snapshot_drop(&s);
}

static void test_parts_are_cut_at_the_edge(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 50 * MIB);
    struct process *llm = build_process(s, 1, "server", CLASS_LLM);
    build_use(llm, card, 50 * MIB, 0);
    build_device(s, build_model(s, llm, "M", NULL), card, 40 * MIB, 30 * MIB);
    check(s, card, "models M weights h 40, models M KV cache h 10, free free f 50",
          MAP_NOTE_PARTS_CUT);
    snapshot_drop(&s);
}

/* A process whose bytes are not known has no segment: what its model should take is listed beside
 * the bar. One that is known to hold nothing has neither. */
static void test_parts_without_bytes(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    struct adapter *other = build_adapter(s, "b", "other", ADAPTER_DISCRETE);
    struct memory_map map = {.known = false};
    char text[2048];
    build_memory(card, 100 * MIB, 50 * MIB);
    struct process *hidden = build_process(s, 1, "server", CLASS_LLM);
    build_use(hidden, card, -1, 0);
    build_device(s, build_model(s, hidden, "M", NULL), card, 40 * MIB, 30 * MIB);
    struct process *none = build_process(s, 2, "none", CLASS_LLM);
    build_use(none, card, 0, 0);
    build_device(s, build_model(s, none, "N", NULL), card, 40 * MIB, 30 * MIB);
    struct process *elsewhere = build_process(s, 3, "elsewhere", CLASS_LLM);
    build_use(elsewhere, other, -1, 0);
    build_device(s, build_model(s, elsewhere, "E", NULL), other, 40 * MIB, 30 * MIB);
    memory_map_build(&map, s, card);
    describe(&map.unplaced, text, sizeof text);
    assert_string_equal(text, "models M weights h 40, models M KV cache h 30");
    assert_int_equal(map.unplaced.items[0].how, HOW_ESTIMATED);
    assert_int_equal(map.unplaced.items[1].how, HOW_REPORTED);
    describe(&map.bar, text, sizeof text);
    assert_string_equal(text, "unattributed unattributed u 50, free free f 50");
    memory_map_free(&map);
    snapshot_drop(&s);
}

static void test_two_moments(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 30 * MIB);
    build_use(build_process(s, 1, "a", CLASS_GAME), card, 40 * MIB, 0);
    check(s, card, "games a s 40, free free f 60", MAP_NOTE_ABOVE_USED);
    build_use(build_process(s, 2, "b", CLASS_BROWSER), card, 90 * MIB, 0);
    check(s, card, "games a s 40, browsers b s 60", MAP_NOTE_ABOVE_USED | MAP_NOTE_ABOVE_TOTAL);
    snapshot_drop(&s);
}

static void test_unknown_use(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    card->memory.vram_total_bytes = build_bytes(100 * MIB);
    build_use(build_process(s, 1, "a", CLASS_GAME), card, 40 * MIB, 0);
    check(s, card, "games a s 40, unknown unknown _ 60", 0);
    card->memory.vram_total_bytes = measured_unknown(REASON_device_suspended);
    struct memory_map map = {.known = true};
    memory_map_build(&map, s, card);
    assert_false(map.known);
    assert_int_equal(map.why_not, REASON_device_suspended);
    assert_int_equal(map.bar.count, 0);
    memory_map_free(&map);
    snapshot_drop(&s);
}

/* In a container matched bytes are slices of what the driver measured; what does not fit is cut. */
static void test_matched(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    s->mode = SNAPSHOT_CONTAINER;
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 50 * MIB);
    struct gpu_use *use = build_use(build_process(s, 1, "m", CLASS_LLM), card, -1, 0);
    use->vram_inferred_bytes = figure_known(20 * MIB, HOW_INFERRED);
    use->inferred_by = INFERRED_MATCHED;
    use = build_use(build_process(s, 2, "g", CLASS_LLM), card, -1, 0);
    use->vram_inferred_bytes = figure_known(15 * MIB, HOW_INFERRED);
    use->inferred_by = INFERRED_GUESS;
    build_use(build_process(s, 3, "o", CLASS_GAME), card, 10 * MIB, 0);
    check(
        s, card,
        "models m m 20, models g ? 15, games o s 10, unattributed unattributed u 5, free free f 50",
        0);
    use->vram_inferred_bytes = figure_known(45 * MIB, HOW_INFERRED);
    check(s, card, "models g ? 40, games o s 10, free free f 50", MAP_NOTE_INFERRED_CUT);
    snapshot_drop(&s);
}

/* In WSL matched Linux processes lie inside the VM that Windows measured. */
static void test_wsl(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    s->mode = SNAPSHOT_WSL;
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 50 * MIB);
    struct process *vm = build_process(s, 900, "vmwp.exe", CLASS_OTHER);
    vm->space = NAMESPACE_WINDOWS;
    vm->label = build_text("WSL VM");
    build_use(vm, card, 30 * MIB, 0);
    struct gpu_use *use = build_use(build_process(s, 1, "m", CLASS_LLM), card, -1, 0);
    use->vram_inferred_bytes = figure_known(20 * MIB, HOW_INFERRED);
    use->inferred_by = INFERRED_MATCHED;
    check(s, card,
          "models m m 20, other vmwp.exe s 10, unattributed unattributed u 20, free free f 50", 0);
    snapshot_drop(&s);
}

/* Where the system counts its processes in another way the bar still sums, and the rest is no
 * figure. */
static void test_rest_that_nobody_can_tell(void **state)
{
    static const struct {
        enum reason why_not;
        const char *words;
    } rows[] = {{REASON_counts_differ, "n/a"}, {REASON_not_reported, "4.0 M"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct snapshot *s = build_snapshot();
        struct adapter *gpu = build_adapter(s, "a", "m3", ADAPTER_INTEGRATED);
        build_memory(gpu, 20 * MIB, 10 * MIB);
        build_use(build_process(s, 1, "m", CLASS_LLM), gpu, 6 * MIB, 0);
        gpu->memory.unattributed_bytes = measured_unknown(rows[i].why_not);
        struct memory_map map = {.known = false};
        memory_map_build(&map, s, gpu);
        assert_int_equal(map.bar.count, 3);
        assert_int_equal(map.bar.items[1].class, SEGMENT_UNATTRIBUTED);
        assert_int_equal(map.bar.items[1].bytes, 4 * MIB);
        char words[UNITS_SIZE];
        segment_bytes_words(&map.bar.items[1], words);
        assert_string_equal(words, rows[i].words);
        memory_map_free(&map);
        snapshot_drop(&s);
    }
}

static void test_unified(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *apu = build_adapter(s, "a", "apu", ADAPTER_INTEGRATED);
    build_memory(apu, 20 * MIB, 10 * MIB);
    apu->memory.unified = true;
    apu->memory.shared_total_bytes = build_bytes(80 * MIB);
    apu->memory.shared_used_bytes = build_bytes(30 * MIB);
    struct gpu_use *use = build_use(build_process(s, 1, "m", CLASS_LLM), apu, 5 * MIB, 0);
    use->shared_bytes = build_bytes(25 * MIB);
    use->spill_bytes = measured_unknown(REASON_unified_memory);
    check(s, apu, "models m s 30, unattributed unattributed u 10, free free f 60", 0);
    struct memory_map map = {.known = false};
    memory_map_build(&map, s, apu);
    assert_int_equal(map.spill.count, 0);
    assert_int_equal(map.used_bytes.value, (int64_t)(40 * MIB));
    memory_map_free(&map);
    snapshot_drop(&s);
}

static void test_spill(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 50 * MIB);
    card->memory.shared_used_bytes = build_bytes(30 * MIB);
    build_use(build_process(s, 1, "a", CLASS_GAME), card, 50 * MIB, 0)->spill_bytes =
        build_bytes(20 * MIB);
    build_use(build_process(s, 2, "b", CLASS_GAME), card, 0, 0)->spill_bytes = build_bytes(0);
    struct memory_map map = {.known = false};
    char text[512];
    memory_map_build(&map, s, card);
    describe(&map.spill, text, sizeof text);
    assert_string_equal(text, "games a s 20, unattributed unattributed u 10");
    memory_map_free(&map);
    snapshot_drop(&s);
}

/* A divided GPU shows what its instances hold. */
static void test_mig_parent(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    build_memory(card, 100 * MIB, 50 * MIB);
    struct adapter *instance = build_adapter(s, "uuid:MIG-1", "MIG", ADAPTER_MIG);
    instance->parent = card->id;
    build_memory(instance, 50 * MIB, 45 * MIB);
    build_use(build_process(s, 1, "a", CLASS_LLM), instance, 40 * MIB, 0);
    check(s, instance, "models a s 40, unattributed unattributed u 5, free free f 5", 0);
    check(s, card, "models a s 40, unattributed unattributed u 10, free free f 50", 0);
    snapshot_drop(&s);
}

static void test_absurd_numbers(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct adapter *card = build_adapter(s, "a", "card", ADAPTER_DISCRETE);
    card->memory.vram_total_bytes = measured_known(INT64_MAX);
    card->memory.vram_used_bytes = measured_known(INT64_MAX);
    card->memory.vram_reserved_bytes = measured_known(INT64_MAX);
    card->memory.shared_used_bytes = measured_known(INT64_MAX);
    for (int i = 0; i < 4; i++) {
        struct gpu_use *use = build_use(build_process(s, i + 1, "a", CLASS_GAME), card, 0, 0);
        use->vram_bytes = measured_known(INT64_MAX);
        use->spill_bytes = measured_known(INT64_MAX);
    }
    struct memory_map map = {.known = false};
    struct memory_bar bar = {.width = 0};
    memory_map_build(&map, s, card);
    assert_int_equal(sum(&map.bar), INT64_MAX);
    memory_bar_build(&bar, &map.bar, 40, 8);
    memory_bar_free(&bar);
    memory_map_free(&map);
    snapshot_drop(&s);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

/* What must hold for every bar: steps sum to the width, every segment is seen, no bytes are lost.
 */
static void check_bar(const struct memory_bar *bar, const struct segment_list *list)
{
    size_t steps = 0;
    int64_t bytes = 0;
    size_t joined = 0, total = 0;
    for (size_t i = 0; i < bar->segment_count; i++) {
        bool seen = false;
        assert_true(bar->segment_steps[i] > 0);
        steps += bar->segment_steps[i];
        bytes += bar->segments[i].bytes;
        joined += bar->segments[i].joined > 0 ? bar->segments[i].joined : 1;
        for (size_t c = 0; c < bar->width; c++)
            seen |= bar->cells[c].left == i || bar->cells[c].right == i;
        assert_true(seen);
    }
    for (size_t c = 0; c < bar->width; c++) {
        const struct bar_cell *cell = &bar->cells[c];
        assert_true(cell->left <= cell->right && cell->right < bar->segment_count);
        assert_true(cell->left_steps >= 1 && cell->left_steps <= bar->steps);
        assert_true((cell->left == cell->right) == (cell->left_steps == bar->steps));
        total += bar->steps;
    }
    assert_int_equal(steps, bar->width * bar->steps);
    assert_int_equal(total, steps);
    assert_int_equal(bytes, list->total_bytes);
    assert_int_equal(joined, list->count);
}

static void test_bar_properties(void **state)
{
    uint64_t seed = 42;
    struct segment_list list = {.count = 0};
    struct memory_bar bar = {.width = 0};
    (void)state;
    list.items = calloc(200, sizeof *list.items);
    for (int round = 0; round < 20000; round++) {
        list.count = 1 + next_random(&seed) % (round % 10 == 0 ? 200 : 14);
        list.total_bytes = 0;
        size_t class = 0;
        for (size_t i = 0; i < list.count; i++) {
            uint64_t magnitude = next_random(&seed) % 36;
            int64_t bytes = 1 + (int64_t)(next_random(&seed) % (1ULL << magnitude));
            if (class + 1 < SEGMENT_UNATTRIBUTED && next_random(&seed) % 3 == 0)
                class ++;
            list.items[i] = (struct segment){.class = (enum segment_class) class, .bytes = bytes};
            list.total_bytes += bytes;
        }
        if (next_random(&seed) % 2 == 0) {
            list.items[list.count - 1].class = SEGMENT_FREE;
            list.items[list.count - 1].pattern = PATTERN_FREE;
        }
        size_t steps = next_random(&seed) % 3 == 0 ? 1 : 8;
        memory_bar_build(&bar, &list, 1 + next_random(&seed) % 130, steps);
        check_bar(&bar, &list);
    }
    memory_bar_free(&bar);
    free(list.items);
}

/* Largest remainder, by hand: 10 cells over 50, 26, 24. */
static void test_bar_shares(void **state)
{
    struct segment items[] = {{.class = SEGMENT_MODEL, .bytes = 50},
                              {.class = SEGMENT_GAME, .bytes = 26},
                              {.class = SEGMENT_FREE, .bytes = 24}};
    struct segment_list list = {.items = items, .count = 3, .total_bytes = 100};
    struct memory_bar bar = {.width = 0};
    (void)state;
    memory_bar_build(&bar, &list, 10, 1);
    assert_int_equal(bar.segment_steps[0], 5);
    assert_int_equal(bar.segment_steps[1], 3);
    assert_int_equal(bar.segment_steps[2], 2);
    memory_bar_build(&bar, &list, 10, 8);
    assert_int_equal(bar.segment_steps[0], 40);
    assert_int_equal(bar.segment_steps[1], 21); /* 20.8 */
    assert_int_equal(bar.segment_steps[2], 19); /* 19.2 */
    assert_int_equal(bar.cells[7].left, 1);
    assert_int_equal(bar.cells[7].right, 2);
    assert_int_equal(bar.cells[7].left_steps, 5);
    memory_bar_free(&bar);
}

static void test_bar_joins_small(void **state)
{
    struct segment items[] = {{.class = SEGMENT_MODEL, .bytes = 100000},
                              {.class = SEGMENT_OTHER, .bytes = 3000},
                              {.class = SEGMENT_OTHER, .bytes = 2, .pattern = PATTERN_GUESS},
                              {.class = SEGMENT_OTHER, .bytes = 1},
                              {.class = SEGMENT_UNATTRIBUTED, .bytes = 1},
                              {.class = SEGMENT_FREE, .bytes = 50000}};
    struct segment_list list = {.items = items, .count = 6, .total_bytes = 153004};
    struct memory_bar bar = {.width = 0};
    char label[SEGMENT_LABEL_SIZE];
    (void)state;
    memory_bar_build(&bar, &list, 50, 8);
    assert_int_equal(bar.segment_count, 5);
    segment_label(&bar.segments[2], label);
    assert_string_equal(label, "2 more");
    assert_int_equal(bar.segments[2].bytes, 3);
    assert_int_equal(bar.segments[2].pattern, PATTERN_GUESS); /* the less certain of the two */
    check_bar(&bar, &list);
    memory_bar_build(&bar, &list, 2, 1); /* more segments than cells */
    check_bar(&bar, &list);
    memory_bar_build(&bar, &list, 0, 8);
    assert_int_equal(bar.width, 0);
    memory_bar_free(&bar);
}

static void test_labels_behind_one_another(void **state)
{
    (void)state;
    struct snapshot *s = build_snapshot();
    struct process *llm = build_process(s, 1, "server", CLASS_LLM);
    struct process *other = build_process(s, 2, "other", CLASS_LLM);
    struct model *model = build_model(s, llm, "M", NULL);
    struct segment weights = {.part = PART_WEIGHTS, .process = llm, .model = model};
    struct segment cache = {.part = PART_KV_CACHE, .process = llm, .model = model};
    struct segment rest = {.part = PART_UNEXPLAINED, .process = llm};
    struct segment whole = {.process = other};
    char label[SEGMENT_LABEL_SIZE];
    segment_label(&weights, label);
    assert_string_equal(label, "M weights");
    segment_label_after(&cache, &weights, label);
    assert_string_equal(label, "KV cache");
    segment_label_after(&rest, &cache, label);
    assert_string_equal(label, "unexplained");
    segment_label_after(&rest, &whole, label);
    assert_string_equal(label, "server unexplained");
    segment_label_after(&whole, &rest, label);
    assert_string_equal(label, "other");
    snapshot_drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_parts),
        cmocka_unit_test(test_size_order_is_stable),
        cmocka_unit_test(test_parts_are_cut_at_the_edge),
        cmocka_unit_test(test_parts_without_bytes),
        cmocka_unit_test(test_two_moments),
        cmocka_unit_test(test_unknown_use),
        cmocka_unit_test(test_matched),
        cmocka_unit_test(test_wsl),
        cmocka_unit_test(test_unified),
        cmocka_unit_test(test_rest_that_nobody_can_tell),
        cmocka_unit_test(test_spill),
        cmocka_unit_test(test_mig_parent),
        cmocka_unit_test(test_absurd_numbers),
        cmocka_unit_test(test_bar_properties),
        cmocka_unit_test(test_bar_shares),
        cmocka_unit_test(test_bar_joins_small),
        cmocka_unit_test(test_labels_behind_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
