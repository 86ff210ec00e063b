/* A recorded Windows machine: docs/recorded-machines.md. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "gpu/wddm/wddm_source.h"
#include "os/machine.h"
#include "os/recorded/recorded.h"

#define FOLDER "recorded-windows-test"
#define COLLECT(number, time)                                                                      \
    "{\"collect\":" number ",\"t100ns\":" time ",\"status\":\"0x00000000\"}\n"
#define TWO COLLECT("0", "134140000000000000") COLLECT("1", "134140000010000000")
#define LOCAL "\"counter\":\"\\\\GPU Process Memory(*)\\\\Local Usage\""

static void put(const char *name, const char *content)
{
    char path[128];
    struct problem problem;
    snprintf(path, sizeof path, FOLDER "/%s", name);
    if (!file_write_atomically(path, raw_from_string(content), &problem))
        fail_msg("%s", problem.text);
}

static bool open_machine(struct machine **machine, struct problem *problem)
{
    struct sample_script *script;
    *problem = (struct problem){""};
    assert_true(
        sample_script_parse(&(struct script_variables){.recorded = FOLDER}, &script, problem));
    assert_int_equal(script->kind, RECORDED_WINDOWS);
    if (!recorded_machine_open(machine, script, problem)) {
        sample_script_free(&script);
        return false;
    }
    (*machine)->script = script;
    (*machine)->recorded = true;
    return true;
}

static void test_machine(void **state)
{
    (void)state;
    struct machine *machine;
    struct problem problem;
    struct pass pass = {.number = 0};
    const int64_t pids[] = {7, 9, 7};
    put("counters.jsonl", TWO);
    put("processes.json",
        "{\"0\":[{\"pid\":7,\"name\":\"a.exe\",\"create_100ns\":134139999990000000,"
        "\"command\":[\"a.exe\",\"-m\",\"x\"],\"working_set_bytes\":4096,"
        "\"cpu_100ns\":50},{\"pid\":4,\"name\":\"System\"},{\"pid\":\"no\"}]}");
    assert_true(open_machine(&machine, &problem));
    assert_string_equal(machine->system, "windows");
    assert_int_equal(machine_mode(machine), MODE_WINDOWS);
    assert_int_equal(machine_sample_count(machine), 2);
    assert_false(machine_waits_between_samples(machine));
    machine_begin_sample(machine, 1, &pass);
    assert_true(pass.wall_ns == INT64_C(1769526401000000000));
    assert_true(pass.running_ns == pass.wall_ns);

    struct system_reading *reading = system_reading_new();
    const struct system_request request = {.pids = pids, .pid_count = 3};
    pass.number = 1; /* without a list of its own: that of the one before */
    machine_read_system(machine, &pass, &request, reading);
    assert_int_equal(reading->everyone_count, 2);
    assert_int_equal(reading->process_count, 1);
    assert_int_equal(reading->missing_pid_count, 1);
    assert_int_equal(reading->missing_pids[0], 9);
    const struct process_reading *process = &reading->processes[0];
    assert_true(process->identity.start_stamp == UINT64_C(134139999990000000));
    assert_true(process->start_wall_ns == INT64_C(1769526399000000000));
    assert_int_equal(process->ram_bytes.value, 4096);
    assert_int_equal(process->cpu_time_ns.value, 5000);
    assert_memory_equal(process->command.bytes, "a.exe\0-m\0x", 11);
    assert_null(process->user.bytes);
    assert_true(reading->everyone[1].start_stamp == IDENTITY_NO_STAMP);
    system_reading_free(&reading);
    machine_close(&machine);
}

static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *counters, *processes, *words;
    } files[] = {
        {"", "{}", "names no collection"},
        {"not json\n", "{}", "names no collection"},
        {COLLECT("1", "134140000000000000"), "{}", "collection 0"},
        {COLLECT("0", "134140000000000000") COLLECT("1", "134130000000000000"), "{}",
         "collection 1"},
        {COLLECT("0", "\"soon\""), "{}", "collection 0"},
        {COLLECT("0", "5"), "{}", "collection 0"},
        {COLLECT("0", "9223372036854775807"), "{}", "collection 0"},
        {TWO, "[]", "processes.json:1: no object"},
        {TWO, "{\"0\":", "processes.json"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct machine *machine;
        struct problem problem;
        put("counters.jsonl", files[i].counters);
        put("processes.json", files[i].processes);
        if (open_machine(&machine, &problem))
            fail_msg("%zu is taken", i);
        if (!strstr(problem.text, files[i].words))
            fail_msg("%zu: %s", i, problem.text);
    }
}

static void test_counters(void **state)
{
    (void)state;
    struct machine *machine;
    struct problem problem;
    struct wddm_source source;
    struct pdh_collection collection;
    struct adapter_facts_list list;
    struct arena *arena = arena_new();
    put("processes.json", "{}");
    put("counters.jsonl",
        "{\"s\":0," LOCAL ",\"instance\":\"early\",\"cstatus\":\"0x00000001\",\"first\":5}\n" TWO
        "{\"s\":1," LOCAL ",\"instance\":\"x\",\"cstatus\":\"odd\",\"first\":-5}\n"
        "{\"s\":1," LOCAL ",\"instance\":\"y\",\"first\":99999999999999999999}\n"
        "{\"s\":1," LOCAL ",\"instance\":\"untold\",\"cstatus\":\"0x00000000\"}\n"
        "{\"s\":1," LOCAL ",\"instance\":\"in words\",\"first\":\"5\"}\n"
        "{\"s\":7," LOCAL ",\"instance\":\"of none\"}\n{\"s\":-1}\n{\"s\":0,\"counter\":5}\n[]\n"
        "{\"s\":0,\"counter\":\"\\\\GPU Engine(*)\\\\Utilization Percentage\","
        "\"status\":\"0xC0000BB8\"}\n");
    put("adapters.json", "{\"0\":[{\"luid\":\"0x00000001_0x0000D1A2\",\"kind\":\"integrated\","
                         "\"shared_limit_bytes\":5},{\"luid\":\"x\"},5],\"1\":[]}");
    assert_true(open_machine(&machine, &problem));
    wddm_source_recorded(machine, &source, &problem);
    assert_string_equal(problem.text, "");
    source.collect(source.context, &(struct pass){.number = 0}, arena, &collection);
    assert_int_equal(collection.arrays[PDH_LOCAL].count, 1);
    assert_int_equal(collection.arrays[PDH_LOCAL].items[0].status, PDH_NEW_DATA);
    assert_true(collection.arrays[PDH_UTILIZATION].status == PDH_NO_OBJECT);
    assert_true(collection.arrays[PDH_NON_LOCAL].status == PDH_NO_DATA);
    source.collect(source.context, &(struct pass){.number = 5}, arena, &collection);
    assert_int_equal(collection.arrays[PDH_LOCAL].count, 4);
    assert_true(collection.arrays[PDH_LOCAL].items[0].status == PDH_INVALID_DATA);
    assert_true(collection.arrays[PDH_LOCAL].items[0].first == -5);
    assert_true(collection.arrays[PDH_LOCAL].items[1].first < 0);
    assert_true(collection.arrays[PDH_LOCAL].items[2].status == PDH_INVALID_DATA);
    assert_true(collection.arrays[PDH_LOCAL].items[3].status == PDH_INVALID_DATA);
    assert_true(source.interval_ns == INT64_C(1000000000));
    assert_true(source.adapters(source.context, 0, arena, &list));
    assert_int_equal(list.count, 1);
    assert_true(list.items[0].luid == UINT64_C(0x10000d1a2));
    assert_true(list.items[0].non_local_bytes.known && list.items[0].non_local_bytes.value == 0);
    assert_true(source.adapters(source.context, 9, arena, &list));
    assert_int_equal(list.count, 0);
    source.close(source.context);

    put("adapters.json", "{\"luid\"");
    wddm_source_recorded(machine, &source, &problem);
    assert_non_null(strstr(problem.text, "adapters.json:1"));
    assert_false(source.adapters(source.context, 0, arena, &list));
    source.close(source.context);
    machine_close(&machine);
    arena_free(&arena);
}

static int make_folder(void **state)
{
    struct problem problem;
    (void)state;
    return file_make_folder(FOLDER, &problem) ? 0 : 1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"counters.jsonl", "processes.json", "adapters.json"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, FOLDER "/%s", names[i]);
        remove(path);
    }
    remove(FOLDER);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
