/* From readings built by hand to a snapshot. Expected values: SPEC sections 1, 3-5 and the recorded
 * machines of tests/cases whose facts the tests repeat. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "client_build.h"
#include "sampler/assemble.h"

#define SECOND INT64_C(1000000000)
#define GIB (INT64_C(1) << 30)

/* One machine with a process table, an AMD card and an NVIDIA card. */
struct machine_built {
    struct pass pass;
    struct adapter_reading amd, nvidia;
    struct drm_client_reading clients[4];
    struct nvml_listed_process listed[4];
    struct process_reading processes[4];
    struct walked_process walked[4];
    struct reading drm, nvml;
    const struct reading *readings[2];
    struct system_reading system;
    struct assemble_input input;
    struct assembler *assembler;
};

static void build(struct machine_built *machine)
{
    memset(machine, 0, sizeof *machine);
    machine->pass =
        (struct pass){.running_ns = 100 * SECOND, .wall_ns = 1700000000 * SECOND + 1234};
    machine->amd = (struct adapter_reading){
        .id = ADAPTER_A,
        .source = "drm",
        .kind = ADAPTER_DISCRETE,
        .vram_total_bytes = measured_known(16 * GIB),
        .vram_used_bytes = measured_known(1 * GIB),
        .shared_used_bytes = measured_known(50 * (int64_t)MIB),
        .load_millipercent = said_value(96000, HOW_REPORTED),
        .clock_hz = {said_measured(2254000000)},
    };
    machine->nvidia = (struct adapter_reading){
        .id = ADAPTER_B,
        .source = "nvml",
        .lists_processes = true,
        .has_pci_ids = true,
        .pci_device = 0x2684,
        .pci_revision_unknown = true,
        .kind = ADAPTER_DISCRETE,
        .vram_used_bytes = measured_known(2 * GIB),
        .process_load_answered = true,
    };
    machine->drm = (struct reading){.source = "drm",
                                    .state = SOURCE_OK,
                                    .running_ns = 100 * SECOND,
                                    .adapters = &machine->amd,
                                    .adapter_count = 1,
                                    .clients = machine->clients};
    machine->nvml = (struct reading){.source = "nvml",
                                     .state = SOURCE_OK,
                                     .running_ns = 99 * SECOND,
                                     .adapters = &machine->nvidia,
                                     .adapter_count = 1,
                                     .listed = machine->listed};
    machine->readings[0] = &machine->drm;
    machine->readings[1] = &machine->nvml;
    machine->system = (struct system_reading){
        .walk = {.ran = true,
                 .complete = true,
                 .scanned = 12,
                 .unreadable = 3,
                 .oldest_look_ns = INT64_MAX,
                 .processes = machine->walked},
        .processes = machine->processes,
    };
    machine->input = (struct assemble_input){
        .pass = &machine->pass,
        .system = &machine->system,
        .readings = machine->readings,
        .reading_count = 2,
        .system_name = "linux",
    };
    machine->assembler = assembler_new();
}

static void add_process(struct machine_built *machine, int64_t pid, const char *name)
{
    machine->processes[machine->system.process_count++] = (struct process_reading){
        .identity = process_identity(pid),
        .parent_pid = 1,
        .name = raw_from_string(name),
        .user = raw_from_string("ann"),
        .command = {name, strlen(name) + 1},
        .cpu_time_ns = measured_known(machine->pass.running_ns / 4),
        .read_running_ns = machine->pass.running_ns,
        .ram_bytes = measured_known(4096),
    };
}

static void add_listed(struct machine_built *machine, int64_t pid, enum nvml_list list,
                       int64_t bytes)
{
    struct nvml_listed_process *entry = &machine->listed[machine->nvml.listed_count++];
    *entry = (struct nvml_listed_process){
        .adapter_id = ADAPTER_B, .list = list, .pid = pid, .memory_bytes = measured_known(bytes)};
}

static struct drm_client_reading *add_client(struct machine_built *machine, int64_t pid,
                                             uint64_t id)
{
    struct drm_client_reading *client = &machine->clients[machine->drm.client_count++];
    *client = amd_client(pid, 5, id);
    client->read_running_ns = machine->pass.running_ns;
    add_engine(client, "compute", ENGINE_compute, 0);
    return client;
}

static struct snapshot *step(struct machine_built *machine)
{
    struct snapshot *snapshot = snapshot_new(NULL);
    assembler_step(machine->assembler, &machine->input, snapshot);
    return snapshot;
}

static void advance(struct machine_built *machine, int64_t seconds)
{
    machine->pass.running_ns += seconds * SECOND;
    for (size_t i = 0; i < machine->drm.client_count; i++)
        machine->clients[i].read_running_ns += seconds * SECOND;
    for (size_t i = 0; i < machine->system.process_count; i++) {
        machine->processes[i].read_running_ns += seconds * SECOND;
        machine->processes[i].cpu_time_ns.value += seconds * SECOND / 4;
    }
}

static const struct process *process_of(const struct snapshot *snapshot, int64_t pid)
{
    for (size_t i = 0; i < snapshot->process_count; i++)
        if (snapshot->processes[i].pid == pid)
            return &snapshot->processes[i];
    fail_msg("pid %d is not listed", (int)pid);
    return NULL;
}

static void assert_figure(struct figure figure, double value)
{
    assert_true(figure_is_known(figure));
    assert_true(fabs(figure.value - value) < 0.001);
}

static void test_private_client(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    add_process(&machine, 4242, "llama-server");
    add_client(&machine, 4242, 77);
    struct snapshot *snapshot = step(&machine);
    const struct process *process = process_of(snapshot, 4242);
    assert_string_equal(process->id.utf8, "local/4242/42420");
    assert_int_equal(process->class, CLASS_LLM);
    const struct gpu_use *use = &process->gpus[0];
    assert_int_equal(use->vram_bytes.value, 100 * (int64_t)MIB);
    assert_int_equal(use->spill_bytes.value, 10 * (int64_t)MIB);
    assert_figure(use->vram_proof_age_seconds, 0);
    assert_int_equal(use->load_percent.why_not, REASON_need_two_samples);
    assert_int_equal(process->cpu_percent.why_not, REASON_need_two_samples);
    assert_false(figure_is_known(snapshot->interval_seconds));
    assert_int_equal(snapshot->taken_at_ns % 1000, 0);
    const struct adapter *adapter = &snapshot->adapters[0];
    assert_int_equal(adapter->memory.attributed_bytes.value, 100 * (int64_t)MIB);
    assert_int_equal(adapter->memory.unattributed_bytes.value, GIB - 100 * (int64_t)MIB);
    assert_int_equal(adapter->memory.shared_unattributed_bytes.value, 40 * (int64_t)MIB);
    assert_figure(adapter->load_percent, 96);
    assert_int_equal(adapter->load_percent.how, HOW_REPORTED);
    assert_figure(adapter->clocks_mhz.graphics, 2254);
    assert_int_equal(snapshot->process_status.scanned.value, 12);
    assert_int_equal(snapshot->process_status.gpu_clients.value, 1);
    assert_non_null(strstr(snapshot->process_status.advice.utf8, "sudo"));
    snapshot_drop(&snapshot);

    advance(&machine, 2);
    machine.clients[0].engines[0].busy_ns.value += 19 * SECOND / 10;
    snapshot = step(&machine);
    process = process_of(snapshot, 4242);
    assert_figure(process->gpus[0].load_percent, 95);
    assert_figure(process->gpus[0].engines_percent[ENGINE_gfx], 0);
    assert_int_equal(process->gpus[0].type, GPU_USE_COMPUTE);
    assert_figure(process->cpu_percent, 25);
    assert_figure(snapshot->interval_seconds, 2);
    snapshot_drop(&snapshot);

    advance(&machine, 2);
    machine.pass.after_gap = true;
    snapshot = step(&machine);
    assert_false(figure_is_known(snapshot->interval_seconds));
    assert_false(figure_is_known(process_of(snapshot, 4242)->gpus[0].load_percent));
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_unattributed_reasons(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    add_process(&machine, 1, "systemd");
    add_client(&machine, 1, 31)->primary_node = true;
    struct snapshot *snapshot = step(&machine);
    const struct gpu_use *use = &process_of(snapshot, 1)->gpus[0];
    assert_int_equal(use->vram_bytes.why_not, REASON_primary_node);
    assert_true(reason_set_has(use->vram_unattributed_reasons, REASON_primary_node));
    assert_int_equal(use->vram_resident_bytes.value, 100 * (int64_t)MIB);
    assert_int_equal(use->clients[0].reason, REASON_primary_node);
    assert_false(use->clients[0].charged);
    assert_int_equal(snapshot->adapters[0].memory.attributed_bytes.value, 0);
    assert_int_equal(snapshot->adapters[0].memory.unattributed_bytes.value, GIB);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_unified_memory(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    machine.amd.kind = ADAPTER_INTEGRATED;
    machine.amd.unified = true;
    machine.amd.video_is_unified = true;
    add_process(&machine, 7, "mpv");
    struct drm_client_reading *client = add_client(&machine, 7, 1);
    client->region_count = 0;
    add_region(client, "system0", DRM_POOL_SHARED, 4096, 0);
    struct snapshot *snapshot = step(&machine);
    const struct gpu_use *use = &process_of(snapshot, 7)->gpus[0];
    assert_int_equal(use->vram_bytes.why_not, REASON_unified_memory);
    assert_int_equal(use->shared_bytes.value, 4096);
    assert_int_equal(use->spill_bytes.why_not, REASON_unified_memory);
    assert_int_equal(use->engines_percent[ENGINE_decode].why_not, REASON_unified_ring);
    assert_true(snapshot->adapters[1].memory.unified);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_kfd(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    const struct device_file kfd = {.class = DEVICE_KFD};
    const struct kfd_process_reading entry = {
        .pid = 90, .adapter_id = ADAPTER_A, .vram_bytes = measured_known(99)};
    add_process(&machine, 90, "python3");
    add_client(&machine, 90, 1);
    machine.walked[0] = (struct walked_process){
        .identity = process_identity(90), .device_files = &kfd, .device_file_count = 1};
    machine.system.walk.process_count = 1;
    machine.drm.kfd_processes = &entry;
    machine.drm.kfd_process_count = 1;
    struct snapshot *snapshot = step(&machine);
    snapshot_drop(&snapshot);
    advance(&machine, 1);
    snapshot = step(&machine);
    const struct process *process = process_of(snapshot, 90);
    const struct gpu_use *use = &process->gpus[0];
    assert_int_equal(use->vram_bytes.value, 100 * (int64_t)MIB);
    assert_int_equal(use->kfd_vram_bytes.value, 99);
    assert_int_equal(use->engines_percent[ENGINE_gfx].why_not, REASON_rocm_kfd_process);
    assert_int_equal(use->engines_percent[ENGINE_compute].why_not, REASON_rocm_kfd_process);
    assert_int_equal(use->engines_percent[ENGINE_ofa].why_not, REASON_not_reported);
    assert_int_equal(use->load_percent.why_not, REASON_rocm_kfd_process);
    assert_string_equal(process->runtimes[0].name.utf8, "HIP");
    /* beside it, never added */
    assert_int_equal(snapshot->adapters[0].memory.attributed_bytes.value, 100 * (int64_t)MIB);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

/* KFD has a file for every GPU of the machine, mostly with 0: only what is there is used. */
static void test_kfd_lists_every_gpu(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    const struct kfd_process_reading entries[] = {
        {.pid = 90, .adapter_id = ADAPTER_B, .vram_bytes = measured_known(0)},
        {.pid = 90, .adapter_id = ADAPTER_A, .vram_bytes = measured_known(99)},
        {.pid = 91, .adapter_id = ADAPTER_A, .vram_bytes = measured_known(0)},
        {.pid = 91, .adapter_id = ADAPTER_B, .vram_bytes = measured_known(99)},
        {.pid = 92, .adapter_id = ADAPTER_A, .vram_bytes = measured_known(0)},
        {.pid = 92, .adapter_id = ADAPTER_B, .vram_bytes = measured_known(0)},
    };
    add_process(&machine, 90, "python3");
    add_client(&machine, 90, 1);
    add_process(&machine, 91, "hidden");
    add_process(&machine, 92, "idle");
    machine.drm.kfd_processes = entries;
    machine.drm.kfd_process_count = 6;
    struct snapshot *snapshot = step(&machine);
    assert_int_equal(process_of(snapshot, 90)->gpu_count, 1);
    assert_string_equal(process_of(snapshot, 90)->gpus[0].adapter_id.utf8, ADAPTER_A);
    assert_int_equal(process_of(snapshot, 91)->gpu_count, 1);
    assert_string_equal(process_of(snapshot, 91)->gpus[0].adapter_id.utf8, ADAPTER_B);
    assert_int_equal(process_of(snapshot, 92)->gpu_count, 2); /* which one cannot be told */
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_nvml_rows(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    add_process(&machine, 10, "python");
    add_listed(&machine, 10, NVML_LIST_COMPUTE, GIB);
    add_listed(&machine, 10, NVML_LIST_GRAPHICS, GIB);
    add_listed(&machine, 4000, NVML_LIST_COMPUTE, GIB / 2); /* not in /proc */
    struct snapshot *snapshot = step(&machine);
    assert_int_equal(snapshot->process_count, 2);
    assert_int_equal(snapshot->processes[0].pid, 10); /* the larger first */
    const struct gpu_use *use = &snapshot->processes[0].gpus[0];
    assert_int_equal(use->vram_bytes.value, GIB);
    assert_int_equal(use->type, GPU_USE_BOTH);
    assert_figure(use->load_percent, 0);
    assert_int_equal(use->spill_bytes.why_not, REASON_not_reported);
    assert_string_equal(snapshot->adapters[1].pci_device.utf8, "2684");
    assert_true(text_is_none(snapshot->adapters[1].pci_revision)); /* unknown is not "00" */
    const struct process *hidden = process_of(snapshot, 4000);
    assert_int_equal(hidden->ram_bytes.why_not, REASON_starting); /* not looked up yet */
    assert_string_equal(hidden->id.utf8, "local/4000/?");
    assert_true(text_is_none(hidden->name) && text_is_none(hidden->user));
    assert_false(hidden->command.known);
    assert_int_equal(snapshot->adapters[1].memory.attributed_bytes.value, GIB + GIB / 2);
    assert_int_equal(snapshot->adapters[1].memory.unattributed_bytes.value, GIB / 2);
    const int64_t *pids;
    assert_int_equal(assembler_wanted_pids(machine.assembler, &pids), 2);
    snapshot_drop(&snapshot);
    const int64_t missing[] = {4000};
    machine.system.missing_pids = missing;
    machine.system.missing_pid_count = 1;
    snapshot = step(&machine);
    assert_int_equal(process_of(snapshot, 4000)->ram_bytes.why_not, REASON_not_permitted);
    snapshot_drop(&snapshot);
    /* GB10: what a GPU without memory of its own puts into the system's is no spill. */
    machine.nvidia.unified = true;
    snapshot = step(&machine);
    assert_int_equal(snapshot->processes[0].gpus[0].spill_bytes.why_not, REASON_unified_memory);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_container_rows(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    machine.input.mode = SNAPSHOT_CONTAINER;
    add_process(&machine, 10, "sleep"); /* has nothing of the GPU */
    add_listed(&machine, 10, NVML_LIST_COMPUTE, GIB);
    struct snapshot *snapshot = step(&machine);
    const struct process *process = &snapshot->processes[0];
    assert_string_equal(process->label.utf8, "H:10");
    assert_true(text_is_none(process->name));
    assert_int_equal(process->gpus[0].vram_bytes.value, GIB);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_failed_list_is_unknown(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    machine.nvidia.compute_list_unknown = true;
    machine.nvidia.compute_list_why_not = REASON_call_failed;
    add_listed(&machine, 10, NVML_LIST_GRAPHICS, MIB);
    struct snapshot *snapshot = step(&machine);
    const struct adapter *adapter = &snapshot->adapters[1];
    assert_true(adapter->compute_list_state.unknown);
    assert_false(adapter->graphics_list_state.unknown);
    assert_int_equal(snapshot->note_count, 1);
    assert_string_equal(snapshot->notes[0].code.utf8, "attributed_incomplete");
    snapshot_drop(&snapshot);
    machine.nvidia.graphics_list_unknown = true;
    machine.nvidia.graphics_list_why_not = REASON_device_lost;
    machine.nvml.listed_count = 0;
    snapshot = step(&machine);
    assert_true(snapshot->adapters[1].processes_state.unknown);
    assert_false(snapshot->adapters[1].memory.attributed_bytes.known);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_exceeding_sum_is_noted(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    add_listed(&machine, 10, NVML_LIST_COMPUTE, 3 * GIB);
    struct snapshot *snapshot = step(&machine);
    assert_int_equal(snapshot->adapters[1].memory.unattributed_bytes.value, 0);
    assert_string_equal(snapshot->notes[0].code.utf8, "attributed_exceeds_device");
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

/* What no process can hold is no measurement of it, and never a part of the adapter's sum. */
static void test_more_than_the_adapter_has(void **state)
{
    (void)state;
    static const struct {
        int64_t vram_total, shared_total, listed_total; /* of the adapters; 0: not known */
        bool vram, shared, listed;                      /* what is still told */
    } cases[] = {
        {16 * GIB, GIB, 16 * GIB, true, true, true},
        {100 * (int64_t)MIB, 10 * (int64_t)MIB, GIB, true, true, true},
        {100 * (int64_t)MIB - 1, GIB, GIB - 1, false, true, false},
        {GIB, 10 * (int64_t)MIB - 1, 0, true, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine_built machine;
        build(&machine);
        add_process(&machine, 4242, "glxgears");
        add_client(&machine, 4242, 77); /* 100 MiB, and 10 MiB in the system's memory */
        add_listed(&machine, 4000, NVML_LIST_COMPUTE, GIB);
        machine.amd.vram_total_bytes = measured_known(cases[i].vram_total);
        machine.amd.shared_total_bytes = measured_known(cases[i].shared_total);
        if (cases[i].listed_total)
            machine.nvidia.vram_total_bytes = measured_known(cases[i].listed_total);
        struct snapshot *snapshot = step(&machine);
        const struct gpu_use *use = &process_of(snapshot, 4242)->gpus[0];
        const struct gpu_use *listed = &process_of(snapshot, 4000)->gpus[0];
        assert_int_equal(use->vram_bytes.known, cases[i].vram);
        assert_int_equal(use->shared_bytes.known, cases[i].shared);
        assert_int_equal(use->spill_bytes.known, cases[i].shared);
        assert_int_equal(listed->vram_bytes.known, cases[i].listed);
        if (!cases[i].vram)
            assert_int_equal(use->vram_bytes.why_not, REASON_larger_than_adapter);
        if (!cases[i].shared)
            assert_int_equal(use->spill_bytes.why_not, REASON_larger_than_adapter);
        if (!cases[i].listed)
            assert_int_equal(listed->vram_bytes.why_not, REASON_larger_than_adapter);
        assert_int_equal(snapshot->adapters[0].memory.attributed_bytes.value,
                         cases[i].vram ? 100 * (int64_t)MIB : 0);
        assert_int_equal(snapshot->adapters[1].memory.attributed_bytes.value,
                         cases[i].listed ? GIB : 0);
        snapshot_drop(&snapshot);
        assembler_free(&machine.assembler);
    }
}

static void test_instances_belong_to_their_parent(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    struct adapter_reading adapters[2] = {machine.nvidia, machine.nvidia};
    memcpy(adapters[1].id, "uuid:MIG-0", sizeof "uuid:MIG-0");
    memcpy(adapters[1].parent_id, ADAPTER_B, sizeof ADAPTER_B);
    adapters[1].kind = ADAPTER_MIG;
    adapters[1].vram_used_bytes = measured_known(GIB);
    machine.nvml.adapters = adapters;
    machine.nvml.adapter_count = 2;
    add_listed(&machine, 10, NVML_LIST_COMPUTE, GIB / 4);
    memcpy(machine.listed[0].adapter_id, "uuid:MIG-0", sizeof "uuid:MIG-0");
    struct snapshot *snapshot = step(&machine);
    assert_int_equal(snapshot->adapter_count, 3);
    assert_string_equal(snapshot->adapters[2].id.utf8, "uuid:MIG-0");
    assert_int_equal(snapshot->processes[0].gpus[0].adapter.value, 2);
    assert_int_equal(snapshot->adapters[1].memory.attributed_bytes.value, GIB / 4);
    assert_int_equal(snapshot->adapters[2].memory.unattributed_bytes.value, 3 * GIB / 4);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

static void test_stale_source(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    machine.nvidia = (struct adapter_reading){.id = ADAPTER_B,
                                              .source = "nvml",
                                              .lists_processes = true,
                                              .figures_why_not = REASON_stale,
                                              .compute_list_unknown = true,
                                              .graphics_list_unknown = true,
                                              .compute_list_why_not = REASON_stale,
                                              .graphics_list_why_not = REASON_stale};
    machine.nvml.state = SOURCE_STALE;
    struct snapshot *snapshot = step(&machine);
    const struct adapter *adapter = &snapshot->adapters[1];
    assert_int_equal(adapter->memory.vram_used_bytes.why_not, REASON_stale);
    assert_int_equal(adapter->load_percent.why_not, REASON_stale);
    assert_int_equal(adapter->memory.unattributed_bytes.why_not, REASON_stale);
    assert_figure(snapshot->sources[1].age_seconds, 1);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

/* The step is handed the snapshot before: what changed travels in this one. */
static void test_events(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    struct snapshot *first = step(&machine);
    assert_int_equal(first->event_count, 0);
    add_process(&machine, 10, "python");
    add_listed(&machine, 10, NVML_LIST_COMPUTE, GIB);
    advance(&machine, 1);
    machine.input.previous = first;
    struct snapshot *second = step(&machine);
    assert_int_equal(second->event_count, 1);
    assert_string_equal(second->events[0].process.utf8, "local/10/100");
    snapshot_drop(&first);
    snapshot_drop(&second);
    assembler_free(&machine.assembler);
}

static void test_nothing_read_yet(void **state)
{
    (void)state;
    struct machine_built machine;
    build(&machine);
    machine.input.system = NULL;
    struct snapshot *snapshot = step(&machine);
    assert_false(snapshot->process_status.scanned.known);
    assert_int_equal(snapshot->host.memory_used_bytes.why_not, REASON_starting);
    assert_true(snapshot->adapters[0].processes_state.unknown);
    snapshot_drop(&snapshot);
    /* The collector has not answered for long: what it said is too old, nothing is starting. */
    machine.input.system_why_not = REASON_stale;
    snapshot = step(&machine);
    assert_int_equal(snapshot->process_status.scanned.why_not, REASON_stale);
    assert_int_equal(snapshot->host.memory_used_bytes.why_not, REASON_stale);
    assert_int_equal(snapshot->host.cpu_percent.why_not, REASON_stale);
    assert_int_equal(snapshot->adapters[0].processes_state.why_not, REASON_stale);
    snapshot_drop(&snapshot);
    machine.input.reading_count = 0;
    snapshot = step(&machine);
    assert_int_equal(snapshot->adapter_count, 0);
    snapshot_drop(&snapshot);
    assembler_free(&machine.assembler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private_client),
        cmocka_unit_test(test_unattributed_reasons),
        cmocka_unit_test(test_unified_memory),
        cmocka_unit_test(test_kfd),
        cmocka_unit_test(test_kfd_lists_every_gpu),
        cmocka_unit_test(test_nvml_rows),
        cmocka_unit_test(test_container_rows),
        cmocka_unit_test(test_failed_list_is_unknown),
        cmocka_unit_test(test_exceeding_sum_is_noted),
        cmocka_unit_test(test_more_than_the_adapter_has),
        cmocka_unit_test(test_instances_belong_to_their_parent),
        cmocka_unit_test(test_stale_source),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_nothing_read_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
