#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/fatal.h"
#include "snapshot/equal.h"
#include "snapshot/json.h"
#include "snapshot_random.h"

static struct snapshot *read_text(const char *json, struct problem *problem)
{
    return snapshot_read(json, strlen(json), "file.json", 1, NULL, problem);
}

/* NUL-terminated; free() it. */
static char *written(const struct snapshot *snapshot, bool pretty)
{
    struct buffer out = {0};
    snapshot_write(snapshot, pretty, &out);
    char *text = memory_new(out.size + 1);
    memcpy(text, out.bytes, out.size);
    buffer_free(&out);
    return text;
}

static void assert_round_trip(const struct snapshot *snapshot, bool pretty, unsigned seed)
{
    struct buffer out = {0}, again = {0};
    struct problem problem = {""};
    snapshot_write(snapshot, pretty, &out);
    struct snapshot *back = snapshot_read(out.bytes, out.size, "written", 1, NULL, &problem);
    if (!back) {
        fail_msg("seed %u: %s", seed, problem.text);
    }
    if (!snapshot_equal(snapshot, back, &problem)) {
        fail_msg("seed %u: %s", seed, problem.text);
    }
    snapshot_write(back, pretty, &again);
    assert_int_equal(out.size, again.size);
    assert_memory_equal(out.bytes, again.bytes, out.size);
    buffer_free(&out);
    buffer_free(&again);
    snapshot_drop(&back);
}

static void test_random_round_trips(void **state)
{
    (void)state;
    struct snapshot_pool *pool = snapshot_pool_new();
    for (unsigned seed = 0; seed < 150; seed++) {
        struct snapshot *snapshot = random_snapshot(pool, seed);
        assert_round_trip(snapshot, seed % 2 == 0, seed);
        snapshot_drop(&snapshot);
    }
    snapshot_pool_free(&pool);
}

/* The comparison must see a change of any member, or the round trips prove nothing. */
static void test_comparison_sees_differences(void **state)
{
    (void)state;
    unsigned different = 0;
    for (unsigned seed = 0; seed < 50; seed++) {
        struct snapshot *a = random_snapshot(NULL, seed);
        struct snapshot *b = random_snapshot(NULL, seed);
        struct snapshot *c = random_snapshot(NULL, seed + 1000);
        struct problem problem = {""};
        assert_true(snapshot_equal(a, b, &problem));
        different += !snapshot_equal(a, c, &problem);
        if (b->adapter_count > 0) {
            struct figure *load_a = &a->adapters[a->adapter_count - 1].load_percent;
            struct figure *load_b = &b->adapters[b->adapter_count - 1].load_percent;
            *load_a = figure_known(1, HOW_REPORTED);
            *load_b = figure_known(1, HOW_MEASURED);
            assert_false(snapshot_equal(a, b, &problem));
            assert_non_null(strstr(problem.text, "load_percent differs"));
            *load_a = figure_unknown(REASON_stale);
            *load_b = figure_unknown(REASON_starting);
            assert_false(snapshot_equal(a, b, &problem));
            *load_b = *load_a;
            assert_true(snapshot_equal(a, b, &problem));
        }
        snapshot_drop(&a);
        snapshot_drop(&b);
        snapshot_drop(&c);
    }
    assert_int_equal(different, 50);
}

static void test_extreme_reals(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {96, "96"},
        {50.2, "50.2"},
        {-50.25, "-50.25"},
        {0.000001, "0.000001"},
        {0.0000004, "0"},
        {-0.0000004, "0"},
        {0.9999999, "1"},
        {1.0 / 3, "0.333333"},
        {99.9999995, "100"},
        {8123.25, "8123.25"},
        {4294967296.123457, "4294967296.123457"},
        {9007199254740992.0, "9007199254740992"},
        {9223372036854774784.0, "9223372036854774784"},
        {1e19, "10000000000000000000.0"},
        {1e22, "10000000000000000000000.0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct snapshot *snapshot = snapshot_new(NULL);
        char want[80];
        snapshot->monotonic_seconds =
            (struct figure){.value = cases[i].value, .how = HOW_MEASURED}; /* not rounded yet */
        char *out = written(snapshot, false);
        snprintf(want, sizeof want, "\"monotonic_seconds\":%s,", cases[i].text);
        if (!strstr(out, want)) {
            fail_msg("%s is missing", want);
        }
        free(out);
        snapshot_drop(&snapshot);
    }
}

/* Rounded, written and read, a number stays what it is, of any size. */
static void test_rounding_is_final(void **state)
{
    (void)state;
    uint64_t dice = 88172645463325252U;
    for (int i = 0; i < 200000; i++) {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        double value = ldexp((double)(dice >> 11), (int)(dice % 60) - 70);
        double once = figure_round(value), again;
        char text[64];
        snprintf(text, sizeof text, "%.6f", once);
        again = strtod(text, NULL);
        if (figure_round(once) != once || again != once) {
            fail_msg("%.17g: %.17g, then %.17g", value, once, again);
        }
    }
}

/* A machine with one AMD card and one process, as docs/snapshot.md shows it. */
static struct snapshot *hand_written(void)
{
    struct snapshot *snapshot = snapshot_new(NULL);
    struct arena *arena = snapshot->arena;
    snapshot->version = TEXT("0.1.0");
    snapshot->origin = ORIGIN_RECORDED_MACHINE;
    snapshot->taken_at_ns = 1795953600250000000; /* 2026-11-29 12:00:00.25 */
    snapshot->monotonic_seconds = figure_known(8123.25, HOW_MEASURED);
    snapshot->interval_seconds = figure_unknown(REASON_need_two_samples);
    snapshot->host.os = TEXT("linux");
    snapshot->host.cpu_count = measured_known(16);

    struct adapter *adapter = ARENA_NEW(arena, struct adapter);
    snapshot->adapters = adapter;
    snapshot->adapter_count = 1;
    adapter->id = TEXT("pci:0000:03:00.0");
    adapter->has_pci_ids = true;
    adapter->pci_vendor = TEXT("1002");
    adapter->pci_device = TEXT("747e");
    adapter->kind = ADAPTER_DISCRETE;
    adapter->kind_how = HOW_INFERRED;
    adapter->power_state = POWER_ACTIVE;
    adapter->memory.vram_total_bytes = measured_known(17163091968);
    adapter->memory.vram_reserved_bytes = measured_unknown(REASON_not_supported);
    adapter->load_percent = figure_known(96, HOW_REPORTED);
    adapter->engines_percent[ENGINE_video] = figure_unknown(REASON_not_permitted);
    adapter->throttle_reasons.known = true;
    adapter->throttle_how = HOW_REPORTED;
    adapter->compute_list_state = (struct list_state){true, REASON_call_failed};

    struct process *process = ARENA_NEW(arena, struct process);
    snapshot->processes = process;
    snapshot->process_count = 1;
    process->identity = identity_make(NAMESPACE_LOCAL, 4242, 181237);
    process->id = TEXT("local/4242/181237");
    process->pid = 4242;
    process->label = TEXT("4242");
    process->start_time_ns = TIME_UNKNOWN;
    process->class = CLASS_LLM;
    process->cpu_percent = figure_known(103.1, HOW_MEASURED);
    process->ram_bytes = measured_known(0);
    process->parent_pid = measured_known(1);
    struct gpu_use *use = ARENA_NEW(arena, struct gpu_use);
    process->gpus = use;
    process->gpu_count = 1;
    use->adapter = measured_known(0);
    use->adapter_id = adapter->id;
    use->type = GPU_USE_COMPUTE;
    use->vram_bytes = measured_unknown(REASON_shared_client);
    reason_set_add(&use->vram_unattributed_reasons, REASON_shared_buffers);
    reason_set_add(&use->vram_unattributed_reasons, REASON_shared_client);
    use->vram_inferred_bytes = figure_known(9663688704, HOW_INFERRED);
    use->inferred_by = INFERRED_MATCHED;
    struct model *model = ARENA_NEW(arena, struct model);
    process->models = model;
    process->model_count = 1;
    model->name = TEXT("Qwen3-32B");
    model->kind = MODEL_LLM;
    struct model_device *device = ARENA_NEW(arena, struct model_device);
    model->devices = device;
    model->device_count = 1;
    device->device = TEXT("CUDA0");
    device->weights_bytes = figure_known(19851335680, HOW_REPORTED);
    device->kv_cache_bytes = figure_known(1073741824, HOW_ESTIMATED);
    device->estimated_weights_bytes = figure_known(19762149376, HOW_ESTIMATED);
    return snapshot;
}

/* The text by the names of the specification, written out by hand. */
static const char golden[] =
    "{\"schema\":\"gputaskman/1\",\"version\":\"0.1.0\",\"origin\":\"recorded_machine\","
    "\"taken_at\":\"2026-11-29T12:00:00.250000Z\",\"monotonic_seconds\":8123.25,"
    "\"interval_seconds\":null,\"mode\":\"native\","
    "\"host\":{\"name\":null,\"boot_id\":null,\"os\":\"linux\",\"kernel\":null,\"cpu_count\":16,"
    "\"cpu_percent\":null,\"memory_total_bytes\":null,\"memory_used_bytes\":null,"
    "\"swap_total_bytes\":null,\"swap_used_bytes\":null,"
    "\"unavailable\":{\"cpu_percent\":\"not_reported\",\"memory_total_bytes\":\"not_reported\","
    "\"memory_used_bytes\":\"not_reported\",\"swap_total_bytes\":\"not_reported\","
    "\"swap_used_bytes\":\"not_reported\"}},"
    "\"process_status\":{\"scanned\":null,\"gpu_clients\":null,\"unreadable\":null,"
    "\"complete\":false,\"looked_at\":null,\"skipped\":null,\"oldest_look_seconds\":null,"
    "\"advice\":null,\"unavailable\":{\"scanned\":\"not_reported\","
    "\"gpu_clients\":\"not_reported\",\"unreadable\":\"not_reported\","
    "\"looked_at\":\"not_reported\",\"skipped\":\"not_reported\","
    "\"oldest_look_seconds\":\"not_reported\"}},"
    "\"sources\":[],"
    "\"adapters\":[{\"index\":0,\"id\":\"pci:0000:03:00.0\",\"aliases\":[],\"uuid\":null,"
    "\"pci_ids\":{\"vendor\":\"1002\",\"device\":\"747e\",\"subsystem\":null,\"revision\":null},"
    "\"nodes\":null,\"name\":null,\"vendor\":null,\"driver\":null,\"driver_version\":null,"
    "\"kind\":\"discrete\",\"parent\":null,\"power_state\":\"active\","
    "\"memory\":{\"vram_total_bytes\":17163091968,\"vram_used_bytes\":null,"
    "\"vram_free_bytes\":null,\"vram_reserved_bytes\":null,\"shared_total_bytes\":null,"
    "\"shared_used_bytes\":null,\"vram_limit_bytes\":null,\"unified\":false,"
    "\"attributed_bytes\":null,"
    "\"unattributed_bytes\":null,\"shared_attributed_bytes\":null,"
    "\"shared_unattributed_bytes\":null},"
    "\"load_percent\":96,\"driver_load_percent\":null,\"memory_activity_percent\":null,"
    "\"engines_percent\":{\"gfx\":null,\"compute\":null,\"copy\":null,\"decode\":null,"
    "\"encode\":null,\"video\":null,\"enhance\":null,\"jpeg\":null,\"ofa\":null,\"other\":null},"
    "\"pcie\":{\"rx_bytes_per_second\":null,\"tx_bytes_per_second\":null,\"generation\":null,"
    "\"width\":null,\"max_generation\":null,\"max_width\":null},"
    "\"temperatures_celsius\":{\"edge\":null,\"hotspot\":null,\"memory\":null},"
    "\"power_watts\":null,\"power_limit_watts\":null,\"energy_joules\":null,"
    "\"fan_percent\":null,\"fan_rpm\":null,"
    "\"clocks_mhz\":{\"graphics\":null,\"memory\":null,\"sm\":null,\"video\":null},"
    "\"max_clocks_mhz\":{\"graphics\":null,\"memory\":null,\"sm\":null,\"video\":null},"
    "\"performance_state\":null,\"throttle_reasons\":[],"
    "\"errors\":{\"ecc_corrected\":null,\"ecc_uncorrected\":null,\"xid_last\":null,"
    "\"xid_count\":null,\"restarts\":null},"
    "\"unavailable\":{\"memory.vram_used_bytes\":\"not_reported\","
    "\"memory.vram_free_bytes\":\"not_reported\",\"memory.vram_reserved_bytes\":\"not_supported\","
    "\"memory.shared_total_bytes\":\"not_reported\",\"memory.shared_used_bytes\":\"not_reported\","
    "\"memory.attributed_bytes\":\"not_reported\",\"memory.unattributed_bytes\":\"not_reported\","
    "\"memory.shared_attributed_bytes\":\"not_reported\","
    "\"memory.shared_unattributed_bytes\":\"not_reported\","
    "\"memory_activity_percent\":\"not_reported\",\"engines_percent.gfx\":\"not_reported\","
    "\"engines_percent.compute\":\"not_reported\",\"engines_percent.copy\":\"not_reported\","
    "\"engines_percent.decode\":\"not_reported\",\"engines_percent.encode\":\"not_reported\","
    "\"engines_percent.video\":\"not_permitted\",\"engines_percent.enhance\":\"not_reported\","
    "\"engines_percent.jpeg\":\"not_reported\",\"engines_percent.ofa\":\"not_reported\","
    "\"engines_percent.other\":\"not_reported\",\"pcie.rx_bytes_per_second\":\"not_reported\","
    "\"pcie.tx_bytes_per_second\":\"not_reported\",\"pcie.generation\":\"not_reported\","
    "\"pcie.width\":\"not_reported\",\"pcie.max_generation\":\"not_reported\","
    "\"pcie.max_width\":\"not_reported\",\"temperatures_celsius.edge\":\"not_reported\","
    "\"temperatures_celsius.hotspot\":\"not_reported\","
    "\"temperatures_celsius.memory\":\"not_reported\",\"power_watts\":\"not_reported\","
    "\"power_limit_watts\":\"not_reported\",\"energy_joules\":\"not_reported\","
    "\"fan_percent\":\"not_reported\",\"fan_rpm\":\"not_reported\","
    "\"clocks_mhz.graphics\":\"not_reported\",\"clocks_mhz.memory\":\"not_reported\","
    "\"clocks_mhz.sm\":\"not_reported\",\"clocks_mhz.video\":\"not_reported\","
    "\"max_clocks_mhz.graphics\":\"not_reported\",\"max_clocks_mhz.memory\":\"not_reported\","
    "\"max_clocks_mhz.sm\":\"not_reported\",\"max_clocks_mhz.video\":\"not_reported\","
    "\"performance_state\":\"not_reported\",\"errors.ecc_corrected\":\"not_reported\","
    "\"errors.ecc_uncorrected\":\"not_reported\",\"errors.xid_last\":\"not_reported\","
    "\"processes.compute\":\"call_failed\"},"
    "\"not_measured\":{\"kind\":\"inferred\",\"load_percent\":\"reported\","
    "\"throttle_reasons\":\"reported\"}}],"
    "\"processes\":[{\"id\":\"local/4242/181237\",\"pid\":4242,\"namespace\":\"local\","
    "\"label\":\"4242\",\"start_time\":null,\"parent_pid\":1,\"name\":null,\"user\":null,"
    "\"command\":null,\"tracked\":false,\"container\":null,\"class\":\"llm\",\"runtimes\":[],"
    "\"evidence\":[],\"cpu_percent\":103.1,\"ram_bytes\":0,"
    "\"gpus\":[{\"adapter\":0,\"adapter_id\":\"pci:0000:03:00.0\",\"type\":\"compute\","
    "\"vram_bytes\":null,\"shared_bytes\":null,\"spill_bytes\":null,\"committed_bytes\":null,"
    "\"paged_estimated_bytes\":null,\"vram_inferred_bytes\":9663688704,"
    "\"shared_inferred_bytes\":null,\"inferred_by\":\"matched\","
    "\"vram_unattributed_reasons\":[\"shared_client\",\"shared_buffers\"],"
    "\"vram_resident_bytes\":null,\"gtt_resident_bytes\":null,\"kfd_vram_bytes\":null,"
    "\"memory_source\":null,\"vram_compressed_bytes\":null,"
    "\"vram_proof_age_seconds\":null,\"load_percent\":null,\"load_lower_bound\":false,"
    "\"load_inferred_by\":null,"
    "\"engines_percent\":{\"gfx\":null,\"compute\":null,\"copy\":null,\"decode\":null,"
    "\"encode\":null,\"video\":null,\"enhance\":null,\"jpeg\":null,\"ofa\":null,\"other\":null},"
    "\"explained_bytes\":null,\"unexplained_bytes\":null,"
    "\"unavailable\":{\"vram_bytes\":\"shared_client\",\"shared_bytes\":\"not_reported\","
    "\"spill_bytes\":\"not_reported\",\"committed_bytes\":\"not_reported\","
    "\"paged_estimated_bytes\":\"not_reported\",\"vram_resident_bytes\":\"not_reported\","
    "\"gtt_resident_bytes\":\"not_reported\",\"vram_proof_age_seconds\":\"not_reported\","
    "\"load_percent\":\"not_reported\",\"engines_percent.gfx\":\"not_reported\","
    "\"engines_percent.compute\":\"not_reported\",\"engines_percent.copy\":\"not_reported\","
    "\"engines_percent.decode\":\"not_reported\",\"engines_percent.encode\":\"not_reported\","
    "\"engines_percent.video\":\"not_reported\",\"engines_percent.enhance\":\"not_reported\","
    "\"engines_percent.jpeg\":\"not_reported\",\"engines_percent.ofa\":\"not_reported\","
    "\"engines_percent.other\":\"not_reported\"},"
    "\"not_measured\":{\"vram_inferred_bytes\":\"inferred\"},\"clients\":[]}],"
    "\"models\":[{\"name\":\"Qwen3-32B\",\"kind\":\"llm\",\"format\":null,\"path\":null,"
    "\"file_bytes\":null,\"architecture\":null,\"quantization\":null,\"parameters\":null,"
    "\"layers\":null,\"layers_on_gpu\":null,\"context\":null,\"context_trained\":null,"
    "\"slots\":null,\"kv_pool_tokens\":null,\"evidence\":[],"
    "\"devices\":[{\"device\":\"CUDA0\",\"adapter_id\":null,\"weights_bytes\":19851335680,"
    "\"kv_cache_bytes\":1073741824,\"compute_bytes\":null,\"other_bytes\":null,"
    "\"source\":{\"weights\":\"reported\",\"kv_cache\":\"estimated\"},"
    "\"estimated\":{\"weights_bytes\":19762149376}}],\"live\":null}]}],"
    "\"events\":[],\"notes\":[],\"unavailable\":{\"interval_seconds\":\"need_two_samples\"}}";

static void test_golden_text(void **state)
{
    (void)state;
    struct snapshot *snapshot = hand_written();
    char *out = written(snapshot, false);
    assert_string_equal(out, golden);
    assert_round_trip(snapshot, false, 0);
    assert_round_trip(snapshot, true, 0);
    free(out);
    snapshot_drop(&snapshot);
}

static void test_pretty_is_indented(void **state)
{
    (void)state;
    struct snapshot *snapshot = hand_written();
    char *out = written(snapshot, true);
    assert_non_null(strstr(out, "{\n  \"schema\": \"gputaskman/1\",\n  \"version\": \"0.1.0\","));
    assert_non_null(strstr(out, "  \"sources\": [],\n"));
    assert_non_null(strstr(out, "      \"unavailable\": {\n        \"memory.vram_used_bytes\": "
                                "\"not_reported\",\n"));
    assert_non_null(strstr(out, "\n  }\n}"));
    free(out);
    snapshot_drop(&snapshot);
}

/* Nothing that could steer a terminal leaves the writer, and nothing is lost. */
static void test_strings_are_safe_on_a_terminal(void **state)
{
    static const char odd[] = "\x01\x1b[2J\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81\"\\";
    (void)state;
    struct snapshot *snapshot = hand_written();
    snapshot->processes[0].name = (struct text){odd, sizeof odd - 1};
    char *out = written(snapshot, false);
    assert_non_null(strstr(out, "\"name\":\"\\u0001\\u001b[2J\\u007f\\u009b\\u202e\\udb40\\udc01"
                                "\\\"\\\\\""));
    assert_round_trip(snapshot, false, 0);
    free(out);
    snapshot_drop(&snapshot);
}

/* A text that is not valid UTF-8 cannot be made, but must not break the file either. */
static void test_not_finite_is_unavailable(void **state)
{
    (void)state;
    struct snapshot *snapshot = hand_written();
    snapshot->adapters[0].power_watts = (struct figure){.value = NAN, .how = HOW_MEASURED};
    snapshot->adapters[0].name = (struct text){"\xff", 1};
    char *out = written(snapshot, false);
    assert_non_null(strstr(out, "\"power_watts\":null"));
    assert_non_null(strstr(out, "\"power_watts\":\"incredible_value\""));
    assert_non_null(strstr(out, "\"name\":\"\xef\xbf\xbd\""));
    free(out);
    snapshot_drop(&snapshot);
}

#define TOP "{\"schema\": \"gputaskman/1\", \"taken_at\": \"2026-11-29T12:00:00Z\""

static void test_reads_what_others_write(void **state)
{
    (void)state;
    struct problem problem = {""};
    struct snapshot *snapshot =
        read_text(TOP ", \"monotonic_seconds\": 5, \"novelty\": {\"deep\": [1, {}]},\n"
                      "\"processes\": [{\"id\": \"host/7/?\", \"extra\": 1e400}]}",
                  &problem);
    assert_null(snapshot); /* a number that no double holds is refused, known field or not */
    snapshot = read_text(
        TOP ", \"monotonic_seconds\": 5, \"novelty\": {\"deep\": [1, {}]},\n"
            "\"adapters\": [{\"id\": \"pci:1\", \"memory\": {\"vram_used_bytes\": 5.0},"
            " \"unavailable\": {\"engines_percent\": \"device_suspended\", \"x\": \"stale\"},"
            " \"not_measured\": {\"memory.vram_used_bytes\": \"inferred\"}}],\n"
            "\"processes\": [{\"id\": \"host/7/?\", \"extra\": [null]}], \"events\": null}",
        &problem);
    assert_non_null(snapshot);
    assert_true(snapshot->monotonic_seconds.value == 5);
    assert_int_equal(snapshot->monotonic_seconds.how, HOW_MEASURED);
    const struct adapter *adapter = &snapshot->adapters[0];
    assert_int_equal(adapter->memory.vram_used_bytes.value, 5);
    assert_int_equal(adapter->engines_percent[ENGINE_copy].why_not, REASON_device_suspended);
    assert_int_equal(adapter->load_percent.why_not, REASON_not_reported);
    assert_false(adapter->processes_state.unknown);
    const struct process *process = &snapshot->processes[0];
    assert_int_equal(process->pid, 7);
    assert_int_equal(process->space, NAMESPACE_HOST);
    assert_true(process->identity.start_stamp == IDENTITY_NO_STAMP);
    assert_int_equal(process->start_time_ns, TIME_UNKNOWN);
    assert_int_equal(snapshot->event_count, 0);
    snapshot_drop(&snapshot);
}

/* A newer program may use words that this one does not know; the same program may not. */
static void test_reads_newer_minor(void **state)
{
    static const char *const accepted[] = {
        "{\"schema\": \"gputaskman/1.3\", \"taken_at\": \"2026-11-29T12:00:00Z\","
        "\"version\": \"0.1.0\", \"processes\": [{\"id\": \"local/1/2\", \"class\": \"dreaming\","
        "\"gpus\": [{\"unavailable\": {\"load_percent\": \"too_shy\"},"
        "\"vram_unattributed_reasons\": [\"too_shy\"]}]}]}",
        "{\"schema\": \"gputaskman/1\", \"taken_at\": \"2026-11-29T12:00:00Z\","
        "\"version\": \"999.0\", \"processes\": [{\"id\": \"local/1/2\", \"class\": "
        "\"dreaming\"}]}",
    };
    static const char *const refused[] = {
        "{\"schema\": \"gputaskman/1\", \"taken_at\": \"2026-11-29T12:00:00Z\","
        "\"version\": \"0.0.9\", \"processes\": [{\"id\": \"local/1/2\", \"class\": "
        "\"dreaming\"}]}",
        "{\"schema\": \"gputaskman/10\", \"taken_at\": \"2026-11-29T12:00:00Z\"}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct problem problem = {""};
        struct snapshot *snapshot = read_text(accepted[i], &problem);
        if (!snapshot) {
            fail_msg("%s", problem.text);
        }
        assert_int_equal(snapshot->processes[0].class, CLASS_OTHER);
        snapshot_drop(&snapshot);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct problem problem = {""};
        assert_null(read_text(refused[i], &problem));
    }
}

static void test_malformed(void **state)
{
    static const struct {
        const char *json, *problem; /* the beginning of the message, or all of it */
    } cases[] = {
        {"", "file.json:1:1: '[' or '{' expected near end of file"},
        {"{\"schema\": \"gputaskman/1\"\n", "file.json:2:1: '}' expected near end of file"},
        {"{\"schema\": \"gputaskman/1\",\n \"a\": tru}", "file.json:2:9: invalid token near 'tru'"},
        {"{} {}", "file.json:1:4: end of file expected near '{'"},
        {"[]", "file.json:1:1: this is no snapshot: it must be an object, not a list"},
        {"{}", "file.json:1:1: this is no gputaskman snapshot: it has no \"schema\""},
        {"{\n\"schema\": 1}", "file.json:2:11: schema must be a text, not an integer"},
        {"{\"schema\": \"other/1\"}",
         "file.json:1:12: schema is 'other/1': this is no gputaskman snapshot (gputaskman/1)"},
        {"{\"schema\": \"gputaskman/2\"}",
         "file.json:1:12: schema is 'gputaskman/2': this program reads gputaskman/1; use the "
         "gputaskman that wrote it"},
        {"{\"schema\": \"gputaskman/1\"}", "file.json:1:1: has no \"taken_at\""},
        {"{\"schema\": \"gputaskman/1\", \"taken_at\": \"yesterday\"}",
         "file.json:1:40: taken_at 'yesterday' is no time like 2026-11-29T12:00:00.25Z"},
        {TOP ", \"mode\": \"native\", \"mode\": \"wsl\"}",
         "file.json:1:87: duplicate object key near '\"mode\"'"},
        {TOP ",\n\"mode\": \"dreaming\"}",
         "file.json:2:9: mode 'dreaming' is not one of native, container, wsl, windows, macos"},
        {TOP ",\n\"mode\": null}", "file.json:2:9: mode must not be null"},
        {TOP ",\n\"host\": []}", "file.json:2:9: host must be an object, not a list"},
        {TOP ",\n\"host\": {\"cpu_count\": \"16\"}}",
         "file.json:2:23: host.cpu_count must be an integer, not a text"},
        {TOP ",\n\"host\": {\"cpu_count\": 1.5}}",
         "file.json:2:23: host.cpu_count must be an integer"},
        {TOP ",\n\"host\": {\"cpu_count\": 99999999999999999999}}",
         "file.json:2:42: too big integer near '99999999999999999999'"},
        {TOP ",\n\"host\": {\"name\": 5}}",
         "file.json:2:18: host.name must be a text, not an integer"},
        {TOP ",\n\"host\": {\"cpu_percent\": true}}",
         "file.json:2:25: host.cpu_percent must be a number, not true"},
        {TOP ",\n\"adapters\": {}}", "file.json:2:13: adapters must be a list, not an object"},
        {TOP ",\n\"adapters\": [{\"id\": \"a\"}, 7]}",
         "file.json:2:27: adapters[1] must be an object, not an integer"},
        {TOP ",\n\"adapters\": [{}]}", "file.json:2:14: adapters[0] has no \"id\""},
        {TOP ",\n\"adapters\": [{\"id\": \"a\",\n  \"memory\": {\"unified\": 1}}]}",
         "file.json:3:25: adapters[0].memory.unified must be true or false, not an integer"},
        {TOP ",\n\"adapters\": [{\"id\": \"a\", \"unavailable\": {\"power_watts\": \"shy\"}}]}",
         "file.json:2:57: adapters[0].unavailable.power_watts 'shy' is no reason code"},
        {TOP ",\n\"adapters\": [{\"id\": \"a\", \"unavailable\": 1}]}",
         "file.json:2:41: adapters[0].unavailable must be an object, not an integer"},
        {TOP ",\n\"adapters\": [{\"id\": \"a\", \"not_measured\": {\"kind\": \"felt\"}}]}",
         "file.json:2:51: adapters[0].not_measured.kind 'felt' is not one of unavailable, "
         "measured, reported, estimated, inferred"},
        {TOP ",\n\"adapters\": [{\"id\": \"a\", \"nodes\": [\"x\", null]}]}",
         "file.json:2:41: adapters[0].nodes[1] must be a text, not null"},
        {TOP ",\n\"processes\": [{\"id\": \"4242\"}]}",
         "file.json:2:22: processes[0].id '4242' is no identity like local/4242/181237"},
        {TOP ",\n\"processes\": [{\"id\": \"local/1/2\"},\n {\"name\": \"\xc3\xa9\", \"id\": 3}]}",
         "file.json:3:22: processes[1].id must be a text, not an integer"},
        {TOP ",\n\"processes\": [{\"id\": \"local/1/2\", \"gpus\": [{\"vram_bytes\": \"1\"}]}]}",
         "file.json:2:59: processes[0].gpus[0].vram_bytes must be an integer, not a text"},
        {TOP ",\n\"processes\": [{\"id\": \"local/1/2\", \"gpus\": [{\"vram_bytes\": -1}]}]}",
         "file.json:2:59: processes[0].gpus[0].vram_bytes must not be negative"},
        {TOP ",\n\"host\": {\"cpu_percent\": -0.5}}",
         "file.json:2:25: host.cpu_percent must not be negative"},
        {TOP ",\n\"processes\": [{\"id\": \"local/1/2\", \"gpus\": [{\"clients\": "
             "[{\"resident_bytes\": {\"vram\": -5}}]}]}]}",
         "file.json:2:85: processes[0].gpus[0].clients[0].resident_bytes.vram must not be "
         "negative"},
        {TOP ",\n\"processes\": [{\"id\": \"local/1/2\", \"gpus\": [{\"clients\": "
             "[{\"resident_bytes\": {\"vram\": \"5\"}}]}]}]}",
         "file.json:2:85: processes[0].gpus[0].clients[0].resident_bytes.vram must be an integer, "
         "not a text"},
        {TOP ",\n\"processes\": [{\"id\": \"local/1/2\", \"models\": [{\"devices\": "
             "[{\"source\": {\"weights\": 5}}]}]}]}",
         "file.json:2:82: processes[0].models[0].devices[0].source.weights must be a text, "
         "not an integer"},
        {TOP ",\n\"events\": [{\"at\": 5}]}", "file.json:2:19: events[0].at must be a time, "
                                              "not an integer"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem = {""};
        struct snapshot *snapshot = read_text(cases[i].json, &problem);
        assert_null(snapshot);
        if (strncmp(problem.text, cases[i].problem, strlen(cases[i].problem)) != 0) {
            fail_msg("%s\n  gives %s\n  not   %s", cases[i].json, problem.text, cases[i].problem);
        }
    }
}

static void test_first_line_counts(void **state)
{
    (void)state;
    static const char json[] = "{\"schema\":\n 5}";
    struct problem problem = {""};
    assert_null(snapshot_read(json, sizeof json - 1, "recording.jsonl", 17, NULL, &problem));
    assert_string_equal(problem.text,
                        "recording.jsonl:18:2: schema must be a text, not an integer");
}

/* `count` times `item` between the two ends. */
static char *repeated(const char *before, const char *item, size_t count, const char *after)
{
    size_t length = strlen(item), head = strlen(before);
    char *text = memory_new(head + count * length + strlen(after) + 1);
    memcpy(text, before, head);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + head + i * length, item, length);
    }
    memcpy(text + head + count * length, after, strlen(after));
    return text;
}

static void test_hostile(void **state)
{
    static const struct {
        const char *before, *item;
        size_t count;
        const char *after, *problem;
    } cases[] = {
        {TOP ", \"adapters\": [{\"id\":\"a\"}", ",{\"id\":\"a\"}", 1024, "]}",
         "adapters has 1025 items; at most 1024 are read"},
        {TOP ", \"processes\": [{}", ",{}", 1000000, "]}",
         "processes has 1000001 items; at most 1000000 are read"},
        {TOP ", \"version\": \"", "x", (1 << 20) + 1, "\"}", "version is longer than 1 MiB"},
        {TOP ", \"novelty\": ", "[", 100000, "", "maximum parsing depth reached"},
        {TOP ", \"host\": {\"name\": \"", "\\", 100001, "", "invalid escape"},
        {TOP ", \"processes\": [{\"id\":\"local/1/1\",\"gpus\":[{}", ",{}", 1024, "]}]}",
         "gpus has 1025 items"},
        {TOP ", \"processes\": [{\"id\":\"local/1/1\"}",
         ",{\"id\":\"local/1/1\",\"gpus\":[{},{},{},{},{},{},{},{},{},{}]}", 40000, "]}",
         "makes the snapshot too large"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem = {""};
        char *json = repeated(cases[i].before, cases[i].item, cases[i].count, cases[i].after);
        assert_null(read_text(json, &problem));
        if (!strstr(problem.text, cases[i].problem)) {
            fail_msg("case %zu gives %s", i, problem.text);
        }
        free(json);
    }
}

/* A file cut anywhere is refused, and names a place inside it. */
static void test_torn(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof golden - 1; size += 5) {
        struct problem problem = {""};
        assert_null(snapshot_read(golden, size, "torn", 1, NULL, &problem));
        assert_non_null(strstr(problem.text, "torn:1:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_round_trips),
        cmocka_unit_test(test_comparison_sees_differences),
        cmocka_unit_test(test_extreme_reals),
        cmocka_unit_test(test_rounding_is_final),
        cmocka_unit_test(test_golden_text),
        cmocka_unit_test(test_pretty_is_indented),
        cmocka_unit_test(test_strings_are_safe_on_a_terminal),
        cmocka_unit_test(test_not_finite_is_unavailable),
        cmocka_unit_test(test_reads_what_others_write),
        cmocka_unit_test(test_reads_newer_minor),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_first_line_counts),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
