/* The NVML helper as a process against the scriptable library: every recorded case of a machine
 * without containers, and what goes wrong on the way. argv: helper, library, folder of the cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "helper_session.h"

static const int64_t second_ns = 1000000000;
static const int64_t epoch_us = 1700000000000000;
enum { PATIENCE_MS = 20000, PATH_SIZE = 512 };

static struct helper_programs programs;
static const char *cases_folder;

static struct nvml_request request_at(double seconds, int64_t epoch)
{
    return (struct nvml_request){.wall_us = epoch + (int64_t)(seconds * 1e6),
                                 .running_ns = (int64_t)((100 + seconds) * 1e9),
                                 .interval_ns = second_ns};
}

/* ---- one case ---- */

static const struct adapter_reading *device_at(const struct nvml_answer *answer, int index)
{
    for (size_t i = 0; i < answer->adapters.count; i++)
        if (answer->adapters.items[i].driver_index == index)
            return &answer->adapters.items[i];
    fail_msg("device %d is not in the answer", index);
    return NULL;
}

static void check_said(const char *what, struct said got, const json_t *want, double scale)
{
    if (json_is_null(want) && got.how != HOW_UNAVAILABLE)
        fail_msg("%s: want null, got %lld", what, (long long)got.value);
    if (json_is_number(want) &&
        (got.how != HOW_MEASURED || (double)got.value != json_number_value(want) * scale))
        fail_msg("%s: want %g, got %lld (how %d)", what, json_number_value(want) * scale,
                 (long long)got.value, (int)got.how);
}

static void check_measured(const char *what, struct measured got, const json_t *want)
{
    struct said said = got.known ? said_measured(got.value) : said_unknown(got.why_not);
    check_said(what, said, want, 1);
}

static void check_device(const struct nvml_answer *answer, const json_t *want)
{
    const struct adapter_reading *device =
        device_at(answer, (int)json_integer_value(json_object_get(want, "index")));
    const json_t *name = json_object_get(want, "name"), *state = json_object_get(want, "state");
    if (name != NULL) {
        assert_int_equal(device->name.length, json_string_length(name));
        assert_memory_equal(device->name.bytes, json_string_value(name), device->name.length);
    }
    if (state != NULL && strcmp(json_string_value(state), "ok") == 0)
        assert_int_equal(device->power_state, POWER_ACTIVE);
    if (state != NULL && strcmp(json_string_value(state), "lost") == 0)
        assert_int_equal(device->power_state, POWER_LOST);
    const struct said *engines = device->engine_millipercent;
    check_measured("mem_total", device->vram_total_bytes, json_object_get(want, "mem_total"));
    check_measured("mem_used", device->vram_used_bytes, json_object_get(want, "mem_used"));
    check_said("util_gpu", device->load_millipercent, json_object_get(want, "util_gpu"), 1000);
    check_said("util_enc", engines[ENGINE_encode], json_object_get(want, "util_enc"), 1000);
    check_said("util_jpg", engines[ENGINE_jpeg], json_object_get(want, "util_jpg"), 1000);
    check_said("temp", device->temperature_millicelsius[TEMPERATURE_EDGE],
               json_object_get(want, "temp"), 1000);
    check_said("power_mw", device->power_microwatts, json_object_get(want, "power_mw"), 1000);
    check_said("power_limit_mw", device->power_limit_microwatts,
               json_object_get(want, "power_limit_mw"), 1000);
    check_said("fan_pct", device->fan_millipercent, json_object_get(want, "fan_pct"), 1000);
    if (json_object_get(want, "unified") != NULL)
        assert_true(device->unified);
}

/* The id of the adapter that a row is on: the device, or its MIG instance. */
static const char *adapter_of_row(const struct nvml_answer *answer, const json_t *row)
{
    int device = (int)json_integer_value(json_object_get(row, "device"));
    const json_t *mig = json_object_get(row, "mig");
    if (mig == NULL)
        return device_at(answer, device)->id;
    return device_at(answer, 128 + device * 8 + (int)json_integer_value(mig))->id;
}

static struct measured memory_of(const struct nvml_answer *answer, const char *adapter, int64_t pid,
                                 size_t *lists)
{
    struct measured memory = measured_unknown(REASON_not_reported);
    *lists = 0;
    for (size_t i = 0; i < answer->listed.count; i++) {
        const struct nvml_listed_process *entry = &answer->listed.items[i];
        if (entry->pid != pid || strcmp(entry->adapter_id, adapter) != 0)
            continue;
        *lists |= (size_t)1 << entry->list;
        if (entry->memory_bytes.known && entry->memory_bytes.value >= memory.value)
            memory = entry->memory_bytes;
    }
    return memory;
}

static struct measured load_of(const struct nvml_answer *answer, const char *adapter, int64_t pid)
{
    struct measured load = measured_unknown(REASON_not_reported);
    for (size_t i = 0; i < answer->adapters.count; i++)
        if (strcmp(answer->adapters.items[i].id, adapter) == 0 &&
            answer->adapters.items[i].process_load_answered)
            load = measured_known(0);
    for (size_t i = 0; i < answer->samples.count; i++)
        if (answer->samples.items[i].pid == pid &&
            strcmp(answer->samples.items[i].adapter_id, adapter) == 0)
            load = answer->samples.items[i].sm;
    return load;
}

static void check_row(const struct nvml_answer *answer, const json_t *row)
{
    char what[64];
    int64_t pid = json_integer_value(json_object_get(row, "pid"));
    const char *adapter = adapter_of_row(answer, row);
    const char *type = json_string_value(json_object_get(row, "type"));
    size_t lists = 0;
    snprintf(what, sizeof what, "pid %lld memory", (long long)pid);
    check_measured(what, memory_of(answer, adapter, pid, &lists), json_object_get(row, "mem"));
    snprintf(what, sizeof what, "pid %lld load", (long long)pid);
    check_measured(what, load_of(answer, adapter, pid), json_object_get(row, "sm"));
    size_t wanted =
        type == NULL ? 0 : (strchr(type, 'C') ? 1U : 0U) | (strchr(type, 'G') ? 2U : 0U);
    assert_int_equal(lists & 3, wanted);
}

static void check_lists(const struct nvml_answer *answer, const json_t *lists)
{
    const char *index;
    json_t *want;
    json_object_foreach((json_t *)lists, index, want)
    {
        const struct adapter_reading *device = device_at(answer, atoi(index));
        const char *compute = json_string_value(json_object_get(want, "compute"));
        const char *graphics = json_string_value(json_object_get(want, "graphics"));
        assert_int_equal(device->compute_list_unknown, strcmp(compute, "unknown") == 0);
        assert_int_equal(device->graphics_list_unknown, strcmp(graphics, "unknown") == 0);
    }
}

static void check_state(const struct nvml_answer *answer, const json_t *want)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(want, "devices"), i, item) check_device(answer, item);
    json_array_foreach(json_object_get(want, "rows"), i, item) check_row(answer, item);
    json_array_foreach(json_object_get(want, "mig_devices"), i, item)
    {
        int device = (int)json_integer_value(json_object_get(item, "device"));
        int mig = (int)json_integer_value(json_object_get(item, "mig"));
        const struct adapter_reading *instance = device_at(answer, 128 + device * 8 + mig);
        check_measured("mem_used", instance->vram_used_bytes, json_object_get(item, "mem_used"));
        assert_int_equal(instance->kind, ADAPTER_MIG);
        assert_int_equal(instance->load_millipercent.why_not, REASON_mig_enabled);
        assert_string_equal(instance->parent_id, device_at(answer, device)->id);
    }
    const json_t *rows = json_object_get(want, "row_count");
    if (rows != NULL)
        assert_int_equal(answer->listed.count, json_integer_value(rows));
    check_lists(answer, json_object_get(want, "process_lists"));
}

static int64_t scenario_epoch(const char *path)
{
    char line[256];
    long long epoch = epoch_us;
    FILE *scenario = fopen(path, "r");
    while (scenario != NULL && fgets(line, sizeof line, scenario) != NULL)
        if (sscanf(line, "epoch %lld", &epoch) == 1)
            break;
    if (scenario != NULL)
        fclose(scenario);
    return epoch;
}

/* The times of a case's samples; the scenario steps through them. */
static size_t read_times(const json_t *expected, double times[64], char *text, size_t size)
{
    const json_t *steps = json_object_get(expected, "steps");
    const json_t *given = json_object_get(expected, "times");
    size_t count = steps != NULL   ? json_array_size(steps)
                   : given != NULL ? json_array_size(given)
                                   : 2;
    size_t used = 0;
    for (size_t i = 0; i < count && i < 64; i++) {
        const json_t *time = steps != NULL   ? json_object_get(json_array_get(steps, i), "t")
                             : given != NULL ? json_array_get(given, i)
                                             : NULL;
        times[i] = time != NULL ? json_number_value(time) : (double)i;
        used += (size_t)snprintf(text + used, size - used, "%s%g", i > 0 ? "," : "", times[i]);
    }
    return count;
}

static void run_case(const char *name)
{
    char path[PATH_SIZE], scenario[PATH_SIZE], text[1024];
    double times[64];
    struct helper_session session;
    snprintf(path, sizeof path, "%s/%s/expected.json", cases_folder, name);
    snprintf(scenario, sizeof scenario, "%s/%s/scenario.txt", cases_folder, name);
    json_t *expected = json_load_file(path, 0, NULL);
    assert_non_null(expected);
    bool native = strcmp(json_string_value(json_object_get(expected, "view")), "native") == 0;
    const json_t *init_error = json_object_get(expected, "init_error");
    const json_t *steps = json_object_get(expected, "steps");
    int64_t epoch = scenario_epoch(scenario);
    size_t count = read_times(expected, times, text, sizeof text);
    print_message("# %s\n", name);
    helper_session_start(&session, &programs, scenario, NULL, text, epoch);
    for (size_t i = 0; i < count; i++) {
        struct nvml_request request = request_at(times[i], epoch);
        assert_true(helper_session_ask(&session, &request, PATIENCE_MS));
        assert_int_equal(session.answer.opening.code,
                         init_error != NULL ? json_integer_value(init_error) : 0);
        if (native && steps != NULL)
            check_state(&session.answer, json_array_get(steps, i));
    }
    if (native && steps == NULL)
        check_state(&session.answer, expected);
    assert_int_equal(helper_session_end(&session), 0);
    helper_session_free(&session);
    json_decref(expected);
}

static void test_recorded_cases(void **state)
{
    (void)state;
    struct dirent **names = NULL;
    int count = scandir(cases_folder, &names, NULL, alphasort), ran = 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s/expected.json", cases_folder, names[i]->d_name);
        FILE *expected = fopen(path, "r");
        if (expected != NULL) {
            fclose(expected);
            run_case(names[i]->d_name);
            ran++;
        }
        free(names[i]);
    }
    free(names);
    assert_true(ran >= 10);
}

/* ---- scenarios of our own ---- */

static const char one_device[] =
    "device 0\n name NVIDIA Test\n uuid GPU-1\n pci 00000000:01:00.0\n"
    " mem_total 8GiB\n mem_used 1GiB\n util_gpu 5\n util_mem 1\n temp 40\n";

static void start(struct helper_session *session, const char *before, const char *after,
                  const char *times)
{
    char text[8192];
    snprintf(text, sizeof text, "%s\n%s%s\n", before, one_device, after);
    helper_session_start(session, &programs, NULL, text, times, epoch_us);
}

static void ask(struct helper_session *session, double seconds)
{
    struct nvml_request request = request_at(seconds, epoch_us);
    assert_true(helper_session_ask(session, &request, PATIENCE_MS));
}

static void end(struct helper_session *session)
{
    assert_int_equal(helper_session_end(session), 0);
    helper_session_free(session);
}

/* A driver that has only _v3 with an element nobody announced, and the old call without suffix. */
static void test_unexpected_layout_leads_to_the_older_call(void **state)
{
    (void)state;
    static const char *const strides[] = {"stride 32\nmissing *RunningProcesses_v2",
                                          "stride 16\nmissing *RunningProcesses_v2"};
    for (size_t i = 0; i < 2; i++) {
        struct helper_session session;
        start(&session, strides[i],
              "proc 0 pid=101 type=C mem=100MiB\nproc 0 pid=102 type=C mem=200MiB", NULL);
        ask(&session, 0);
        assert_false(session.answer.adapters.items[0].compute_list_unknown);
        assert_int_equal(session.answer.listed.count, 2);
        assert_int_equal(session.answer.listed.items[1].pid, 102);
        assert_int_equal(session.answer.listed.items[1].memory_bytes.value, 200 << 20);
        end(&session);
    }
}

static void test_unexpected_layout_without_another_call_is_unknown(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "stride 32\nmissing *RunningProcesses_v2 nvmlDeviceGetComputeRunningProcesses",
          "proc 0 pid=101 type=C mem=100MiB\nproc 0 pid=102 type=C mem=200MiB", NULL);
    ask(&session, 0);
    assert_true(session.answer.adapters.items[0].compute_list_unknown);
    assert_int_equal(session.answer.adapters.items[0].compute_list_why_not,
                     REASON_incredible_value);
    assert_int_equal(session.answer.listed.count, 0);
    end(&session);
}

static void test_every_optional_symbol_may_be_missing(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session,
          "missing nvmlDeviceGetD* nvmlDeviceGetU* nvmlDeviceGetM* nvmlDeviceGetT* "
          "nvmlDeviceGetP* nvmlDeviceGetE* nvmlDeviceGetF* nvmlDeviceGetN* nvmlDeviceGetCl* "
          "nvmlDeviceGetCompute* nvmlDeviceGetCurr* nvmlDeviceGetG* nvmlSystem* nvmlErrorString "
          "nvmlInit_v2 nvmlDeviceGetCount_v2 nvmlDeviceGetHandleByIndex_v2",
          "", NULL);
    ask(&session, 0);
    assert_int_equal(session.answer.opening.code, 0);
    assert_int_equal(session.answer.adapters.count, 1);
    const struct adapter_reading *device = &session.answer.adapters.items[0];
    assert_string_equal(device->id, "nvml:0");
    assert_false(device->vram_total_bytes.known);
    assert_int_equal(device->vram_total_bytes.why_not, REASON_not_supported);
    assert_int_equal(device->load_millipercent.why_not, REASON_not_supported);
    assert_true(device->compute_list_unknown);
    end(&session);
}

static void test_needed_symbols(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "missing nvmlDeviceGetHandleByIndex*", "", NULL);
    ask(&session, 0);
    assert_int_equal(session.answer.opening.code, 13);
    assert_int_equal(session.answer.adapters.count, 0);
    end(&session);
}

/* A code, and the reason that the figure and the list give for it. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        int code;
        enum reason reason;
    } codes[] = {{2, REASON_call_failed},    {3, REASON_not_supported},  {4, REASON_not_permitted},
                 {10, REASON_call_failed},   {13, REASON_not_supported}, {20, REASON_call_failed},
                 {25, REASON_not_supported}, {999, REASON_call_failed}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        char fails[256];
        struct helper_session session;
        snprintf(fails, sizeof fails,
                 "fail nvmlDeviceGetUtilizationRates %d\nfail *RunningProcesses* %d\n"
                 "fail nvmlDeviceGetProcess* %d",
                 codes[i].code, codes[i].code, codes[i].code);
        start(&session, fails, "proc 0 pid=101 type=C mem=1MiB", NULL);
        for (int k = 0; k < 2; k++) {
            ask(&session, k);
            const struct adapter_reading *device = &session.answer.adapters.items[0];
            assert_int_equal(device->load_millipercent.how, HOW_UNAVAILABLE);
            assert_int_equal(device->load_millipercent.why_not, codes[i].reason);
            assert_true(device->compute_list_unknown);
            assert_int_equal(device->compute_list_why_not, codes[i].reason);
            assert_false(device->process_load_answered);
            assert_int_equal(device->process_load_why_not, codes[i].reason);
            assert_int_equal(session.answer.listed.count, 0);
            assert_true(device->vram_total_bytes.known);
        }
        /* 3, 13 and 25 are final: each function is asked once. */
        helper_session_end(&session);
        if (codes[i].reason == REASON_not_supported)
            assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetUtilizationRates"), 1);
        else
            assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetUtilizationRates"), 2);
        helper_session_free(&session);
    }
}

static void test_a_handle_that_fails_keeps_the_place(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "fail nvmlDeviceGetHandleByIndex* 15 dev=0 to=12",
          "device 1\n name Other\n pci 00000000:02:00.0\n mem_total 1GiB\n mem_used 0", "0,5,12");
    ask(&session, 0);
    assert_int_equal(session.answer.adapters.count, 2);
    assert_int_equal(session.answer.adapters.items[0].power_state, POWER_LOST);
    assert_string_equal(session.answer.adapters.items[0].id, "");
    assert_string_equal(session.answer.adapters.items[1].id, "pci:0000:02:00.0");
    assert_true(session.answer.adapters.items[1].vram_used_bytes.known);
    ask(&session, 5);
    ask(&session, 12); /* asked again after 10 s: it is back */
    assert_int_equal(session.answer.adapters.items[0].power_state, POWER_ACTIVE);
    assert_string_equal(session.answer.adapters.items[0].id, "pci:0000:01:00.0");
    helper_session_end(&session);
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetHandleByIndex_v2"), 3);
    helper_session_free(&session);
}

static void test_a_lost_device_is_left_alone(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "lost 0 from=1", "proc 0 pid=7 type=C mem=1MiB", "0,1,2,3,4");
    for (int i = 0; i < 5; i++)
        ask(&session, i);
    const struct adapter_reading *device = &session.answer.adapters.items[0];
    assert_int_equal(device->power_state, POWER_LOST);
    assert_int_equal(device->vram_used_bytes.why_not, REASON_device_lost);
    assert_int_equal(device->load_millipercent.why_not, REASON_device_lost);
    assert_true(device->compute_list_unknown && device->graphics_list_unknown);
    assert_int_equal(device->compute_list_why_not, REASON_device_lost);
    assert_int_equal(device->name.length, strlen("NVIDIA Test"));
    assert_string_equal(device->id, "pci:0000:01:00.0");
    assert_int_equal(session.answer.listed.count, 0);
    helper_session_end(&session);
    /* One call found it lost; nothing was asked of it after. */
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetMemoryInfo"), 2);
    helper_session_free(&session);
}

static void test_an_incredible_sample(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "",
          "proc 0 pid=7 type=C mem=1MiB\nproc 0 pid=8 type=C mem=1MiB\n"
          "sample 0 pid=7 sm=37100 enc=50583 age_us=1000\nsample 0 pid=0 sm=5 age_us=1000\n"
          "sample 0 pid=8 sm=12 ts=9000000000000000000\nsample 0 pid=8 sm=12 age_us=1000",
          "0,1");
    for (int i = 0; i < 2; i++) {
        ask(&session, i);
        assert_int_equal(session.answer.samples.count, 2);
        assert_false(session.answer.samples.items[0].sm.known);
        assert_int_equal(session.answer.samples.items[0].sm.why_not, REASON_incredible_value);
        assert_false(session.answer.samples.items[0].decode.known);
        assert_int_equal(session.answer.samples.items[1].pid, 8);
        assert_int_equal(session.answer.samples.items[1].sm.value, 12);
    }
    end(&session);
}

static void test_mig_without_permission_on_the_parent(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session,
          "fail nvmlDeviceGetMemoryInfo* 4 dev=0 times=2\nfail "
          "nvmlDeviceGetComputeRunningProcesses_v2 4 "
          "dev=0 times=1",
          " mig 1\nmigdev 1 gi=4 ci=0\n name MIG 1g\n uuid MIG-2\n mem_total 1GiB\n mem_used 1MiB\n"
          "proc 0 pid=9 type=C mem=1MiB gi=4 ci=0",
          NULL);
    ask(&session, 0);
    assert_int_equal(session.answer.adapters.count, 2);
    const struct adapter_reading *parent = &session.answer.adapters.items[0];
    const struct adapter_reading *instance = &session.answer.adapters.items[1];
    assert_true(parent->compute_list_unknown);
    assert_int_equal(parent->compute_list_why_not, REASON_not_permitted);
    assert_string_equal(instance->id, "uuid:MIG-2");
    assert_string_equal(instance->parent_id, "pci:0000:01:00.0");
    assert_false(instance->compute_list_unknown);
    assert_int_equal(session.answer.listed.count, 1);
    assert_string_equal(session.answer.listed.items[0].adapter_id, "uuid:MIG-2");
    assert_int_equal(instance->process_load_why_not, REASON_mig_enabled);
    end(&session);
}

/* Without permission the parent's list names no instance for some entries. */
static void test_a_mig_process_is_listed_once(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "",
          " mig 1\nmigdev 1 gi=4 ci=0\n name MIG 1g\n uuid MIG-2\n mem_total 1GiB\n mem_used 1MiB\n"
          "proc 0 pid=9 type=C mem=1MiB gi=4 ci=0\nproc 0 pid=10 type=C mem=1MiB",
          NULL);
    ask(&session, 0);
    assert_int_equal(session.answer.listed.count, 2);
    assert_int_equal(session.answer.listed.items[0].pid, 9);
    assert_string_equal(session.answer.listed.items[0].adapter_id, "uuid:MIG-2");
    assert_int_equal(session.answer.listed.items[1].pid, 10);
    assert_string_equal(session.answer.listed.items[1].adapter_id, "pci:0000:01:00.0");
    end(&session);
}

/* Lost between two calls of one refresh: what was read before it is not shown either. */
static void test_a_device_lost_halfway(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "fail nvmlDeviceGetProcessesUtilizationInfo 15", "proc 0 pid=9 type=C mem=1MiB",
          NULL);
    ask(&session, 0);
    assert_int_equal(session.answer.adapters.items[0].power_state, POWER_LOST);
    assert_false(session.answer.adapters.items[0].vram_used_bytes.known);
    assert_int_equal(session.answer.listed.count, 0);
    end(&session);
}

static void test_pcie_costs_nothing_unless_wanted(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "", " pcie_tx_kbs 500\n pcie_rx_kbs 700", "0,1,2");
    ask(&session, 0);
    assert_int_equal(session.answer.adapters.items[0].pcie_tx_bytes_per_second.how,
                     HOW_UNAVAILABLE);
    struct nvml_request request = request_at(1, epoch_us);
    request.pcie_rates = true;
    assert_true(helper_session_ask(&session, &request, PATIENCE_MS));
    assert_int_equal(session.answer.adapters.items[0].pcie_tx_bytes_per_second.value, 500000);
    assert_int_equal(session.answer.adapters.items[0].pcie_rx_bytes_per_second.value, 700000);
    ask(&session, 2);
    helper_session_end(&session);
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetPcieThroughput"), 2);
    helper_session_free(&session);
}

static void test_pcie_counters_are_preferred(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "", " pcie_tx_bytes ramp:0:4000000:4\n pcie_rx_bytes ramp:0:8000000:4",
          "0,1,2");
    for (int i = 0; i < 3; i++) {
        struct nvml_request request = request_at(i, epoch_us);
        request.pcie_rates = true;
        assert_true(helper_session_ask(&session, &request, PATIENCE_MS));
        const struct said tx = session.answer.adapters.items[0].pcie_tx_bytes_per_second;
        if (i == 0)
            assert_int_equal(tx.why_not, REASON_need_two_samples);
        else
            assert_int_equal(tx.value, 1000000);
    }
    helper_session_end(&session);
    assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetPcieThroughput"), 0);
    helper_session_free(&session);
}

/* A device that has everything, looked at for a minute: the budget of cadence.def. */
static void test_calls_a_refresh(void **state)
{
    (void)state;
    enum { REFRESHES = 60 };
    char times[512] = "0";
    for (int i = 1; i < REFRESHES; i++)
        snprintf(times + strlen(times), sizeof times - strlen(times), ",%d", i);
    struct helper_session session;
    start(&session, "",
          " mem_reserved 1MiB\n util_enc 0\n util_dec 0\n util_jpg 0\n util_ofa 0\n temp_mem 50\n"
          " power_mw 1000\n power_limit_mw 2000\n energy_mj 10\n clock_gr 1\n clock_sm 1\n"
          " clock_mem 1\n clock_video 1\n clock_gr_max 1\n clock_sm_max 1\n clock_mem_max 1\n"
          " clock_video_max 1\n fan_pct 3\n num_fans 1\n pstate 2\n throttle 4\n ecc 1\n"
          " ecc_errors 0\n display_active 0\n virt_mode 0\n pcie_gen 4\n pcie_width 16\n"
          " pcie_gen_max 4\n pcie_width_max 16\n mig 0\n"
          "proc 0 pid=7 type=C+G mem=1MiB\nsample 0 pid=7 sm=5 age_us=1000",
          times);
    for (int i = 0; i < REFRESHES; i++)
        ask(&session, i);
    const struct adapter_reading *device = &session.answer.adapters.items[0];
    assert_int_equal(device->clock_hz[CLOCK_GRAPHICS].value, 1000000);
    assert_int_equal(device->throttle_count, 1);
    assert_int_equal(device->ecc_corrected.how, HOW_MEASURED);
    assert_int_equal(device->vram_reserved_bytes.value, 1 << 20);
    assert_int_equal(device->energy_microjoules.value, 10000);
    assert_int_equal(device->temperature_millicelsius[TEMPERATURE_MEMORY].value, 50000);
    helper_session_end(&session);
    long calls = helper_session_calls(&session, "nvmlDevice");
    print_message("# %ld calls in %d refreshes\n", calls, REFRESHES);
    assert_in_range(calls, 4 * REFRESHES, 8 * REFRESHES);
    assert_int_equal(helper_session_calls(&session, "nvmlInit"), 1);
    helper_session_free(&session);
}

/* NVML counts its devices when it is initialised: another GPU on the bus needs that again, rarely.
 */
static void test_another_gpu_on_the_bus(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        uint32_t gpus;
        long requests; /* since the library was opened, with which the fake's log begins */
    } rows[] = {{0, 1, 1}, {10, 1, 2}, {20, 2, 3}, {31, 2, 1}, {100, 2, 2}, {101, 1, 1}};
    for (size_t count = 1; count <= sizeof rows / sizeof *rows; count++) {
        struct helper_session session;
        start(&session, "", "", NULL);
        for (size_t i = 0; i < count; i++) {
            struct nvml_request request = {.running_ns = rows[i].seconds * 1000000000,
                                           .interval_ns = 1000000000,
                                           .bus_gpus = rows[i].gpus};
            assert_true(helper_session_ask(&session, &request, PATIENCE_MS));
            assert_int_equal(session.answer.adapters.count, 1);
        }
        helper_session_end(&session);
        assert_int_equal(helper_session_calls(&session, "nvmlDeviceGetUtilizationRates"),
                         rows[count - 1].requests);
        helper_session_free(&session);
    }
}

static void test_everything_is_read_at_once(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "", " fan_pct frames:0=10,1=20", "0,1");
    ask(&session, 0);
    struct nvml_request request = request_at(1, epoch_us);
    request.everything = true;
    assert_true(helper_session_ask(&session, &request, PATIENCE_MS));
    assert_int_equal(session.answer.adapters.items[0].fan_millipercent.value, 20000);
    end(&session);
}

static void test_latency_is_the_askers_to_bound(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "latency nvmlDeviceGetUtilizationRates 1500", "", NULL);
    struct nvml_request request = request_at(0, epoch_us);
    assert_false(helper_session_ask(&session, &request, 200));
    assert_int_equal(kill(session.pid, SIGKILL), 0);
    assert_true(WIFSIGNALED(helper_session_end(&session)));
    helper_session_free(&session);
}

static void test_a_crash_is_the_helpers_end(void **state)
{
    (void)state;
    struct helper_session session;
    start(&session, "crash nvmlDeviceGetTemperature* 9", "", NULL);
    struct nvml_request request = request_at(0, epoch_us);
    assert_false(helper_session_ask(&session, &request, PATIENCE_MS));
    int status = helper_session_end(&session);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), 9);
    helper_session_free(&session);
}

static void test_init_codes(void **state)
{
    (void)state;
    static const int codes[] = {9, 4, 17, 18, 999};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        char fails[64];
        struct helper_session session;
        snprintf(fails, sizeof fails, "fail nvmlInit* %d to=25", codes[i]);
        start(&session, fails, "", "0,1,31");
        ask(&session, 0);
        assert_int_equal(session.answer.opening.code, codes[i]);
        assert_true(session.answer.opening.loaded);
        assert_true(session.answer.opening.words[0] != '\0');
        ask(&session, 1);
        assert_int_equal(session.answer.opening.code, codes[i]);
        ask(&session, 31); /* tried again after 30 s */
        assert_int_equal(session.answer.opening.code, 0);
        assert_int_equal(session.answer.adapters.count, 1);
        end(&session);
    }
}

static void test_no_library(void **state)
{
    (void)state;
    struct helper_session session;
    const struct helper_programs none = {programs.helper, "/nonexistent/libnvidia-ml.so.1"};
    helper_session_start(&session, &none, NULL, "", NULL, 0);
    ask(&session, 0);
    assert_false(session.answer.opening.loaded);
    assert_int_equal(session.answer.opening.code, 12);
    assert_non_null(strstr(session.answer.opening.words, "/nonexistent"));
    end(&session);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    programs = (struct helper_programs){argv[1], argv[2]};
    cases_folder = argv[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_cases),
        cmocka_unit_test(test_unexpected_layout_leads_to_the_older_call),
        cmocka_unit_test(test_unexpected_layout_without_another_call_is_unknown),
        cmocka_unit_test(test_every_optional_symbol_may_be_missing),
        cmocka_unit_test(test_needed_symbols),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_a_handle_that_fails_keeps_the_place),
        cmocka_unit_test(test_a_lost_device_is_left_alone),
        cmocka_unit_test(test_an_incredible_sample),
        cmocka_unit_test(test_mig_without_permission_on_the_parent),
        cmocka_unit_test(test_a_mig_process_is_listed_once),
        cmocka_unit_test(test_a_device_lost_halfway),
        cmocka_unit_test(test_pcie_costs_nothing_unless_wanted),
        cmocka_unit_test(test_pcie_counters_are_preferred),
        cmocka_unit_test(test_calls_a_refresh),
        cmocka_unit_test(test_another_gpu_on_the_bus),
        cmocka_unit_test(test_everything_is_read_at_once),
        cmocka_unit_test(test_latency_is_the_askers_to_bound),
        cmocka_unit_test(test_a_crash_is_the_helpers_end),
        cmocka_unit_test(test_init_codes),
        cmocka_unit_test(test_no_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
