#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/events.h"

#define MIB (1LL << 20)

/* One snapshot of a machine with one adapter and at most one process. Figures of 0 are known zeros;
 * UNKNOWN is unknown. */
enum { UNKNOWN = -1 };
struct picture {
    enum power_state power;
    bool no_adapter, lists_unknown, graphics_unknown, unified;
    enum source_state source;      /* SOURCE_ABSENT: none is listed */
    int64_t used, reserved, total; /* per cent of 16 GiB, of the adapter's memory */
    int64_t shared_used, shared_total;
    int throttle; /* reasons */
    int64_t xid, ecc, xids, restarts;
    bool counts_differ;  /* as on macOS */
    int seconds;         /* since the picture before; 0: 1 */
    uint64_t stamp;      /* of the process; 0: no process */
    int64_t vram, spill; /* MiB */
    const char *models[3], *paths[3];
    bool models_unknown;
    bool first;         /* given without a snapshot before */
    const char *events; /* expected, separated by blanks; NULL: none */
};

#define ON .power = POWER_ACTIVE
#define RUNS ON, .stamp = 100

static struct measured figure_of(int64_t value, int64_t unit)
{
    return value == UNKNOWN ? measured_unknown(REASON_stale) : measured_known(value * unit);
}

static void add_adapter(struct snapshot *snapshot, const struct picture *picture)
{
    static const struct text reasons[] = {{"power", 5}, {"thermal", 7}};
    struct adapter *adapter = ARENA_NEW(snapshot->arena, struct adapter);
    snapshot->adapters = adapter;
    snapshot->adapter_count = 1;
    adapter->id = TEXT("pci:0000:03:00.0");
    adapter->power_state = picture->power;
    adapter->processes_state.unknown = picture->lists_unknown;
    adapter->graphics_list_state.unknown = picture->graphics_unknown;
    adapter->memory.unified = picture->unified;
    if (picture->counts_differ)
        adapter->memory.unattributed_bytes = measured_unknown(REASON_counts_differ);
    adapter->memory.vram_used_bytes = figure_of(picture->used, 16384 * MIB / 100);
    adapter->memory.vram_reserved_bytes = figure_of(picture->reserved, 16384 * MIB / 100);
    adapter->memory.vram_total_bytes =
        figure_of(picture->total ? picture->total : 100, 16384 * MIB / 100);
    adapter->memory.shared_used_bytes = figure_of(picture->shared_used, 16384 * MIB / 100);
    adapter->memory.shared_total_bytes = figure_of(picture->shared_total, 16384 * MIB / 100);
    adapter->throttle_reasons.known = picture->throttle != UNKNOWN;
    adapter->throttle_reasons.items = reasons;
    adapter->throttle_reasons.count = picture->throttle > 0 ? (size_t)picture->throttle : 0;
    if (picture->xid != UNKNOWN) {
        adapter->errors.xid_last = figure_known((double)picture->xid, HOW_MEASURED);
        adapter->errors.xid_count = figure_known((double)picture->xids, HOW_MEASURED);
        adapter->errors.ecc_uncorrected = figure_known((double)picture->ecc, HOW_MEASURED);
        adapter->errors.restarts = figure_known((double)picture->restarts, HOW_REPORTED);
    }
}

static void add_process(struct snapshot *snapshot, const struct picture *picture)
{
    struct process *process = ARENA_NEW(snapshot->arena, struct process);
    char id[IDENTITY_ID_SIZE];
    snapshot->processes = process;
    snapshot->process_count = 1;
    process->identity = identity_make(NAMESPACE_LOCAL, 4242, picture->stamp);
    identity_format(process->identity, id);
    process->id = text_from_raw(snapshot->arena, raw_from_string(id));
    process->label = TEXT("4242");
    process->name = TEXT("llama-server");
    struct gpu_use *use = ARENA_NEW(snapshot->arena, struct gpu_use);
    process->gpus = use;
    process->gpu_count = 1;
    use->adapter_id = TEXT("pci:0000:03:00.0");
    use->vram_bytes = figure_of(picture->vram, MIB);
    use->spill_bytes = figure_of(picture->spill, MIB);
    process->models = ARENA_ARRAY(snapshot->arena, struct model, 3);
    while (process->model_count < 3 && picture->models[process->model_count]) {
        const char *name = picture->models[process->model_count];
        const char *path = picture->paths[process->model_count];
        struct model *model = &process->models[process->model_count++];
        model->name = (struct text){name, strlen(name)};
        model->path = path ? (struct text){path, strlen(path)} : TEXT_NONE;
    }
    process->models_known = !picture->models_unknown;
}

/* `seconds` is moved on to when it is taken. */
static struct snapshot *draw(const struct picture *picture, int64_t *seconds)
{
    *seconds += picture->seconds ? picture->seconds : 1;
    struct snapshot *snapshot = snapshot_new(NULL);
    snapshot->taken_at_ns = 1795953600000000000 + *seconds * 1000000000;
    snapshot->monotonic_seconds = figure_known((double)*seconds, HOW_MEASURED);
    snapshot->interval_seconds = figure_known(1, HOW_MEASURED);
    if (picture->source != SOURCE_ABSENT) {
        snapshot->sources = ARENA_NEW(snapshot->arena, struct source_status);
        snapshot->sources->state = picture->source;
        snapshot->source_count = 1;
    }
    if (!picture->no_adapter) {
        add_adapter(snapshot, picture);
    }
    if (picture->stamp) {
        add_process(snapshot, picture);
    }
    return snapshot;
}

static const struct {
    const char *name;
    struct picture pictures[7]; /* ends with one whose power and adapter are not set */
} cases[] = {
    {"a first look is no event", {{RUNS, .spill = 900, .used = 99, .throttle = 1}}},
    {"a process starts and ends",
     {{ON}, {RUNS, .events = "process_started"}, {RUNS}, {ON, .events = "process_exited"}, {ON}}},
    {"a reused pid is another process",
     {{RUNS}, {ON, .stamp = 200, .events = "process_exited process_started"}}},
    {"an unknown list ends nothing",
     {{RUNS}, {ON, .lists_unknown = true}, {ON, .graphics_unknown = true}, {RUNS}}},
    {"an end in a gap is told after it",
     {{RUNS}, {ON, .lists_unknown = true}, {ON, .events = "process_exited"}}},
    {"who appears after a gap may have been there",
     {{ON, .lists_unknown = true}, {RUNS}, {ON, .events = "process_exited"}}},
    {"a lost adapter ends nothing until it is back",
     {{RUNS},
      {.power = POWER_LOST, .events = "adapter_lost"},
      {.power = POWER_LOST},
      {ON, .events = "adapter_back process_exited"}}},
    {"an adapter that is gone and returns",
     {{ON},
      {.no_adapter = true, .source = SOURCE_OK, .events = "adapter_lost"},
      {.no_adapter = true, .source = SOURCE_OK},
      {ON, .events = "adapter_back"}}},
    {"an adapter that returns without a power state is back",
     {{ON},
      {.no_adapter = true, .source = SOURCE_OK, .events = "adapter_lost"},
      {.power = POWER_UNKNOWN, .source = SOURCE_OK, .events = "adapter_back"},
      {ON}}},
    {"models that appear after a gap may have been there",
     {{ON, .lists_unknown = true}, {RUNS, .models = {"a"}}, {RUNS, .models = {"a"}}}},
    {"a driver that does not answer loses no adapter",
     {{RUNS},
      {.no_adapter = true, .source = SOURCE_FAILED},
      {.no_adapter = true, .source = SOURCE_STARTING},
      {RUNS}}},
    {"sleep",
     {{ON},
      {.power = POWER_SUSPENDED, .events = "adapter_suspended"},
      {.power = POWER_UNKNOWN, .source = SOURCE_OK},
      {.power = POWER_SUSPENDED},
      {ON, .events = "adapter_resumed"}}},
    {"a spill begins and ends, with a margin",
     {{RUNS, .spill = 10},
      {RUNS, .spill = 63},
      {RUNS, .spill = 64, .events = "spill_began"},
      {RUNS, .spill = 32},
      {RUNS, .spill = 31, .events = "spill_ended"}}},
    {"an unknown spill is no event",
     {{RUNS, .spill = UNKNOWN},
      {RUNS, .spill = 500},
      {RUNS, .spill = UNKNOWN},
      {RUNS, .spill = 0, .events = "spill_ended"}}},
    {"a process starts with a spill",
     {{ON}, {RUNS, .spill = 500, .events = "process_started spill_began"}}},
    {"throttling",
     {{ON, .throttle = UNKNOWN},
      {ON, .throttle = 1},
      {ON, .throttle = UNKNOWN},
      {ON},
      {ON, .seconds = 10, .events = "throttle_ended"},
      {ON, .throttle = 2, .events = "throttle_began"}}},
    {"throttling that comes and goes is one event",
     {{ON},
      {ON, .throttle = 1, .events = "throttle_began"},
      {ON, .seconds = 8},
      {ON, .throttle = 1, .seconds = 8},
      {ON, .seconds = 8},
      {ON, .seconds = 9}}},
    {"errors",
     {{ON, .xid = UNKNOWN},
      {ON, .xid = 13},
      {ON, .xid = UNKNOWN},
      {ON, .xid = 13, .ecc = 2, .events = "ecc_error"},
      {ON, .xid = 79, .ecc = 2, .events = "xid"},
      {ON, .xid = 79, .ecc = 0}}},
    {"the same error again",
     {{ON, .xid = 0},
      {ON, .xid = 13, .xids = 1, .events = "xid"},
      {ON, .xid = 13, .xids = 2, .events = "xid"},
      {ON, .xid = UNKNOWN},
      {ON, .xid = 13, .xids = 4, .events = "xid"},
      {ON, .xid = 0, .xids = 0},
      {ON, .xid = 13, .xids = 1, .events = "xid"}}},
    {"the system restarts the GPU",
     {{ON, .xid = UNKNOWN},
      {ON, .restarts = 2},
      {ON, .restarts = 2},
      {ON, .restarts = 3, .events = "gpu_restarted"},
      {ON, .xid = UNKNOWN},
      {ON, .restarts = 5, .events = "gpu_restarted"}}},
    {"what macOS counts as used is no fill",
     {{ON, .used = 10, .counts_differ = true}, {ON, .used = 99, .counts_differ = true}}},
    {"what was not looked into before is not loaded",
     {{RUNS, .models_unknown = true},
      {RUNS, .models = {"a"}},
      {RUNS, .models_unknown = true},
      {RUNS, .models = {"a", "b"}},
      {RUNS, .models = {"a"}, .events = "model_unloaded"}}},
    {"a process that started in sight loads what it holds",
     {{ON},
      {RUNS, .models_unknown = true, .events = "process_started"},
      {RUNS, .models_unknown = true},
      {RUNS, .models = {"a"}, .events = "model_loaded"}}},
    {"a model that is better known is the same one",
     {{RUNS, .models = {"qwen3"}},
      {RUNS, .models = {"Qwen3 14B"}, .paths = {"/m/q.gguf"}},
      {RUNS, .models = {"qwen3", "gemma"}, .paths = {"/m/q.gguf", "/m/g.gguf"},
       .events = "model_loaded"},
      {RUNS, .models = {"qwen3"}, .paths = {"/m/other.gguf"},
       .events = "model_loaded model_unloaded model_unloaded"},
      {RUNS, .models = {"other"}}}},
    {"memory runs out once",
     {{ON, .used = 97},
      {ON, .used = 98, .events = "out_of_memory_risk"},
      {ON, .used = 99},
      {ON, .used = 93},
      {ON, .used = 98}}},
    {"memory runs out again",
     {{ON, .used = 96},
      {ON, .used = 90, .reserved = 8, .events = "out_of_memory_risk"},
      {ON, .used = UNKNOWN},
      {ON, .used = 91},
      {ON, .used = 98, .events = "out_of_memory_risk"}}},
    {"a full carve-out is no risk",
     {{ON, .unified = true, .shared_total = 100},
      {ON, .unified = true, .used = 100, .shared_total = 100},
      {ON, .unified = true, .used = 100, .shared_used = 95, .shared_total = 100,
       .events = "out_of_memory_risk"}}},
    {"models",
     {{RUNS},
      {RUNS, .models = {"a", "b"}, .events = "model_loaded model_loaded"},
      {RUNS, .models = {"b"}, .events = "model_unloaded"},
      {RUNS, .models = {"c"}, .events = "model_loaded model_unloaded"}}},
    {"after a pause everything is looked at anew",
     {{ON}, {RUNS, .first = true}, {RUNS, .spill = 100, .events = "spill_began"}}},
};

static void test_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct events_state *events = events_state_new();
        struct snapshot *before = NULL;
        int64_t seq = 0, seconds = 0;
        for (size_t j = 0; j < 7; j++) {
            const struct picture *picture = &cases[i].pictures[j];
            if (picture->power == POWER_UNKNOWN && picture->source == SOURCE_ABSENT) {
                break;
            }
            struct snapshot *now = draw(picture, &seconds);
            char got[256] = "";
            events_step(events, picture->first ? NULL : before, now);
            for (size_t k = 0; k < now->event_count; k++) {
                const struct event *event = &now->events[k];
                size_t used = strlen(got);
                snprintf(got + used, sizeof got - used, "%s%.*s", used ? " " : "",
                         (int)event->kind.size, event->kind.utf8);
                assert_int_equal(event->seq, ++seq);
                assert_int_equal(event->at_ns, now->taken_at_ns);
                assert_true(event->text.size > 0);
            }
            if (strcmp(got, picture->events ? picture->events : "") != 0) {
                fail_msg("%s, picture %zu: '%s'", cases[i].name, j, got);
            }
            snapshot_drop(&before);
            before = now;
        }
        snapshot_drop(&before);
        events_state_free(&events);
    }
}

/* The words, the bytes and whom an event is about. */
static void test_words(void **state)
{
    static const struct picture pictures[] = {
        {ON, .throttle = 0},
        {RUNS, .vram = 9216, .spill = 512, .throttle = 2, .used = 98},
        {.power = POWER_LOST, .throttle = UNKNOWN, .used = UNKNOWN},
        {ON},
        {ON, .seconds = 10},
    };
    static const struct {
        const char *kind, *adapter_id, *process;
        int64_t bytes; /* MiB; UNKNOWN: none */
        const char *text;
    } expected[] = {
        {"throttle_began", "pci:0000:03:00.0", NULL, UNKNOWN, "GPU 0 is throttled: power, thermal"},
        {"out_of_memory_risk", "pci:0000:03:00.0", NULL, 16056,
         "GPU 0 is almost out of memory: 15.7 GiB of 16.0 GiB are in use"},
        {"process_started", "pci:0000:03:00.0", "local/4242/100", 9216,
         "llama-server (4242) began to use the GPU"},
        {"spill_began", "pci:0000:03:00.0", "local/4242/100", 512,
         "llama-server (4242) spills 512 MiB into system memory"},
        {"adapter_lost", "pci:0000:03:00.0", NULL, UNKNOWN,
         "GPU 0 has fallen off the bus or needs a reset"},
        {"adapter_back", "pci:0000:03:00.0", NULL, UNKNOWN, "GPU 0 is back"},
        {"process_exited", NULL, "local/4242/100", 9216,
         "llama-server (4242) ended; it held 9.0 GiB of GPU memory"},
        {"throttle_ended", "pci:0000:03:00.0", NULL, UNKNOWN, "GPU 0 is no longer throttled"},
    };
    (void)state;
    struct events_state *events = events_state_new();
    struct snapshot *before = NULL;
    int64_t seconds = 0;
    size_t at = 0;
    for (size_t j = 0; j < sizeof pictures / sizeof *pictures; j++) {
        struct snapshot *now = draw(&pictures[j], &seconds);
        events_step(events, before, now);
        for (size_t k = 0; k < now->event_count; k++, at++) {
            const struct event *event = &now->events[k];
            assert_true(at < sizeof expected / sizeof *expected);
            assert_string_equal(event->text.utf8, expected[at].text);
            assert_true(text_equal_string(event->kind, expected[at].kind));
            assert_int_equal(text_is_none(event->process), expected[at].process == NULL);
            assert_true(!expected[at].process ||
                        text_equal_string(event->process, expected[at].process));
            assert_int_equal(text_is_none(event->adapter_id), expected[at].adapter_id == NULL);
            assert_int_equal(event->bytes.known, expected[at].bytes != UNKNOWN);
            assert_true(!event->bytes.known || event->bytes.value / MIB == expected[at].bytes);
        }
        snapshot_drop(&before);
        before = now;
    }
    assert_int_equal(at, sizeof expected / sizeof *expected);
    snapshot_drop(&before);
    events_state_free(&events);
}

/* 20 MiB a minute, looked at each second; returns the number of events. */
static size_t count_climbs(int64_t explained, int gap_at, const char **words)
{
    static char text[160];
    struct events_state *events = events_state_new();
    struct snapshot *before = NULL;
    int64_t seconds = 0;
    size_t count = 0;
    for (int i = 0; i < 1000; i++) {
        struct snapshot *now = draw(&(struct picture){RUNS, .vram = 500 + i / 3}, &seconds);
        now->processes->gpus->explained_bytes =
            figure_known((double)(explained * MIB), HOW_ESTIMATED);
        now->interval_seconds =
            i == gap_at ? figure_unknown(REASON_need_two_samples) : now->interval_seconds;
        events_step(events, before, now);
        for (size_t k = 0; k < now->event_count; k++, count++) {
            assert_true(text_equal_string(now->events[k].kind, "vram_climbing"));
            assert_true(text_equal_string(now->events[k].process, "local/4242/100"));
            snprintf(text, sizeof text, "%s", now->events[k].text.utf8);
            *words = text;
        }
        snapshot_drop(&before);
        before = now;
    }
    snapshot_drop(&before);
    events_state_free(&events);
    return count;
}

static void test_climbing(void **state)
{
    (void)state;
    const char *words = "";
    assert_int_equal(count_climbs(0, -1, &words), 1);
    assert_string_equal(words, "llama-server (4242) grows steadily: 220 MiB more GPU memory than "
                               "12 min ago; a leak?");
    assert_int_equal(count_climbs(900, -1, &words), 0); /* its models account for it */
    assert_int_equal(count_climbs(0, 500, &words), 0);  /* nobody knows what was in the gap */
}

/* What is there already stays in front. */
static void test_appends(void **state)
{
    (void)state;
    int64_t seconds = 0;
    struct events_state *events = events_state_new();
    struct snapshot *before = draw(&(struct picture){ON}, &seconds);
    struct snapshot *now = draw(&(struct picture){RUNS}, &seconds);
    now->events = ARENA_NEW(now->arena, struct event);
    now->event_count = 1;
    now->events[0].kind = TEXT("from_elsewhere");
    events_step(events, NULL, before);
    events_step(events, before, now);
    assert_int_equal(now->event_count, 2);
    assert_true(text_equal_string(now->events[0].kind, "from_elsewhere"));
    assert_true(text_equal_string(now->events[1].kind, "process_started"));
    snapshot_drop(&before);
    snapshot_drop(&now);
    events_state_free(&events);
}

/* More adapters and longer names than are remembered do no harm. */
static void test_limits(void **state)
{
    (void)state;
    struct events_state *events = events_state_new();
    struct snapshot *before = NULL;
    for (int round = 0; round < 3; round++) {
        struct snapshot *now = snapshot_new(NULL);
        now->adapters = ARENA_ARRAY(now->arena, struct adapter, 100);
        now->adapter_count = 100;
        for (int i = 0; i < 100; i++) {
            now->adapters[i].id = text_format(now->arena, "pci:%0*d", i == 5 ? 200 : 4, i);
            now->adapters[i].power_state = POWER_ACTIVE;
        }
        char name[300];
        memset(name, 0xc3, sizeof name);
        for (size_t i = 1; i < sizeof name; i += 2) {
            name[i] = (char)0xa9;
        }
        struct process *process = ARENA_NEW(now->arena, struct process);
        now->processes = process;
        now->process_count = round == 1;
        process->identity = identity_make(NAMESPACE_HOST, 7, IDENTITY_NO_STAMP);
        process->id = TEXT("host/7/?");
        process->label = TEXT("H:7");
        process->name = (struct text){name, sizeof name};
        events_step(events, before, now);
        assert_int_equal(now->event_count, round > 0);
        if (round == 2) {
            assert_true(text_equal_string(now->events[0].kind, "process_exited"));
            assert_null(strstr(now->events[0].text.utf8, "\xef\xbf\xbd"));
        }
        snapshot_drop(&before);
        before = now;
    }
    snapshot_drop(&before);
    events_state_free(&events);
    assert_null(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),    cmocka_unit_test(test_words),
        cmocka_unit_test(test_climbing), cmocka_unit_test(test_appends),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
